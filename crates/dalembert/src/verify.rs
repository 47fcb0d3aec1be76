//! One model, many roads: every formalism that applies, compared with the explicit equation of motion.
//!
//! At states near the motion of a model the accelerations and forces of U1 to U3 are compared with those of other
//! roads, and short motions with each other. Each judge shares as little as possible with what it judges:
//!
//! | check | what it holds against U1 | shares |
//! |---|---|---|
//! | `lagrange` | L2 with D taken along eta' too, from L itself, by the slow evaluator | no M, Q |
//! | `constraints` | f'' and psi' along the accelerations, from the rows as written | no A, b |
//! | `multipliers` | M eta' - A^T lambda = Q, A eta' = b by elimination with complete pivoting | M, Q, A, b |
//! | `gauss` | U7 by projected conjugate gradients | M, Q, A, b |
//! | `virtual_work` | v^T Q_i = 0, v^T Q_ni = v^T C for random v with A v = 0, A from the rows | no A |
//! | `appell` | Appell's function from T, differentiated twice along the motion (P6) | no M, Q |
//! | `maggi` | independent speeds w, Z^T (M eta' - Q - C) = 0 (P7) | M, Q, b |
//! | `jourdain` | power of the lost forces, variations of velocities (P8) | no M, Q, A |
//! | `orthogonality` | Q_i . M^-1 Q_ni = 0 (U5) | M |
//! | `hamilton`, `suslov` | H1, and H3 with H4, brought back to speeds | A, b |
//! | `changed_speeds` | the model derived anew in speeds w, eta = R(x) w | no kernel form |
//! | `recursion` | M, Q, A and b in symbols against those of recursions over the tree of bodies | no M, Q |
//! | `friction_law`, `requirements` | Coulomb's law; the rows of C1 | |
//! | `motion_...` | the motion integrated in other variables | |
//! | `hamilton_jacobi`, `complete_integral` | H8 for the S of the model, near the start and along the motion; the rank of d2S/dx da | no U1 |
//! | `motion_hamilton_jacobi` | the motion by b = dS/da, nothing integrated | no kernel form |
//! | `action` | integral of (delta L + Q' v) dt = 0 along the motion, for v in ker A that vanish at the ends | no kernel form |
//!
//! What does not apply to a model is listed with the reason. Tolerances come from the sizes of the forces and the
//! conditioning of the constraints at each state. Everything is repeatable: seeds are fixed.
//!
//! The fields of [`Workspace`] are the seam for tests: a term changed in [`Workspace::form`] and compiled again must be found.
//! Checked by `tests/it/verify.rs`.
// `!(a <= b)` is how NaN is refused together with what is too large.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

mod action;
mod changed;
mod forces;
mod gauss;
mod hamilton;
mod hamilton_jacobi;
mod motion;
mod reading;
mod recursion;
mod rivals;
mod small;
mod speeds;
mod states;
mod symbols;
mod work;

use crate::workspace::{WRITTEN_OUT, Workspace};
use dalembert_run::Events;
use dalembert_syntax::diagnostic::{Code, Diagnostic};
#[doc(hidden)]
pub use gauss::gauss;
#[doc(hidden)]
pub use reading::multipliers;
pub use reading::{Difference, Reading};

/// One comparison, at its worst.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What is compared, in words.
    pub what: &'static str,
    /// The largest difference relative to its tolerance, scaled by the size of what is compared.
    pub worst: f64,
    /// What it may be.
    pub tolerance: f64,
    /// Whether every comparison stayed within its tolerance.
    pub passed: bool,
    /// How many states, motions or variations were compared.
    pub count: usize,
}

/// A check that says nothing about this model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: String,
}

/// What [`verify`] found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Verification {
    /// The checks that were made.
    pub checks: Vec<Check>,
    /// Those that do not apply.
    pub skipped: Vec<Skipped>,
    /// States at which accelerations and forces were compared.
    pub states: usize,
    /// Length of the motion that was looked at.
    pub span: f64,
}

impl Verification {
    /// Whether all checks passed, and some were made.
    pub fn passed(&self) -> bool {
        !self.checks.is_empty() && self.checks.iter().all(|c| c.passed)
    }

    /// The check of a name, if it was made.
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|c| c.name == name)
    }

    fn take(&mut self, tally: Tally) {
        match tally.finish() {
            Ok(check) => self.checks.push(check),
            Err(skipped) => self.skipped.push(skipped),
        }
    }
}

