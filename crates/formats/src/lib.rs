//! Files of others as models: URDF and MJCF to the text of a model.
//!
//! A file is read within bounds ([`MAX_NODES`], [`MAX_DEPTH`], no document types, other files only by [`include`]), becomes a robot of
//! bodies and joints, is merged where bodies do not move on each other, and is written as statements that a person reads.
//! Whatever is merged, left out or assumed is a diagnostic at its place in the file. Knows nothing of mechanics beyond
//! masses and inertias; the text is what the engine reads.
//!
//! ```
//! use dalembert_formats::{Options, import};
//! use dalembert_syntax::Source;
//!
//! let urdf = r#"<robot name="pendulum">
//!   <link name="world"/>
//!   <link name="rod"><inertial><origin xyz="0 0 -0.25"/><mass value="2"/>
//!     <inertia ixx="0.04" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0"/></inertial></link>
//!   <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint>
//! </robot>"#;
//! let made = import(&Source::new("pendulum.urdf", urdf), &Options::default()).unwrap();
//! assert_eq!(made.total_mass, 2.0);
//! assert!(made.text.contains("joint hinge: pin world to rod, axis [0, 1, 0]"));
//! ```

mod algebra;
mod include;
mod inertia;
mod merge;
mod mjcf;
mod names;
mod robot;
mod start;
mod turn;
mod urdf;
mod write;
mod xml;

pub use algebra::rounded;
pub use include::include;
pub use xml::{MAX_DEPTH, MAX_NODES};

use dalembert_syntax::diagnostic::{Code, Diagnostic, Diagnostics, any_error};
use dalembert_syntax::source::Source;
use xml::Log;

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The Unified Robot Description Format.
    Urdf,
    /// The modelling format of MuJoCo.
    Mjcf,
}

impl Format {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Urdf => "URDF",
            Format::Mjcf => "MJCF",
        }
    }
}

/// What may be asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether the root link of a URDF is fixed to the ground whatever it is called.
    pub fixed_base: bool,
}

/// A model made from a file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The format of the file.
    pub format: Format,
    /// The text of the model, formatted.
    pub text: String,
    /// What the file calls the robot.
    pub title: String,
    /// Bodies that move.
    pub bodies: usize,
    /// Joints between them.
    pub joints: usize,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Mass of everything, in kg.
    pub total_mass: f64,
    /// Mass that is fixed to the ground.
    pub ground_mass: f64,
    /// Everything that was merged, left out or assumed, with its place in the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes a model from the text of a URDF or MJCF file.
///
/// # Errors
///
/// Everything that is wrong with the file, with places in it, and what was noticed besides.
pub fn import(source: &Source, options: &Options) -> Result<Imported, Diagnostics> {
    let document = xml::parse(source).map_err(|d| Diagnostics(vec![*d]))?;
    let (root, mut log) = (document.root_element(), Log::default());
    let (format, robot) = match root.tag_name().name() {
        "robot" => (Format::Urdf, urdf::read(root, options.fixed_base, &mut log)),
        "mujoco" => (Format::Mjcf, mjcf::read(root, &mut log)),
        other => {
            let other: String = other.chars().take(80).collect();
            let message = format!("`<{other}>` is neither the `<robot>` of URDF nor the `<mujoco>` of MJCF");
            let d = Diagnostic::error(Code::UnknownFormat, xml::span(root), message);
            return Err(Diagnostics(vec![d]));
        }
    };
    if any_error(&log.messages) {
        return Err(log.errors());
    }
    let merged = merge::merge(&robot, &mut log);
    let moving: Vec<usize> = (0..robot.bodies.len()).filter(|&b| !merged.is_fixed[b]).collect();
    if moving.is_empty() {
        log.say(
            Code::NotImported,
            xml::span(root),
            "nothing in this file moves: it has no joints that carry mass",
        );
    }
    let head = head(source, format, &merged);
    let written = write::write(&robot, &merged, &head, &mut log);
    if any_error(&log.messages) {
        return Err(log.errors());
    }
    let text = formatted(&written.text, &mut log)?;
    Ok(Imported {
        format,
        text,
        bodies: moving.len(),
        joints: moving.iter().map(|&b| robot.bodies[b].joints.len()).sum(),
        inputs: written.inputs,
        title: robot.title,
        total_mass: merged.total_mass,
        ground_mass: merged.ground_mass,
        diagnostics: log.messages,
    })
}

/// The comment at the beginning of the model.
fn head(source: &Source, format: Format, merged: &merge::Merged) -> String {
    let file = source.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let file: String = file.chars().filter(|c| !c.is_control()).collect();
    let fixed = match merged.ground_mass {
        0.0 => String::new(),
        mass => format!(", of which {} kg are fixed to the ground", rounded(mass)),
    };
    let name = format.name();
    format!(
        "# Imported from {file} ({name}). Units: m, kg, s, rad.\n# Total mass {} kg{fixed}.\n",
        rounded(merged.total_mass)
    )
}

/// The text as `dalembert fmt` writes it, which also shows that it can be read.
fn formatted(text: &str, log: &mut Log) -> Result<String, Diagnostics> {
    let source = Source::new("imported model", text);
    let (ast, mut found) = dalembert_syntax::parse(&source);
    let made = dalembert_syntax::reformat(&ast);
    if found.is_empty()
        && let Ok(text) = made
    {
        return Ok(text);
    }
    found.extend(made.err().map(|d| *d));
    let what = found.first().map_or("no reason".to_owned(), |d| format!("{} at {:?}", d.message, d.span));
    let what = format!("the text of the model cannot be read: {what}");
    log.push(dalembert_syntax::internal::found("import", &what));
    Err(log.errors())
}
