//! A model in quasi-velocities, rewritten in the rates of its coordinates: Hamilton's principle compares
//! paths x(t).
//!
//! ```text
//! eta = Y (x' - X0),   Q'_i = Y_pi Q'_p          Y the inverse of X in K1
//! ```
//!
//! Needs as many speeds as coordinates, and Y in symbols. Results are brought back to the speeds of the
//! model. Checked by `tests/it/connect.rs`.

use crate::formalism::poincare::dot;
use crate::system::{
    ConstraintRow, Constraints, Drawing, Energies, Experiment, Forces, Frame, Speed, System,
};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_linalg::Cod;
use dalembert_run::{Connection, Dynamics, State, Terms};
use dalembert_syntax::diagnostic::{Code, Diagnostic};

/// The Lagrangian of a model made ready for Hamilton's principle; a workspace of its own where the speeds
/// are not rates.
pub(super) fn field(
    model: &mut Workspace,
    what: &str,
    interpret: bool,
) -> Result<Option<Workspace>, Box<Diagnostic>> {
    model.system.write_body_energies();
    let mut other = if model.form.frame.is_some() { in_rates(model) } else { None };
    let target = other.as_mut().unwrap_or(model);
    target.make_variation(what)?;
    if !interpret {
        target.compiled.compile_native(&mut target.system, &target.form);
    }
    Ok(other)
}

/// The model in the rates of its coordinates; `None` where they do not determine the speeds one to one.
pub(crate) fn in_rates(model: &Workspace) -> Option<Workspace> {
    let n = model.form.coordinates.len();
    if model.form.speeds.len() != n || model.system.positions() != n {
        return None;
    }
    let old = &model.system;
    let mut pool = old.pool.clone();
    let Y = match old.frame.speeds_in_rates.clone() {
        Some(Y) => Y,
        // `kinematics` gives X alone.
        None => pool.regular_inverse(&model.form.frame.clone()?, &model.constants())?,
    };
    let zeros: Vec<(Symbol, Expr)> = old.frame.speeds.iter().map(|s| (s.symbol, Pool::ZERO)).collect();
    let drift = pool.substitute(&old.frame.kinematics, &zeros);
    let rates: Vec<Expr> = old.frame.coordinates.iter().map(|c| pool.var(c.rate)).collect();
    let moved: Vec<Expr> = rates.iter().zip(&drift).map(|(v, X0)| pool.sub(*v, *X0)).collect();
    let eta: Vec<Expr> = Y.iter().map(|row| dot(&mut pool, row, &moved)).collect();
    let images: Vec<(Symbol, Expr)> = old.frame.speeds.iter().map(|s| s.symbol).zip(eta).collect();
    let mut put = |e: Expr| pool.substitute(&[e], &images)[0];
    let (kinetic, lagrangian) = (old.energies.kinetic.map(&mut put), old.energies.lagrangian.map(&mut put));
    let dissipation = old.forces.dissipation.map(&mut put);
    let rows = old
        .constraints
        .rows
        .iter()
        .map(|r| ConstraintRow { residual: put(r.residual), ..r.clone() })
        .collect();
    let forces: Vec<Expr> = old.forces.applied.iter().map(|e| put(*e)).collect();
    let column = |i: usize| Y.iter().map(|row| row[i]).collect::<Vec<Expr>>();
    let applied = (0..n).map(|i| dot(&mut pool, &column(i), &forces)).collect();
    let speeds = old.frame.coordinates.iter().enumerate().map(|(i, c)| Speed {
        name: format!("{}'", c.name),
        symbol: c.rate,
        acceleration: c.acceleration,
        displacement: c.displacement,
        rate_of: Some(i),
        kind: c.kind.per_time(),
        span: c.span,
    });
    let system = System {
        pool,
        frame: Frame {
            coordinates: old.frame.coordinates.clone(),
            speeds: speeds.collect(),
            kinematics: rates,
            speeds_in_rates: None,
        },
        energies: Energies {
            kinetic,
            lagrangian,
            total: None,
            kinetic_part: None,
            potential_part: None,
            stored: None,
            ..old.energies.clone()
        },
        forces: Forces { applied, dissipation, contributions: Vec::new(), ..old.forces.clone() },
        constraints: Constraints { rows, ..old.constraints.clone() },
        experiment: Experiment { table_uses: old.experiment.table_uses.clone(), ..Experiment::default() },
        drawing: Drawing::default(),
        bodies: None,
        ..old.clone()
    };
    let mut work = Workspace::of(system, Vec::new()).ok()?;
    work.skip_self_check();
    Some(work)
}

/// A state with rates for speeds, where they differ.
pub(super) fn in_rates_at(model: &Workspace, differ: bool, state: &State) -> State {
    if !differ {
        return state.clone();
    }
    State::new(state.t, &state.x, &terms_at(model, state).x_dot)
}

fn terms_at(model: &Workspace, state: &State) -> Terms {
    let mut terms = Terms::of(&model.compiled);
    model.compiled.terms(state.point(), &mut vec![0.0; model.compiled.scratch_len()], &mut terms);
    terms
}

/// The ends of a connection found in rates, in the speeds of the model.
pub(super) fn in_speeds(model: &Workspace, connection: &mut Connection) -> Result<(), Box<Diagnostic>> {
    for end in [&mut connection.start, &mut connection.end] {
        let (n_x, n) = (end.x.len(), model.form.speeds.len());
        let still = State::new(end.t, &end.x, &vec![0.0; n]);
        let drift = terms_at(model, &still).x_dot;
        let mut X = vec![0.0; n_x * n];
        model.compiled.frame(end.t, &end.x, &mut vec![0.0; model.compiled.scratch_len()], &mut X);
        let moved: Vec<f64> = end.eta.iter().zip(&drift).map(|(v, X0)| v - X0).collect();
        let mut cod = Cod::new(n_x, n);
        if !X.iter().all(|v| v.is_finite()) || cod.factor(&X, 1e-12) < n {
            let message = "the rates found do not determine the speeds of the model at an end of the motion";
            return Err(Box::new(Diagnostic::error(Code::NoConnection, None, message)));
        }
        let mut eta = vec![0.0; n];
        cod.solve(&moved, &mut eta);
        end.eta = eta;
    }
    Ok(())
}
