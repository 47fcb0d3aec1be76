//! From syntax to system: names, families, vectors, units, and everything that can be wrong with them.
//!
//! Statements are taken in order; each one either adds to the model or says what is wrong and lets the rest go
//! on, so that one reading shows all mistakes. At the end the kinematics are solved and rates replaced
//! (`finish`). Work is bounded: [`MAX_STEPS`] expressions and members, and the pool's own limit.

mod actuate;
mod arithmetic;
mod auxiliary;
mod bindings;
mod bodies;
mod call;
mod declare;
mod dimensions;
mod draft;
mod draw;
mod events;
mod expression;
mod finish;
mod forces;
mod functions;
mod initial;
mod jacobi;
mod laws;
mod loops;
mod outside;
mod places;
mod result_units;
mod results;
mod roles;
pub(crate) mod scope;
mod speeds;
mod statement;
mod survey;
mod tables;
mod value;
mod written;

use crate::system::{Parameter, System, TableUse};
use dalembert_expr::{Derivation, Expr, Pool, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic, any_error};
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::units::UnitInfo;
use dalembert_syntax::{self, Ast};
use loops::Loops;
use roles::Role;
use rustc_hash::FxHashMap;
use scope::{Binding, Scope};

pub(crate) use outside::{Names, constant_value, expression_over, value_in};
pub(crate) use places::with_places;
pub use survey::{ConstraintFact, Fact, Survey, survey};
pub use tables::{Interpolation, Samples, points_of_columns};

/// How many expressions, members of families and turns of loops a model may have altogether.
pub const MAX_STEPS: usize = 4_000_000;
/// How many coordinates, speeds and constraint rows a model may have each.
pub const MAX_UNKNOWNS: usize = 50_000;
/// How many of them where matrices are written out: a matrix of this size is what a machine holds with ease.
pub const MAX_DENSE: usize = 2000;
/// What names of outputs begin with that are asked for besides those of the model.
const ASKED: &str = "value_of_state_";
/// After this many errors the rest is not read.
const MAX_ERRORS: usize = 100;

/// Changes from outside: values of parameters and constants, and starting values.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `(name, value)`: a parameter, a constant, or a whole family.
    pub set: Vec<(String, String)>,
    /// As in the statement: `x = 1` or `x' ~ 2`.
    pub initial: Vec<String>,
    /// Assignments of a state that will be asked for, `C = 0.9`: joints that they name are not cut.
    pub kept: Vec<String>,
    /// Signals for inputs, by name.
    pub input: Vec<(String, Signal)>,
    /// Files that tables are read from: the path as the model writes it, and the text.
    pub files: Vec<(String, String)>,
}

/// What is given for an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// An expression of time, parameters and state; a bare number is in the unit of the file.
    Expression(String),
    /// A function of time by samples, in SI.
    Samples(Samples),
}

/// A diagnostic has been recorded; there is nothing to add.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported;

type Fallible<T> = Result<T, Reported>;

/// A generalised force asked for in an output, to be resolved when the speeds are known.
struct ForceObservable {
    symbol: Symbol,
    kind: String,
    on: Binding,
    span: Span,
}

/// An expression of a statement, with its unit and place.
#[derive(Clone)]
struct Part {
    expr: Expr,
    kind: UnitInfo,
    span: Span,
}

/// A starting value whose target is a coordinate (`order` 0), its rate (1) or a declared speed.
struct RawInitial {
    on: Binding,
    order: u32,
    fixed: bool,
    value: Expr,
    span: Option<Span>,
    /// The option it comes from, and how many values that gives.
    option: Option<(String, usize)>,
}

