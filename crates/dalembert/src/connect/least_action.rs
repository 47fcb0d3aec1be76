//! Least action at fixed energy: the motion between two configurations with a given energy, its time free.
//!
//! ```text
//! P11  the integral of p dq is stationary among the paths with these ends and this energy E       (Maupertuis)
//!      natural systems: geodesics of  ds^2 = 2 (E - V) dq^T M dq,  length = integral of p dq           (Jacobi)
//! ```
//!
//! With a parameter from 0 to 1 geodesics make the integral of 2 (E - V) T stationary, T with the slopes for
//! rates; there that is half the squared length l, and dt = l/(2 (E - V)) ds gives the time and the rates.
//! This integral is given to the same search as Hamilton's, which also counts conjugate points: its index is
//! that of the length. Where L has terms linear in the rates, E is Jacobi's integral, and the time of
//! Hamilton's problem is varied until the motion has it; the index at fixed energy is not decided then.
//! Renton writes the integral of T*, half of it: the same paths. For forces with a potential, constraints on
//! positions, and nothing that depends on time. Checked by `tests/it/least_action.rs`.

use super::{Connected, TOLERANCE, rates};
use crate::formalism::hamilton::Quadratic;
use crate::formalism::poincare::dot;
use crate::number::short;
use crate::simulate::Request;
use crate::system::System;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Node, Pool, Rational, Symbol};
use dalembert_run::{Connection, Ends, State};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// Attempts to find the time at which Hamilton's motion has the energy.
const MAX_ATTEMPTS: usize = 60;
/// Energies that agree to this part of their size are equal.
const SAME: f64 = 1e-10;

/// What least action says about a motion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeastAction {
    /// Duration.
    pub time: f64,
    /// E, or Jacobi's integral where L has terms linear in the rates.
    pub energy: f64,
    /// Integral of p dq.
    pub abbreviated_action: f64,
    /// Length in Jacobi's metric; `None` where L has terms linear in the rates.
    pub jacobi_length: Option<f64>,
    /// `ds^2` over coordinates, their differentials `dx`, and E.
    pub jacobi_metric: Option<String>,
}

fn refuse(message: &str, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(Code::NotApplicable, None, message).help(help))
}

/// L of a system without time and forces that have no potential, taken apart.
struct Natural {
    quadratic: Quadratic,
    /// eta^T G eta
    twice_kinetic: Expr,
}

impl Natural {
    fn of(field: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        field.store_forces();
        if field.has_forces_without_potential() {
            let message = "least action is for forces with a potential; this model has others";
            return Err(refuse(message, "give the time instead of the energy: `--until`"));
        }
        let lagrangian = field.system.whole_lagrangian();
        let (time, rows) = (field.form.time, field.system.constraints.rows.clone());
        let pool = &mut field.system.pool;
        let timed =
            pool.depends_on(lagrangian, &[time]) || rows.iter().any(|r| pool.depends_on(r.residual, &[time]));
        if timed {
            let message = "least action is for systems whose energy is constant; time occurs in this model";
            return Err(refuse(message, "give the time instead of the energy: `--until`"));
        }
        let momenta = pool.gradient(lagrangian, &field.form.speeds);
        let Some(quadratic) = Quadratic::of(pool, lagrangian, &momenta, &field.form.speeds) else {
            let message = "least action is computed for Lagrangians quadratic in the rates";
            return Err(refuse(message, "give the time instead of the energy: `--until`"));
        };
        let eta: Vec<Expr> = field.form.speeds.iter().map(|s| pool.var(*s)).collect();
        let carried: Vec<Expr> = quadratic.mass.iter().map(|row| dot(pool, row, &eta)).collect();
        let twice_kinetic = dot(pool, &eta, &carried);
        Ok(Natural { quadratic, twice_kinetic: pool.simplify(twice_kinetic) })
    }

    fn is_gyroscopic(&self) -> bool {
        self.quadratic.linear.iter().any(|e| *e != Pool::ZERO)
    }

