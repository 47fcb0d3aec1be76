//! A functional mock-up unit: the model for other simulation programs, by FMI 3.0 or 2.0.
//!
//! Model exchange and co-simulation in one. Variables have their names in the model, the rate of `x` is `der(x)`. In event mode, and
//! after each step of co-simulation, the state returns to the constraints. The source is the exported C (`c.rs`) with steps
//! (`assets/code/step.c`) and the functions of the standard (`assets/code/fmu.c`, `fmi3.c`, `fmi2.c`).

use super::block::Item;
use super::c;
use super::outline::Outline;
use dalembert_run::State;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

const CORE: &str = include_str!("../assets/code/fmu.c");
const FMI3: &str = include_str!("../assets/code/fmi3.c");
const FMI2: &str = include_str!("../assets/code/fmi2.c");

/// Least drift from the constraints, against the size of the state, at which an integrator is asked for an event: each one makes
/// it start again.
const DRIFT: f64 = 1e-9;

/// The version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FmiVersion {
    /// 2.0.
    Two,
    /// 3.0.
    Three,
}

/// What an FMU is made of, before it is packed.
#[derive(Clone, Debug)]
pub struct Fmu {
    /// `modelDescription.xml`.
    pub description: String,
    /// The source, one file.
    pub source: String,
    /// How the source is compiled (FMI 3.0).
    pub build_description: Option<String>,
    /// What the source, the library and the functions are called.
    pub name: String,
    /// The folder of the library for 64-bit Linux.
    pub folder: &'static str,
}

impl Fmu {
    /// The archive: description, sources, and a library for 64-bit Linux where one was compiled.
    pub fn archive(&self, library: Option<&[u8]>) -> Vec<u8> {
        let name = &self.name;
        let mut files = vec![
            ("modelDescription.xml".to_owned(), self.description.clone().into_bytes()),
            (format!("sources/{name}.c"), self.source.clone().into_bytes()),
        ];
        if let Some(text) = &self.build_description {
            files.push(("sources/buildDescription.xml".to_owned(), text.clone().into_bytes()));
        }
        files.extend(library.map(|bytes| (format!("{}/{name}.so", self.folder), bytes.to_vec())));
        crate::zip(&files)
    }
}

/// A variable of the description.
struct Variable {
    name: String,
    reference: usize,
    causality: &'static str,
    /// Variability, where it is not that of a continuous quantity.
    variability: &'static str,
    start: Option<f64>,
    unit: Option<String>,
    /// What it is the derivative of.
    derivative: Option<usize>,
    initial: Option<&'static str>,
}

/// All variables, and which of them are derivatives of the states and outputs.
struct Variables {
    list: Vec<Variable>,
    derivatives: Vec<usize>,
    outputs: Vec<usize>,
    indicators: Vec<usize>,
}

/// The files of an FMU that starts at a state.
pub fn write(outline: &Outline, start: &State, version: FmiVersion) -> Fmu {
    let variables = variables(outline, start);
    let token = token(outline, &variables);
    let folder = if version == FmiVersion::Three { "binaries/x86_64-linux" } else { "binaries/linux64" };
    Fmu {
        description: match version {
            FmiVersion::Three => description3(outline, &variables, &token),
            FmiVersion::Two => description2(outline, &variables, &token),
        },
        source: source(outline, start, version, &token),
        build_description: (version == FmiVersion::Three).then(|| {
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n  \
                 <BuildConfiguration modelIdentifier=\"{0}\">\n    <SourceFileSet language=\"C99\">\n      \
                 <SourceFile name=\"{0}.c\"/>\n    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n",
                outline.name
            )
        }),
        name: outline.name.clone(),
        folder,
    }
}

/// Values by their references: time, parameters, coordinates, speeds, their rates, outputs, event indicators.
fn sizes(outline: &Outline) -> [usize; 8] {
    let (nx, n) = (outline.coordinates.len(), outline.speeds.len());
    [1, outline.parameters.len(), nx, n, nx, n, outline.outputs.len(), indicators(outline)]
}

