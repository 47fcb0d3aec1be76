//! Conserved quantities quadratic in the velocities, of particles in a potential: the vector of Laplace,
//! Runge and Lenz among them.
//!
//! ```text
//! T = v^T M v/2, M constant:   free motion keeps v_i and R_ij = x_i v_j - x_j v_i, so their products G_a G_b
//! behind polar coordinates:    the same with places X(q) that move straight (`straight.rs`), v = dX/dq q'
//! J = c_ab G_a G_b + U(x),     J' = w_k(x) v_k + dU/dx_k v_k          w from v' = -M^-1 dV/dx
//! J' = 0  where                dw_k/dx_l = dw_l/dx_k,   dU/dx_k = -w_k
//! ```
//!
//! The condition on the numbers c is linear; it is solved exactly, modulo a prime, at random configurations.
//! What products of conserved velocities and the energy give is taken out. U is an integral in symbols; where c are
//! numbers that stand for parameters (`c^2` of two centres a distance apart), with the values of the parameters.
//! Source: Stäckel; Eisenhart 1934. For up to four coordinates without constraints and other forces. Checked
//! by `tests/it/conserved.rs`.

use super::dynamics::SymbolicDynamics;
use super::naming::{Candidate, names};
use super::straight::Straight;
use crate::formalism::poincare::dot;
use crate::workspace::Workspace;
use dalembert_expr::echelon::Echelon;
use dalembert_expr::{Expr, Field, Pool, Rational, Residue, Symbol};

/// Coordinates at most.
const MAX_COORDINATES: usize = 4;
/// Configurations without news after which the conditions count as complete.
const IDLE: usize = 4;

/// A conserved quantity of free motion, linear in the velocities.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generator {
    /// v_i
    Velocity(usize),
    /// x_i v_j - x_j v_i
    Turn(usize, usize),
}

/// Generators with their rates, and products with what they leave: w and its curl.
struct Products {
    straight: Straight,
    generators: Vec<Generator>,
    /// By places in `generators`.
    pairs: Vec<(usize, usize)>,
    values: Vec<Expr>,
    rates: Vec<Expr>,
    products: Vec<Expr>,
    /// w_k of each pair.
    w: Vec<Vec<Expr>>,
    /// dw_k/dx_l - dw_l/dx_k, k < l, of each pair.
    curls: Vec<Vec<Expr>>,
}