    /// Jacobi's metric in words.
    fn metric(&self, field: &mut Workspace) -> String {
        let system = &mut field.system;
        let pool = &mut system.pool;
        let images: Vec<(Symbol, Expr)> = system
            .frame
            .speeds
            .iter()
            .map(|s| {
                let name = format!("d{}", s.rate_of.map_or(&s.name, |i| &system.frame.coordinates[i].name));
                (s.symbol, pool.named(&name))
            })
            .collect();
        let form = pool.substitute(&[self.twice_kinetic], &images)[0];
        let (below, form) = (pool.simplify(self.quadratic.rest), pool.tidy(form));
        let form = match (matches!(pool.node(form), Node::Sum(..)), pool.text(form)) {
            (true, sum) => format!("({sum})"),
            (false, product) => product,
        };
        // E - V, and -V is the part of the Lagrangian without rates.
        match (below == Pool::ZERO, pool.text(below)) {
            (true, _) => format!("ds^2 = 2*E*{form}"),
            (false, below) => match below.strip_prefix('-') {
                Some(height) => format!("ds^2 = 2*(E - {height})*{form}"),
                None => format!("ds^2 = 2*(E + {below})*{form}"),
            },
        }
    }
}

impl Workspace {
    /// Finds the motion with energy `energy` from the model's start to the configuration `to`; the time is
    /// found too.
    ///
    /// ```
    /// use dalembert::{Model, Request, Source};
    /// let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2";
    /// let model = Model::load(&Source::new("free.dal", text), &Default::default()).unwrap();
    /// let found = model.connect_at_energy("x = 3, y = 4", &[], 2.0, &Request::default()).map_err(|d| d.message)?;
    /// let least = found.least_action.unwrap();
    /// assert!((least.time - 2.5).abs() < 1e-9 && (least.abbreviated_action - 10.0).abs() < 1e-8);
    /// # Ok::<(), String>(())
    /// ```
    pub fn connect_at_energy(
        &mut self,
        to: &str,
        via: &[String],
        energy: f64,
        request: &Request,
    ) -> Result<Connected, Box<Diagnostic>> {
        let what = "`connect --energy`";
        let own = rates::field(self, what, request.interpret)?;
        let mut field = own.clone().unwrap_or_else(|| self.clone());
        let start = self.start()?.state;
        let end = self.configuration(to, "--to", 0.0, &start)?;
        let points = self.stations(via, 0.0, &start)?;
        let natural = Natural::of(&mut field)?;
        for (which, x) in [("start", &start.x), ("end", &end)] {
            field.check_reach(&natural, energy, which, x)?;
        }
        let at = rates::in_rates_at(self, own.is_some(), &start);
        let ends = Ends { start: &at, t_end: 1.0, x_end: &end, via: points, tolerance: TOLERANCE };
        let (mut connection, length) = field.geodesic(&natural, energy, &ends)?;
        let metric = natural.metric(&mut field);
        let gyroscopic = natural.is_gyroscopic();
        if gyroscopic {
            connection = field.at_jacobi_integral(&natural, energy, &ends, connection.end.t)?;
        }
        if own.is_some() {
            rates::in_speeds(self, &mut connection)?;
        }
        let time = connection.end.t - connection.start.t;
        let follow = Request { action: true, ..request.clone() };
        let mut found = self.follow(connection, start.t + time, &follow, true)?;
        // S of the model may lack the potential of a force law.
        let abbreviated =
            found.motion.abbreviated_action.unwrap_or(if gyroscopic { f64::NAN } else { length });
        found.connection.action = abbreviated - energy * time;
        found.least_action = Some(LeastAction {
            time,
            energy,
            abbreviated_action: abbreviated,
            jacobi_length: (!gyroscopic).then_some(length),
            jacobi_metric: (!gyroscopic).then_some(metric),
        });
        Ok(found)
    }

    /// V at a configuration.
    fn height_at(&mut self, natural: &Natural, x: &[f64]) -> f64 {
        let form = &self.form;
        let parameters = self.compiled.parameters();
        let known = |s: Symbol| {
            let find = |list: &[Symbol], values: &[f64]| list.iter().position(|k| *k == s).map(|i| values[i]);
            find(&form.coordinates, x).or_else(|| find(&form.parameters, parameters)).unwrap_or(f64::NAN)
        };
        -self.system.pool.evaluate(natural.quadratic.rest, known)
    }

