//! Hamilton and Jacobi: a complete integral is verified, and then gives the motion by algebra alone.
//!
//! ```text
//! H8  X0 S + H(x, X_1 S .. X_n S, t) = 0 on the constraints,   det(X_q dS/da_p) != 0
//!     y_p = X_p S,   b_p = dS/da_p                             a and b constant along a motion
//! ```
//!
//! With position constraints H is that of H6, on the redundant phase space: it sees only the part of dS/dx
//! along the constraints, so S is a complete integral where its residual vanishes on f = 0, and the
//! determinant is that on the directions that f = 0 leaves free. S may then have a constant for each
//! coordinate (P12): of the 2n constants a and b, 2(n - m) are free, and the others do not matter to the
//! motion. Source: Ghori 1976 (24)-(26), with the constraint terms in the form of H6. Needs an H in symbols
//! (L quadratic in the speeds), every force from a potential, as many coordinates as speeds. Checked by
//! `tests/it/jacobi.rs`.

mod motion;
mod verify;

pub(crate) use motion::WRONG;
pub(crate) use verify::{NOTHING, Survey};

use crate::formalism::hamilton::Canonical;
use crate::formalism::hamilton::MAX_EXPLICIT;
use crate::formalism::poincare::{Fields, momentum_symbols};
use crate::formalism::suslov::Suslov;
use crate::system::CompleteIntegral;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_tape::Program;

/// A complete integral with everything that follows from it, in symbols and as one tape.
///
/// ```
/// use dalembert::{Model, Source, hamilton_jacobi::HamiltonJacobi};
/// let text = "parameter m = 2\ncoordinate x\nkinetic m/2*x'^2\n\
///             complete_integral (a) = a*x - a^2/(2*m)*t\ninitial x = 3, x' = 0.5";
/// let mut model = Model::load(&Source::new("line.dal", text), &Default::default()).unwrap().workspace();
/// let jacobi = HamiltonJacobi::of(&mut model).unwrap();
/// assert!(jacobi.verify(&mut model).unwrap().proved);
/// let start = model.start().unwrap().state;
/// let (a, b) = jacobi.constants(&mut model, &start).unwrap();
/// assert_eq!((a[0], b[0]), (1.0, 3.0)); // momentum, and where it was at t = 0
/// ```
#[non_exhaustive]
pub struct HamiltonJacobi {
    /// The statement.
    pub integral: CompleteIntegral,
    /// Symbols of the momenta, as H is written.
    pub momenta: Vec<Symbol>,
    /// H(x, y, t)
    pub hamiltonian: Expr,
    /// X0 S + H(x, X S, t)
    pub residual: Expr,
    /// X_p S
    pub slopes: Vec<Expr>,
    /// dS/da
    pub coordinates: Vec<Expr>,
    /// Sizes: coordinates, constants.
    n: usize,
    k: usize,
    /// residual, X0 S, y, eta, x', b, db/dx, dy/da over t, x, parameters, a.
    tape: Program,
}

/// Numbers of the tape at one place.
pub(crate) struct Values {
    pub residual: f64,
    pub rate: f64,
    pub y: Vec<f64>,
    pub eta: Vec<f64>,
    pub x_dot: Vec<f64>,
    pub b: Vec<f64>,
    /// db/dx, k * n
    pub b_x: Vec<f64>,
    /// dy/da, n * k
    pub y_a: Vec<f64>,
}

fn refuse(model: &Workspace, message: impl Into<String>, help: &str) -> Box<Diagnostic> {
    let span = model.system.experiment.complete_integral.as_ref().map(|c| c.span);
    Box::new(Diagnostic::error(Code::NotApplicable, span, message).help(help))
}

