//! Symmetries of the Lagrangian that respect the constraints (section 8 of the theory), found by solving for them.
//!
//! ```text
//! generator   xi = B x + c + d t (as a section of the speeds: w = Y xi, X w = xi),  tau = a + b t;  or sections w directly
//! rate        d/dt (p.w) = w.(X L) + p_r [ D w_r + C_0pr w_p + C_qpr eta_q w_p ] + F.w + lambda A w
//!             d/dt H     = -X0 L + eta_p C_0pq p_q + F.eta + lambda A eta,     H = p.eta - L
//! wanted      J = p.w - tau H - K with dJ/dt = 0 on the constraints:  the rates without lambda cancel against dK/dt,
//!             and A (w - tau eta) = 0, so that ideal constraint forces do no work on it
//! ```
//!
//! F are impressed and non-ideal forces. Everything is linear in the unknown numbers B, c, d, a, b and in those of the
//! gauge K (of second degree in x and t); each random state gives equations modulo a prime, and fractions are recovered
//! from their null space. Combinations of the gauge alone are constants of the constraints and no symmetries. What is
//! conserved by other reasons (Runge and Lenz) is not in the family and not claimed.

use super::check::PIECES;
use super::dynamics::SymbolicDynamics;
use dalembert_expr::echelon::{Echelon, dot};
use dalembert_expr::{Expr, Field, Rational, Residue, Sample, Switch};

/// Beyond this many coordinates only translations, boosts and time are tried.
pub const MAX_AFFINE: usize = 16;
/// Rows of constraints that enter one by one; of more, random combinations do.
const MAX_ROWS: usize = 6;

/// One unknown number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// K contains t^k x_i x_j, by places in (x, t); `None` stands for 1.
    Gauge(usize, Option<usize>),
    /// tau = 1
    Time,
    /// xi_i = 1
    Shift(usize),
    /// xi_i = x_j
    Linear(usize, usize),
    /// xi_i = t
    Boost(usize),
    /// tau = t
    Dilation,
    /// w_r = 1
    Section(usize),
    /// w_r = x_i
    LinearSection(usize, usize),
    /// w = the k-th section of the kernel of A
    Kernel(usize),
}

/// A symmetry: unknowns with their numbers, those of the gauge included.
pub(super) type Symmetry = Vec<(Unknown, Rational)>;

/// The families that are tried one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Affine generators in the coordinates.
    Coordinates,
    /// Sections affine in the coordinates, in a frame of quasi-velocities.
    Sections,
    /// Constant combinations of given sections that keep the constraints.
    Kernel,
}

/// Sections of the kernel with their rates, for [`Family::Kernel`].
pub(super) struct KernelSections {
    pub w: Vec<Vec<Expr>>,
    pub rate: Vec<Vec<Expr>>,
}

type Matrix = Vec<Vec<Residue>>;

/// Everything at one state.
struct Numbers {
    f: Field,
    /// (x, t)
    z: Vec<Residue>,
    z_dot: Vec<Residue>,
    eta: Vec<Residue>,
    X: Matrix,
    /// Y and its rate.
    Y: Option<(Matrix, Matrix)>,
    slopes: Vec<Residue>,
    p: Vec<Residue>,
    F: Vec<Residue>,
    A: Matrix,
    /// Coefficients of w in `p_r (C_0pr w_p + C_qpr eta_q w_p)`.
    turning: Vec<Residue>,
    H: Residue,
    H_dot: Residue,
    kernel: Vec<(Vec<Residue>, Vec<Residue>)>,
}

/// The symmetries in a family, and whether all of it was tried.
pub(super) fn symmetries(
    dynamics: &mut SymbolicDynamics,
    family: Family,
    kernel: Option<&KernelSections>,
) -> Option<Vec<Symmetry>> {
    let unknowns = unknowns(dynamics, family, kernel);
    let order = columns(&unknowns);
    let mut echelon: Option<(Echelon, Field)> = None;
    let mut idle = 0;
    let mut all = vec![dynamics.lagrangian];
    all.extend(dynamics.forces.iter().chain(&dynamics.x_dot));
    all.extend(dynamics.constraint_matrix.iter().map(|(_, _, e)| *e));
    let enough = if Switch::is_piecewise(&dynamics.pool, &all) { PIECES } else { 5 };
    for seed in 0.. {
        let (sample, numbers) = numbers(dynamics, seed, kernel)?;
        let f = sample.field();
        let (echelon, _) = echelon.get_or_insert_with(|| (Echelon::new(f, unknowns.len()), f));
        let before = echelon.rank();
        for row in equations(&numbers, &unknowns, seed, dynamics.identity) {
            echelon.add(order.iter().map(|column| column.of(f, &row)).collect());
        }
        idle = if echelon.rank() > before { 0 } else { idle + 1 };
        if idle >= enough || echelon.rank() == unknowns.len() {
            break;
        }
    }
    let (echelon, f) = echelon?;
    let mut found = Vec::new();
    for (free, vector) in echelon.null_space() {
        if let GeneratorTerm::Plain(k) = order[free]
            && matches!(unknowns[k], Unknown::Gauge(..))
        {
            continue;
        }
        let vector = numbers_of(f, &order, &vector);
        let parts: Option<Symmetry> = unknowns
            .iter()
            .zip(&vector)
            .filter(|(_, c)| !c.is_zero())
            .map(|(u, c)| Some((*u, f.reconstruct(*c)?)))
            .collect();
        found.extend(parts.map(scaled));
    }
    Some(found)
}