    fn check_reach(
        &mut self,
        natural: &Natural,
        energy: f64,
        which: &str,
        x: &[f64],
    ) -> Result<(), Box<Diagnostic>> {
        let height = self.height_at(natural, x);
        if energy - height > 1e-12 * (1.0 + energy.abs().max(height.abs())) {
            return Ok(());
        }
        let message = format!(
            "a motion of energy {} cannot be at the {which}: V = {} there",
            short(energy),
            short(height + 0.0)
        );
        let d = Diagnostic::error(Code::EnergyOutOfReach, None, message);
        Err(Box::new(d.help("choose a larger energy, or another configuration")))
    }

    /// The geodesic of Jacobi's metric with the times and rates of the motion, and its length.
    fn geodesic(
        &mut self,
        natural: &Natural,
        energy: f64,
        ends: &Ends<'_>,
    ) -> Result<(Connection, f64), Box<Diagnostic>> {
        let mut jacobi = self.jacobi_system(natural, energy)?;
        jacobi.make_variation("`connect --energy`")?;
        let begin = State::new(0.0, &ends.start.x, &ends.start.eta);
        let ends = Ends { start: &begin, ..ends.clone() };
        let mut found = dalembert_run::connect(&jacobi.compiled, &ends).map_err(|e| self.unconnected(&e))?;
        let length = (2.0 * found.action).sqrt();
        // dt/ds at the nodes; four of them to an element, the last shared with the next.
        let mut slowness = Vec::with_capacity(found.path.len());
        for (_, x) in &found.path {
            let left = energy - self.height_at(natural, x);
            if !(left > 0.0 && length > 0.0) {
                let message = "the path between these configurations leaves the region where a motion of this energy can be";
                let d = Diagnostic::error(Code::NoConnection, None, message);
                return Err(Box::new(d.help("a larger energy, or `--via`, may lead around")));
            }
            slowness.push(length / (2.0 * left));
        }
        let clock = Clock::new(&slowness);
        for (end, s) in [(&mut found.start, 0.0), (&mut found.end, 1.0)] {
            let pace = if s == 0.0 { slowness[0] } else { slowness[slowness.len() - 1] };
            end.eta.iter_mut().for_each(|v| *v /= pace);
            end.t = clock.at(s);
        }
        if let Some(second) = &mut found.second {
            second.conjugate.iter_mut().for_each(|s| *s = clock.at(*s));
        }
        found.path.iter_mut().for_each(|(s, _)| *s = clock.at(*s));
        Ok((found, length))
    }

    /// The system whose Lagrangian is 2 (E - V) T.
    fn jacobi_system(&self, natural: &Natural, energy: f64) -> Result<Workspace, Box<Diagnostic>> {
        let mut system: System = self.system.clone();
        let pool = &mut system.pool;
        let Some(E) = Rational::from_f64(energy) else {
            let d = Diagnostic::error(Code::BadOption, None, "the energy is not a finite number");
            return Err(Box::new(d));
        };
        let E = pool.number(E);
        let height = pool.add(E, natural.quadratic.rest);
        let whole = pool.mul(height, natural.twice_kinetic);
        system.energies.kinetic = Some(whole);
        (system.energies.potential, system.energies.lagrangian, system.forces.dissipation) =
            (None, None, None);
        system.forces.applied.iter_mut().for_each(|e| *e = Pool::ZERO);
        system.forces.contributions.clear();
        system.experiment.initial.clear();
        system.experiment.outputs.clear();
        system.experiment.events.clear();
        (system.bodies, system.experiment.complete_integral, system.experiment.run) = (None, None, None);
        let mut work = Workspace::of(system, Vec::new()).map_err(|said| {
            let first = said.0.into_iter().next();
            Box::new(first.unwrap_or_else(|| {
                Diagnostic::error(Code::NoConnection, None, "Jacobi's metric is not regular")
            }))
        })?;
        work.skip_self_check();
        Ok(work)
    }