/// The model as far as it has been read.
struct Elaborator<'a> {
    overrides: &'a Overrides,
    used_overrides: Vec<bool>,
    pool: Pool,
    /// Where names are declared in the whole text.
    declarations: FxHashMap<String, Span>,
    /// In a second reading: the points at which forces act.
    places: Option<places::PlaceBook>,
    scope: Scope,
    /// By the number of the symbol.
    roles: Vec<Role>,
    diagnostics: Vec<Diagnostic>,
    budget: usize,
    loops: Loops,
    /// The option that is being read, if any: places in it are none of the model's.
    foreign: Option<String>,
    /// The time derivative: x -> x', eta -> eta', t -> 1.
    dot: Derivation,
    /// The virtual change: x -> delta(x).
    virtual_change: Derivation,

    title: Option<String>,
    time: Symbol,
    constants: Vec<String>,
    parameters: Vec<Parameter>,
    frame: draft::FrameDraft,
    energies: draft::EnergyDraft,
    forces: draft::ForceDraft,
    constraints: draft::ConstraintDraft,
    contacts: draft::ContactDraft,
    control: draft::ControlDraft,
    experiment: draft::ExperimentDraft,
    drawing: draft::DrawingDraft,
    bodies: bodies::Bodies<'a>,
    functions: functions::Functions,
    tables: Vec<std::rc::Rc<Samples>>,
    table_uses: Vec<TableUse>,
    /// Inputs that are given as functions of the state, in the rates as they are written.
    input_images: Vec<(Symbol, Expr)>,
    /// What was given for them, over the state.
    signals: Vec<(Symbol, Expr)>,
    /// Whether units may differ, as in a signal of plain numbers, and whether they did.
    mixed_units: Option<bool>,
}

/// Understands a syntax tree. Without errors there is a system; warnings and notes may come with it.
///
/// ```
/// use dalembert::{elaborate::{elaborate, Overrides}, source::Source, syntax::parse};
/// let source = Source::new("drop.dal", "parameter m = 1, g = 9.81\ncoordinate y\nkinetic m/2*y'^2\npotential m*g*y\n");
/// let (ast, _) = parse(&source);
/// let (system, diagnostics) = elaborate(&ast, &Overrides::default());
/// assert!(diagnostics.is_empty());
/// assert_eq!(system.unwrap().frame.speeds[0].name, "y'");
/// ```
pub fn elaborate(ast: &Ast, overrides: &Overrides) -> (Option<System>, Vec<Diagnostic>) {
    let (mut system, diagnostics) = elaborate_keeping(ast, overrides, false);
    system.iter_mut().for_each(System::write_body_energies);
    (system, diagnostics)
}

/// Elaborates a model, perhaps with the points at which forces act.
fn elaborate_keeping(ast: &Ast, overrides: &Overrides, points: bool) -> (Option<System>, Vec<Diagnostic>) {
    let mut this = Elaborator::new(overrides);
    this.places = points.then(places::PlaceBook::default);
    this.declarations = declarations(ast);
    this.energies.written = written::energies(ast);
    this.refuse_repeated_overrides();
    this.read_model(ast);
    this.override_initials();
    this.give_inputs();
    this.report_unused_overrides();
    let _reported = this.close_bodies();
    let complete = !any_error(&this.diagnostics);
    let mut diagnostics = std::mem::take(&mut this.diagnostics);
    if !complete {
        return (None, diagnostics);
    }
    let (system, more) = this.finish();
    diagnostics.extend(more);
    (system.filter(|_| !any_error(&diagnostics)), diagnostics)
}

/// Where names are declared, outside of blocks, for uses that come too early.
fn declarations(ast: &Ast) -> FxHashMap<String, Span> {
    use dalembert_syntax::ast::{StatementKind as S, Target};
    let mut found: FxHashMap<String, Span> = FxHashMap::default();
    let mut declare = |target: &Target| {
        found.entry(target.name.text.clone()).or_insert(target.span);
    };
    for statement in &ast.body.statements {
        match &statement.kind {
            S::Const(list) | S::Parameter(list) | S::Let(list) => {
                list.iter().for_each(|d| declare(&d.target))
            }
            S::State(list) | S::Discrete(list) | S::Input(list) => {
                list.iter().for_each(|d| declare(&d.target))
            }
            S::Coordinate(list) => list.iter().for_each(|d| declare(&d.target)),
            S::Speed(list) => list.iter().for_each(|d| declare(&d.target)),
            _ => {}
        }
    }
    found
}