/// What is solved for, in the order in which simple generators come first: translations, turns, boosts, others.
#[derive(Clone, Copy)]
enum GeneratorTerm {
    Plain(usize),
    /// The second less the first: xi_i = -x_j, xi_j = x_i.
    Turn(usize, usize),
}

impl GeneratorTerm {
    fn of(self, f: Field, row: &[Residue]) -> Residue {
        match self {
            GeneratorTerm::Plain(k) => row[k],
            GeneratorTerm::Turn(a, b) => f.sub(row[b], row[a]),
        }
    }
}

fn columns(unknowns: &[Unknown]) -> Vec<GeneratorTerm> {
    let (mut first, mut turns, mut boosts, mut last) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (k, unknown) in unknowns.iter().enumerate() {
        match *unknown {
            Unknown::Linear(i, j) => {
                let back = unknowns.iter().position(|u| *u == Unknown::Linear(j, i)).filter(|_| i < j);
                turns.extend(back.map(|b| GeneratorTerm::Turn(k, b)));
                last.extend((i >= j).then_some(GeneratorTerm::Plain(k)));
            }
            Unknown::Boost(_) => boosts.push(GeneratorTerm::Plain(k)),
            Unknown::Dilation => last.push(GeneratorTerm::Plain(k)),
            _ => first.push(GeneratorTerm::Plain(k)),
        }
    }
    first.into_iter().chain(turns).chain(boosts).chain(last).collect()
}

/// The numbers of the unknowns from those of the columns.
fn numbers_of(f: Field, order: &[GeneratorTerm], vector: &[Residue]) -> Vec<Residue> {
    let mut numbers = vec![Residue::ZERO; vector.len()];
    for (column, c) in order.iter().zip(vector) {
        match *column {
            GeneratorTerm::Plain(k) => numbers[k] = f.add(numbers[k], *c),
            GeneratorTerm::Turn(a, b) => {
                numbers[a] = f.sub(numbers[a], *c);
                numbers[b] = f.add(numbers[b], *c);
            }
        }
    }
    numbers
}

/// Coprime whole numbers in the generator; time runs backwards, one for one, so that the energy is positive.
fn scaled(parts: Symmetry) -> Symmetry {
    let mut generator = parts.iter().filter(|(u, _)| !matches!(u, Unknown::Gauge(..)));
    let mut content = generator.clone().fold(Rational::ZERO, |g, (_, c)| g.gcd(c));
    let time = parts.iter().find(|(u, _)| *u == Unknown::Time).map(|(_, c)| c);
    content = time.map_or(content, Rational::abs);
    let time = time.map(|c| !c.is_negative());
    // Translations go forward; of a rotation the later entry is positive: x p_y - y p_x.
    let shift = generator
        .clone()
        .find(|(u, _)| matches!(u, Unknown::Shift(_) | Unknown::Boost(_)))
        .map(|(_, c)| c.is_negative());
    let last = generator.next_back().map(|(_, c)| c.is_negative());
    if time.or(shift).or(last).unwrap_or(false) {
        content = -&content;
    }
    let Some(scale) = content.recip() else { return parts };
    parts.into_iter().map(|(u, c)| (u, &c * &scale)).collect()
}

