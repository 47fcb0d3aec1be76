//! What the acceleration solve gives, and how it can fail. No arithmetic here.

use super::Shape;

/// Which factorisation to use for the constraint part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Path {
    /// Gram-Cholesky where rows are safely independent, complete orthogonal decomposition otherwise.
    #[default]
    Auto,
    /// Gram-Cholesky whenever it can be formed (tests).
    Gram,
    /// Always the complete orthogonal decomposition (tests).
    Cod,
}

/// Which factorisation was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Taken {
    /// No constraint rows.
    #[default]
    Free,
    /// Cholesky factor of B B^T.
    Gram,
    /// Cholesky factor of B B^T with one step of refinement.
    GramRefined,
    /// Complete orthogonal decomposition of B.
    Cod,
    /// U9: M is not positive definite.
    NullSpace,
    /// L D L^T of the sparse saddle system.
    Sparse,
}

/// Accelerations and forces at one state.
#[derive(Debug, Default, PartialEq)]
pub struct Solution {
    /// eta' (U1), n_eta.
    pub eta_dot: Vec<f64>,
    /// a = M^-1 Q, n_eta; NaN where M is singular (U9).
    pub a_free: Vec<f64>,
    /// Ideal constraint force Q_i (U2), n_eta.
    pub ideal_force: Vec<f64>,
    /// Non-ideal constraint force Q_ni (U3), n_eta.
    pub nonideal_force: Vec<f64>,
    /// Control force S u (C1), n_eta.
    pub control_force: Vec<f64>,
    /// Control inputs u, n_input.
    pub inputs: Vec<f64>,
    /// Inputs that would meet the requirements, where bounds may keep u from them: each without its own bounds and with the
    /// others as they are; n_input.
    pub demand: Vec<f64>,
    /// Multiplier of each row, Q_i = A^T lambda, of minimum norm when rows are redundant and no force law reads
    /// them (see [`crate::IdealForces::lambda`]), n_con. With friction, that of the force which acts: what friction does
    /// to the normal forces is in it; what non-ideal work prescribes is not.
    pub lambda: Vec<f64>,
    /// Friction force of each contact, against the components of its sliding velocity, n_slide.
    pub friction: Vec<f64>,
    /// Normal force of each contact, n_contact.
    pub normal: Vec<f64>,
    /// Rank of A.
    pub rank: usize,
    /// Largest scaled consistency residual of a row (U6).
    pub residual: f64,
    /// Gauss's function at eta' (U7); NaN where M is singular.
    pub gauss: f64,
    /// Conditioning of the weakest direction kept, in (0, 1]: the sine of the angle between that row and the others,
    /// times its length relative to the row's reference length. 1 without rows, 0 if a direction was lost against
    /// the expected rank.
    pub margin: f64,
    /// Factorisation used.
    pub path: Taken,
}

/// The derived `clone_from` would allocate every array anew, at every state.
impl Clone for Solution {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        // All by name, so that the compiler asks for a field that is added.
        let Self {
            eta_dot,
            a_free,
            ideal_force,
            nonideal_force,
            control_force,
            inputs,
            demand,
            lambda,
            friction,
            normal,
            rank,
            residual,
            gauss,
            margin,
            path,
        } = source;
        (self.rank, self.residual, self.gauss) = (*rank, *residual, *gauss);
        (self.margin, self.path) = (*margin, *path);
        self.eta_dot.clone_from(eta_dot);
        self.a_free.clone_from(a_free);
        self.ideal_force.clone_from(ideal_force);
        self.nonideal_force.clone_from(nonideal_force);
        self.control_force.clone_from(control_force);
        self.inputs.clone_from(inputs);
        self.demand.clone_from(demand);
        self.lambda.clone_from(lambda);
        self.friction.clone_from(friction);
        self.normal.clone_from(normal);
    }
}

