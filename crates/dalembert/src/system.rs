//! The elaborated model: names resolved, families unrolled, vectors taken apart; expressions and plain data.
//!
//! All expressions are over the coordinates, speeds, parameters and time; rates have been replaced by the
//! kinematics K1. Nothing is derived yet.

use crate::bodies::motion::JointVariables;
use crate::bodies::{Body, DeferredEnergies, Joint, JointKind, JointRole, Multibody};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_run::State;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// A model, read and understood.
#[derive(Clone)]
pub struct System {
    /// The home of every expression below.
    pub pool: Pool,
    /// The title.
    pub title: Option<String>,
    /// `kinetic` and `potential` as the statements say them.
    pub written: [WrittenEnergy; 2],
    /// Time.
    pub time: Symbol,
    /// Names of the whole numbers (`const`) that the equations are made with.
    pub constants: Vec<String>,
    /// Constants that can be changed without deriving again.
    pub parameters: Vec<Parameter>,
    /// Inputs that were given signals, by their symbols, and those signals over the state.
    pub signals: Vec<(Symbol, Expr)>,
    /// Configuration x.
    pub coordinates: Vec<Coordinate>,
    /// Speeds eta.
    pub speeds: Vec<Speed>,
    /// K1: x' of each coordinate, in x, eta, t.
    pub kinematics: Vec<Expr>,
    /// Rows of the inverse of K1 where it is known in symbols: `eta_p = Y_p x' + ...`, one row a speed.
    pub speeds_in_rates: Option<Vec<Vec<Expr>>>,
    /// Kinetic (co-)energy, if any statement gave one.
    pub kinetic: Option<Expr>,
    /// Potential energy, if any.
    pub potential: Option<Expr>,
    /// Lagrangian given directly, if any.
    pub lagrangian: Option<Expr>,
    /// Direct form: rows of the mass matrix.
    pub mass: Option<Vec<Vec<Expr>>>,
    /// Generalised applied force Q' on each speed (direct, at points, by virtual work).
    pub applied: Vec<Expr>,
    /// Rayleigh function.
    pub dissipation: Option<Expr>,
    /// The statements behind energies, forces and dissipation, in the order of their kinds; `mass` has its own place.
    pub contributions: Vec<Contribution>,
    /// Named constraints, each with one or more rows.
    pub constraints: Vec<Constraint>,
    /// All rows, in order.
    pub rows: Vec<ConstraintRow>,
    /// C on each speed (K4), over multipliers and reactions too.
    pub nonideal: Option<Vec<Expr>>,
    /// Where `nonideal work` is written first.
    pub nonideal_span: Option<Span>,
    /// Where `mass` is written.
    pub mass_span: Option<Span>,
    /// Contacts with Coulomb friction.
    pub contacts: Vec<Contact>,
    /// Named requirements, met by control.
    pub requirements: Vec<Constraint>,
    /// Their rows, in order.
    pub requirement_rows: Vec<RequirementRow>,
    /// What control may use: name and generalised force on each speed, for an input of one. `None`: every speed.
    pub actuators: Option<Vec<(String, Vec<Expr>)>>,
    /// Least and greatest value of each control input that has bounds; empty where none has.
    pub control_bounds: Vec<Option<[Expr; 2]>>,
    /// Cost matrix of the inputs, with its place. `None`: the inverse mass.
    pub weight: Option<(Vec<Vec<Expr>>, Span)>,
    /// Starting values.
    pub initial: Vec<Initial>,
    /// Columns of the result.
    pub outputs: Vec<Output>,
    /// Zero crossings.
    pub events: Vec<Event>,
    /// Where tables are asked, so that a run beyond their points can be told.
    pub table_uses: Vec<TableUse>,
    /// What `simulate` does by default.
    pub run: Option<Run>,
    /// A complete integral of the Hamilton-Jacobi equation, to be verified and used.
    pub complete_integral: Option<CompleteIntegral>,
    /// Symbols that stand for results.
    pub observables: Observables,
    /// T + V, or eta . dL/d eta - L; over the state. Unknown for the direct form.
    pub energy: Option<Expr>,
    /// The unit of energies, as far as known.
    pub energy_kind: UnitInfo,
    /// The part of it that is kinetic, where the two can be told apart.
    pub kinetic_energy: Option<Expr>,
    /// The potential part.
    pub potential_energy: Option<Expr>,
    /// What an animation is to show.
    pub drawn: Vec<Figure>,
    /// Vectors of two or three components that have a name; over rates too.
    pub vectors: Vec<DrawnPoint>,
    /// Bodies, joints and force elements, where the model has any.
    pub bodies: Option<Multibody>,
    /// Forces with the points they act at; only a system that was read for its points has them.
    pub placed: Vec<PlacedForce>,
}

