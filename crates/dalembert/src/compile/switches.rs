//! Where constraint rows may have kinks or jump: the functions that are watched along a motion.

use crate::kernel_form::KernelForm;
use dalembert_expr::{Expr, Pool, Switch, Symbol};

/// What vanishes at the switches of the constraint rows; those that parameters alone decide are none.
pub(super) fn of_rows(pool: &mut Pool, form: &KernelForm) -> Vec<Expr> {
    let positions = form.position_residuals.iter().flatten();
    let rows: Vec<Expr> = positions.chain(&form.velocity_residuals).copied().collect();
    let switches = Switch::with_kinks(pool, &rows);
    if switches.is_empty() {
        return Vec::new();
    }
    let moving: Vec<Symbol> =
        [form.time].iter().chain(&form.coordinates).chain(&form.speeds).copied().collect();
    let mut found = Vec::new();
    for switch in switches {
        let difference = switch.difference(pool);
        if pool.depends_on(difference, &moving) && !found.contains(&difference) {
            found.push(difference);
        }
    }
    found
}