/// A model with its loops cut as it does not say, and what the state's names of another choice are there.
pub(crate) fn without_chosen_cuts(
    mut ast: Ast,
    overrides: &Overrides,
    names: &[&str],
) -> Option<(System, Vec<Expr>)> {
    drop_cuts(&mut ast.body);
    // As outputs, whose names no model has: the language knows freedoms of all joints by name, however loops are cut.
    let outputs: Vec<String> =
        names.iter().enumerate().map(|(k, name)| format!("{ASKED}{k} = {name}")).collect();
    let (more, _) = dalembert_syntax::parse(&Source::new("state", format!("output {}", outputs.join(", "))));
    ast.body.statements.extend(more.body.statements);
    let mut system = elaborate_keeping(&ast, overrides, false).0?;
    let outputs = &mut system.experiment.outputs;
    let first = outputs.len().checked_sub(names.len())?;
    let asked = outputs.split_off(first);
    Some((system, asked.into_iter().map(|output| output.value).collect()))
}

fn drop_cuts(block: &mut dalembert_syntax::ast::Block) {
    use dalembert_syntax::ast::{JointOption, StatementKind};
    for statement in &mut block.statements {
        match &mut statement.kind {
            StatementKind::Joint(joint) => {
                joint.options.retain(|option| !matches!(option, JointOption::Cut(_)))
            }
            StatementKind::For { body, .. } => drop_cuts(body),
            _ => {}
        }
    }
}

/// Reads a text and understands it. Energies of bodies may only be named ([`System::write_body_energies`]).
pub fn read(source: &Source, overrides: &Overrides) -> (Option<System>, Vec<Diagnostic>) {
    let (ast, mut diagnostics) = dalembert_syntax::parse(source);
    if any_error(&diagnostics) {
        // What parsed may still show mistakes of its own, worth seeing at once; but a name that stands in a line
        // that could not be read may well be declared there.
        let (_, more) = elaborate(&ast, overrides);
        let unread: Vec<&str> =
            diagnostics.iter().filter_map(|d| d.span).map(|span| source.line_at(span)).collect();
        let certain = |d: &Diagnostic| match d.code {
            Code::UnknownName | Code::UnknownConstraint | Code::InitialUnknown => {
                d.span.is_none_or(|span| !unread.iter().any(|line| line.contains(source.slice(span))))
            }
            Code::MissingEnergy | Code::NoCoordinates | Code::UnknownParameter => false,
            _ => true,
        };
        diagnostics.extend(more.into_iter().filter(certain));
        return (None, diagnostics);
    }
    let (system, more) = elaborate_keeping(&ast, overrides, false);
    diagnostics.extend(more);
    (system, diagnostics)
}

impl<'a> Elaborator<'a> {
    fn new(overrides: &'a Overrides) -> Self {
        let mut pool = Pool::new();
        let time = pool.symbol("t");
        let mut this = Elaborator {
            used_overrides: vec![false; overrides.set.len()],
            overrides,
            dot: Derivation::new([(time, Pool::ONE)]),
            virtual_change: Derivation::default(),
            pool,
            scope: Scope::default(),
            declarations: FxHashMap::default(),
            places: None,
            roles: Vec::new(),
            diagnostics: Vec::new(),
            budget: MAX_STEPS,
            loops: Loops::default(),
            foreign: None,
            title: None,
            time,
            constants: Vec::new(),
            parameters: Vec::new(),
            frame: Default::default(),
            energies: Default::default(),
            forces: Default::default(),
            constraints: Default::default(),
            contacts: Default::default(),
            control: Default::default(),
            experiment: Default::default(),
            drawing: Default::default(),
            bodies: bodies::Bodies::default(),
            functions: functions::Functions::default(),
            tables: Vec::new(),
            table_uses: Vec::new(),
            input_images: Vec::new(),
            signals: Vec::new(),
            mixed_units: None,
        };
        this.set_role(time, Role::Time);
        this
    }

