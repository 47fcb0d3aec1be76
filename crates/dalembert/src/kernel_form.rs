//! The kernel form K1-K4 in symbols: the waist between everything that writes mechanics down and everything
//! that computes it.
//!
//! ```text
//! K1  x' = X0 + X eta      K2  M eta' = Q      K3  A eta' = b      K4  W = v^T C
//! ```

use dalembert_expr::{Expr, Pool, Symbol};

/// A square matrix by its entries: what is not there is zero. Columns ascend in each row.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    rows: Vec<Vec<(usize, Expr)>>,
}

impl Matrix {
    /// Zeros.
    pub fn zeros(n: usize) -> Self {
        Self { rows: vec![Vec::new(); n] }
    }

    /// From the entries of each row, columns ascending.
    pub fn from_rows(rows: Vec<Vec<(usize, Expr)>>) -> Self {
        Self { rows }
    }

    /// An entry. O(log entries of the row).
    pub fn get(&self, p: usize, q: usize) -> Expr {
        let row = &self.rows[p];
        row.binary_search_by_key(&q, |e| e.0).map_or(Pool::ZERO, |k| row[k].1)
    }

    /// The entries of a row.
    pub fn row(&self, p: usize) -> &[(usize, Expr)] {
        &self.rows[p]
    }

    /// All entries with their places.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, Expr)> + '_ {
        self.rows.iter().enumerate().flat_map(|(p, row)| row.iter().map(move |(q, e)| (p, *q, *e)))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// Whether all is zero.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(Vec::is_empty)
    }

    /// The matrix written out.
    pub fn written_out(&self) -> Vec<Vec<Expr>> {
        let n = self.rows.len();
        let mut rows = vec![vec![Pool::ZERO; n]; n];
        self.entries().for_each(|(p, q, e)| rows[p][q] = e);
        rows
    }
}

/// Where symbols stand in a list (a table by the number of the symbol), for derivatives by those that occur: rows of large
/// systems are short.
pub struct Places(Vec<u32>);

/// Not in the list.
const NOWHERE: u32 = u32::MAX;

impl Places {
    /// Positions of the symbols of a list.
    pub fn new<'s>(symbols: impl IntoIterator<Item = &'s Symbol>) -> Self {
        let mut places = Vec::new();
        for (i, s) in symbols.into_iter().enumerate() {
            if s.index() >= places.len() {
                places.resize(s.index() + 1, NOWHERE);
            }
            places[s.index()] = i as u32;
        }
        Self(places)
    }

    /// Where a symbol stands.
    pub fn of(&self, symbol: Symbol) -> Option<usize> {
        self.0.get(symbol.index()).copied().filter(|i| *i != NOWHERE).map(|i| i as usize)
    }

    /// The symbols of the list that occur in some expression, by place. O(size).
    pub fn present(&self, pool: &mut Pool, e: Expr) -> Vec<(usize, Symbol)> {
        let all = pool.symbols(&[e]);
        let mut present: Vec<(usize, Symbol)> =
            all.into_iter().filter_map(|s| self.of(s).map(|i| (i, s))).collect();
        present.sort_unstable();
        present
    }

    /// The entries of a gradient that are not zero by structure, by place. O(size).
    pub fn gradient(&self, pool: &mut Pool, e: Expr) -> Vec<(usize, Expr)> {
        let present = self.present(pool, e);
        let wanted: Vec<Symbol> = present.iter().map(|p| p.1).collect();
        let gradient = pool.gradient(e, &wanted);
        present.iter().zip(gradient).map(|((i, _), e)| (*i, e)).filter(|(_, e)| *e != Pool::ZERO).collect()
    }
}

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
    pub mass_matrix: Matrix,
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
    /// What must vanish besides each requirement itself, as functions of the state: h' of one on positions, and further
    /// derivatives where the inputs are further away (C3).
    pub requirement_rates: Vec<Vec<Expr>>,
    /// Why requirements that the inputs do not reach were not differentiated further, where that is so.
    pub not_differentiated: Option<String>,
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
    /// M and Q without the inertia and weight of bodies, where the model has any.
    pub besides_bodies: Option<BesidesBodies>,
    /// Whether M, Q and the momenta are still to be derived in symbols: numbers come from recursions over bodies.
    pub is_deferred: bool,
}

/// What recursions over the tree of bodies are added to.
#[derive(Clone, Debug)]
pub struct BesidesBodies {
    /// Of M: drives, and what the model states besides.
    pub mass_matrix: Matrix,
    /// Of Q: applied forces, springs, dampers.
    pub force: Vec<Expr>,
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
    /// The normal force is the length of this times the multipliers of `rows`; without components the coefficients are
    /// forces themselves, and the normal force is 1.
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
