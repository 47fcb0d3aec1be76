//! Places that move in straight lines where no force acts: the coordinates themselves where the masses are constant,
//! `r cos(phi)`, `r sin(phi)` behind polar coordinates, and their like in space.
//!
//! ```text
//! X(q) with  M = J^T M0 J,  J = dX/dq,  M0 constant:     M0 X'' = J^-T F
//! polar      M_phi = r^2 M_r                              J^-T = [[cos, -sin/r], [sin, cos/r]]
//! spherical  M_theta = r^2 M_r,  M_phi = r^2 sin(theta)^2 M_r   (or cos: a latitude)
//! ```
//!
//! Knows nothing of what is conserved.

use crate::workspace::Workspace;
use dalembert_expr::{Expr, Function, Pool, Symbol};

/// Places X over the coordinates, constant masses for them, and J^-T.
pub(super) struct Straight {
    pub places: Vec<Expr>,
    pub mass: Vec<Vec<Expr>>,
    pub covectors: Vec<Vec<Expr>>,
}

impl Straight {
    /// `None` where the masses are constant in none of the places that are tried.
    pub fn of(pool: &mut Pool, mass: &[Vec<Expr>], x: &[Symbol]) -> Option<Straight> {
        let n = x.len();
        let moving =
            |pool: &mut Pool, mass: &[Vec<Expr>]| mass.iter().flatten().any(|e| pool.depends_on(*e, x));
        let plain = Straight {
            places: x.iter().map(|s| pool.var(*s)).collect(),
            mass: mass.to_vec(),
            covectors: (0..n)
                .map(|i| (0..n).map(|j| if i == j { Pool::ONE } else { Pool::ZERO }).collect())
                .collect(),
        };
        if !moving(pool, mass) {
            return Some(plain);
        }
        // A distance and one or two angles; their rows have no other entries.
        let alone =
            |i: &usize| (0..n).all(|j| j == *i || mass[*i][j] == Pool::ZERO && mass[j][*i] == Pool::ZERO);
        let single: Vec<usize> = (0..n).filter(alone).collect();
        let mut tried = Vec::new();
        for &r in &single {
            let distance = pool.var(x[r]);
            let square = pool.powi(distance, 2);
            let across = pool.mul(square, mass[r][r]);
            for &a in single.iter().filter(|a| **a != r && mass[**a][**a] == across) {
                let angle = pool.var(x[a]);
                for polar in [Function::Sin, Function::Cos] {
                    let part = pool.call1(polar, angle);
                    let part = pool.powi(part, 2);
                    let wanted = pool.mul(across, part);
                    for &b in single.iter().filter(|b| **b != a && mass[**b][**b] == wanted) {
                        tried.push(plain.spherical(pool, [r, a, b], x, polar));
                    }
                }
                tried.push(plain.polar(pool, [r, a], x));
            }
        }
        tried.into_iter().find(|found| !moving(pool, &found.mass))
    }

    /// Whether the places are others than the coordinates.
    pub fn is_curved(&self, model: &Workspace) -> bool {
        self.places
            .iter()
            .zip(&model.form.coordinates)
            .any(|(e, x)| model.system.pool.as_symbol(*e) != Some(*x))
    }

    fn polar(&self, pool: &mut Pool, [r, a]: [usize; 2], x: &[Symbol]) -> Straight {
        let (distance, angle) = (pool.var(x[r]), pool.var(x[a]));
        let (cos, sin) = (pool.call1(Function::Cos, angle), pool.call1(Function::Sin, angle));
        let minus = pool.neg(sin);
        self.turned(pool, &[r, a], distance, &[vec![cos, minus], vec![sin, cos]], &[Pool::ONE, distance])
    }

    fn spherical(&self, pool: &mut Pool, [r, a, b]: [usize; 3], x: &[Symbol], polar: Function) -> Straight {
        let (distance, first, second) = (pool.var(x[r]), pool.var(x[a]), pool.var(x[b]));
        let (cos_b, sin_b) = (pool.call1(Function::Cos, second), pool.call1(Function::Sin, second));
        let (cos, sin) = (pool.call1(Function::Cos, first), pool.call1(Function::Sin, first));
        // Towards the axis and across it, with their derivatives by the angle.
        let minus = pool.neg(sin);
        let (across, along, across_slope, along_slope) = match polar {
            Function::Sin => (sin, cos, cos, minus),
            _ => (cos, sin, minus, cos),
        };
        let minus_b = pool.neg(sin_b);
        let radius = pool.mul(distance, across);
        let directions = [
            vec![pool.mul(across, cos_b), pool.mul(across_slope, cos_b), minus_b],
            vec![pool.mul(across, sin_b), pool.mul(across_slope, sin_b), cos_b],
            vec![along, along_slope, Pool::ZERO],
        ];
        self.turned(pool, &[r, a, b], distance, &directions, &[Pool::ONE, distance, radius])
    }

    /// With places `distance * first direction` for the coordinates `at`; `directions` are an orthonormal frame by
    /// columns, `lengths` those of the coordinate lines.
    fn turned(
        &self,
        pool: &mut Pool,
        at: &[usize],
        distance: Expr,
        directions: &[Vec<Expr>],
        lengths: &[Expr],
    ) -> Straight {
        let (mut places, mut mass) = (self.places.clone(), self.mass.clone());
        let mut covectors = self.covectors.clone();
        let inertia = self.mass[at[0]][at[0]];
        for (i, row) in at.iter().zip(directions) {
            places[*i] = pool.mul(distance, row[0]);
            mass[*i][*i] = inertia;
            for ((j, direction), length) in at.iter().zip(row).zip(lengths) {
                covectors[*i][*j] = pool.div(*direction, *length);
            }
        }
        Straight { places, mass, covectors }
    }
}