    /// Hamilton's motion in the time at which it has this value of Jacobi's integral, from a first time.
    fn at_jacobi_integral(
        &mut self,
        natural: &Natural,
        energy: f64,
        ends: &Ends<'_>,
        first: f64,
    ) -> Result<Connection, Box<Diagnostic>> {
        self.make_variation("`connect --energy`")?;
        let begin = State::new(0.0, &ends.start.x, &ends.start.eta);
        let mut excess = |log_time: f64| -> Result<(f64, Connection), Box<Diagnostic>> {
            let ends = Ends { start: &begin, t_end: log_time.exp(), ..ends.clone() };
            let found = dalembert_run::connect(&self.compiled, &ends).map_err(|e| self.unconnected(&e))?;
            let value = self.jacobi_integral(natural, &found.start);
            Ok((value - energy, found))
        };
        // Secant in the logarithm of the time.
        let scale = 1.0 + energy.abs();
        let mut a = (first.ln(), excess(first.ln())?);
        let mut b = (first.ln() + 0.05, excess(first.ln() + 0.05)?);
        for _ in 0..MAX_ATTEMPTS {
            if b.1.0.abs() <= SAME * scale {
                let mut found = b.1.1;
                found.second = None;
                return Ok(found);
            }
            let slope = (b.1.0 - a.1.0) / (b.0 - a.0);
            let step = (-b.1.0 / slope).clamp(-0.5, 0.5);
            if !step.is_finite() {
                break;
            }
            let next = b.0 + step;
            (a, b) = (b, (next, excess(next)?));
        }
        let message = "no motion with this value of Jacobi's integral was found between these configurations";
        let d = Diagnostic::error(Code::NoConnection, None, message);
        Err(Box::new(d.help(
            "give the time instead of the energy (`--until`), or a configuration on the way (`--via`)",
        )))
    }

    /// y eta - L at a state: T2 - L0.
    fn jacobi_integral(&mut self, natural: &Natural, state: &State) -> f64 {
        let form = &self.form;
        let parameters = self.compiled.parameters();
        let known = |s: Symbol| {
            let find = |list: &[Symbol], values: &[f64]| list.iter().position(|k| *k == s).map(|i| values[i]);
            find(&form.coordinates, &state.x)
                .or_else(|| find(&form.speeds, &state.eta))
                .or_else(|| find(&form.parameters, parameters))
                .unwrap_or(f64::NAN)
        };
        let values = self.system.pool.evaluate_all(&[natural.twice_kinetic, natural.quadratic.rest], known);
        values[0] / 2.0 - values[1]
    }
}

/// The time as a function of the parameter, from dt/ds at Lobatto nodes.
struct Clock {
    /// dt/ds, four nodes to an element.
    slowness: Vec<f64>,
    /// Time at the beginning of each element.
    begins: Vec<f64>,
    h: f64,
}

impl Clock {
    fn new(slowness: &[f64]) -> Self {
        let elements = (slowness.len() - 1) / 3;
        let mut clock = Clock { slowness: slowness.to_vec(), begins: vec![0.0], h: 1.0 / elements as f64 };
        for e in 0..elements {
            let next = clock.begins[e] + clock.within(e, 1.0);
            clock.begins.push(next);
        }
        clock
    }

    /// Integral over the first part of an element of the cubic through its nodes.
    fn within(&self, e: usize, part: f64) -> f64 {
        let inner = 0.5 - 0.5 / 5f64.sqrt();
        let nodes = [0.0, inner, 1.0 - inner, 1.0];
        let mut sum = 0.0;
        for (i, c) in nodes.iter().enumerate() {
            // Three Gauss nodes are exact for a cubic.
            let gauss =
                [(0.5 - 0.15f64.sqrt(), 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + 0.15f64.sqrt(), 5.0 / 18.0)];
            let weight: f64 = gauss
                .iter()
                .map(|(g, w)| {
                    let s = g * part;
                    let others = nodes.iter().enumerate().filter(|(k, _)| *k != i);
                    w * others.map(|(_, d)| (s - d) / (c - d)).product::<f64>()
                })
                .sum();
            sum += weight * self.slowness[3 * e + i];
        }
        sum * part * self.h
    }

    fn at(&self, s: f64) -> f64 {
        let elements = self.begins.len() - 1;
        let e = ((s / self.h) as usize).min(elements - 1);
        let part = (s / self.h - e as f64).clamp(0.0, 1.0);
        self.begins[e] + self.within(e, part)
    }
}
