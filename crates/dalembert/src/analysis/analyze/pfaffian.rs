//! What the questions are asked about: rows as forms over the speeds, the frame, and points to look at them.
//!
//! ```text
//! row  A0(x,t) + A_p(x,t) eta_p = 0      frame  x' = X0 + X_p eta_p,  [X_q, X_p] = C_qpr X_r,  [X0, X_p] = C_0pq X_q
//! ```
//!
//! Expressions are copied into a pool of their own, with the parameters at their values, so that however far an
//! expression grows here the model keeps its memory. Decisions are made at random points modulo large primes
//! (`points.rs`); nothing is rounded. Knows nothing of energies.

use crate::derive::structure_of;
use crate::kernel_form::{KernelForm, Structure};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Symbol};

/// One scalar equation.
pub(super) struct RowForm {
    /// Index among the rows of the system.
    pub index: usize,
    /// Left side minus right side, where no rate occurs in it; with the parameters' names.
    pub position: Option<Expr>,
    /// The form, where the row is linear in the speeds.
    pub form: Option<Form>,
    /// The row is a product or power, of which this factor was taken.
    pub factored: bool,
}

/// `A0 + A_p eta_p`
#[derive(Clone)]
pub(super) struct Form {
    pub constant: Expr,
    pub entries: Vec<(usize, Expr)>,
    /// The entries A_p with the parameters' names.
    pub named: Vec<(usize, Expr)>,
    /// A0 with the parameters' names.
    pub named_constant: Expr,
}

pub(super) struct PfaffianSystem {
    pub pool: Pool,
    pub time: Symbol,
    pub x: Vec<Symbol>,
    pub n: usize,
    /// `X[i]` as (p, entry); `None` where x' = eta.
    pub frame: Option<Vec<Vec<(usize, Expr)>>>,
    /// X0
    pub drift: Vec<Expr>,
    pub structure: Structure,
    pub rows: Vec<RowForm>,
    /// Closed values of the parameters.
    pub parameters: Vec<(Symbol, Expr)>,
    /// `Y[p]` with eta = Y x' + ..., as (coordinate, entry), where it is known; named.
    pub rates: Option<Vec<Vec<(usize, Expr)>>>,
    /// Time occurs, or rest is not admitted: brackets are taken in (t, x).
    pub lifted: bool,
    /// All values came from functions whose relations are known.
    pub exact: bool,
    /// Points could be placed on the surface of the position constraints.
    pub on_surface: bool,
    /// Coordinates and time at the model's start, if it has one.
    pub start: Option<Vec<f64>>,
    /// The frame is closed under brackets, and how is known.
    pub closed: bool,
}

/// In the direct form a speed may move no coordinate; its brackets with others are not known then.
fn every_speed_moves(form: &KernelForm) -> bool {
    let Some(frame) = &form.frame else { return true };
    (0..form.speeds.len()).all(|p| frame.iter().any(|row| row[p] != Pool::ZERO))
}