/// H, and the speeds, over x, y, t.
fn hamiltonian(model: &mut Workspace) -> Result<(Expr, Vec<Expr>), Box<Diagnostic>> {
    if model.system.constraints.rows.is_empty() {
        let canonical = Canonical::of(model)?;
        return Ok((canonical.hamiltonian, canonical.speeds));
    }
    let size = model.form.speeds.len() + model.system.constraints.rows.len();
    if size > MAX_EXPLICIT {
        let message = format!(
            "H is written for up to {MAX_EXPLICIT} speeds and constraint rows together; this model has {size}"
        );
        return Err(refuse(model, message, "use fewer redundant coordinates"));
    }
    let suslov = Suslov::of(model)?;
    if !suslov.holonomic() {
        let message = "the Hamilton-Jacobi equation is for constraints on positions; this model has others";
        return Err(refuse(model, message, "leave `complete_integral` out"));
    }
    match suslov.solve(model)? {
        Some(solved) => Ok((solved.hamiltonian, solved.speeds)),
        None => Err(refuse(
            model,
            "H has no closed form here: constraints depend on each other, or inertia is missing",
            "leave out the constraints that follow from others",
        )),
    }
}

impl HamiltonJacobi {
    /// Takes the statement of a model; refused where there is none, or where H8 has no meaning.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        model.derive_symbols()?;
        let Some(integral) = model.system.experiment.complete_integral.clone() else {
            let message = "the model gives no complete integral";
            return Err(refuse(
                model,
                message,
                "write `complete_integral (a1, a2) = S`, as many constants as degrees of freedom or one for each coordinate",
            ));
        };
        model.store_forces();
        if model.has_forces_without_potential() || model.system.constraints.nonideal.is_some() {
            let message =
                "the Hamilton-Jacobi equation is for forces with a potential; this model has others";
            return Err(refuse(model, message, "leave `complete_integral` out"));
        }
        if model.form.coordinates.len() != model.form.speeds.len() {
            let message = "the Hamilton-Jacobi equation is solved with as many speeds as coordinates";
            return Err(refuse(model, message, "write the model in other coordinates"));
        }
        let momenta = momentum_symbols(&mut model.system)?;
        let (hamiltonian, speeds) = hamiltonian(model)?;
        let pool = &mut model.system.pool;
        let fields = Fields::of(pool, &model.form);
        let slopes = fields.all(pool, integral.action);
        let images: Vec<(Symbol, Expr)> = momenta.iter().copied().zip(slopes.iter().copied()).collect();
        let energy = pool.substitute(&[hamiltonian], &images)[0];
        let speeds = pool.substitute(&speeds, &images);
        let rate = fields.zeroth(pool, integral.action);
        let residual = pool.add(rate, energy);
        let of_speeds: Vec<(Symbol, Expr)> =
            model.form.speeds.iter().copied().zip(speeds.iter().copied()).collect();
        let x_dot = pool.substitute(&model.form.x_dot, &of_speeds);
        let constants: Vec<Symbol> = integral.constants.iter().map(|(_, s)| *s).collect();
        let coordinates = pool.gradient(integral.action, &constants);
        let mut outputs = vec![residual, rate];
        outputs.extend(slopes.iter().chain(&speeds).chain(&x_dot).chain(&coordinates));
        for b in &coordinates {
            outputs.extend(pool.gradient(*b, &model.form.coordinates));
        }
        for y in &slopes {
            outputs.extend(pool.gradient(*y, &constants));
        }
        let mut inputs = vec![model.form.time];
        inputs.extend(model.form.coordinates.iter().chain(&model.form.parameters).chain(&constants));
        let tape = pool.lower(&inputs, &outputs);
        let (n, k) = (momenta.len(), constants.len());
        model.check_memory()?;
        Ok(HamiltonJacobi { integral, momenta, hamiltonian, residual, slopes, coordinates, n, k, tape })
    }

    /// Everything at a place.
    pub(crate) fn at(&self, model: &Workspace, t: f64, x: &[f64], a: &[f64]) -> Values {
        let mut inputs = vec![t];
        inputs.extend(x.iter().chain(model.compiled.parameters()).chain(a));
        let mut registers = vec![0.0; self.tape.register_count()];
        let mut out = vec![0.0; self.tape.output_count()];
        self.tape.run(&inputs, &mut registers, &mut out);
        let (n, k) = (self.n, self.k);
        let mut rest = &out[2..];
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at(count);
            rest = tail;
            head.to_vec()
        };
        Values {
            residual: out[0],
            rate: out[1],
            y: take(n),
            eta: take(n),
            x_dot: take(n),
            b: take(k),
            b_x: take(k * n),
            y_a: take(n * k),
        }
    }
}