/// What a force with a point belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedKind {
    /// Applied forces, those of potentials and of dissipation.
    Impressed,
    /// A constraint row, by index: the force is for a multiplier of one.
    Row(usize),
}

/// A force of the free-body diagram.
#[derive(Clone, Debug)]
pub struct PlacedForce {
    /// What its point is called.
    pub name: String,
    /// What it belongs to.
    pub kind: PlacedKind,
    /// Whether it comes from an energy, not from a force that is given or a Rayleigh function.
    pub of_energy: bool,
    /// The point, two or three components.
    pub at: Vec<Expr>,
    /// The force.
    pub force: Vec<Expr>,
    /// Its generalised force, as parts on speeds.
    pub on_speeds: Vec<(usize, Expr)>,
}

/// An energy as the statements of the model give it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenEnergy {
    /// The sum of the statements, loops as sums; empty where no statement gives it.
    pub text: String,
    /// Definitions of the names in it that `let` gives, in the order of the model: `P = [l*sin(a), -l*cos(a)]`.
    pub definitions: Vec<String>,
}

impl System {
    /// How many variables of x say where something is; auxiliary ones come behind them.
    pub fn positions(&self) -> usize {
        self.coordinates.iter().take_while(|c| c.sort == CoordinateSort::Position).count()
    }

    /// Names of the state in the order of tables: coordinates, speeds, then state variables and discrete values.
    pub fn table_names(&self) -> Vec<&str> {
        let (positions, others) = self.coordinates.split_at(self.positions());
        let speeds = self.speeds.iter().map(|s| s.name.as_str());
        let positions = positions.iter().map(|c| c.name.as_str());
        positions.chain(speeds).chain(others.iter().map(|c| c.name.as_str())).collect()
    }

    /// Symbols of the state in the order of tables.
    pub fn table_symbols(&self) -> Vec<Symbol> {
        let (positions, others) = self.coordinates.split_at(self.positions());
        let speeds = self.speeds.iter().map(|s| s.symbol);
        positions.iter().map(|c| c.symbol).chain(speeds).chain(others.iter().map(|c| c.symbol)).collect()
    }

    /// A state in the order of tables.
    pub fn table_state<'s>(&self, x: &'s [f64], eta: &'s [f64]) -> impl Iterator<Item = f64> + use<'s> {
        let (positions, others) = x.split_at(self.positions());
        positions.iter().chain(eta).chain(others).copied()
    }

    /// The state of a row of a table, which begins with its time.
    pub fn state_of_row(&self, row: &[f64]) -> State {
        let (positions, n) = (self.positions(), self.speeds.len());
        let (x, rest) = row[1..].split_at(positions);
        let (eta, rest) = rest.split_at(n);
        let others = &rest[..self.coordinates.len() - positions];
        State { t: row[0], x: x.iter().chain(others).copied().collect(), eta: eta.to_vec() }
    }

    /// L = T - V + what is given as a Lagrangian; zero without any of them.
    pub fn whole_lagrangian(&mut self) -> Expr {
        self.write_body_energies();
        let parts = [
            self.kinetic.map(|t| (t, Rational::ONE)),
            self.potential.map(|v| (v, Rational::MINUS_ONE)),
            self.lagrangian.map(|l| (l, Rational::ONE)),
        ];
        self.pool.combine(parts.into_iter().flatten())
    }

    /// Symbols that stand for energies of bodies which are not written out.
    pub fn deferred_energies(&self) -> Option<DeferredEnergies> {
        self.bodies.as_ref()?.deferred
    }

    /// Whether events depend on energies of bodies that are not written out.
    pub(crate) fn events_read_energies(&mut self) -> bool {
        let Some(names) = self.deferred_energies() else { return false };
        let pool = &mut self.pool;
        event_expressions(&mut self.events)
            .any(|(e, _)| pool.depends_on(*e, &[names.kinetic, names.potential]))
    }

