//! Hamilton's principle along the computed motion.
//!
//! ```text
//! integral of ( dL/dx . delta x + dL/d eta . delta eta + (Q' + Q_ni + S u) . v ) dt = 0
//! delta x = X v,   A v = 0,   v = 0 at both ends,   X delta eta = (delta x)' - (dx'/dx) delta x
//! ```
//!
//! For holonomic constraints these are variations of the path that keep the constraints, and the sum is that of the action; for
//! nonholonomic ones they are virtual displacements, with (delta x)' = delta(x') (Hoelder). No acceleration, no structure
//! coefficient and no term of the kernel form occurs: L is differentiated once, and the rate of delta x is that of its
//! interpolating polynomial on Chebyshev's grid. Half the grid tells how well the whole one integrates.

use super::motion::{INTERVALS, Path};
use super::reading::Difference;
use super::small::{RowSpace, dot, times};
use super::symbols::{constraint_matrix, evaluate, impressed, state_values};
use super::{Reading, Tally, Verification};
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Pool};
use dalembert_linalg::{Cod, RANK_TOL, Rng, chebyshev_differentiation, clenshaw_curtis};
use dalembert_run::State;
use std::f64::consts::PI;

/// How many variations are tried.
const VARIATIONS: usize = 3;
/// What a motion of rtol 1e-11, read between its steps, leaves of the integral.
const SAME: f64 = 1e-9;
/// Beyond this the grid does not follow the motion, and nothing is said.
const ROUGH: f64 = 1e-4;

pub(super) fn judge(model: &mut Workspace, path: &Path, found: &mut Verification) {
    const NAME: &str = "action";
    let system = &model.system;
    let reason = if system.forces.mass.is_some()
        || (system.energies.kinetic.is_none() && system.energies.lagrangian.is_none())
    {
        Some("the model has no Lagrangian: it gives its inertia as `mass`".to_owned())
    } else if !system.contacts.is_empty() {
        Some("friction may stick and slide on the way, and then its work is not smooth".to_owned())
    } else if path.states.len() != path.times.len() {
        Some(path.trouble.clone().unwrap_or_else(|| "the motion ends early".into()))
    } else {
        None
    };
    if let Some(reason) = reason {
        return found.take(Tally::skipped(NAME, reason));
    }
    let written = Written::of(model);
    let weights = path.states.first().and_then(|s| Reading::of(model, s)).map(|r| r.weights());
    let nodes = weights.and_then(|d| path.states.iter().map(|s| written.at(model, s, &d)).collect());
    let Some::<Vec<Node>>(mut nodes) = nodes else {
        return found.take(Tally::skipped(NAME, "the motion cannot be evaluated everywhere"));
    };
    let mut tally = Tally::new(NAME, "the action, for variations that keep the constraints");
    let weights = nodes[0].weights.clone();
    let mut rng = Rng::new(4);
    let mut variations = Vec::new();
    for _ in 0..VARIATIONS {
        let direction: Vec<[f64; 2]> = weights.iter().map(|_| [rng.symmetric(), rng.symmetric()]).collect();
        let (whole, size) = vary(&mut nodes, 1, path.span(), &direction);
        let (half, _) = vary(&mut nodes, 2, path.span(), &direction);
        if size > 0.0 {
            variations.push((whole.abs() / size, (whole - half).abs() / size));
        }
    }
    // Where a force has a kink the grids converge irregularly: the worst of all is taken, with room.
    let rough = variations.iter().fold(0.0f64, |m, (_, off)| m.max(*off));
    let tolerance = SAME + 4.0 * rough + path.rounding();
    if tolerance <= ROUGH {
        variations.iter().for_each(|(worst, _)| tally.take(Difference { worst: *worst, tolerance }));
        tally.because("no variation changes the action: nothing is free, or nothing moves");
    } else if path.rounding() > ROUGH {
        tally.because("undecided: rounding is too strong along the motion");
    } else {
        tally.because("the motion is not smooth enough to integrate along it");
    }
    found.take(tally);
}

/// What is differentiated once.
struct Written {
    by_x: Vec<Expr>,
    by_eta: Vec<Expr>,
    impressed: Vec<Expr>,
    A: Vec<Expr>,
    frame: Option<Vec<Expr>>,
    jacobian: Vec<Expr>,
}

/// Its values at a point of the motion.
struct Node {
    by_x: Vec<f64>,
    by_eta: Vec<f64>,
    force: Vec<f64>,
    /// What A leaves free, speeds scaled by `weights`.
    rows: RowSpace,
    /// X and its left inverse; `None` where x' = eta.
    frame: Option<(Vec<f64>, Cod)>,
    jacobian: Vec<f64>,
    weights: Vec<f64>,
}