/// Functions that an importer watches.
fn indicators(outline: &Outline) -> usize {
    let s = &outline.shape;
    s.n_contact + s.n_event + s.n_switch
}

fn variables(outline: &Outline, start: &State) -> Variables {
    let sizes = sizes(outline);
    let first: Vec<usize> = (0..8).map(|k| sizes[..k].iter().sum()).collect();
    let (mut list, mut used): (Vec<Variable>, HashSet<String>) = (Vec::new(), HashSet::new());
    let mut add = |variable: Variable| {
        let mut variable = variable;
        while !used.insert(variable.name.clone()) {
            variable.name.push_str("_output");
        }
        list.push(variable);
    };
    let continuous = |name: &str, reference: usize, item: Option<&Item>| Variable {
        name: name.to_owned(),
        reference,
        causality: "local",
        variability: "continuous",
        start: None,
        unit: item.and_then(|item| item.unit.clone()),
        derivative: None,
        initial: None,
    };
    add(Variable { causality: "independent", ..continuous("time", 0, None) });
    for (k, item) in outline.parameters.iter().enumerate() {
        let (causality, variability) =
            if outline.is_input[k] { ("input", "continuous") } else { ("parameter", "tunable") };
        let start = Some(outline.values[k]);
        add(Variable { causality, variability, start, ..continuous(&item.name, first[1] + k, Some(item)) });
    }
    for (k, item) in outline.coordinates.iter().enumerate() {
        let start = Some(start.x[k]);
        add(Variable { start, initial: Some("exact"), ..continuous(&item.name, first[2] + k, Some(item)) });
    }
    // A speed that is the rate of a coordinate is called so; other rates are variables of their own.
    let rate_of = |speed: &str| {
        let name = speed.strip_suffix('\'')?;
        outline.coordinates.iter().position(|c| c.name == name)
    };
    let mut derivatives = vec![0; outline.coordinates.len()];
    let mut has_rate = vec![false; outline.coordinates.len()];
    for (k, item) in outline.speeds.iter().enumerate() {
        let of = rate_of(&item.name);
        let name = of.map_or(item.name.clone(), |x| format!("der({})", outline.coordinates[x].name));
        if let Some(x) = of {
            (derivatives[x], has_rate[x]) = (first[3] + k, true);
        }
        let (start, derivative) = (Some(start.eta[k]), of.map(|x| first[2] + x));
        let variable = continuous(&name, first[3] + k, Some(item));
        add(Variable { start, derivative, initial: Some("exact"), ..variable });
    }
    for (k, item) in outline.coordinates.iter().enumerate().filter(|(k, _)| !has_rate[*k]) {
        derivatives[k] = first[4] + k;
        let derivative = Some(first[2] + k);
        add(Variable { derivative, ..continuous(&format!("der({})", item.name), first[4] + k, None) });
    }
    for (k, item) in outline.speeds.iter().enumerate() {
        let name = match rate_of(&item.name) {
            Some(x) => format!("der({},2)", outline.coordinates[x].name),
            None => format!("der({})", item.name),
        };
        let derivative = Some(first[3] + k);
        derivatives.push(first[5] + k);
        add(Variable { derivative, ..continuous(&name, first[5] + k, None) });
    }
    let mut outputs = Vec::new();
    for (k, item) in outline.outputs.iter().enumerate() {
        outputs.push(first[6] + k);
        add(Variable { causality: "output", ..continuous(&item.name, first[6] + k, Some(item)) });
    }
    let events = outline.hybrid.events.iter().map(|e| format!("event({})", e.0.name));
    let contacts = outline.hybrid.contacts.iter().map(|c| format!("contact({})", c.0.name));
    let kinks = (0..outline.shape.n_switch).map(|k| format!("kink({})", k + 1));
    let mut indicators = Vec::new();
    for (k, name) in contacts.chain(events).chain(kinks).enumerate() {
        indicators.push(first[7] + k);
        add(continuous(&name, first[7] + k, None));
    }
    Variables { list, derivatives, outputs, indicators }
}

