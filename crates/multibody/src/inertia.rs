//! Mass, first and second moments of a body: the pseudo-inertia.
//!
//! ```text
//! m,  h = m c,  S = integral of r r^T dm        J = tr(S) 1 - S
//! moved by p, turned by R:   S' = R S R^T + h' p^T + p h'^T - m p p^T,  h' = R h + m p
//! ```
//!
//! S rather than J: shifts along an axis touch one row, and what acts like a part of the parent (B4) is one entry of
//! each of S, h and m.

use crate::linear::{Matrix, Vector, ZERO, ZEROS};
use crate::num::{Num, Tracer};

/// The pseudo-inertia of a body about an origin.
#[derive(Clone, Copy, Debug, Default)]
pub struct PseudoInertia {
    /// Mass.
    pub m: Num,
    /// First moment.
    pub h: Vector,
    /// Second moments.
    pub S: Matrix,
}

impl PseudoInertia {
    /// No mass.
    pub const NONE: PseudoInertia = PseudoInertia { m: Num::Zero, h: ZERO, S: ZEROS };

    /// From mass, centre and the inertia about the centre.
    pub fn new(t: &mut Tracer<'_>, m: Num, centre: &Vector, J: &Matrix) -> Self {
        let mut trace = t.add(J[0][0], J[1][1]);
        trace = t.add(trace, J[2][2]);
        let half = t.half(trace);
        let S = std::array::from_fn(|i| {
            std::array::from_fn(|j| if i == j { t.sub(half, J[i][i]) } else { -J[i][j] })
        });
        PseudoInertia { m, h: ZERO, S }.shifted(t, centre)
    }

    /// About an origin from which the present one is at p.
    pub fn shifted(&self, t: &mut Tracer<'_>, p: &Vector) -> Self {
        let moved = t.scale3(self.m, p);
        let h = t.add3(&self.h, &moved);
        // h' p^T + p h^T
        let mut S = self.S;
        for i in 0..3 {
            for j in 0..=i {
                let (left, right) = (t.mul(h[i], p[j]), t.mul(p[i], self.h[j]));
                let both = t.add(left, right);
                S[i][j] = t.add(S[i][j], both);
                S[j][i] = S[i][j];
            }
        }
        PseudoInertia { m: self.m, h, S }
    }

    /// In other axes, with R the present ones as columns.
    pub fn turned(&self, t: &mut Tracer<'_>, R: &Matrix) -> Self {
        PseudoInertia { m: self.m, h: t.apply3(R, &self.h), S: t.congruent_symmetric(R, &self.S) }
    }

    /// Of two bodies together.
    pub fn plus(&self, t: &mut Tracer<'_>, other: &PseudoInertia) -> Self {
        PseudoInertia {
            m: t.add(self.m, other.m),
            h: t.add3(&self.h, &other.h),
            S: t.add_matrices(&self.S, &other.S),
        }
    }

    /// The inertia matrix about the origin.
    pub fn J(&self, t: &mut Tracer<'_>) -> Matrix {
        let S = &self.S;
        let diagonal: [Num; 3] =
            std::array::from_fn(|i| t.add(S[(i + 1) % 3][(i + 1) % 3], S[(i + 2) % 3][(i + 2) % 3]));
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { diagonal[i] } else { -S[i][j] }))
    }
}
