//! The linear system on the constraints at one state, in independent variables.
//!
//! ```text
//! dx   = T_x p                     T_x spans  df/dx = 0, dc/dx = 0        p: some coordinates
//! deta = T_w w + H p               A T_w = 0,  A H = -(d psi/dx) T_x      w: some speeds
//! dz   = T_w w' + Y                A Y = -(dG/dx dx + dG/deta deta)
//! p'   = rows of  (dx'/dx) dx + (dx'/deta) deta
//! M_r w' = -T_w^T ( M Y + dF/dx dx + dF/deta deta - dC ),   M_r = T_w^T M T_w
//! ```
//!
//! T_w^T removes the constraint forces (d'Alembert), so multipliers need no derivative, except where C depends on them (U8):
//! there the ideal problem is differentiated first. Any rank of the rows; exact up to rounding. The state is one of a chart
//! of the constraint surface, so the matrix is right at any state, not only at equilibria. Checked by differences of
//! accelerations and of short motions over random systems in `tests/it/linear.rs`.

use super::derivatives::Derivatives;
use super::work::{ReductionError, Work, product, sum};
use crate::workspace::Workspace;
use dalembert_linalg::{Follows, Lu, Mat, Preference, Tangent, mat_vec};
use dalembert_run::{
    Accelerator, Change, ContactModes, Direction, Dynamics, Level, Response, ResponseError, Solution, State,
    Terms,
};

/// Which variables should be independent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preferences {
    pub coordinates: Vec<Preference>,
    pub speeds: Vec<Preference>,
}

/// The linear system at a state.
#[derive(Clone)]
pub(crate) struct Local {
    pub positions: Tangent,
    pub speeds: Tangent,
    /// Rates of the independent variables, p' then w'.
    pub rates: Vec<f64>,
    /// State matrix, d * d.
    pub S: Mat<Vec<f64>>,
    /// M_r, row-major.
    pub mass: Mat<Vec<f64>>,
    /// M_r w' = B (p, w), rows of length d: -B is stiffness and damping.
    pub B: Mat<Vec<f64>>,
    /// Change of all coordinates and speeds with each state, (n_x + n) * d.
    pub directions: Mat<Vec<f64>>,
    pub solution: Solution,
}

impl Local {
    /// How many states.
    pub(crate) fn dimension(&self) -> usize {
        self.rates.len()
    }
}

/// Computes it.
pub(crate) fn local(
    model: &Workspace,
    derivatives: &Derivatives,
    state: &State,
    wishes: &Preferences,
) -> Result<Local, ReductionError> {
    let kernel = &model.compiled;
    let shape = kernel.shape();
    let (n_x, n, m) = (shape.n_x, shape.n_eta, shape.n_con);
    if kernel.levels().contains(&Level::Acceleration) {
        return Err(ReductionError::Incomplete);
    }
    let mut accelerator = Accelerator::new(kernel);
    accelerator.solve(kernel, state.point()).map_err(ReductionError::Acceleration)?;
    let (terms, solution) = (accelerator.terms().written_out(), accelerator.solution().clone());
    let speeds = match Tangent::new(&terms.A, m, n, &wishes.speeds) {
        Ok(tangent) => tangent,
        Err(Follows(p)) => return Err(ReductionError::SpeedFollows(p)),
    };
    let positions = position_tangent(model, state, &speeds, wishes)?;
    if speeds.rank() != solution.rank {
        return Err(ReductionError::Degenerate);
    }
    let (d_x, d_w) = (positions.dimension(), speeds.dimension());
    let d = d_x + d_w;
    let mass = reduced_mass(&speeds, &terms.M, n);
    let mut lu = Lu::new(d_w);
    lu.matrix(d_w).copy_from_slice(&mass);
    lu.factor(1e-13).map_err(|_| ReductionError::MassSingular)?;

    let work = Work { model, state, terms: &terms, speeds: &speeds, lu: &lu, n };
    let forces = work.forces(&solution, kernel);
    let mut controlled = None;
    if shape.n_require > 0 {
        controlled = Some(Controlled::new(model, state)?);
    } else if !work.complete(&solution, &forces) {
        return Err(ReductionError::Incomplete);
    }
    let slopes = derivatives.slopes(model, state.point(), &solution.eta_dot, &forces.lambda);
    let nonideal = work.nonideal(derivatives, &solution, &forces)?;
    let mut out = Local {
        rates: rates(&terms, &solution, &positions, &speeds),
        S: Mat::zeros(d, d),
        B: Mat::zeros(d_w, d),
        directions: Mat::zeros(n_x + n, d),
        mass,
        solution,
        positions,
        speeds: speeds.clone(),
    };
    for c in 0..d {
        let (dx, deta) = if c < d_x {
            let dx = out.positions.column(c);
            let mut right = vec![0.0; m];
            mat_vec(&slopes.psi_x, &dx, &mut right);
            right.iter_mut().for_each(|v| *v = -*v);
            (dx, speeds.particular(&right).ok_or(ReductionError::Degenerate)?)
        } else {
            (vec![0.0; n_x], speeds.column(c - d_x))
        };
        let x_rate = sum(&product(&slopes.x_dot_x, &dx, n_x), &product(&slopes.x_dot_eta, &deta, n_x));
        for (k, &i) in out.positions.independent.iter().enumerate() {
            out.S[[k, c]] = x_rate[i];
        }
        (0..n_x).for_each(|i| out.directions[[i, c]] = dx[i]);
        (0..n).for_each(|p| out.directions[[n_x + p, c]] = deta[p]);
        if let Some(controlled) = &mut controlled {
            let rate = controlled.rates(&dx, &deta);
            let w_rate: Vec<f64> = speeds.independent.iter().map(|p| rate[*p]).collect();
            (0..d_w).for_each(|k| out.S[[d_x + k, c]] = w_rate[k]);
            product(&out.mass, &w_rate, d_w).iter().enumerate().for_each(|(k, v)| out.B[[k, c]] = *v);
            continue;
        }
        let change = match &nonideal {
            Some(law) => Some(work.nonideal_change(law, &dx, &deta).ok_or(ReductionError::Degenerate)?),
            None => None,
        };
        let (force, _) =
            work.residual(&slopes, &dx, &deta, change.as_deref()).ok_or(ReductionError::Degenerate)?;
        let mut w_rate: Vec<f64> = speeds.transposed(&force).iter().map(|v| -v).collect();
        (0..d_w).for_each(|k| out.B[[k, c]] = w_rate[k]);
        lu.solve(&mut w_rate);
        (0..d_w).for_each(|k| out.S[[d_x + k, c]] = w_rate[k]);
    }
    if out.S.iter().chain(&out.rates).chain(out.B.iter()).any(|v| !v.is_finite()) {
        return Err(ReductionError::NotFinite);
    }
    Ok(out)
}