/// A name for the interface, from all that is in it: the same model has the same one.
fn token(outline: &Outline, variables: &Variables) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let texts = variables.list.iter().map(|v| format!("{}={:?};", v.name, v.start));
    for byte in texts.chain([outline.name.clone()]).flat_map(String::into_bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{{{hash:016x}}}")
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.chars().filter(|c| !c.is_control()).collect()
}

/// The units that occur, each with its exponents: `kg*m*s^-2`.
fn units(variables: &Variables) -> String {
    let names: BTreeMap<&str, ()> =
        variables.list.iter().filter_map(|v| v.unit.as_deref()).map(|unit| (unit, ())).collect();
    let mut out = String::new();
    for unit in names.keys() {
        let mut base = String::new();
        for factor in unit.split('*') {
            let (name, power) = factor.split_once('^').unwrap_or((factor, "1"));
            if ["kg", "m", "s", "A", "K", "mol", "cd", "rad"].contains(&name) && power.parse::<i32>().is_ok()
            {
                let _ = write!(base, " {name}=\"{power}\"");
            }
        }
        let _ = writeln!(out, "    <Unit name=\"{}\"><BaseUnit{base}/></Unit>", escaped(unit));
    }
    if out.is_empty() { out } else { format!("  <UnitDefinitions>\n{out}  </UnitDefinitions>\n") }
}

/// Attributes that both versions share, besides names and references.
fn attributes(variable: &Variable) -> String {
    let mut out = String::new();
    if variable.causality != "local" {
        let _ = write!(out, " causality=\"{}\"", variable.causality);
    }
    let _ = write!(out, " variability=\"{}\"", variable.variability);
    if let Some(initial) = variable.initial {
        let _ = write!(out, " initial=\"{initial}\"");
    }
    out
}

fn description3(outline: &Outline, variables: &Variables, token: &str) -> String {
    let title = escaped(outline.title.as_deref().unwrap_or(&outline.name));
    let name = &outline.name;
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{title}\" \
         instantiationToken=\"{token}\" generationTool=\"Dalembert {}\" variableNamingConvention=\"flat\">\n  \
         <ModelExchange modelIdentifier=\"{name}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" needsCompletedIntegratorStep=\"true\"/>\n  \
         <CoSimulation modelIdentifier=\"{name}\" canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"/>\n{}  \
         <DefaultExperiment startTime=\"0\" tolerance=\"1e-8\"/>\n  <ModelVariables>\n",
        env!("CARGO_PKG_VERSION"),
        units(variables),
    );
    for v in &variables.list {
        let _ = write!(out, "    <Float64 name=\"{}\" valueReference=\"{}\"", escaped(&v.name), v.reference);
        out.push_str(&attributes(v));
        if let Some(unit) = &v.unit {
            let _ = write!(out, " unit=\"{}\"", escaped(unit));
        }
        if let Some(of) = v.derivative {
            let _ = write!(out, " derivative=\"{of}\"");
        }
        if let Some(start) = v.start {
            let _ = write!(out, " start=\"{start:?}\"");
        }
        out.push_str("/>\n");
    }
    out.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    for (tag, references) in
        [("Output", &variables.outputs), ("ContinuousStateDerivative", &variables.derivatives)]
    {
        for reference in references {
            let _ = writeln!(out, "    <{tag} valueReference=\"{reference}\"/>");
        }
    }
    for reference in computed(variables) {
        let _ = writeln!(out, "    <InitialUnknown valueReference=\"{reference}\"/>");
    }
    for reference in &variables.indicators {
        let _ = writeln!(out, "    <EventIndicator valueReference=\"{reference}\"/>");
    }
    out.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    out
}

/// Outputs and derivatives that follow from the start: those without a start of their own.
fn computed(variables: &Variables) -> Vec<usize> {
    let has_start =
        |reference: usize| variables.list.iter().any(|v| v.reference == reference && v.start.is_some());
    let all = variables.outputs.iter().chain(&variables.derivatives);
    all.copied().filter(|reference| !has_start(*reference)).collect()
}