    /// Writes the energies of bodies out in symbols, where they are only named so far: in the energies of the system and
    /// in what is made of them.
    pub fn write_body_energies(&mut self) {
        let Some(names) = self.bodies.as_mut().and_then(|bodies| bodies.deferred.take()) else { return };
        let Some(bodies) = &self.bodies else { return };
        let declared = self.speeds.iter().filter(|s| s.rate_of.is_some()).count();
        let (coordinates, speeds, kinematics) = (&self.coordinates, &self.speeds, &self.kinematics);
        let energies = bodies.energies(&mut self.pool, |pool, joint| JointVariables {
            q: joint.coordinates.iter().map(|&i| pool.var(coordinates[i].symbol)).collect(),
            rate: joint.coordinates.iter().map(|&i| kinematics[i]).collect(),
            speed: joint.speeds.iter().map(|&s| pool.var(speeds[declared + s].symbol)).collect(),
        });
        let span = |b: usize| bodies.bodies[b].span;
        let named = [names.kinetic, names.potential].map(|s| self.pool.var(s));
        let mut images = Vec::new();
        for ((name, symbol), parts) in named
            .into_iter()
            .zip([names.kinetic, names.potential])
            .zip([energies.kinetic, energies.potential])
        {
            let each = parts.iter().map(|(b, e)| Contribution { span: span(*b), law: Law::Energy(*e) });
            if let Some(k) =
                self.contributions.iter().position(|c| matches!(c.law, Law::Energy(e) if e == name))
            {
                self.contributions.splice(k..=k, each.collect::<Vec<_>>());
            }
            images.push((symbol, self.pool.total(parts.into_iter().map(|(_, e)| e))));
        }
        let mut written: Vec<&mut Expr> = [
            &mut self.kinetic,
            &mut self.potential,
            &mut self.energy,
            &mut self.kinetic_energy,
            &mut self.potential_energy,
        ]
        .into_iter()
        .flatten()
        .chain(self.outputs.iter_mut().map(|output| &mut output.value))
        .chain(event_expressions(&mut self.events).map(|(e, _)| e))
        .collect();
        let old: Vec<Expr> = written.iter().map(|e| **e).collect();
        let new = self.pool.substitute(&old, &images);
        written.iter_mut().zip(new).for_each(|(e, new)| **e = new);
        self.kinetic = self.kinetic.filter(|e| *e != Pool::ZERO);
        self.potential = self.potential.filter(|e| *e != Pool::ZERO);
    }

    /// The joint that a constraint closes a loop with, if it is one.
    pub fn joint_of_constraint(&self, constraint: usize) -> Option<&Joint> {
        let closing = JointRole::Cut { constraint: Some(constraint) };
        self.bodies.as_ref()?.joints.iter().find(|joint| joint.role == closing)
    }

    /// The body whose joint a speed belongs to, if it does.
    pub fn body_of_speed(&self, speed: usize) -> Option<&Body> {
        let bodies = self.bodies.as_ref()?;
        let declared = self.speeds.iter().filter(|s| s.rate_of.is_some()).count();
        let moved_by = |joint: &Joint| match self.speeds[speed].rate_of {
            Some(coordinate) => joint.coordinates.contains(&coordinate),
            None => speed.checked_sub(declared).is_some_and(|s| joint.speeds.contains(&s)),
        };
        let joint = bodies.joints.iter().find(|joint| moved_by(joint))?;
        match joint.role {
            JointRole::Carries { body, .. } => bodies.bodies.get(body),
            JointRole::Cut { .. } => None,
        }
    }
}

/// A class of forces whose power and work are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// All impressed forces.
    Impressed,
    /// Impressed forces without a potential.
    Nonconservative,
    /// Ideal constraint forces; they do work where constraints move.
    Ideal,
    /// Non-ideal constraint forces, friction among them.
    Nonideal,
    /// Control forces.
    Control,
}

impl Power {
    /// All of them.
    pub const ALL: [Power; 5] =
        [Power::Impressed, Power::Nonconservative, Power::Ideal, Power::Nonideal, Power::Control];

    /// The word for it in the language.
    pub fn name(self) -> &'static str {
        match self {
            Power::Impressed => "impressed",
            Power::Nonconservative => "nonconservative",
            Power::Ideal => "ideal",
            Power::Nonideal => "nonideal",
            Power::Control => "control",
        }
    }
}

