//! Routh's procedure in symbols: ignorable coordinates eliminated by their momenta.
//!
//! ```text
//! P9  x_c ignorable, p_c = dL/dx_c' = constant:   R = L - p_c x_c',  x_c' eliminated;   d/dt dR/dx' - dR/dx = Q'
//!     with L = x_c' G x_c'/2 + g x_c' + L_0:      R = L_0 - (p_c - g) G^-1 (p_c - g)/2
//! ```
//!
//! A coordinate is ignorable if neither it nor, through constraints and forces, its rate is in anything but L, and in L
//! only its rate. L must be quadratic in the rates of these coordinates, and the speeds those of the coordinates.
//! Checked by `tests/it/printed.rs`.

use crate::closed_form::equations_limits::refuse;
use crate::closed_form::symbol_matrix::{self as sm, Rows};
use crate::formalism::hamilton::Quadratic;
use crate::formalism::poincare::{Poincare, dot, momentum_symbols};
use crate::workspace::Workspace;
use dalembert_expr::{Derivation, Expr, Pool, Rational, Symbol};
use dalembert_syntax::diagnostic::Diagnostic;

/// The Routhian of a model.
#[derive(Clone, Debug)]
pub struct Routh {
    /// Ignorable coordinates.
    pub ignorable: Vec<usize>,
    /// Their momenta, as symbols and as functions of the speeds.
    pub momenta: Vec<(Symbol, Expr)>,
    /// Their rates, over the momenta and the other speeds.
    pub rates: Vec<Expr>,
    /// R
    pub routhian: Expr,
    /// L where the rates of ignorable coordinates are zero.
    pub rest: Expr,
    /// G of `L = x_c' G x_c'/2 + g x_c' + rest`.
    pub mass: Rows,
    /// g of it.
    pub linear: Vec<Expr>,
    /// Q' on every speed.
    pub impressed: Vec<Expr>,
}

impl Routh {
    /// Of a model; refused where no coordinate is ignorable.
    pub fn of(model: &mut Workspace) -> Result<Self, Box<Diagnostic>> {
        if model.form.frame.is_some() {
            return Err(refuse(
                "Routh's procedure is written in rates of coordinates, and this model has other speeds"
                    .into(),
            ));
        }
        let equations = Poincare::of(model)?;
        let ignorable = ignorable(model, &equations);
        if ignorable.is_empty() {
            return Err(refuse(
                "no coordinate of this model is ignorable: Routh's procedure has nothing to eliminate".into(),
            ));
        }
        let symbols = momentum_symbols(&mut model.system)?;
        let constants = model.constants();
        let speeds = model.form.speeds.clone();
        let pool = &mut model.system.pool;
        let chosen: Vec<Symbol> = ignorable.iter().map(|c| speeds[*c]).collect();
        let own: Vec<Expr> = ignorable.iter().map(|c| equations.momenta[*c]).collect();
        let Some(Quadratic { mass, linear, rest }) = Quadratic::of(pool, equations.lagrangian, &own, &chosen)
        else {
            return Err(refuse(
                "the momenta of the ignorable coordinates are not linear in their rates".into(),
            ));
        };
        let Some(inverse) = sm::inverse(pool, &mass, &constants) else {
            return Err(refuse(
                "the momenta of the ignorable coordinates do not determine their rates".into(),
            ));
        };
        let beta: Vec<Expr> = ignorable.iter().map(|c| pool.var(symbols[*c])).collect();
        let free = sm::minus(pool, &beta, &linear);
        let rates = sm::times(pool, &inverse, &free);
        let images: Vec<(Symbol, Expr)> = chosen.iter().copied().zip(rates.iter().copied()).collect();
        let rest = pool.tidy(rest);
        let stored = dot(pool, &free, &rates);
        let routhian = pool.combine([(rest, Rational::ONE), (stored, -&Rational::HALF)]);
        let routhian = pool.tidy(routhian);
        let impressed = pool.substitute(&equations.impressed, &images);
        let momenta = ignorable.iter().map(|c| symbols[*c]).zip(own).collect();
        Ok(Routh { ignorable, momenta, rates, routhian, rest, mass, linear, impressed })
    }
}

impl Routh {
    /// `d/dt dR/dx' - dR/dx` on a speed, with u for the rates x_c' that are eliminated:
    ///
    /// ```text
    /// [d/dt d/dx' - d/dx] L_0 + u' dg/dx' + u (d/dt dg/dx' - dg/dx) - u dG/dx u/2
    /// ```
    ///
    /// Its parts are tidied one by one: u and u' stay together, where the derivatives of R would multiply them out.
    pub(crate) fn left_side(
        &self,
        pool: &mut Pool,
        along: &mut Derivation,
        (x, v): (Symbol, Symbol),
    ) -> Expr {
        let mut euler = |pool: &mut Pool, e: Expr| {
            let momentum = pool.diff(e, v);
            let rate = along.apply(pool, momentum);
            let slope = pool.diff(e, x);
            let e = pool.sub(rate, slope);
            pool.tidy(e)
        };
        let mut parts = vec![(euler(pool, self.rest), Rational::ONE)];
        for (g, u) in self.linear.iter().zip(&self.rates) {
            let bent = euler(pool, *g);
            parts.push((pool.mul(*u, bent), Rational::ONE));
        }
        for (g, u) in self.linear.iter().zip(&self.rates) {
            let slope = pool.diff(*g, v);
            let (slope, rate) = (pool.tidy(slope), along.apply(pool, *u));
            let rate = pool.tidy(rate);
            parts.push((pool.mul(slope, rate), Rational::ONE));
        }
        for (row, a) in self.mass.iter().zip(&self.rates) {
            for (e, b) in row.iter().zip(&self.rates) {
                let slope = pool.diff(*e, x);
                let slope = pool.tidy(slope);
                let both = pool.mul(*a, *b);
                parts.push((pool.mul(slope, both), -&Rational::HALF));
            }
        }
        pool.combine(parts)
    }
}

/// Coordinates that only the rate of occurs, and only in L.
fn ignorable(model: &mut Workspace, equations: &Poincare) -> Vec<usize> {
    let (system, form) = (&mut model.system, &model.form);
    let pool = &mut system.pool;
    let lagrangian = pool.simplify(equations.lagrangian);
    let mut elsewhere: Vec<Expr> = equations.impressed.clone();
    elsewhere.extend(form.nonideal.iter().flatten());
    elsewhere.extend(system.constraints.rows.iter().map(|row| row.residual));
    let elsewhere: Vec<Expr> = elsewhere.into_iter().map(|e| pool.simplify(e)).collect();
    let is_ignorable = |c: &usize| {
        let (x, v) = (form.coordinates[*c], form.speeds[*c]);
        let pushed = |e: Option<&Expr>| e.is_some_and(|e| *e != Pool::ZERO);
        let n = form.speeds.len();
        let dragged = form.nonideal.is_some() && pushed(elsewhere.get(n + c));
        pool.depends_on(lagrangian, &[v])
            && !pool.depends_on(lagrangian, &[x])
            && !elsewhere.iter().any(|e| pool.depends_on(*e, &[x, v]))
            && !pushed(elsewhere.get(*c))
            && !dragged
    };
    (0..form.speeds.len()).filter(is_ignorable).collect()
}
