//! Poisson brackets that are asked for: of two functions of the phase space, with the rate of the first
//! along the motion.
//!
//! ```text
//! {f,g} = -(f,g) of H2, so that {x, p_x} = 1
//! f' = X0 f + {f,H} + df/dy_p (Q'_p + C_p + lambda_a A_ap)
//! lambda by H7 (Dirac) where every constraint is on positions, else from psi' = 0:
//!     dpsi_a/dy_p A_bp lambda_b = -(psi_a' without constraint forces)
//! ```
//!
//! The sign is the usual one; Ghori's bracket (H2) is its negative. Functions are written over coordinates,
//! momenta `p_x` (`p_u` of a speed u), speeds, rates, time, parameters, and `H`. With forces C that are not
//! ideal, lambda is that of the ideal part (U2), while f' has the projected force. Constraints nonlinear in
//! the speeds act along dpsi/d eta (Chetaev). Source: Ghori 1976 (20)-(23), Dirac 1950. Knows nothing of
//! printing. Checked by `tests/it/brackets.rs`.

use crate::elaborate::{Names, expression_over};
use crate::formalism::hamilton::{Canonical, MAX_EXPLICIT};
use crate::formalism::poincare::{dot, momentum_symbols};
use crate::formalism::poisson::{Brackets, Dirac, PhaseSpace};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// What is known about two functions of the phase space; expressions are in the pool of the workspace.
#[derive(Clone, Debug)]
pub struct BracketAnswer {
    /// The two functions, over (x, y, t).
    pub functions: [Expr; 2],
    /// {f, g}
    pub bracket: Expr,
    /// Dirac's bracket, where every constraint is on positions and they are independent.
    pub dirac_bracket: Option<Expr>,
    /// H(x, y, t), where it has a closed form.
    pub hamiltonian: Option<Expr>,
    /// f' along the motion, over (x, y, t).
    pub evolution: Option<Expr>,
    /// lambda of each constraint row by name, over (x, y, t).
    pub multipliers: Vec<(String, Expr)>,
    /// What is missing, and why.
    pub remarks: Vec<String>,
}

/// The motion in canonical variables with its constraint forces.
struct Flow {
    canonical: Canonical,
    brackets: Brackets,
    /// A_ap, row after row, over (x, y, t).
    directions: Vec<Vec<Expr>>,
    /// C_p without multipliers in it.
    nonideal: Option<Vec<Expr>>,
}