fn unknowns(dynamics: &SymbolicDynamics, family: Family, kernel: Option<&KernelSections>) -> Vec<Unknown> {
    let (N, n) = (dynamics.x.len(), dynamics.eta.len());
    let small = N <= MAX_AFFINE;
    let mut list: Vec<Unknown> = (0..=N).rev().map(|i| Unknown::Gauge(i, None)).collect();
    for i in (0..=N).rev() {
        let pairs = (i..=N).filter(|j| small || *j == N);
        list.extend(pairs.map(|j| Unknown::Gauge(i, Some(j))));
    }
    match family {
        Family::Coordinates => {
            list.push(Unknown::Time);
            list.extend((0..N).map(Unknown::Shift));
            if small {
                list.extend((0..N).flat_map(|i| (0..N).map(move |j| Unknown::Linear(i, j))));
            }
            list.extend((0..N).map(Unknown::Boost));
            list.push(Unknown::Dilation);
        }
        Family::Sections => {
            list.push(Unknown::Time);
            list.extend((0..n).map(Unknown::Section));
            if small {
                list.extend((0..n).flat_map(|r| (0..N).map(move |i| Unknown::LinearSection(r, i))));
            }
        }
        Family::Kernel => list.extend((0..kernel.map_or(0, |k| k.w.len())).map(Unknown::Kernel)),
    }
    list
}

fn numbers(
    dynamics: &mut SymbolicDynamics,
    seed: u64,
    kernel: Option<&KernelSections>,
) -> Option<(Sample, Numbers)> {
    let d = dynamics;
    let mut wanted: Vec<Expr> =
        d.slopes.iter().chain(&d.momenta).chain(&d.x_dot).chain(&d.forces).copied().collect();
    wanted.extend([d.lagrangian, d.drift_of_lagrangian]);
    wanted.extend(d.frame.iter().chain(&d.constraint_matrix).map(|(_, _, e)| *e));
    wanted.extend(d.left_inverse.iter().flat_map(|(Y, rate)| Y.iter().chain(rate)).map(|(_, _, e)| *e));
    wanted.extend(d.with_time.iter().map(|c| c.2).chain(d.structure.iter().map(|c| c.3)));
    wanted.extend(kernel.iter().flat_map(|k| k.w.iter().chain(&k.rate)).flatten());
    let mut sample = d.state(0, 1000 + seed, &wanted)?;
    let s = &mut sample;
    let f = s.field();
    let (N, n, m) = (d.x.len(), d.eta.len(), d.residuals.len());
    let mut z = s.values(&d.pool, &d.places)?;
    z.push(s.values(&d.pool, &[d.clock])?[0]);
    let mut z_dot = s.values(&d.pool, &d.x_dot)?;
    z_dot.push(f.one());
    let eta = s.values(&d.pool, &d.speeds)?;
    let X = d.dense(s, &d.frame, N, n)?;
    let Y = match &d.left_inverse {
        Some((Y, rate)) => Some((d.dense(s, Y, n, N)?, d.dense(s, rate, n, N)?)),
        None => None,
    };
    let (slopes, p) = (s.values(&d.pool, &d.slopes)?, s.values(&d.pool, &d.momenta)?);
    let F = s.values(&d.pool, &d.forces)?;
    let A = d.dense(s, &d.constraint_matrix, m, n)?;
    let scalars = s.values(&d.pool, &[d.lagrangian, d.drift_of_lagrangian])?;
    let mut turning = vec![Residue::ZERO; n];
    for (q, r, c) in &d.with_time {
        let c = s.values(&d.pool, &[*c])?[0];
        turning[*q] = f.add(turning[*q], f.mul(c, p[*r]));
    }
    let moving = turning.clone(); // C_0pr p_r
    for (q, k, r, c) in &d.structure {
        let c = s.values(&d.pool, &[*c])?[0];
        turning[*k] = f.add(turning[*k], f.mul(f.mul(c, eta[*q]), p[*r]));
    }
    let H = f.sub(dot(f, &p, &eta), scalars[0]);
    let H_dot = f.sub(f.add(dot(f, &eta, &moving), dot(f, &F, &eta)), scalars[1]);
    let mut sections = Vec::new();
    for (w, rate) in kernel.iter().flat_map(|k| k.w.iter().zip(&k.rate)) {
        sections.push((s.values(&d.pool, w)?, s.values(&d.pool, rate)?));
    }
    let numbers = Numbers { f, z, z_dot, eta, X, Y, slopes, p, F, A, turning, H, H_dot, kernel: sections };
    Some((sample, numbers))
}

