//! The motion as source text: a function of time and state in C, Rust or Python that needs nothing but a mathematical
//! library, and gives accelerations (U1, U9), constraint forces (U2, U3) and control forces (C1) as the engine does.
//!
//! The tapes of K1-K4 and C1 become straight-line statements (`code/outline.rs` and `code/language.rs` hold what all
//! languages share, one file a language writes them); the linear algebra is a text of its own for each language in
//! `assets/code/`, with arrays of fixed size. Ranks are decided where the function runs, with the tolerances of the engine: redundant rows, losses of
//! rank and singular masses are answered, contradictions (U6) and requirements out of reach come back as codes.
//!
//! Coulomb friction, events and switches are part of the C (`c/hybrid.rs`) and of FMUs: contacts that stick are rows, which
//! of them do is searched at events, with bounded loops. Rust and Python leave friction out. Checked by `tests/it/export_code.rs`,
//! which compiles the texts and compares every number with the engine.

mod block;
mod c;
mod fmu;
mod hybrid;
mod language;
mod names;
mod outline;
mod python;
mod rust;
mod zip;

pub use fmu::{FmiVersion, Fmu};
pub use names::identifier;
pub use zip::zip;

use dalembert::Workspace;
use dalembert_run::{Contacts, Nonideal, State, independent_rows};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use outline::Outline;

/// Most operations of the tapes that are written out. An optimising C compiler takes half a minute for a tenth of that.
pub const MAX_EXPORTED: usize = 200_000;

/// Most bytes that a call of the exported function takes of the stack.
pub const MAX_WORKSPACE: usize = 1_048_576;

/// Most switches of time that exported steps look at.
const MAX_INSTANTS: usize = 2000;

/// A language to write in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// C99, which is C++ too.
    C,
    /// A module of Rust.
    Rust,
    /// A module of Python.
    Python,
}

/// The model as source text. `name` is an identifier, the beginning of every public name in languages without modules.
///
/// ```
/// use dalembert::{Model, Source};
/// use dalembert_codegen as code;
/// let text = "coordinate q\nkinetic q'^2/2\npotential q^2/2";
/// let model = Model::load(&Source::new("oscillator.dal", text), &Default::default()).unwrap();
/// let text = code::write(&model, code::Target::C, "oscillator").unwrap();
/// assert!(text.contains("int oscillator_evaluate("));
/// ```
pub fn write(model: &Workspace, target: Target, name: &str) -> Result<String, Box<Diagnostic>> {
    if target != Target::C {
        refuse_friction(model, target)?;
    }
    let outline = outline(model, name)?;
    Ok(match target {
        Target::C => c::write(&outline, false),
        Target::Rust => rust::write(&outline),
        Target::Python => python::write(&outline),
    })
}

/// What C code may have besides the motion at a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct COptions {
    /// Projection onto the constraints and steps in time.
    pub step: bool,
    /// Derivatives of the motion by coordinates, speeds and parameters (S2).
    pub jacobian: bool,
}

/// The model in C as a header and its source.
///
/// # Errors
///
/// As [`write()`]; with derivatives also for models with requirements.
pub fn write_c(
    model: &Workspace,
    name: &str,
    options: COptions,
) -> Result<(String, String), Box<Diagnostic>> {
    let mut outline = outline(model, name)?;
    if options.jacobian {
        if let Some(row) = model.system.control.rows.first() {
            let message = "derivatives of a motion with requirements cannot be exported";
            let help = "leave `--jacobian` out; `linearize` and Python differentiate controlled motions";
            return Err(Box::new(Diagnostic::error(Code::NotApplicable, row.span, message).help(help)));
        }
        if let Some(contact) = model.system.contacts.first() {
            let message =
                format!("derivatives of a motion with `friction` on `{}` cannot be exported", contact.name);
            let help =
                "leave `--jacobian` out; `simulate --sensitivity` follows motions through stick and slip";
            return Err(Box::new(Diagnostic::error(Code::NotApplicable, contact.span, message).help(help)));
        }
        outline = outline.with_tangents(model);
        check_operations(&outline)?;
    }
    if options.step {
        refuse_many_instants(&outline)?;
    }
    Ok((c::header(&outline, options.step), c::write(&outline, options.step)))
}

/// The model as the files of an FMU. In model exchange states return to the constraints in event mode, unless there are gains
/// by which their errors decay (C2).
///
/// # Errors
///
/// As [`write()`], and for models that have no start.
pub fn write_fmu(
    model: &Workspace,
    name: &str,
    version: FmiVersion,
    baumgarte: Option<[f64; 2]>,
) -> Result<Fmu, Box<Diagnostic>> {
    let mut outline = outline(model, name)?;
    outline.baumgarte = baumgarte;
    if baumgarte.is_some() && outline.shape.n_con > 0 {
        outline.whole = None;
    }
    refuse_many_instants(&outline)?;
    let start = model.clone().start()?;
    Ok(fmu::write(&outline, &start.state, version))
}