impl Workspace {
    /// The bracket of two functions of the phase space, and the rate of the first.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "parameter m = 2, k = 3\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2";
    /// let mut model = Model::load(&Source::new("spring.dal", text), &Default::default())?.workspace();
    /// let answer = model.brackets("x*p_x", "p_x")?;
    /// assert_eq!(model.system.pool.text(answer.bracket), "p_x");
    /// assert_eq!(model.system.pool.text(answer.evolution.unwrap()), "p_x^2/m - k*x^2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn brackets(&mut self, f: &str, g: &str) -> Result<BracketAnswer, Box<Diagnostic>> {
        let momenta = momentum_symbols(&mut self.system)?;
        let canonical = Canonical::of(self);
        let functions = [self.phase_function(f, &canonical)?, self.phase_function(g, &canonical)?];
        let space = PhaseSpace::new(self, &momenta);
        let pool = &mut self.system.pool;
        let bracket = space.bracket(pool, functions[1], functions[0]);
        let mut answer = BracketAnswer {
            functions,
            bracket: pool.simplify(bracket),
            dirac_bracket: None,
            hamiltonian: canonical.as_ref().ok().map(|c| c.hamiltonian),
            evolution: None,
            multipliers: Vec::new(),
            remarks: Vec::new(),
        };
        match canonical {
            Ok(canonical) => self.add_flow(canonical, &mut answer),
            Err(d) => answer.remarks.push(format!("the evolution needs H: {}", d.message)),
        }
        self.check_memory()?;
        Ok(answer)
    }

    /// A function of the phase space from its text, over (x, y, t).
    fn phase_function(
        &mut self,
        text: &str,
        canonical: &Result<Canonical, Box<Diagnostic>>,
    ) -> Result<Expr, Box<Diagnostic>> {
        let system = &mut self.system;
        let momenta = momentum_symbols(system)?;
        let mut others: Vec<String> = momenta.iter().map(|s| system.pool.name(*s).to_owned()).collect();
        others.extend(system.frame.speeds.iter().filter(|s| s.rate_of.is_none()).map(|s| s.name.clone()));
        let taken =
            system.parameters.iter().map(|p| &p.name).chain(system.frame.coordinates.iter().map(|c| &c.name));
        let free = taken.chain(&others).all(|name| name != "H");
        others.extend(free.then(|| "H".to_owned()));
        let names = Names { parameters: &system.parameters, coordinates: &system.frame.coordinates, others };
        let (mut from, e) = expression_over(text, &names)?;
        let e = system.pool.import(&mut from, &[e])[0];
        let hamiltonian = system.pool.symbol("H");
        let rates: Vec<Symbol> = system.frame.coordinates.iter().map(|c| c.rate).collect();
        let in_motion: Vec<Symbol> = rates.iter().chain(&self.form.speeds).copied().collect();
        let needs_h = free && system.pool.depends_on(e, &[hamiltonian]);
        if !needs_h && !system.pool.depends_on(e, &in_motion) {
            return Ok(e);
        }
        let canonical = canonical.as_ref().map_err(Clone::clone)?;
        let mut images: Vec<(Symbol, Expr)> =
            rates.into_iter().zip(canonical.x_dot.iter().copied()).collect();
        images.extend(self.form.speeds.iter().copied().zip(canonical.speeds.iter().copied()));
        images.extend(free.then_some((hamiltonian, canonical.hamiltonian)));
        Ok(system.pool.substitute(&[e], &images)[0])
    }

    /// Evolution, multipliers and Dirac's bracket.
    fn add_flow(&mut self, canonical: Canonical, answer: &mut BracketAnswer) {
        let flow = match Flow::of(self, canonical) {
            Ok(flow) => flow,
            Err(reason) => return answer.remarks.push(reason),
        };
        let [f, g] = answer.functions;
        if self.system.constraints.rows.is_empty() {
            let rate = flow.rate(self, f);
            answer.evolution = Some(self.system.pool.simplify(rate));
            return;
        }
        let holonomic = self.system.constraints.rows.iter().all(|row| row.holonomic);
        let dirac = holonomic.then(|| Dirac::new(self, &flow.canonical));
        let mut multipliers = None;
        match dirac {
            Some(Ok(dirac)) => {
                let pool = &mut self.system.pool;
                answer.dirac_bracket = Some(dirac.bracket(pool, g, f));
                multipliers = Some(dirac.multipliers(pool));
            }
            Some(Err(d)) => answer.remarks.push(d.message.clone()),
            None => answer.remarks.push(
                "Dirac's brackets are for constraints on positions; multipliers are those that keep the constraints on the speeds"
                    .into(),
            ),
        }
        let Some(ideal) = multipliers.or_else(|| flow.multipliers(self, false)) else {
            let reason = "constraints depend on each other, or are too many: their multipliers have no closed form here";
            return answer.remarks.push(reason.into());
        };
        let acting = match flow.nonideal {
            Some(_) => flow.multipliers(self, true).unwrap_or_else(|| ideal.clone()),
            None => ideal.clone(),
        };
        let names = self.system.constraints.rows.iter().map(|row| row.name.clone());
        answer.multipliers = names.zip(ideal).collect();
        let free = flow.rate(self, f);
        let forced = flow.constrained(self, f, &acting);
        let pool = &mut self.system.pool;
        let rate = pool.add(free, forced);
        answer.evolution = Some(pool.simplify(rate));
    }
}