/// The conditions that one state puts on the unknowns.
fn equations(s: &Numbers, unknowns: &[Unknown], seed: u64, identity: bool) -> Vec<Vec<Residue>> {
    let (f, n, N, m) = (s.f, s.eta.len(), s.z.len() - 1, s.A.len());
    let combined = m > MAX_ROWS;
    let count = if combined { MAX_ROWS } else { m };
    let rows: Vec<Vec<Residue>> = match combined {
        false => s.A.clone(),
        true => (0..count as u64)
            .map(|k| {
                let mut row = vec![Residue::ZERO; n];
                for (r, A) in s.A.iter().enumerate() {
                    let weight = f.from_bits(super::surface::mixed(seed * 31 + k + 7, r as u64 + 1));
                    row.iter_mut().zip(A).for_each(|(v, a)| *v = f.add(*v, f.mul(weight, *a)));
                }
                row
            })
            .collect(),
    };
    // Generators of the coordinates must be motions that the speeds can make.
    let of_coordinates = unknowns.iter().any(|u| matches!(u, Unknown::Shift(_)));
    let tangent = if identity || !of_coordinates { 0 } else { N };
    let mut result = vec![vec![Residue::ZERO; unknowns.len()]; 1 + count + tangent];
    // X^T dL/dx + F + turning: what multiplies w.
    let pull: Vec<Residue> = (0..n)
        .map(|p| {
            (0..N).fold(f.add(s.F[p], s.turning[p]), |sum, i| match s.X[i][p].is_zero() {
                true => sum,
                false => f.add(sum, f.mul(s.X[i][p], s.slopes[i])),
            })
        })
        .collect();
    let rest: Vec<Residue> = rows.iter().map(|row| dot(f, row, &s.eta)).collect();
    let t = s.z[N];
    for (k, unknown) in unknowns.iter().enumerate() {
        match section(s, unknown, identity) {
            Some((w, rate, xi)) => {
                result[0][k] = f.add(dot(f, &pull, &w), dot(f, &s.p, &rate));
                for (r, row) in rows.iter().enumerate() {
                    result[1 + r][k] = dot(f, row, &w);
                }
                for i in 0..tangent {
                    let target = xi.filter(|(j, _)| *j == i).map_or(Residue::ZERO, |(_, v)| v);
                    result[1 + count + i][k] = f.sub(dot(f, &s.X[i], &w), target);
                }
            }
            None => match unknown {
                Unknown::Gauge(i, j) => {
                    let rate = match j {
                        None => s.z_dot[*i],
                        Some(j) => f.add(f.mul(s.z_dot[*i], s.z[*j]), f.mul(s.z[*i], s.z_dot[*j])),
                    };
                    result[0][k] = f.neg(rate);
                }
                _ => {
                    // tau = 1 or t
                    let dilation = *unknown == Unknown::Dilation;
                    let tau = if dilation { t } else { f.one() };
                    let mut rate = f.neg(f.mul(tau, s.H_dot));
                    if dilation {
                        rate = f.sub(rate, s.H);
                    }
                    result[0][k] = rate;
                    for (r, rest) in rest.iter().enumerate() {
                        result[1 + r][k] = f.neg(f.mul(tau, *rest));
                    }
                }
            },
        }
    }
    result
}

/// w, D w, and the entry of xi, of an unknown that moves the configuration.
type Moved = (Vec<Residue>, Vec<Residue>, Option<(usize, Residue)>);

fn section(s: &Numbers, unknown: &Unknown, identity: bool) -> Option<Moved> {
    let (f, n, N) = (s.f, s.eta.len(), s.z.len() - 1);
    let (i, value, rate) = match *unknown {
        Unknown::Shift(i) | Unknown::Section(i) => (i, f.one(), Residue::ZERO),
        Unknown::Linear(i, j) | Unknown::LinearSection(i, j) => (i, s.z[j], s.z_dot[j]),
        Unknown::Boost(i) => (i, s.z[N], f.one()),
        Unknown::Kernel(k) => return s.kernel.get(k).map(|(w, rate)| (w.clone(), rate.clone(), None)),
        Unknown::Gauge(..) | Unknown::Time | Unknown::Dilation => return None,
    };
    let direct = identity || matches!(unknown, Unknown::Section(_) | Unknown::LinearSection(..));
    let (mut w, mut w_dot) = (vec![Residue::ZERO; n], vec![Residue::ZERO; n]);
    if direct {
        (w[i], w_dot[i]) = (value, rate);
        return Some((w, w_dot, None));
    }
    let (Y, Y_dot) = s.Y.as_ref()?;
    for r in 0..n {
        w[r] = f.mul(Y[r][i], value);
        w_dot[r] = f.add(f.mul(Y_dot[r][i], value), f.mul(Y[r][i], rate));
    }
    Some((w, w_dot, Some((i, value))))
}