/// What is to be written, unless the model cannot be exported.
fn outline(model: &Workspace, name: &str) -> Result<Outline, Box<Diagnostic>> {
    refuse_bounds(model)?;
    refuse_open_loads(model)?;
    if !model.compiled.tapes().has_mass {
        let n = model.form.speeds.len();
        let message =
            format!("the mass matrix of this tree of bodies with {n} speeds is too large to be exported");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        return Err(Box::new(
            d.help("export a shorter tree, or bodies that are free with joints marked `cut`"),
        ));
    }
    let outline = Outline::new(model, name);
    check_operations(&outline)?;
    if outline.workspace() > MAX_WORKSPACE {
        let size = outline.workspace();
        return Err(too_large(format!(
            "a call would take {size} bytes of the stack; up to {MAX_WORKSPACE} are exported"
        )));
    }
    Ok(outline)
}

/// Exported steps look at all switches of time.
fn refuse_many_instants(outline: &Outline) -> Result<(), Box<Diagnostic>> {
    match outline.shape.n_time_switch {
        count if count > MAX_INSTANTS => {
            let message = format!(
                "tables and conditions switch at {count} times; steps are exported with up to {MAX_INSTANTS}"
            );
            let help = "use a table with fewer points, or make its argument a state whose rate is 1";
            Err(Box::new(Diagnostic::error(Code::TooLarge, None, message).help(help)))
        }
        _ => Ok(()),
    }
}

fn check_operations(outline: &Outline) -> Result<(), Box<Diagnostic>> {
    match outline.operations {
        count if count > MAX_EXPORTED => {
            Err(too_large(format!("this model takes {count} operations; up to {MAX_EXPORTED} are exported")))
        }
        _ => Ok(()),
    }
}

fn too_large(message: String) -> Box<Diagnostic> {
    let help = "use smaller families, or coordinates in which the energies are shorter";
    Box::new(Diagnostic::error(Code::TooLarge, None, message).help(help))
}

/// The search for contact modes is written in C alone.
fn refuse_friction(model: &Workspace, target: Target) -> Result<(), Box<Diagnostic>> {
    let Some(contact) = model.system.contacts.first() else { return Ok(()) };
    let language = if target == Target::Rust { "Rust" } else { "Python" };
    let message = format!("`friction` on `{}` cannot be exported to {language}", contact.name);
    let help = "use `--target c` or `--target fmu`, which have the search for contacts that stick; \
                for sliding alone write the friction as `nonideal work`";
    Err(Box::new(Diagnostic::error(Code::NotApplicable, contact.span, message).help(help)))
}

/// Bounds of control are found by a search.
fn refuse_bounds(model: &Workspace) -> Result<(), Box<Diagnostic>> {
    let system = &model.system;
    let refuse = |span, message: &str, help: &str| {
        Err(Box::new(Diagnostic::error(Code::NotApplicable, span, message).help(help)))
    };
    if !system.control.bounds.is_empty() {
        let span = system.control.rows.first().map(|row| row.span);
        let help = "leave `in a..b` out of `actuate`, and clip the inputs where the code is used";
        return refuse(span, "control with bounds cannot be exported", help);
    }
    Ok(())
}

/// Exported code has multipliers of minimum norm, which depend on how often a redundant row is written: no numbers for a
/// force law to read.
fn refuse_open_loads(model: &Workspace) -> Result<(), Box<Diagnostic>> {
    let pressed = model
        .compiled
        .contacts()
        .iter()
        .flat_map(|c| if c.has_given_limit() { 0..0 } else { c.rows.clone() });
    let Some(row) = model.compiled.rows_read().iter().copied().chain(pressed).next() else { return Ok(()) };
    let states = model.clone().sample_states();
    let m = model.system.constraints.rows.len();
    let redundant =
        |s: &State| independent_rows(&model.compiled, s.point()).is_some_and(|rows| rows.len() < m);
    if !states.iter().any(redundant) {
        return Ok(());
    }
    let row = &model.system.constraints.rows[row];
    let message = format!(
        "friction or non-ideal work reads the force of `{}`, and constraints are redundant",
        row.name
    );
    let help = "which constraint carries is decided at each state, which exported code does not do; remove the constraints that follow from others";
    Err(Box::new(Diagnostic::error(Code::NotApplicable, row.span, message).help(help)))
}