fn description2(outline: &Outline, variables: &Variables, token: &str) -> String {
    let title = escaped(outline.title.as_deref().unwrap_or(&outline.name));
    let name = &outline.name;
    let sources = format!("<SourceFiles>\n      <File name=\"{name}.c\"/>\n    </SourceFiles>");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{title}\" \
         guid=\"{token}\" generationTool=\"Dalembert {}\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"{}\">\n  \
         <ModelExchange modelIdentifier=\"{name}\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\">\n    {sources}\n  </ModelExchange>\n  \
         <CoSimulation modelIdentifier=\"{name}\" canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\">\n    {sources}\n  </CoSimulation>\n{}  \
         <DefaultExperiment startTime=\"0\" tolerance=\"1e-8\"/>\n  <ModelVariables>\n",
        env!("CARGO_PKG_VERSION"),
        variables.indicators.len(),
        units(variables),
    );
    // Derivatives and the structure refer to variables by their place in the list, from 1.
    let place: BTreeMap<usize, usize> =
        variables.list.iter().enumerate().map(|(k, v)| (v.reference, k + 1)).collect();
    let at = |reference: &usize| place.get(reference).copied().unwrap_or(0);
    for v in &variables.list {
        let _ = write!(
            out,
            "    <ScalarVariable name=\"{}\" valueReference=\"{}\"",
            escaped(&v.name),
            v.reference
        );
        let _ = write!(out, "{}><Real", attributes(v));
        if let Some(unit) = &v.unit {
            let _ = write!(out, " unit=\"{}\"", escaped(unit));
        }
        if let Some(of) = &v.derivative {
            let _ = write!(out, " derivative=\"{}\"", at(of));
        }
        if let Some(start) = v.start {
            let _ = write!(out, " start=\"{start:?}\"");
        }
        out.push_str("/></ScalarVariable>\n");
    }
    out.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    let lists = [
        ("Outputs", variables.outputs.clone()),
        ("Derivatives", variables.derivatives.clone()),
        ("InitialUnknowns", computed(variables)),
    ];
    for (tag, references) in lists.iter().filter(|(_, references)| !references.is_empty()) {
        let mut places: Vec<usize> = references.iter().map(at).collect();
        if *tag == "InitialUnknowns" {
            places.sort_unstable();
        }
        let _ = writeln!(out, "    <{tag}>");
        for k in places {
            let _ = writeln!(out, "      <Unknown index=\"{k}\"/>");
        }
        let _ = writeln!(out, "    </{tag}>");
    }
    out.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    out
}

/// The whole source: the model, its steps, an instance of it, and the functions of the standard.
fn source(outline: &Outline, start: &State, version: FmiVersion, token: &str) -> String {
    let room = |n: usize| n.max(1);
    let list = |values: &[f64]| -> String {
        let texts: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
        if texts.is_empty() { "0.0".to_owned() } else { texts.join(", ") }
    };
    let sizes = sizes(outline);
    let mut out = c::write(outline, true);
    let mut rest = format!(
        "\nenum {{ NAME_ROOM_P = {}, NAME_ROOM_X = {}, NAME_ROOM_Y = {}, NAME_PLACES = 8, NAME_INDICATORS = {}, NAME_FIRST_COMPUTED = {} }};\n",
        room(sizes[1]),
        room(sizes[2]),
        room(sizes[6]),
        sizes[7],
        sizes[..4].iter().sum::<usize>(),
    );
    let _ = writeln!(rest, "#define NAME_TOKEN \"{token}\"\n#define NAME_DRIFT {DRIFT:e}");
    let counts: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let _ = writeln!(rest, "static const unsigned int NAME_sizes[8] = {{{}}};", counts.join(", "));
    let _ =
        writeln!(rest, "static const double NAME_start_x[{}] = {{{}}};", room(start.x.len()), list(&start.x));
    let _ = writeln!(
        rest,
        "static const double NAME_start_eta[{}] = {{{}}};",
        room(start.eta.len()),
        list(&start.eta)
    );
    rest.push_str(CORE);
    rest.push_str(if version == FmiVersion::Three { FMI3 } else { FMI2 });
    out.push_str(&outline.fit(&rest, "//"));
    out
}