    /// Reads the statements of a model, after a look at its bodies.
    fn read_model(&mut self, ast: &'a Ast) {
        if let Some(plan) = bodies::plan(ast, self.overrides) {
            self.bodies = bodies::Bodies::new(plan);
        }
        self.block(&ast.body);
        self.read_waiting();
    }

    /// Records a diagnostic and gives up on what was being read.
    fn fail<T>(&mut self, mut diagnostic: Diagnostic) -> Fallible<T> {
        if let Some(option) = &self.foreign {
            diagnostic.message = format!("{} in `{option}`", diagnostic.message);
            diagnostic.span = None;
            diagnostic.labels.clear();
            diagnostic.suggestion = None;
        }
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    fn error<T>(&mut self, code: Code, span: Span, message: &str) -> Fallible<T> {
        self.fail(Diagnostic::error(code, span, message))
    }

    /// Takes from the budget of work.
    fn spend(&mut self, amount: usize, span: Span) -> Fallible<()> {
        if self.budget == 0 {
            return Err(Reported);
        }
        // An empty budget has been reported.
        if amount >= self.budget || self.pool.exhausted() {
            self.budget = 0;
            let message =
                format!("the model grows beyond {MAX_STEPS} expressions, members and turns of loops");
            return self.fail(Diagnostic::error(Code::TooLarge, span, message).help("use smaller families"));
        }
        self.budget -= amount;
        Ok(())
    }

    /// Refuses more coordinates, speeds or rows than fit.
    fn limit(&mut self, count: usize, what: &str, span: Span) -> Fallible<()> {
        if count <= MAX_UNKNOWNS {
            return Ok(());
        }
        let message = format!("{count} {what}, more than the {MAX_UNKNOWNS} a model may have");
        let d = Diagnostic::error(Code::TooLarge, span, message);
        self.fail(d.help("use smaller families"))
    }

    /// Refuses what would need matrices written out that are too large for it.
    fn limit_dense(&mut self, count: usize, what: &str, span: Span) -> Fallible<()> {
        if count <= MAX_DENSE {
            return Ok(());
        }
        let message = format!("{count} {what}, more than the {MAX_DENSE} for which there is room");
        self.error(Code::TooLarge, span, &message)
    }

    /// Two values for one name: which one is meant, nobody can say.
    fn refuse_repeated_overrides(&mut self) {
        let set = &self.overrides.set;
        for (k, (name, value)) in set.iter().enumerate() {
            if let Some((_, first)) = set[..k].iter().find(|(known, _)| known == name) {
                let message =
                    format!("`{name}` is given twice: `--set {name}={first}` and `--set {name}={value}`");
                let d = Diagnostic::error(Code::BadOption, None, message);
                self.diagnostics.push(d.help("leave one of them out"));
            }
        }
    }

    fn report_unused_overrides(&mut self) {
        let unused: Vec<String> = self
            .overrides
            .set
            .iter()
            .zip(&self.used_overrides)
            .filter(|(_, used)| !**used)
            .map(|(s, _)| s.0.clone())
            .collect();
        for name in unused {
            let parameters = self.parameters.iter().map(|p| p.name.as_str());
            let constants = self.constants.iter().map(String::as_str);
            let lists =
                [("its parameters", parameters.collect::<Vec<_>>()), ("its constants", constants.collect())];
            let names = lists.iter().flat_map(|(_, names)| names);
            let near = dalembert_syntax::diagnostic::nearest(&name, names.copied()).map(str::to_owned);
            let d = Diagnostic::error(
                Code::UnknownParameter,
                None,
                format!("the model has no parameter or constant `{name}`"),
            );
            let d = match near {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => match known(&lists) {
                    Some(known) => d.help(known),
                    None => d.help("it has neither"),
                },
            };
            self.diagnostics.push(d);
        }
    }
}

/// `its parameters are: m, l; its constants are: N`
fn known(lists: &[(&str, Vec<&str>)]) -> Option<String> {
    let told = lists.iter().filter(|(_, names)| !names.is_empty());
    let told: Vec<String> = told.map(|(what, names)| format!("{what} are: {}", names.join(", "))).collect();
    (!told.is_empty()).then(|| told.join("; "))
}