impl Flow {
    /// Refused, with the reason, where forces are not functions of the state.
    fn of(model: &mut Workspace, canonical: Canonical) -> Result<Self, String> {
        let brackets = Brackets::new(model, &canonical);
        let (n, results) = (model.form.speeds.len(), &model.system.observables);
        let results: Vec<Symbol> = results.multipliers.iter().chain(&results.reactions).copied().collect();
        let mut nonideal = model.form.nonideal.clone();
        if nonideal.iter().flatten().any(|c| model.system.pool.depends_on(*c, &results)) {
            return Err("the evolution is written for forces that are functions of the state; `nonideal` forces of this model contain reactions".into());
        }
        let mut directions = Vec::new();
        for row in model.form.constraint_matrix.clone() {
            let mut dense = vec![Pool::ZERO; n];
            row.iter().for_each(|(p, e)| dense[*p] = *e);
            directions.push(canonical.in_momenta(model, &dense));
        }
        if let Some(C) = &mut nonideal {
            *C = canonical.in_momenta(model, C);
        }
        Ok(Flow { canonical, brackets, directions, nonideal })
    }

    /// f' without constraint forces: H2, and variables with a rate of their own.
    fn rate(&self, model: &mut Workspace, f: Expr) -> Expr {
        let zeros: Vec<(Symbol, Expr)> = model.form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let positions = model.system.positions();
        let pool = &mut model.system.pool;
        let mut parts = vec![(self.brackets.rate(pool, f), Rational::ONE)];
        for i in positions..model.form.coordinates.len() {
            // The fields know the part of the rate at rest.
            let slope = pool.diff(f, model.form.coordinates[i]);
            let rest = pool.substitute(&[model.form.x_dot[i]], &zeros)[0];
            parts.push((pool.mul(slope, self.canonical.x_dot[i]), Rational::ONE));
            parts.push((pool.mul(slope, rest), Rational::MINUS_ONE));
        }
        pool.combine(parts)
    }

    /// df/dy_p (lambda_a A_ap + C_p)
    fn constrained(&self, model: &mut Workspace, f: Expr, lambda: &[Expr]) -> Expr {
        let pool = &mut model.system.pool;
        let slopes = pool.gradient(f, &self.canonical.momenta);
        let mut parts = Vec::new();
        for (row, lambda) in self.directions.iter().zip(lambda) {
            let along = dot(pool, &slopes, row);
            parts.push(pool.mul(along, *lambda));
        }
        parts.extend(self.nonideal.iter().map(|C| dot(pool, &slopes, C)));
        pool.total(parts)
    }

    /// Multipliers that keep psi = 0, of the ideal forces alone or answering C too; `None` where the rows
    /// are dependent.
    fn multipliers(&self, model: &mut Workspace, with_nonideal: bool) -> Option<Vec<Expr>> {
        let m = self.directions.len();
        if m > MAX_EXPLICIT {
            return None;
        }
        let residuals = self.canonical.in_momenta(model, &model.form.velocity_residuals.clone());
        let mut right = Vec::new();
        for psi in &residuals {
            let mut rate = self.rate(model, *psi);
            if let Some(C) = self.nonideal.as_ref().filter(|_| with_nonideal) {
                let pool = &mut model.system.pool;
                let slopes = pool.gradient(*psi, &self.canonical.momenta);
                let pushed = dot(pool, &slopes, C);
                rate = pool.add(rate, pushed);
            }
            right.push(model.system.pool.neg(rate));
        }
        let constants = model.constants();
        let pool = &mut model.system.pool;
        let mut matrix = Vec::with_capacity(m);
        for psi in &residuals {
            let slopes = pool.gradient(*psi, &self.canonical.momenta);
            let row: Vec<Expr> = self.directions.iter().map(|A| dot(pool, &slopes, A)).collect();
            matrix.push(row.into_iter().map(|e| pool.simplify(e)).collect::<Vec<_>>());
        }
        let inverse = pool.regular_inverse(&matrix, &constants)?;
        let solved: Vec<Expr> = inverse.iter().map(|row| dot(pool, row, &right)).collect();
        Some(solved.into_iter().map(|e| pool.simplify(e)).collect())
    }
}