/// Compares every road that applies to a model.
///
/// ```
/// use dalembert::{Model, Source};
/// let text = "parameter m = 2, l = 1, g = 9.81
///     coordinate x, y
///     kinetic m/2*(x'^2 + y'^2)
///     potential m*g*y
///     constraint rod: x^2 + y^2 = l^2
///     initial x = 0.6, y ~ -1";
/// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap();
/// let found = model.verify().unwrap();
/// assert!(found.passed());
/// assert!(found.check("gauss").unwrap().worst < 1e-12);
/// ```
#[doc(hidden)]
pub fn verify(model: &mut Workspace) -> Result<Verification, Box<Diagnostic>> {
    let (n, m) = (model.form.speeds.len(), model.system.constraints.rows.len());
    if n.max(m) > WRITTEN_OUT {
        let message =
            format!("{n} speeds and {m} constraint rows are too many to be judged by matrices in full");
        let d = Diagnostic::error(Code::TooLarge, None, message);
        return Err(Box::new(
            d.help(format!("up to {WRITTEN_OUT} of each; a smaller family has the same equations")),
        ));
    }
    model.derive_symbols()?;
    // Other forms know no jumps: motions are compared up to the first of them.
    let mut up_to_jumps;
    let model = if model.compiled.actions().is_empty() {
        model
    } else {
        up_to_jumps = model.clone();
        up_to_jumps.stop_at_jumps();
        &mut up_to_jumps
    };
    let start = model.start()?.state;
    // Without an acceleration at the start there is nothing to compare: what hinders it is said.
    model.evaluate(&start)?;
    let path = motion::Path::of(model, &start);
    let mut found = Verification { span: path.span(), ..Verification::default() };
    let readings = Reading::all(model, &states::near(model, &start, &path));
    found.states = readings.len();
    symbols::judge(model, &readings, &mut found);
    recursion::judge(model, &readings, &mut found);
    let mut kkt = Tally::new("multipliers", "accelerations and forces by the system with multipliers");
    let mut least = Tally::new("gauss", "accelerations by minimising Gauss's function");
    for reading in &readings {
        kkt.take(multipliers(reading));
        match gauss(reading) {
            Some(difference) => least.take(difference),
            None => least.because("inertia is not positive: Gauss's function has no least value"),
        }
    }
    found.take(kkt);
    found.take(least);
    work::judge(model, &readings, &mut found);
    rivals::judge(model, &readings, &mut found);
    forces::judge(model, &readings, &mut found);
    hamilton::hamilton(model, &readings, &mut found);
    hamilton::suslov(model, &readings, &mut found);
    motion::judge(model, &path, &mut found);
    hamilton_jacobi::judge(model, &path, &mut found);
    action::judge(model, &path, &mut found);
    speeds::judge(model, &readings, &path, &mut found);
    model.check_memory()?;
    Ok(found)
}

/// A tolerance beyond this would let anything pass: nothing is said then.
const DECIDED: f64 = 1e-4;

/// Comparisons of one kind, of which the worst is kept.
struct Tally {
    name: &'static str,
    what: &'static str,
    worst: Option<Difference>,
    count: usize,
    passed: bool,
    reason: Option<String>,
}

impl Tally {
    fn new(name: &'static str, what: &'static str) -> Self {
        Tally { name, what, worst: None, count: 0, passed: true, reason: None }
    }

    /// A check that was not made, with the reason.
    fn skipped(name: &'static str, reason: impl Into<String>) -> Self {
        Tally { reason: Some(reason.into()), ..Tally::new(name, "") }
    }

    fn take(&mut self, d: Difference) {
        if !(d.tolerance <= DECIDED) {
            return self.because("undecided: rounding is too strong at these states for a comparison");
        }
        self.count += 1;
        self.passed &= d.passed();
        if self.worst.is_none_or(|w| !(d.ratio() <= w.ratio())) {
            self.worst = Some(d);
        }
    }

    /// The worst of so many.
    fn take_many(&mut self, d: Difference, count: usize) {
        let before = self.count;
        self.take(d);
        if self.count > before {
            self.count = before + count;
        }
    }

    /// Why nothing was compared, if nothing will have been.
    fn because(&mut self, reason: impl Into<String>) {
        self.reason.get_or_insert(reason.into());
    }

    fn finish(self) -> Result<Check, Skipped> {
        let Tally { name, what, worst, count, passed, reason } = self;
        match worst {
            Some(Difference { worst, tolerance }) => {
                Ok(Check { name, what, worst, tolerance, passed, count })
            }
            None => {
                let reason = reason.unwrap_or_else(|| "no state near the motion could be evaluated".into());
                Err(Skipped { name, reason })
            }
        }
    }
}