/// A contact with Coulomb friction.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Name of its constraint, or of the row of it.
    pub name: String,
    /// Index of the constraint; `None` where the limit force is given and nothing presses (`friction in`).
    pub constraint: Option<usize>,
    /// The rows whose force presses.
    pub rows: std::ops::Range<usize>,
    /// Components of the sliding velocity.
    pub velocity: Vec<Expr>,
    /// Coefficient of sliding friction, or the limit force.
    pub coefficient: Expr,
    /// Coefficient of static friction, or the static limit force.
    pub r#static: Expr,
    /// Components of the normal force as coefficients of the multipliers of `rows`, where the model gives it.
    pub normal: Option<Vec<Vec<Expr>>>,
    /// Where it stands.
    pub span: Span,
}

/// One scalar equation of a requirement.
#[derive(Clone, Debug)]
pub struct RequirementRow {
    /// Its name.
    pub name: String,
    /// Left side minus right side.
    pub residual: Expr,
    /// No rate in it.
    pub holonomic: bool,
    /// Linear in accelerations: it is a row A_c eta' = b_c itself, and has no error.
    pub on_accelerations: bool,
    /// How errors decay (C2), over parameters: the coefficients as they are written, that of the highest derivative first;
    /// empty where nothing says so.
    pub decay: Vec<Expr>,
    /// Where it stands.
    pub span: Span,
}

impl RequirementRow {
    /// C2 for an error that reaches the inputs with its derivative of this order: k_{r-1}, ..., k_0 of
    /// h^(r) + k_{r-1} h^(r-1) + ... + k_0 h = 0. `None` if the coefficients are too few or too many.
    ///
    /// ```text
    /// r coefficients    as they are
    /// decay k0          (d/dt + w)^r, w = sqrt(k0) for positions and k0 for rates: no overshoot
    /// decay k1, k0      (d^2/dt^2 + k1 d/dt + k0)^(r/2), where r is even
    /// ```
    pub fn law(&self, pool: &mut Pool, order: usize) -> Option<Vec<Expr>> {
        let factor = match self.decay.as_slice() {
            own if own.len() == order && (order > 1 || !self.holonomic) => return Some(own.to_vec()),
            [k0] if self.holonomic && order == 2 => {
                let (root, two) = (pool.sqrt(*k0), pool.int(2));
                return Some(vec![pool.mul(two, root), *k0]);
            }
            [k0] => vec![if self.holonomic { pool.sqrt(*k0) } else { *k0 }],
            [k1, k0] if self.holonomic && order.is_multiple_of(2) => vec![*k1, *k0],
            _ => return None,
        };
        // Powers of a polynomial with leading coefficient one, highest first.
        let mut product = vec![Pool::ONE];
        for _ in 0..order / factor.len() {
            let mut next = vec![Vec::new(); product.len() + factor.len()];
            for (i, a) in product.iter().enumerate() {
                next[i].push(*a);
                for (j, b) in factor.iter().enumerate() {
                    next[i + j + 1].push(pool.mul(*a, *b));
                }
            }
            product = next.into_iter().map(|parts| pool.total(parts)).collect();
        }
        Some(product.split_off(1))
    }
}

/// A constant of the model.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name, with subscripts.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Its value, over earlier parameters.
    pub value: Expr,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// What a bare 1 in the unit of the file is in SI.
    pub unit_size: f64,
    /// The size of the unit in SI, exactly: a rational factor, and the power of pi it is multiplied by.
    pub unit_scale: (Rational, i64),
    /// The unit of the file as it is written, between the braces.
    pub unit: Option<String>,
    /// Whether it is an `input`, a signal from outside, with its default as value.
    pub is_input: bool,
    /// Where it is declared.
    pub span: Span,
}

/// What a variable of the configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateSort {
    /// It says where something is.
    Position,
    /// `state`: it has a rate of its own, which no virtual displacement changes.
    State,
    /// `discrete`: only events change it.
    Discrete,
}

/// A variable of x: a coordinate, or behind all coordinates an auxiliary one.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// What it is.
    pub sort: CoordinateSort,
    /// Name, with subscripts.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Symbol of its rate (also the speed's symbol where the rate is a speed).
    pub rate: Symbol,
    /// Symbol of its second rate.
    pub acceleration: Symbol,
    /// Symbol of its virtual displacement.
    pub displacement: Symbol,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it is declared.
    pub span: Span,
}

/// A speed (quasi-velocity).
#[derive(Clone, Debug)]
pub struct Speed {
    /// Name: `u`, or `x'` for the rate of a coordinate.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Symbol of its derivative.
    pub acceleration: Symbol,
    /// Symbol of its virtual displacement.
    pub displacement: Symbol,
    /// The coordinate whose rate it is, if it is one.
    pub rate_of: Option<usize>,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it is declared.
    pub span: Span,
}