impl PfaffianSystem {
    pub fn of(model: &mut Workspace) -> PfaffianSystem {
        let mut pool = Pool::new();
        let direct = model.system.energies.kinetic.is_none() && model.system.energies.lagrangian.is_none();
        let bare = match direct && model.form.frame.is_some() {
            true => structure_of(&mut model.system),
            false => Some(model.form.structure.clone()),
        };
        let closed = bare.is_some() && every_speed_moves(&model.form);
        let bare = bare.unwrap_or_default();
        for s in model.form.parameters.iter().chain(&model.form.coordinates) {
            pool.named(model.system.pool.name(*s)); // terms are printed in the order of their making
        }
        let parameters = closed_parameters(model, &mut pool);
        let source = &mut model.system.pool;
        let name = |s: Symbol, from: &Pool, to: &mut Pool| to.symbol(from.name(s));
        let time = name(model.form.time, source, &mut pool);
        let x: Vec<Symbol> = model.form.coordinates.iter().map(|s| name(*s, source, &mut pool)).collect();
        let n = model.form.speeds.len();
        let take = |pool: &mut Pool, from: &mut Pool, list: &[Expr]| -> Vec<Expr> {
            let named = pool.import(from, list);
            pool.substitute(&named, &parameters)
        };
        let zeros: Vec<(Symbol, Expr)> = model.form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let drift = source.substitute(&model.form.x_dot, &zeros);
        let drift = take(&mut pool, source, &drift);
        let frame = model.form.frame.as_ref().map(|rows| {
            let row = |row: &Vec<Expr>| sparse(&take(&mut pool, source, row));
            rows.iter().map(row).collect()
        });
        let rates = model.system.frame.speeds_in_rates.as_ref().filter(|_| model.form.frame.is_some());
        let rates = rates.map(|rows| rows.iter().map(|row| sparse(&pool.import(source, row))).collect());
        let (with_time, entries) = (&bare.with_time, &bare.entries);
        let structure = Structure {
            with_time: with_time
                .iter()
                .map(|(p, q, e)| (*p, *q, take(&mut pool, source, &[*e])[0]))
                .collect(),
            entries: entries
                .iter()
                .map(|(q, p, r, e)| (*q, *p, *r, take(&mut pool, source, &[*e])[0]))
                .collect(),
        };
        let mut setting = PfaffianSystem {
            pool,
            time,
            x,
            n,
            frame,
            drift,
            structure,
            rows: Vec::new(),
            parameters,
            rates,
            lifted: false,
            exact: true,
            on_surface: true,
            start: None,
            closed,
        };
        for r in 0..model.system.constraints.rows.len() {
            let row = setting.row(model, r);
            setting.rows.push(row);
        }
        setting.lifted = setting.is_lifted();
        if !setting.rows.is_empty()
            && let Ok(start) = model.start()
        {
            setting.start = Some(start.state.x.iter().copied().chain([start.state.t]).collect());
        }
        setting
    }

    fn row(&mut self, model: &mut Workspace, r: usize) -> RowForm {
        let row = &model.system.constraints.rows[r];
        let (holonomic, residual) = (row.holonomic, row.residual);
        let psi = model.form.velocity_residuals[r];
        let speeds: Vec<Symbol> =
            model.form.constraint_matrix[r].iter().map(|(p, _)| model.form.speeds[*p]).collect();
        let places: Vec<usize> = model.form.constraint_matrix[r].iter().map(|(p, _)| *p).collect();
        let source = &mut model.system.pool;
        let mut factored = false;
        let linear = if holonomic {
            let zeros: Vec<(Symbol, Expr)> = speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
            let constant = source.substitute(&[psi], &zeros)[0];
            Some((model.form.constraint_matrix[r].iter().map(|(_, e)| *e).collect(), constant))
        } else {
            let whole = source.linear(psi, &speeds);
            factored = whole.is_none();
            let linear = whole.or_else(|| {
                let factor = linear_factor(source, psi, &speeds)?;
                source.linear(factor, &speeds)
            });
            linear.map(|l| (l.coefficients, l.constant))
        };
        let form = linear.map(|(coefficients, constant): (Vec<Expr>, Expr)| {
            let all: Vec<Expr> = coefficients.iter().copied().chain([constant]).collect();
            let all: Vec<Expr> = all.into_iter().map(|e| source.simplify(e)).collect();
            let named = self.pool.import(source, &all);
            let closed = self.pool.substitute(&named, &self.parameters);
            let entry = |list: &[Expr]| -> Vec<(usize, Expr)> {
                places.iter().copied().zip(list.iter().copied()).filter(|(_, e)| *e != Pool::ZERO).collect()
            };
            Form {
                constant: closed[places.len()],
                entries: entry(&closed),
                named: entry(&named),
                named_constant: named[places.len()],
            }
        });
        let position = holonomic.then(|| self.pool.import(source, &[residual])[0]);
        RowForm { index: r, position, factored: factored && form.is_some(), form }
    }

    fn is_lifted(&mut self) -> bool {
        let mut all: Vec<Expr> = self.drift.clone();
        let constants: Vec<Expr> = self.forms().map(|f| f.constant).collect();
        if constants.iter().chain(&all).any(|e| self.pool.simplify(*e) != Pool::ZERO) {
            return true;
        }
        all.extend(self.forms().flat_map(|f| f.entries.iter().map(|(_, e)| *e)));
        all.extend(self.frame.iter().flatten().flatten().map(|(_, e)| *e));
        all.into_iter().any(|e| self.pool.depends_on(e, &[self.time]))
    }

    pub fn forms(&self) -> impl Iterator<Item = &Form> {
        self.rows.iter().filter_map(|row| row.form.as_ref())
    }

