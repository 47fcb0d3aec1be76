//! The Hamilton-Jacobi equation with the model's complete integral, written out: S, H, momenta, dS/da.

use super::write::{Style, Writer};
use crate::hamilton_jacobi::HamiltonJacobi;
use crate::workspace::Workspace;
use dalembert_syntax::diagnostic::Diagnostic;

pub(super) fn write(model: &mut Workspace, style: Style) -> Result<String, Box<Diagnostic>> {
    let jacobi = HamiltonJacobi::of(model)?;
    let verified = jacobi.verify(model)?;
    let pool = &mut model.system.pool;
    let mut w = Writer::new(style, model.system.title.as_deref());
    let S = pool.simplify(jacobi.integral.action);
    w.function(pool, "S", S);
    w.function(pool, "H", jacobi.hamiltonian);
    let residual = pool.simplify(jacobi.residual);
    w.note(match model.form.frame {
        None => "H8: dS/dt + H(x, dS/dx, t)",
        Some(_) => "H8: X0(S) + H(x, X_p S, t), with the fields X0 and X_p of the frame",
    });
    w.own(pool, "residual", residual);
    w.note(&match verified.proved {
        true if model.system.rows.is_empty() => "it vanishes identically".to_owned(),
        true => "it vanishes identically on the constraints".to_owned(),
        false => format!(
            "it vanishes at {} random places, to {:.0e} of its terms; a proof was not found",
            verified.points, verified.worst
        ),
    });
    w.note(&format!(
        "second derivatives by coordinates and constants have rank {}: the integral is complete",
        verified.rank
    ));
    let names: Vec<&str> = jacobi.integral.constants.iter().map(|(name, _)| name.as_str()).collect();
    if verified.free.len() < names.len() {
        let free: Vec<String> = verified.free.iter().map(|k| format!("{0}, b_{0}", names[*k])).collect();
        let others = (0..names.len()).filter(|k| !verified.free.contains(k)).map(|k| names[k]);
        w.note(&format!(
            "of the {} constants {} are free: {}; the motion does not depend on {}",
            2 * names.len(),
            2 * free.len(),
            free.join(", "),
            others.collect::<Vec<_>>().join(", ")
        ));
    }
    w.note("the motion: momenta, and constants b");
    let pool = &mut model.system.pool;
    for (symbol, slope) in jacobi.momenta.iter().zip(&jacobi.slopes) {
        let e = pool.simplify(*slope);
        w.definition(pool, *symbol, e);
    }
    for ((name, _), e) in jacobi.integral.constants.iter().zip(&jacobi.coordinates) {
        let e = pool.simplify(*e);
        w.own(pool, &format!("b_{name}"), e);
    }
    Ok(w.finish(&mut model.system))
}