/// Accelerations of a system whose requirements are met by control (C1), along changes of the state.
struct Controlled<'m> {
    response: Response<'m>,
    change: Change,
    parameters: Vec<f64>,
}

impl<'m> Controlled<'m> {
    fn new(model: &'m Workspace, state: &State) -> Result<Self, ReductionError> {
        let (kernel, shape) = (&model.compiled, model.compiled.shape());
        let refused = |error| match error {
            ResponseError::Acceleration(error) => ReductionError::Acceleration(error),
            ResponseError::Refused(_) => ReductionError::Incomplete,
        };
        let mut response = Response::new(kernel, ContactModes::new(&shape)).map_err(refused)?;
        response.at(state.point()).map_err(refused)?;
        let parameters = vec![0.0; kernel.parameters().len()];
        Ok(Self { response, change: Change::new(&shape), parameters })
    }

    fn rates(&mut self, dx: &[f64], deta: &[f64]) -> &[f64] {
        let along = Direction { t: 0.0, x: dx, eta: deta, parameters: &self.parameters };
        self.response.along(along, &mut self.change);
        &self.change.solution.eta_dot
    }
}

/// Position rows and what the kinematics conserve. Coordinates whose rates are independent speeds should be independent too.
fn position_tangent(
    model: &Workspace,
    state: &State,
    speeds: &Tangent,
    wishes: &Preferences,
) -> Result<Tangent, ReductionError> {
    let kernel = &model.compiled;
    let shape = kernel.shape();
    let (n_x, k) = (shape.n_x, shape.n_invariant);
    let mut scratch = vec![0.0; kernel.scratch_len()];
    let mut rows = vec![0.0; shape.n_con * n_x];
    kernel.position_gradient(state.t, &state.x, &mut scratch, &mut rows);
    let (mut values, mut gradients) = (vec![0.0; k], vec![0.0; k * n_x]);
    kernel.invariants(&state.x, &mut scratch, &mut values, &mut gradients);
    rows.extend(gradients);
    if rows.iter().any(|v| !v.is_finite()) {
        return Err(ReductionError::NotFinite);
    }
    let mut wanted = wishes.coordinates.clone();
    wanted.resize(n_x, Preference::Open);
    for &p in &speeds.independent {
        if let Some(i) = model.system.frame.speeds[p].rate_of
            && wanted[i] == Preference::Open
        {
            wanted[i] = Preference::Preferred;
        }
    }
    Tangent::new(&rows, shape.n_con + k, n_x, &wanted)
        .map_err(|Follows(i)| ReductionError::CoordinateFollows(i))
}

fn rates(terms: &Terms, solution: &Solution, positions: &Tangent, speeds: &Tangent) -> Vec<f64> {
    let p = positions.independent.iter().map(|i| terms.x_dot[*i]);
    p.chain(speeds.independent.iter().map(|p| solution.eta_dot[*p])).collect()
}

fn reduced_mass(speeds: &Tangent, M: &[f64], n: usize) -> Mat<Vec<f64>> {
    let d = speeds.dimension();
    let mut mass = Mat::zeros(d, d);
    for c in 0..d {
        let column = speeds.transposed(&product(M, &speeds.column(c), n));
        (0..d).for_each(|k| mass[[k, c]] = column[k]);
    }
    mass
}