/// A constraint statement.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its name, given or made up.
    pub name: String,
    /// Its rows in [`System::rows`].
    pub rows: std::ops::Range<usize>,
    /// Where it stands.
    pub span: Span,
}

/// One scalar equation of a constraint.
#[derive(Clone, Debug)]
pub struct ConstraintRow {
    /// `rolling.x`, or the constraint's name.
    pub name: String,
    /// Left side minus right side.
    pub residual: Expr,
    /// The unit of the residual, as far as known.
    pub kind: UnitInfo,
    /// Holonomic: no rate in it.
    pub holonomic: bool,
    /// Linear in accelerations: it is a row A eta' = b (K3) itself, and has no residual that a state could satisfy.
    pub on_accelerations: bool,
    /// Index of its constraint.
    pub constraint: usize,
    /// Where it stands.
    pub span: Span,
}

/// What a starting value is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialTarget {
    /// A coordinate.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// The rate of a coordinate that is not a speed itself.
    Rate(usize),
}

/// A starting value.
#[derive(Clone, Copy, Debug)]
pub struct Initial {
    /// Of what.
    pub target: InitialTarget,
    /// `=` rather than `~`.
    pub fixed: bool,
    /// The value, over parameters.
    pub value: Expr,
    /// Where it stands.
    pub span: Option<Span>,
}

/// A column of the result.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its value, over state, accelerations and observables.
    pub value: Expr,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it stands.
    pub span: Span,
}

/// A zero crossing to locate.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// What crosses zero.
    pub value: Expr,
    /// Which crossings count; both when `None`.
    pub rising: Option<bool>,
    /// Whether the motion ends there.
    pub stop: bool,
    /// What changes there, all from values before it.
    pub actions: Vec<Action>,
    /// Where it stands.
    pub span: Span,
}

/// A table of the model at an argument.
#[derive(Clone, Debug, PartialEq)]
pub struct TableUse {
    /// Name of the table.
    pub name: String,
    /// The argument.
    pub argument: Expr,
    /// First and last abscissa.
    pub range: [f64; 2],
    /// Where it is asked.
    pub span: Span,
}

/// Every expression of events with its place: what crosses zero, and what is assigned.
pub(crate) fn event_expressions(events: &mut [Event]) -> impl Iterator<Item = (&mut Expr, Span)> {
    events.iter_mut().flat_map(|event| {
        let values = event.actions.iter_mut().map(|action| (&mut action.value, action.span));
        std::iter::once((&mut event.value, event.span)).chain(values)
    })
}

/// A new value at an event.
#[derive(Clone, Debug)]
pub struct Action {
    /// A variable of x or a speed; the rate of a coordinate only until the speeds are known.
    pub target: InitialTarget,
    /// The value, over state, accelerations and observables before the event.
    pub value: Expr,
    /// Where it stands.
    pub span: Span,
}

/// The `simulate` statement, over parameters.
#[derive(Clone, Debug)]
pub struct Run {
    /// Last time.
    pub until: Expr,
    /// Spacing of the output.
    pub every: Option<Expr>,
    /// Integrator, with its place.
    pub method: Option<(String, Span)>,
    /// Tolerance.
    pub tolerance: Option<Expr>,
    /// Where it stands.
    pub span: Span,
}

/// The `complete_integral` statement: S over coordinates, time, parameters and its constants.
#[derive(Clone, Debug)]
pub struct CompleteIntegral {
    /// The constants of integration, by name.
    pub constants: Vec<(String, Symbol)>,
    /// S.
    pub action: Expr,
    /// Where it stands.
    pub span: Span,
}

/// Symbols for what only the solved motion knows, in the order in which values are given to tapes.
#[derive(Clone, Debug, Default)]
pub struct Observables {
    /// Multiplier of each row.
    pub multipliers: Vec<Symbol>,
    /// Reaction (norm of the ideal generalised force) of each constraint.
    pub reactions: Vec<Symbol>,
    /// Impressed generalised force on each speed.
    pub impressed: Vec<Symbol>,
    /// Ideal constraint force on each speed.
    pub ideal: Vec<Symbol>,
    /// Non-ideal constraint force on each speed.
    pub nonideal: Vec<Symbol>,
    /// Control force on each speed.
    pub control: Vec<Symbol>,
    /// Friction force of each contact, by components of its sliding velocity.
    pub friction: Vec<Symbol>,
    /// Gauss's function.
    pub gauss: Option<Symbol>,
    /// Work of each class of forces since the start, in the order of [`Power::ALL`].
    pub works: Vec<Symbol>,
}

