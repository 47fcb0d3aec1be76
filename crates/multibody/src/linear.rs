//! Vectors and matrices of three over [`Num`].

use crate::num::{Num, Tracer};

/// A vector.
pub type Vector = [Num; 3];
/// A matrix by rows.
pub type Matrix = [[Num; 3]; 3];

/// The zero vector.
pub const ZERO: Vector = [Num::Zero; 3];
/// The zero matrix.
pub const ZEROS: Matrix = [ZERO; 3];

impl Tracer<'_> {
    /// `a + b`
    pub fn add3(&mut self, a: &Vector, b: &Vector) -> Vector {
        std::array::from_fn(|i| self.add(a[i], b[i]))
    }

    /// `a - b`
    pub fn sub3(&mut self, a: &Vector, b: &Vector) -> Vector {
        std::array::from_fn(|i| self.sub(a[i], b[i]))
    }

    /// `c a`
    pub fn scale3(&mut self, c: Num, a: &Vector) -> Vector {
        a.map(|x| self.mul(c, x))
    }

    /// `a . b`
    pub fn dot(&mut self, a: &Vector, b: &Vector) -> Num {
        let mut sum = Num::Zero;
        for i in 0..3 {
            let product = self.mul(a[i], b[i]);
            sum = self.add(sum, product);
        }
        sum
    }

    /// `a x b`
    pub fn cross(&mut self, a: &Vector, b: &Vector) -> Vector {
        std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (left, right) = (self.mul(a[j], b[k]), self.mul(a[k], b[j]));
            self.sub(left, right)
        })
    }

    /// `A v`
    pub fn apply3(&mut self, a: &Matrix, v: &Vector) -> Vector {
        a.map(|row| self.dot(&row, v))
    }

    /// `A + B`
    pub fn add_matrices(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        std::array::from_fn(|i| self.add3(&a[i], &b[i]))
    }

    /// `A B`
    pub fn product(&mut self, a: &Matrix, b: &Matrix) -> Matrix {
        let columns = transposed(b);
        a.map(|row| columns.map(|column| self.dot(&row, &column)))
    }

    /// The identity.
    pub fn identity(&mut self) -> Matrix {
        let one = self.constant(1.0);
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { one } else { Num::Zero }))
    }

    /// `R A R^T`, where A is symmetric.
    pub fn congruent_symmetric(&mut self, R: &Matrix, a: &Matrix) -> Matrix {
        let left = self.product(R, a);
        let mut out = ZEROS;
        for i in 0..3 {
            for j in 0..=i {
                out[i][j] = self.dot(&left[i], &R[j]);
                out[j][i] = out[i][j];
            }
        }
        out
    }

    /// `R A R^T`
    pub fn congruent(&mut self, R: &Matrix, a: &Matrix) -> Matrix {
        let left = self.product(R, a);
        self.product(&left, &transposed(R))
    }

    /// `[p] A`, the columns of A crossed by p.
    pub fn cross_columns(&mut self, p: &Vector, a: &Matrix) -> Matrix {
        let columns = transposed(a).map(|column| self.cross(p, &column));
        transposed(&columns)
    }
}

/// `A^T`
pub fn transposed(a: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// `[a]` with `[a] b = a x b`.
pub fn skew(a: &Vector) -> Matrix {
    [[Num::Zero, -a[2], a[1]], [a[2], Num::Zero, -a[0]], [-a[1], a[0], Num::Zero]]
}