/// Candidates of this kind; none where the system is not a particle in a potential.
pub(super) fn quadratic_integrals(model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Vec<Candidate> {
    let Some(products) = Products::of(model, dynamics) else { return Vec::new() };
    let mut list = products.momenta(model, dynamics).unwrap_or_default();
    let Some(found) = products.solve(model, dynamics) else { return list };
    let x = model.form.coordinates.clone();
    // A vector in the order of its components, then the rest.
    let mut found: Vec<(Option<usize>, Coefficients)> =
        found.into_iter().map(|c| products.oriented(c)).collect();
    found.sort_by_key(|(axis, _)| axis.unwrap_or(usize::MAX));
    for (axis, c) in found {
        let pool = &mut model.system.pool;
        let mut sums: Vec<Vec<(Expr, Rational)>> = vec![Vec::new(); x.len()];
        for (w, (_, c)) in products.w.iter().zip(&c).filter(|(_, (_, c))| !c.is_zero()) {
            sums.iter_mut().zip(w).for_each(|(sum, w)| sum.push((*w, c.clone())));
        }
        let force: Vec<Expr> = sums.into_iter().map(|sum| pool.combine(sum)).collect();
        let force: Vec<Expr> = force.into_iter().map(|e| pool.tidy(e)).collect();
        let mut potential = pool.potential_of_force(&force, &x);
        if potential.is_none() {
            let closed: Vec<Expr> = force.iter().map(|e| dynamics.closed(model, *e)).collect();
            let pool = &mut model.system.pool;
            let closed = pool.import(&mut dynamics.pool, &closed);
            potential = pool.potential_of_force(&closed, &x);
        }
        let Some(potential) = potential else { continue };
        let pool = &mut model.system.pool;
        let squares = products.products.iter().zip(&c).map(|(e, (_, c))| (*e, c.clone()));
        let J = pool.combine(squares.chain([(potential, Rational::ONE)]));
        let J = pool.tidy(J);
        let name = match axis {
            Some(k) => format!("Runge-Lenz vector along {}", pool.text(products.straight.places[k])),
            None => format!("quadratic integral in {}", products.names_of(model, &products.moved(&c))),
        };
        list.push(Candidate { name, J, reason: "a Killing tensor, not a point symmetry".into() });
    }
    list
}

/// A number for each pair.
type Coefficients = Vec<((usize, usize), Rational)>;

impl Products {
    fn of(model: &mut Workspace, dynamics: &SymbolicDynamics) -> Option<Self> {
        let n = model.form.speeds.len();
        let plain = (2..=MAX_COORDINATES).contains(&n) && model.system.constraints.rows.is_empty();
        if !plain || model.form.coordinates.len() != n || dynamics.forces.iter().any(|e| *e != Pool::ZERO) {
            return None;
        }
        let (constants, form) = (model.constants(), model.form.clone());
        let L = model.system.whole_lagrangian();
        let pool = &mut model.system.pool;
        let moving: Vec<Symbol> =
            form.coordinates.iter().chain(&form.speeds).copied().chain([form.time]).collect();
        let mass: Vec<Vec<Expr>> = form
            .mass_matrix
            .written_out()
            .into_iter()
            .map(|row| row.into_iter().map(|e| pool.simplify(e)).collect())
            .collect();
        let zeros: Vec<(Symbol, Expr)> = form.speeds.iter().map(|s| (*s, Pool::ZERO)).collect();
        let still = pool.substitute(&form.momenta, &zeros);
        let straight = Straight::of(pool, &mass, &form.coordinates)?;
        if straight.mass.iter().flatten().any(|e| pool.depends_on(*e, &moving))
            || still.iter().any(|e| *e != Pool::ZERO)
            || pool.depends_on(L, &[form.time])
        {
            return None;
        }
        let height = pool.substitute(&[L], &zeros)[0];
        let slopes = pool.gradient(height, &form.coordinates);
        let inverse = pool.regular_inverse(&straight.mass, &constants)?;
        let forces: Vec<Expr> = straight.covectors.iter().map(|row| dot(pool, row, &slopes)).collect();
        let a: Vec<Expr> = inverse.iter().map(|row| dot(pool, row, &forces)).collect();
        let a: Vec<Expr> = a.into_iter().map(|e| pool.simplify(e)).collect();
        let x = straight.places.clone();
        let eta: Vec<Expr> = form.speeds.iter().map(|s| pool.var(*s)).collect();
        let v: Vec<Expr> = x
            .iter()
            .map(|place| {
                let slopes = pool.gradient(*place, &form.coordinates);
                dot(pool, &slopes, &eta)
            })
            .collect();
        let mut generators: Vec<Generator> = (0..n).map(Generator::Velocity).collect();
        generators.extend((0..n).flat_map(|i| (i + 1..n).map(move |j| Generator::Turn(i, j))));
        let turned = |pool: &mut Pool, u: &[Expr], g: &Generator| match *g {
            Generator::Velocity(i) => u[i],
            Generator::Turn(i, j) => {
                let (a, b) = (pool.mul(x[i], u[j]), pool.mul(x[j], u[i]));
                pool.sub(a, b)
            }
        };
        let values: Vec<Expr> = generators.iter().map(|g| turned(pool, &v, g)).collect();
        let rates: Vec<Expr> = generators.iter().map(|g| turned(pool, &a, g)).collect();
        let count = generators.len();
        let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (a..count).map(move |b| (a, b))).collect();
        let mut made = Products {
            straight,
            generators,
            pairs: pairs.clone(),
            values,
            rates,
            products: Vec::new(),
            w: Vec::new(),
            curls: Vec::new(),
        };
        for (a, b) in pairs {
            let (first, second) =
                (pool.mul(made.rates[a], made.values[b]), pool.mul(made.values[a], made.rates[b]));
            let rate = pool.add(first, second);
            let w = pool.gradient(rate, &form.speeds);
            let mut curls = Vec::new();
            for k in 0..n {
                for l in k + 1..n {
                    let (one, other) =
                        (pool.diff(w[k], form.coordinates[l]), pool.diff(w[l], form.coordinates[k]));
                    curls.push(pool.sub(one, other));
                }
            }
            made.products.push(pool.mul(made.values[a], made.values[b]));
            made.w.push(w);
            made.curls.push(curls);
        }
        Some(made)
    }

    /// Coefficients c that leave an exact w, modulo those that are known; `None` where no state could be
    /// found.
    fn solve(&self, model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Option<Vec<Coefficients>> {
        let columns = self.pairs.len();
        let curls: Vec<Vec<Expr>> =
            self.curls.iter().map(|list| list.iter().map(|e| dynamics.closed(model, *e)).collect()).collect();
        let by_curl: Vec<Vec<Expr>> =
            (0..curls[0].len()).map(|k| curls.iter().map(|list| list[k]).collect()).collect();
        let (field, null) = null_space(dynamics, &by_curl, columns)?;
        let mut known = Echelon::new(field, columns);
        for vector in self.known(model, dynamics)? {
            known.add(vector);
        }
        let mut found = Vec::new();
        for vector in null {
            let left = known.remainder(vector);
            if !known.add(left.clone()) {
                continue;
            }
            let numbers: Option<Vec<Rational>> = left.iter().map(|c| field.reconstruct(*c)).collect();
            found.extend(numbers.map(|numbers| self.pairs.iter().copied().zip(whole(numbers)).collect()));
        }
        Some(found)
    }

    /// Combinations of the generators that the potential leaves constant.
    fn conserved_generators(
        &self,
        model: &mut Workspace,
        dynamics: &mut SymbolicDynamics,
    ) -> Option<(Field, Vec<Vec<Residue>>)> {
        let rates: Vec<Expr> = self.rates.iter().map(|e| dynamics.closed(model, *e)).collect();
        null_space(dynamics, &[rates], self.generators.len())
    }

    /// Momenta and angular momenta of places behind polar coordinates, whose symmetries are not affine in these.
    fn momenta(&self, model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Option<Vec<Candidate>> {
        if !self.straight.is_curved(model) {
            return Some(Vec::new());
        }
        let (field, found) = self.conserved_generators(model, dynamics)?;
        let mut list = Vec::new();
        for vector in found {
            let numbers: Option<Vec<Rational>> = vector.iter().map(|c| field.reconstruct(*c)).collect();
            let Some(numbers) = numbers.map(whole) else { continue };
            let parts: Vec<(usize, Rational)> =
                numbers.into_iter().enumerate().filter(|(_, c)| !c.is_zero()).collect();
            let generators = || parts.iter().map(|(k, _)| self.generators[*k]);
            let moved = self.moved_by(generators());
            let pool = &mut model.system.pool;
            let J = pool.combine(parts.iter().map(|(k, c)| (self.values[*k], c.clone())));
            let masses: Vec<Expr> = moved.iter().map(|i| self.straight.mass[*i][*i]).collect();
            // Velocities of equal masses are written as momenta.
            let J = if masses.iter().all(|m| *m == masses[0]) { pool.mul(masses[0], J) } else { J };
            let J = pool.tidy(J);
            let word = match generators().all(|g| matches!(g, Generator::Turn(..))) {
                true => "angular momentum in",
                false => "momentum along",
            };
            let name = format!("{word} {}", self.names_of(model, &moved));
            list.push(Candidate { name, J, reason: "a motion of the places behind the coordinates".into() });
        }
        Some(list)
    }

    /// Products that vanish identically, products of conserved velocities, and the kinetic energy.
    fn known(&self, model: &mut Workspace, dynamics: &mut SymbolicDynamics) -> Option<Vec<Vec<Residue>>> {
        let columns = self.pairs.len();
        let products: Vec<Expr> = self.products.iter().map(|e| dynamics.closed(model, *e)).collect();
        let (field, mut list) = null_space(dynamics, &[products], columns)?;
        let (_, linear) = self.conserved_generators(model, dynamics)?;
        let symmetric = |c: &[Residue], d: &[Residue]| -> Vec<Residue> {
            let entry = |(a, b): &(usize, usize)| match a == b {
                true => field.mul(c[*a], d[*b]),
                false => field.add(field.mul(c[*a], d[*b]), field.mul(c[*b], d[*a])),
            };
            self.pairs.iter().map(entry).collect()
        };
        for (k, c) in linear.iter().enumerate() {
            list.extend(linear[k..].iter().map(|d| symmetric(c, d)));
        }
        let n = dynamics.eta.len();
        let masses: Vec<Expr> =
            self.straight.mass.iter().flatten().map(|e| dynamics.closed(model, *e)).collect();
        let mut sample = dynamics.state(0, 17, &masses)?;
        let values = sample.values(&dynamics.pool, &masses)?;
        let M: Vec<&[Residue]> = values.chunks(n).collect();
        let kinetic = |(a, b): &(usize, usize)| match (self.generators[*a], self.generators[*b]) {
            (Generator::Velocity(i), Generator::Velocity(j)) if i == j => M[i][j],
            (Generator::Velocity(i), Generator::Velocity(j)) => field.add(M[i][j], M[j][i]),
            _ => Residue::ZERO,
        };
        list.push(self.pairs.iter().map(kinetic).collect());
        Some(list)
    }

    /// The axis k of a component of Runge and Lenz's vector, whose products are all v_j R_kj, with the sign
    /// of that; otherwise as it is.
    fn oriented(&self, c: Coefficients) -> (Option<usize>, Coefficients) {
        let own = |((a, b), c): &((usize, usize), Rational)| match (self.generators[*a], self.generators[*b])
        {
            (Generator::Velocity(j), Generator::Turn(k, l)) if j == l => Some((k, !c.is_negative())),
            (Generator::Velocity(j), Generator::Turn(l, k)) if j == l => Some((k, c.is_negative())),
            _ => None,
        };
        let axes: Vec<Option<(usize, bool)>> = c.iter().filter(|(_, c)| !c.is_zero()).map(own).collect();
        match axes.first() {
            Some(Some((k, positive))) if axes.iter().all(|axis| *axis == axes[0]) => {
                let turned = |c: Rational| if *positive { c } else { -&c };
                (Some(*k), c.into_iter().map(|(pair, c)| (pair, turned(c))).collect())
            }
            _ => (None, c),
        }
    }

    /// The first places of a list.
    fn names_of(&self, model: &mut Workspace, list: &[usize]) -> String {
        if !self.straight.is_curved(model) {
            return names(model, list);
        }
        let pool = &mut model.system.pool;
        let places: Vec<String> = list.iter().map(|i| pool.text(self.straight.places[*i])).collect();
        places.join(", ")
    }

    /// The coordinates that a combination moves.
    fn moved(&self, c: &Coefficients) -> Vec<usize> {
        let used = c.iter().filter(|(_, c)| !c.is_zero()).flat_map(|((a, b), _)| [*a, *b]);
        self.moved_by(used.map(|g| self.generators[g]))
    }

    fn moved_by(&self, generators: impl Iterator<Item = Generator>) -> Vec<usize> {
        let mut moved: Vec<usize> = generators
            .flat_map(|g| match g {
                Generator::Velocity(i) => vec![i],
                Generator::Turn(i, j) => vec![i, j],
            })
            .collect();
        moved.sort_unstable();
        moved.dedup();
        moved
    }
}

/// Vectors that every row annihilates; rows are the values of lists of expressions at random states.
fn null_space(
    dynamics: &mut SymbolicDynamics,
    lists: &[Vec<Expr>],
    columns: usize,
) -> Option<(Field, Vec<Vec<Residue>>)> {
    let wanted: Vec<Expr> = lists.iter().flatten().copied().collect();
    let (mut echelon, mut field, mut idle) = (None::<Echelon>, None, 0);
    for seed in 0..(columns + 3 * IDLE) as u64 {
        let mut sample = dynamics.state(0, 11_000 + seed, &wanted)?;
        let f = sample.field();
        let echelon = echelon.get_or_insert_with(|| Echelon::new(f, columns));
        field = Some(f);
        let before = echelon.rank();
        for list in lists {
            echelon.add(sample.values(&dynamics.pool, list)?);
        }
        idle = if echelon.rank() > before { 0 } else { idle + 1 };
        if idle >= IDLE {
            break;
        }
    }
    Some((field?, echelon?.null_space().into_iter().map(|(_, v)| v).collect()))
}

/// Coprime whole numbers in the same ratios, the first one positive.
fn whole(numbers: Vec<Rational>) -> Vec<Rational> {
    let content = numbers.iter().fold(Rational::ZERO, |g, c| g.gcd(c));
    let negative = numbers.iter().find(|c| !c.is_zero()).is_some_and(Rational::is_negative);
    let Some(scale) = content.recip() else { return numbers };
    let scale = if negative { -&scale } else { scale };
    numbers.iter().map(|c| c * &scale).collect()
}