impl Solution {
    /// Zeros of the right sizes.
    pub fn new(shape: &Shape) -> Self {
        let (n, m) = (shape.n_eta, shape.n_con);
        Self {
            eta_dot: vec![0.0; n],
            a_free: vec![0.0; n],
            ideal_force: vec![0.0; n],
            nonideal_force: vec![0.0; n],
            control_force: vec![0.0; n],
            inputs: vec![0.0; shape.n_input],
            demand: vec![0.0; shape.n_input],
            lambda: vec![0.0; m],
            friction: vec![0.0; shape.n_slide],
            normal: vec![0.0; shape.n_contact],
            margin: 1.0,
            ..Self::default()
        }
    }
}

/// A term of the kernel form, to say where a number went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// x' (K1).
    XDot,
    /// The mass matrix M.
    MassMatrix,
    /// The generalised force Q.
    Force,
    /// The constraint matrix A.
    ConstraintMatrix,
    /// The right side b of the constraint rows.
    ConstraintRight,
    /// The non-ideal C.
    Nonideal,
    /// Sliding velocity, coefficient or normal force of a contact; the index is that of the contact.
    Friction,
    /// Requirements, inputs or their cost.
    Control,
    /// The result eta' itself (overflow).
    Acceleration,
}

/// Why there is no acceleration at a state.
#[derive(Clone, Debug, PartialEq)]
pub enum AccelerationError {
    /// A term is NaN or infinite; `index` counts in the flat row-major array.
    NotFinite {
        /// Time.
        t: f64,
        /// Which term.
        term: Term,
        /// Where in it.
        index: usize,
    },
    /// M is singular on the directions the constraints leave free (U9).
    MassSingular {
        /// Time.
        t: f64,
        /// A speed that has no inertia and no constraint to determine it.
        speed: usize,
        /// The relative pivot that was too small.
        pivot: f64,
    },
    /// The rows contradict each other (U6).
    Inconsistent {
        /// Time.
        t: f64,
        /// The rows that cannot all hold.
        rows: Vec<usize>,
        /// Their scaled residuals, same order.
        residuals: Vec<f64>,
    },
    /// The law of friction has no solution at a state, or more than one (Painleve).
    FrictionParadox {
        /// Time.
        t: f64,
        /// The contact.
        contact: usize,
        /// The normal forces that satisfy the law: none, or several.
        solutions: Vec<f64>,
    },
    /// No choice of sticking and sliding contacts satisfies the law of friction.
    FrictionUnsettled {
        /// Time.
        t: f64,
        /// A contact that finds neither.
        contact: usize,
    },
    /// The requirements cannot be met with the inputs at hand (C1).
    Unreachable {
        /// Time.
        t: f64,
        /// The requirement rows that stay unmet, the worst first.
        rows: Vec<usize>,
        /// What is left of each, in its own units, same order.
        residuals: Vec<f64>,
        /// The generalised force, of unit length, that would help and is not at hand; zeros if no force helps because
        /// the constraints, or the other requirements, are against it.
        missing: Vec<f64>,
    },
    /// The cost of control is not positive definite.
    CostNotPositive {
        /// Time.
        t: f64,
        /// An input without cost.
        input: usize,
    },
}

impl std::fmt::Display for AccelerationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AccelerationError::NotFinite { t, term, index } => {
                write!(f, "{term:?} is not finite at t = {t} (entry {index})")
            }
            AccelerationError::MassSingular { t, speed, .. } => {
                write!(f, "the mass matrix is singular at t = {t}: speed {speed} has no inertia")
            }
            AccelerationError::Inconsistent { t, rows, .. } => {
                write!(f, "constraint rows {rows:?} contradict each other at t = {t}")
            }
            AccelerationError::FrictionParadox { t, contact, solutions } => {
                let count = solutions.len();
                write!(f, "the law of friction has {count} solutions at contact {contact}, t = {t}")
            }
            AccelerationError::FrictionUnsettled { t, contact } => {
                write!(f, "contact {contact} neither sticks nor slides consistently at t = {t}")
            }
            AccelerationError::Unreachable { t, rows, .. } => {
                write!(f, "requirement rows {rows:?} are out of reach of the inputs at t = {t}")
            }
            AccelerationError::CostNotPositive { t, input } => {
                write!(f, "the cost of control is not positive definite at t = {t}: input {input}")
            }
        }
    }
}

impl std::error::Error for AccelerationError {}
