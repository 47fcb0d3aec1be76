//! The kernel form K1-K4 in symbols: the waist between everything that writes mechanics down and everything
//! that computes it.
//!
//! ```text
//! K1  x' = X0 + X eta      K2  M eta' = Q      K3  A eta' = b      K4  W = v^T C
//! ```

use dalembert_expr::{Expr, Symbol};

/// K1-K4 of a system, with what the numbers need besides.
#[derive(Clone, Debug)]
pub struct KernelForm {
    /// Time.
    pub time: Symbol,
    /// x
    pub coordinates: Vec<Symbol>,
    /// eta
    pub speeds: Vec<Symbol>,
    /// Parameters.
    pub parameters: Vec<Symbol>,
    /// x' (K1), over x, eta, t.
    pub x_dot: Vec<Expr>,
    /// The frame: `X[i][p]`; `None` where x' = eta.
    pub frame: Option<Vec<Vec<Expr>>>,
    /// M (K2), both triangles.
    pub mass_matrix: Vec<Vec<Expr>>,
    /// Q (K2): impressed forces and all that is quadratic in the speeds.
    pub force: Vec<Expr>,
    /// A (K3), sparse rows of (speed, entry).
    pub constraint_matrix: Vec<Vec<(usize, Expr)>>,
    /// b (K3).
    pub constraint_right: Vec<Expr>,
    /// f of the holonomic rows (K5).
    pub position_residuals: Vec<Option<Expr>>,
    /// f' or psi of each row (K6).
    pub velocity_residuals: Vec<Expr>,
    /// C (K4), over multipliers and reactions too.
    pub nonideal: Option<Vec<Expr>>,
    /// Contacts with friction.
    pub contacts: Vec<ContactForm>,
    /// Requirements: rows A_c eta' = b_c (C1), decay of errors included (C2).
    pub requirement_matrix: Vec<Vec<(usize, Expr)>>,
    /// b_c.
    pub requirement_right: Vec<Expr>,
    /// h' or psi of each requirement.
    pub requirement_rates: Vec<Expr>,
    /// S of C1 by columns: generalised force on each speed for an input of one.
    pub inputs: Vec<Vec<Expr>>,
    /// W of C1; `None` for the inverse mass.
    pub cost: Option<Vec<Vec<Expr>>>,
    /// Functions of x that K1 conserves whatever the speeds (the norm of a quaternion).
    pub invariants: Vec<Expr>,
    /// dL/d eta, where there is a Lagrangian.
    pub momenta: Vec<Expr>,
    /// Structure coefficients of the frame (L1).
    pub structure: Structure,
}

/// A contact: its sliding velocity as rows J eta' = b of V' = 0 (K6).
#[derive(Clone, Debug)]
pub struct ContactForm {
    /// The rows whose force presses.
    pub rows: std::ops::Range<usize>,
    /// V.
    pub velocity: Vec<Expr>,
    /// J = dV/d eta.
    pub matrix: Vec<Vec<Expr>>,
    /// b.
    pub right: Vec<Expr>,
    /// Coefficient of sliding friction.
    pub coefficient: Expr,
    /// Coefficient of static friction.
    pub r#static: Expr,
    /// The normal force is the length of this times the multipliers of `rows`.
    pub normal: Vec<Vec<Expr>>,
}

/// L1: `[X0, X_p] = C_0pq X_q`, `[X_q, X_p] = C_qpr X_r`; entries that vanish are left out.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// `(p, q, C_0pq)`
    pub with_time: Vec<(usize, usize, Expr)>,
    /// `(q, p, r, C_qpr)`, both orders of q and p.
    pub entries: Vec<(usize, usize, usize, Expr)>,
}
