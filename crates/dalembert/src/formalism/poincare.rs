//! Poincare-Chetaev in symbols: momenta and their rates, and how far linear constraints are from holonomic ones.
//!
//! ```text
//! L2  d/dt dL/d eta_p = X_p L + C_0pq dL/d eta_q + C_qpr eta_q dL/d eta_r + Q'_p + lambda_a dF_a/d eta_p
//! H5  Om0_ap = X0 A_ap - X_p A_a0,   Om_aqp = X_q A_ap - X_p A_aq            of F_a = A_ap eta_p + A_a0
//!     N_ap = C_0pq A_aq + C_qpr eta_q A_ar - Om0_ap - eta_q Om_aqp
//! ```
//!
//! N does not depend on the frame and vanishes identically where F_a is the rate of a function of position and
//! time; the Omegas alone need not, in quasi-velocities, whatever Ghori 1976 (9) says. L1 is found by
//! [`crate::derive`]. Knows nothing of printing. Checked by `tests/it/poincare.rs`.

use crate::kernel_form::{KernelForm, Structure};
use crate::system::System;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Linear, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// The fields X0, X_p of K1 as operators on functions of (x, t).
#[derive(Clone, Debug)]
pub struct Fields {
    x: Vec<Symbol>,
    time: Symbol,
    /// `X_p` over the coordinates; `None` where x' = eta.
    fields: Option<Vec<Vec<Expr>>>,
    drift: Vec<Expr>,
}

impl Fields {
    /// The fields of a kernel form.
    pub fn of(pool: &mut Pool, form: &KernelForm) -> Self {
        let zeros: Vec<(Symbol, Expr)> = form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let fields = form
            .frame
            .as_ref()
            .map(|rows| (0..form.speeds.len()).map(|p| rows.iter().map(|row| row[p]).collect()).collect());
        let drift = pool.substitute(&form.x_dot, &zeros);
        Fields { x: form.coordinates.clone(), time: form.time, fields, drift }
    }

    /// `X_p f` for every p: one gradient.
    pub fn all(&self, pool: &mut Pool, f: Expr) -> Vec<Expr> {
        let gradient = pool.gradient(f, &self.x);
        match &self.fields {
            None => gradient,
            Some(fields) => fields.iter().map(|field| dot(pool, &gradient, field)).collect(),
        }
    }

    /// `X0 f = df/dt + (df/dx) X0`
    pub(crate) fn zeroth(&self, pool: &mut Pool, f: Expr) -> Expr {
        let gradient = pool.gradient(f, &self.x);
        let (carried, rate) = (dot(pool, &gradient, &self.drift), pool.diff(f, self.time));
        pool.add(carried, rate)
    }
}

/// `a . b`
pub(crate) fn dot(pool: &mut Pool, a: &[Expr], b: &[Expr]) -> Expr {
    let parts: Vec<Expr> = a.iter().zip(b).map(|(a, b)| pool.mul(*a, *b)).collect();
    pool.total(parts)
}

/// L2: what changes in time, and its rate without constraint forces.
#[derive(Clone, Debug)]
pub struct Poincare {
    /// L
    pub lagrangian: Expr,
    /// dL/d eta_p
    pub momenta: Vec<Expr>,
    /// X_p L + C_0pq dL/d eta_q + C_qpr eta_q dL/d eta_r + Q'_p, over x, eta, t.
    pub rates: Vec<Expr>,
    /// Q'_p, dissipation included.
    pub impressed: Vec<Expr>,
}

impl Poincare {
    /// L2 of a model. Refused where there is no Lagrangian, or where forces act that the form does not contain.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        refuse_foreign_forces(&model.system)?;
        Self::without_contacts(model)
    }

    /// L2 of the energies and applied forces, whatever friction, control or constraints on accelerations do beside them.
    pub(crate) fn without_contacts(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        model.derive_symbols()?;
        refuse_no_lagrangian(&model.system)?;
        let (system, form) = (&mut model.system, &model.form);
        let lagrangian = system.whole_lagrangian();
        let pool = &mut system.pool;
        let fields = Fields::of(pool, form);
        let damping = system.forces.dissipation.map(|r| pool.gradient(r, &form.speeds));
        let mut impressed = system.forces.applied.clone();
        for (force, d) in impressed.iter_mut().zip(damping.into_iter().flatten()) {
            *force = pool.sub(*force, d);
        }
        let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
        let slopes = fields.all(pool, lagrangian);
        let turned = turned(pool, &form.structure, &eta, &form.momenta);
        let rates = (0..eta.len()).map(|p| pool.total([slopes[p], turned[p], impressed[p]])).collect();
        Ok(Poincare { lagrangian, momenta: form.momenta.clone(), rates, impressed })
    }
}

/// `C_0pq a_q + C_qpr eta_q a_r` for every p.
pub(crate) fn turned(pool: &mut Pool, structure: &Structure, eta: &[Expr], a: &[Expr]) -> Vec<Expr> {
    let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); eta.len()];
    for (p, q, c) in &structure.with_time {
        parts[*p].push(pool.mul(*c, a[*q]));
    }
    for (q, p, r, c) in &structure.entries {
        parts[*p].push(pool.product([*c, eta[*q], a[*r]].map(|e| (e, Rational::ONE))));
    }
    parts.into_iter().map(|list| pool.total(list)).collect()
}

/// L of a model, whatever forces act beside it. Refused where there is none.
pub(crate) fn lagrangian_of(model: &mut Workspace) -> Result<Expr, Box<Diagnostic>> {
    model.derive_symbols()?;
    refuse_no_lagrangian(&model.system)?;
    Ok(model.system.whole_lagrangian())
}