impl Written {
    fn of(model: &mut Workspace) -> Self {
        let (system, form) = (&mut model.system, &model.form);
        let L = system.whole_lagrangian();
        let A = constraint_matrix(system);
        let positions = system.positions();
        let pool = &mut system.pool;
        let mut each = |by: &[_]| {
            system.frame.kinematics.iter().flat_map(|e| pool.gradient(*e, by)).collect::<Vec<Expr>>()
        };
        let mut frame = form.frame.as_ref().map(|_| each(&form.speeds));
        let mut jacobian = if frame.is_some() { each(&form.coordinates) } else { Vec::new() };
        // Auxiliary variables are not varied.
        if let Some(frame) = &mut frame {
            frame[positions * form.speeds.len()..].fill(Pool::ZERO);
            jacobian[positions * form.coordinates.len()..].fill(Pool::ZERO);
        }
        Written {
            by_x: pool.gradient(L, &form.coordinates),
            by_eta: pool.gradient(L, &form.speeds),
            impressed: impressed(pool, &system.forces.applied, system.forces.dissipation, &form.speeds),
            A,
            frame,
            jacobian,
        }
    }

    /// The weights are those of the first point all along: variations must be smooth.
    fn at(&self, model: &mut Workspace, state: &State, weights: &[f64]) -> Option<Node> {
        let reading = Reading::of(model, state)?;
        let values = state_values(model, state);
        let mut of = |list: &[Expr]| evaluate(model, list, &values);
        let others = reading.other_forces();
        let force = of(&self.impressed).iter().zip(&others).map(|(a, b)| a + b).collect();
        let (n, n_x) = (state.eta.len(), state.x.len());
        let A: Vec<f64> = of(&self.A).iter().enumerate().map(|(k, a)| a / weights[k % n]).collect();
        let frame = self.frame.as_ref().map(|frame| {
            let frame = of(frame);
            let mut inverse = Cod::new(n_x, n);
            inverse.factor(&frame, RANK_TOL);
            (frame, inverse)
        });
        Some(Node {
            by_x: of(&self.by_x),
            by_eta: of(&self.by_eta),
            force,
            rows: RowSpace::of(&A, &vec![0.0; A.len() / n.max(1)], n),
            frame,
            jacobian: of(&self.jacobian),
            weights: weights.to_vec(),
        })
    }
}

/// The integral and the size of its terms for one variation, on every point or every other one.
fn vary(nodes: &mut [Node], every: usize, span: f64, direction: &[[f64; 2]]) -> (f64, f64) {
    let last = (nodes.len() - 1) / every;
    let (quadrature, differentiate) = (clenshaw_curtis(last), chebyshev_differentiation(last));
    let v: Vec<Vec<f64>> = (0..=last)
        .map(|k| {
            let (node, s) = (&nodes[k * every], (PI * k as f64 / last as f64).cos());
            let window = (1.0 - s * s) * (1.0 - s * s);
            let mut v: Vec<f64> = direction.iter().map(|c| window * (c[0] + c[1] * s)).collect();
            node.rows.project(&mut v);
            v.iter().zip(&node.weights).map(|(v, d)| v / d).collect()
        })
        .collect();
    let moved: Vec<Vec<f64>> = (0..=last).map(|k| nodes[k * every].moved(&v[k])).collect();
    let (mut sum, mut size) = (0.0, 0.0);
    for k in 0..=last {
        let slopes = &differentiate[k * (last + 1)..(k + 1) * (last + 1)];
        let rate = |i: usize| slopes.iter().zip(&moved).map(|(d, x)| d * x[i]).sum::<f64>();
        // The grid runs from 1 to -1 while time runs from 0 to the span.
        let rates: Vec<f64> = (0..moved[k].len()).map(|i| -2.0 / span * rate(i)).collect();
        let node = &mut nodes[k * every];
        let delta_eta = node.delta_eta(&moved[k], rates);
        let parts = [dot(&node.by_x, &moved[k]), dot(&node.by_eta, &delta_eta), dot(&node.force, &v[k])];
        sum += quadrature[k] * parts.iter().sum::<f64>();
        size += quadrature[k] * parts.iter().map(|p| p.abs()).sum::<f64>();
    }
    (sum * span / 2.0, size * span / 2.0)
}

impl Node {
    /// delta x = X v
    fn moved(&self, v: &[f64]) -> Vec<f64> {
        self.frame.as_ref().map_or_else(|| v.to_vec(), |(frame, _)| times(frame, v))
    }

    /// From X delta eta = (delta x)' - (dx'/dx) delta x.
    fn delta_eta(&mut self, moved: &[f64], mut rates: Vec<f64>) -> Vec<f64> {
        let Some((_, inverse)) = &mut self.frame else { return rates };
        let carried = times(&self.jacobian, moved);
        rates.iter_mut().zip(&carried).for_each(|(r, c)| *r -= c);
        let mut delta_eta = vec![0.0; self.by_eta.len()];
        inverse.solve(&rates, &mut delta_eta);
        delta_eta
    }
}

const _: () = assert!(INTERVALS.is_multiple_of(4), "half the grid has an even number of intervals too");
