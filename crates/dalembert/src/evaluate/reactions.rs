//! Reactions that a non-ideal force reads: the size of the ideal force of a constraint, in symbols.

use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Pool, Rational, Symbol};

/// The constraint, the symbol and the size `|A^T lambda|` of each reaction in C.
pub(crate) fn reaction_sizes(model: &mut Workspace, lambdas: &[Expr]) -> Vec<(usize, Symbol, Expr)> {
    let occurring = occurring_reactions(model);
    let n = model.form.speeds.len();
    let (system, form) = (&mut model.system, &model.form);
    let mut sizes = Vec::new();
    for k in occurring {
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
        for r in system.constraints.named[k].rows.clone() {
            for (p, e) in &form.constraint_matrix[r] {
                parts[*p].push(system.pool.mul(*e, lambdas[r]));
            }
        }
        let force: Vec<Expr> = parts.into_iter().map(|parts| system.pool.total(parts)).collect();
        let size = length(&mut system.pool, &force);
        sizes.push((k, system.observables.reactions[k], system.pool.simplify(size)));
    }
    sizes
}

/// Constraints whose reactions occur in C.
pub(crate) fn occurring_reactions(model: &mut Workspace) -> Vec<usize> {
    let Some(c) = &model.form.nonideal else { return Vec::new() };
    let pool = &mut model.system.pool;
    let reactions = model.system.observables.reactions.iter().enumerate();
    reactions.filter(|(_, s)| c.iter().any(|e| pool.depends_on(*e, &[**s]))).map(|(k, _)| k).collect()
}

/// Whether C reads multipliers or reactions (U8).
pub(crate) fn reads_ideal_forces(model: &mut Workspace) -> bool {
    let Some(c) = model.form.nonideal.clone() else { return false };
    let mut ideal: Vec<Symbol> = model.system.observables.multipliers.clone();
    ideal.extend(&model.system.observables.reactions);
    c.iter().any(|e| model.system.pool.depends_on(*e, &ideal))
}

/// The Euclidean norm.
pub(crate) fn length(pool: &mut Pool, of: &[Expr]) -> Expr {
    let there: Vec<Expr> = of.iter().copied().filter(|e| *e != Pool::ZERO).collect();
    if let [one] = there[..] {
        return pool.call1(Function::Abs, one);
    }
    let squares: Vec<(Expr, Rational)> = there.iter().map(|e| (pool.powi(*e, 2), Rational::ONE)).collect();
    let sum = pool.combine(squares);
    pool.sqrt(sum)
}