    /// Rows (of this setting) that are linear in the speeds.
    pub fn linear_rows(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|&r| self.rows[r].form.is_some()).collect()
    }

    /// Dimension of the space in which brackets are taken.
    pub fn total(&self) -> usize {
        self.n + usize::from(self.lifted)
    }
}

/// Values of the parameters as expressions without names.
pub(super) fn closed_parameters(model: &mut Workspace, pool: &mut Pool) -> Vec<(Symbol, Expr)> {
    let mut closed: Vec<(Symbol, Expr)> = Vec::new();
    for k in 0..model.system.parameters.len() {
        let (symbol, value) = (model.system.parameters[k].symbol, model.system.parameters[k].value);
        let named = pool.import(&mut model.system.pool, &[value]);
        let value = pool.substitute(&named, &closed)[0];
        let name = model.system.pool.name(symbol).to_owned();
        closed.push((pool.symbol(&name), value));
    }
    closed
}

fn sparse(list: &[Expr]) -> Vec<(usize, Expr)> {
    list.iter().copied().enumerate().filter(|(_, e)| *e != Pool::ZERO).collect()
}

/// Where a row says the same as a simpler one, that one: the only factor that can vanish, or `a - b` for f(a) = f(b)
/// with f an odd power or another increasing function.
fn linear_factor(pool: &mut Pool, psi: Expr, speeds: &[Symbol]) -> Option<Expr> {
    let mut e = pool.simplify(psi);
    if let Node::Sum(c, terms) = pool.node(e).clone() {
        match (c.is_zero(), &*terms) {
            (true, [(only, _)]) => e = *only,
            (true, [(a, p), (b, q)]) if *p == -q => {
                let (a, b) = same_function(pool, *a, *b)?;
                return Some(pool.sub(a, b));
            }
            _ => {}
        }
    }
    let Node::Product(factors) = pool.node(e).clone() else { return None };
    let moving: Vec<(Expr, Rational)> = factors
        .iter()
        .filter(|(b, _)| pool.depends_on(*b, speeds) && !is_positive(pool, *b))
        .cloned()
        .collect();
    match moving.as_slice() {
        [(base, power)] if !power.is_negative() => Some(*base),
        _ => None,
    }
}

/// a and b of f(a), f(b), where f is one-to-one on the real numbers.
fn same_function(pool: &mut Pool, left: Expr, right: Expr) -> Option<(Expr, Expr)> {
    use Function as F;
    match (pool.node(left).clone(), pool.node(right).clone()) {
        (Node::Call(f, a), Node::Call(g, b)) if f == g => matches!(
            f,
            F::Exp | F::Log | F::Atan | F::Asin | F::Acos | F::Sinh | F::Tanh | F::Asinh | F::Atanh
        )
        .then_some((a[0], b[0])),
        (Node::Product(a), Node::Product(b)) => {
            let power = a.iter().chain(&*b).fold(Rational::ZERO, |g, (_, p)| g.gcd(p));
            let odd = power.to_i64().is_some_and(|n| n > 1 && n % 2 == 1);
            let root = power.recip().filter(|_| odd)?;
            let [a, b] = [a, b]
                .map(|list| pool.product(list.iter().map(|(e, p)| (*e, p * &root)).collect::<Vec<_>>()));
            Some((a, b))
        }
        _ => None,
    }
}

/// Surely above zero: exponentials, and positive numbers with even powers added.
fn is_positive(pool: &Pool, e: Expr) -> bool {
    let square = |e: Expr| match pool.node(e) {
        Node::Product(factors) => factors.iter().all(|(b, p)| p.is_even() || is_positive(pool, *b)),
        _ => is_positive(pool, e),
    };
    match pool.node(e) {
        Node::Number(r) => !r.is_negative() && !r.is_zero(),
        Node::Call(f, _) => matches!(f, Function::Exp | Function::Cosh),
        Node::Sum(c, terms) => {
            !c.is_negative() && !c.is_zero() && terms.iter().all(|(t, c)| !c.is_negative() && square(*t))
        }
        _ => false,
    }
}

/// Symbols that expressions are over, restricted to coordinates.
pub(super) fn coordinates_in(setting: &mut PfaffianSystem, exprs: &[Expr]) -> Vec<Symbol> {
    let all = setting.pool.symbols(exprs);
    setting.x.iter().copied().filter(|s| all.contains(s)).collect()
}