/// What one statement adds to the equations of motion.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// Where it is written.
    pub span: Span,
    /// What it says.
    pub law: Law,
}

/// The kinds of such statements.
#[derive(Clone, Debug)]
pub enum Law {
    /// A kinetic or potential energy, or a Lagrangian.
    Energy(Expr),
    /// A Rayleigh function.
    Dissipation(Expr),
    /// Generalised forces on speeds, by index.
    Forces(Vec<(usize, Expr)>),
}

/// A point of the plane or of space.
#[derive(Clone, Debug)]
pub struct DrawnPoint {
    /// What it is called: a name of the model, or the text it was given by.
    pub name: String,
    /// Two or three components.
    pub at: Vec<Expr>,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
}

/// One thing that is drawn.
#[derive(Clone, Debug)]
pub enum Figure {
    /// A dot.
    Point(DrawnPoint),
    /// A line through points.
    Line(Vec<DrawnPoint>),
    /// A circle.
    Circle {
        /// Its centre.
        centre: DrawnPoint,
        /// Its radius.
        radius: Expr,
        /// A vector at right angles to its plane; without it, the plane of the first two components.
        normal: Option<Vec<Expr>>,
    },
    /// The path of a point.
    Trace(DrawnPoint),
    /// A number on a scale of its own, where there is nothing else to show.
    Gauge {
        /// What it is called.
        name: String,
        /// Its value.
        value: Expr,
    },
    /// A solid of a body.
    Solid {
        /// Its shape.
        form: SolidForm,
        /// The body.
        body: String,
        /// Its centre, or both ends.
        places: Vec<DrawnPoint>,
        /// Its radius, where it has one.
        radius: Option<Expr>,
        /// Directions that turn with it: axes of a ball, a mark and the axis of a disk, edges of a box.
        axes: Vec<Vec<Expr>>,
    },
    /// The symbol of a joint.
    Joint {
        /// What it is.
        kind: JointKind,
        /// Its name.
        name: String,
        /// Where it is on the first body, and on the second where these come apart.
        places: Vec<DrawnPoint>,
        /// Its axes.
        axes: Vec<Vec<Expr>>,
        /// Whether it holds to the ground.
        grounded: bool,
    },
}

/// The shapes of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidForm {
    /// A thin rod.
    Rod,
    /// A cylinder.
    Cylinder,
    /// A ball or a spherical shell.
    Ball,
    /// A disk.
    Disk,
    /// A hoop.
    Hoop,
    /// A box.
    Box,
    /// A point mass.
    Point,
}

impl SolidForm {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            SolidForm::Rod => "rod",
            SolidForm::Cylinder => "cylinder",
            SolidForm::Ball => "ball",
            SolidForm::Disk => "disk",
            SolidForm::Hoop => "hoop",
            SolidForm::Box => "box",
            SolidForm::Point => "point",
        }
    }
}

impl Figure {
    /// Calls a function on each of its expressions.
    pub(crate) fn for_each_expression(&mut self, mut f: impl FnMut(&mut Expr)) {
        match self {
            Figure::Point(at) | Figure::Trace(at) => at.at.iter_mut().for_each(f),
            Figure::Line(points) => points.iter_mut().flat_map(|point| &mut point.at).for_each(f),
            Figure::Circle { centre, radius, normal } => {
                centre.at.iter_mut().chain(normal.iter_mut().flatten()).for_each(&mut f);
                f(radius);
            }
            Figure::Gauge { value, .. } => f(value),
            Figure::Solid { places, radius, axes, .. } => {
                let numbers = places.iter_mut().map(|place| &mut place.at).chain(axes).flatten();
                numbers.chain(radius).for_each(f);
            }
            Figure::Joint { places, axes, .. } => {
                places.iter_mut().map(|place| &mut place.at).chain(axes).flatten().for_each(f);
            }
        }
    }

    /// The points it stands at.
    pub fn places(&self) -> &[DrawnPoint] {
        match self {
            Figure::Point(at) | Figure::Trace(at) | Figure::Circle { centre: at, .. } => {
                std::slice::from_ref(at)
            }
            Figure::Line(points)
            | Figure::Solid { places: points, .. }
            | Figure::Joint { places: points, .. } => points,
            Figure::Gauge { .. } => &[],
        }
    }
}