fn refuse_with(system: &System, message: &str) -> Result<(), Box<Diagnostic>> {
    let help = match system.contacts.is_empty() && system.control.rows.is_empty() {
        true => "the forms kernel, lagrange and explicit need no Lagrangian",
        false => "the forms kernel and lagrange name friction and control, with the laws that decide them",
    };
    Err(Box::new(Diagnostic::error(Code::NotApplicable, None, message).help(help)))
}

fn refuse_no_lagrangian(system: &System) -> Result<(), Box<Diagnostic>> {
    if system.forces.mass.is_some()
        || (system.energies.kinetic.is_none() && system.energies.lagrangian.is_none())
    {
        return refuse_with(
            system,
            "this form starts from a Lagrangian, and the model gives its inertia as `mass`",
        );
    }
    Ok(())
}

fn refuse_foreign_forces(system: &System) -> Result<(), Box<Diagnostic>> {
    refuse_no_lagrangian(system)?;
    let refuse = |message: &str| refuse_with(system, message);
    if system.constraints.rows.iter().any(|row| row.on_accelerations) {
        return refuse("this form has no place for constraints on accelerations");
    }
    if !system.contacts.is_empty() {
        return refuse("this form has no place for the friction of this model, which sticks and slides");
    }
    if !system.control.rows.is_empty() {
        return refuse("this form has no place for the control forces of this model");
    }
    Ok(())
}

/// A constraint that is linear in the speeds, with its measures of nonholonomy.
#[derive(Clone, Debug)]
pub struct LinearRow {
    /// Which row of the model.
    pub row: usize,
    /// A_ap
    pub coefficients: Vec<Expr>,
    /// A_a0
    pub constant: Expr,
    /// Om0_ap (H5)
    pub omega_zero: Vec<Expr>,
    /// Om_aqp (H5) as `[q][p]`
    pub omega: Vec<Vec<Expr>>,
    /// N_ap (H5), linear in the speeds.
    pub nonholonomy: Vec<Expr>,
}

/// Every row of the model that is linear in the speeds, taken apart.
pub fn linear_rows(model: &mut Workspace) -> Vec<LinearRow> {
    let (pool, form) = (&mut model.system.pool, &model.form);
    let fields = Fields::of(pool, form);
    let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
    let mut rows = Vec::new();
    for (row, psi) in form.velocity_residuals.iter().enumerate() {
        let Some(Linear { coefficients, constant }) = pool.linear(*psi, &form.speeds) else { continue };
        let n = eta.len();
        let slopes: Vec<Vec<Expr>> = coefficients.iter().map(|a| fields.all(pool, *a)).collect();
        let of_constant = fields.all(pool, constant);
        let tidy = |pool: &mut Pool, e: Expr| pool.simplify(e);
        let omega_zero: Vec<Expr> = (0..n)
            .map(|p| {
                let rate = fields.zeroth(pool, coefficients[p]);
                let e = pool.sub(rate, of_constant[p]);
                tidy(pool, e)
            })
            .collect();
        let omega: Vec<Vec<Expr>> = (0..n)
            .map(|q| {
                (0..n)
                    .map(|p| {
                        let e = pool.sub(slopes[p][q], slopes[q][p]);
                        tidy(pool, e)
                    })
                    .collect()
            })
            .collect();
        let turned = turned(pool, &form.structure, &eta, &coefficients);
        let nonholonomy = (0..n)
            .map(|p| {
                let mut parts = vec![(turned[p], Rational::ONE), (omega_zero[p], Rational::MINUS_ONE)];
                for (q, speed) in eta.iter().enumerate() {
                    parts.push((pool.mul(*speed, omega[q][p]), Rational::MINUS_ONE));
                }
                let e = pool.combine(parts);
                tidy(pool, e)
            })
            .collect();
        rows.push(LinearRow { row, coefficients, constant, omega_zero, omega, nonholonomy });
    }
    rows
}

/// The word by which momenta and structure coefficients are labelled: `x` for the speed x', `u` for the speed u.
pub(crate) fn labels(system: &System) -> Vec<String> {
    let of =
        |s: &crate::system::Speed| s.rate_of.map_or(&s.name, |i| &system.frame.coordinates[i].name).clone();
    system.frame.speeds.iter().map(of).collect()
}

/// Symbols `p_x` of the momenta.
pub(crate) fn momentum_symbols(system: &mut System) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    let names: Vec<String> = labels(system).iter().map(|label| format!("p_{label}")).collect();
    own_symbols(system, &names)
}

/// Symbols of a form's own; refused where the model uses such a name itself.
pub(crate) fn own_symbols(system: &mut System, names: &[String]) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    let taken = |name: &String| {
        system.parameters.iter().any(|p| p.name == *name)
            || system.frame.coordinates.iter().any(|c| c.name == *name)
            || system.frame.speeds.iter().any(|s| s.name == *name)
            || system.experiment.complete_integral.iter().flat_map(|i| &i.constants).any(|c| c.0 == *name)
    };
    if let Some(name) = names.iter().find(|name| taken(name)) {
        let message = format!("`{name}` means something else in this form than in the model");
        let d = Diagnostic::error(Code::NotApplicable, None, message);
        return Err(Box::new(d.help(format!("rename `{name}` in the model"))));
    }
    Ok(names.iter().map(|name| system.pool.symbol(name)).collect())
}
