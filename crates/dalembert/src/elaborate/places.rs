//! Where forces act: the free-body diagram of a model.
//!
//! Generalised forces forget their points. A second reading of the text keeps them: every named point P of the model is
//! replaced by symbols of its own, so that a potential becomes V(P1, P2, ..., x) and a constraint h(P1, P2, ..., x). Then
//!
//! - a potential acts at P with the force -dV/dP, a Lagrangian with dL/dP, a Rayleigh function with -dR/dP';
//! - a constraint row acts at P with its multiplier times dh/dP, or dh/dP' where it is on velocities (K2);
//! - `force F at P` acts at P with F, the weight of a body at its centre of mass;
//! - a joint that closes a loop acts at its point on both of its bodies.
//!
//! What depends on coordinates directly has no point here. A vector built from points is a point itself where their
//! coefficients add up to one (`P1 + l*u`, `(A + B)/2`), otherwise it is a difference and its points carry the force.
//! The second reading has expressions of its own, so that the equations of motion do not depend on it.
//! Checked: the generalised forces of what is placed are those of the model, in `tests/it/free_body.rs`.

use super::roles::Role;
use super::value::Value;
use super::{Elaborator, Overrides};
use crate::kernel_form::Places as Positions;
use crate::system::{PlacedForce, PlacedKind, System};
use dalembert_expr::{Expr, Pool, Rational, Symbol};
use dalembert_syntax::Ast;
use dalembert_syntax::ast::{self, Equation};
use rustc_hash::FxHashMap;

/// Coordinates up to which points are followed.
const MAX_COORDINATES: usize = 300;

/// What a second reading keeps about points.
#[derive(Default)]
pub(super) struct PlaceBook {
    /// Whether names of points mean their symbols now.
    active: bool,
    /// What values mean then, by what they mean otherwise.
    values: FxHashMap<Vec<Expr>, Value>,
    points: Vec<NamedPoint>,
    /// Energies and residuals over the symbols of points.
    laws: Vec<PointLaw>,
    /// Forces whose points are given.
    given: Vec<Placed>,
}

/// A point with symbols for its position and velocity.
struct NamedPoint {
    name: String,
    at: Vec<Expr>,
    position: Vec<Symbol>,
    velocity: Vec<Symbol>,
}

/// A function whose derivative with respect to a point is a force there, up to a sign.
struct PointLaw {
    kind: PlacedKind,
    function: Expr,
    sign: Rational,
    /// With respect to the velocity of the point, not its position.
    by_velocity: bool,
}

/// The system once more, with the points of its forces; `None` where it cannot be told.
pub(crate) fn with_places(ast: &Ast, overrides: &Overrides) -> Option<System> {
    let mut system = super::elaborate_keeping(ast, overrides, true).0?;
    system.write_body_energies();
    Some(system)
}

/// A force with its name, its kind, whether an energy has it, its point and its components.
type Placed = (String, PlacedKind, bool, Vec<Expr>, Vec<Expr>);

impl Elaborator<'_> {
    /// Evaluates with symbols for points; `None` in a first reading, and where that is not possible.
    fn over_points<T>(&mut self, value: impl FnOnce(&mut Self) -> super::Fallible<T>) -> Option<T> {
        self.places.as_mut()?.active = true;
        let (said, budget) = (self.diagnostics.len(), self.budget);
        let result = value(self);
        self.diagnostics.truncate(said);
        self.budget = budget;
        if let Some(book) = &mut self.places {
            book.active = false;
        }
        result.ok()
    }

    /// What a named value means over symbols of points, if it means something else there.
    pub(super) fn value_over_points(&self, usual: &Value) -> Option<Value> {
        let book = self.places.as_ref().filter(|book| book.active)?;
        book.values.get(&usual.scalars()).cloned()
    }

    /// Keeps what a `let` name means over points; a vector may be a point of its own.
    pub(super) fn place_name(&mut self, name: &str, e: &ast::Expr, usual: &Value) {
        if self.places.is_none() || self.frame.coordinates.len() > MAX_COORDINATES {
            return;
        }
        let Some(value) = self.over_points(|this| this.value(e)) else { return };
        let value = match self.as_point(name, usual, &value) {
            Some(point) => point,
            None if value.scalars() == usual.scalars() => return,
            None => value,
        };
        if let Some(book) = &mut self.places {
            book.values.entry(usual.scalars()).or_insert(value);
        }
    }

    /// The symbols of a vector that is a point.
    fn as_point(&mut self, name: &str, usual: &Value, value: &Value) -> Option<Value> {
        let Value::Vector(parts) = value else { return None };
        let (at, over) = (usual.scalars(), value.scalars());
        if !matches!(parts.len(), 2 | 3) || over.len() != parts.len() {
            return None;
        }
        if at != over && !self.adds_up_to_one(&over) {
            return None;
        }
        let symbols = |this: &mut Self, what: &str, role: Role| -> Vec<Symbol> {
            (0..at.len()).map(|k| this.symbol_with_role(&format!("{what} {k} of {name}"), role)).collect()
        };
        let position = symbols(self, "position", Role::Coordinate);
        let velocity = symbols(self, "velocity", Role::Rate);
        for (p, v) in position.iter().zip(&velocity) {
            let rate = self.pool.var(*v);
            self.dot.define(*p, rate);
        }
        let kinds = usual.units();
        let parts =
            position.iter().zip(kinds).map(|(p, kind)| Value::Scalar(self.pool.var(*p), kind)).collect();
        self.places.as_mut()?.points.push(NamedPoint { name: name.to_owned(), at, position, velocity });
        Some(Value::Vector(parts))
    }

    /// Whether the coefficients of points in each component add up to one.
    fn adds_up_to_one(&mut self, over: &[Expr]) -> bool {
        let Some(book) = &self.places else { return false };
        let points: Vec<Vec<Symbol>> = book.points.iter().map(|point| point.position.clone()).collect();
        over.iter().enumerate().all(|(k, e)| {
            let used = self.pool.symbols(&[*e]);
            let of = points.iter().filter_map(|p| p.get(k)).filter(|s| used.contains(s));
            let slopes: Vec<Expr> = of.map(|s| self.pool.diff(*e, *s)).collect();
            let sum = self.pool.total(slopes);
            self.pool.simplify(sum) == Pool::ONE
        })
    }

    /// A potential or a Lagrangian, with the sign of its force, or a Rayleigh function.
    pub(super) fn place_energy(&mut self, e: &ast::Expr, sign: Rational, by_velocity: bool) {
        if let Some((function, _)) = self.over_points(|this| this.scalar(e)) {
            self.keep_law(PlacedKind::Impressed, function, sign, by_velocity);
        }
    }

    /// The rows of a constraint that was read already.
    pub(super) fn place_rows(&mut self, name: &str, equation: &Equation) {
        let Some(difference) = self.over_points(|this| this.difference(equation, "a constraint")) else {
            return;
        };
        let residuals = difference.scalars();
        let count = residuals.len();
        for (k, residual) in residuals.into_iter().enumerate() {
            let row = match difference {
                Value::Vector(_) => super::value::component_name(name, k, count),
                _ => name.to_owned(),
            };
            let Some(r) = self.constraints.row_by_name.get(&row).copied() else { continue };
            let by_velocity = !self.constraints.rows[r].holonomic;
            self.keep_law(PlacedKind::Row(r), residual, Rational::ONE, by_velocity);
        }
    }

    fn keep_law(&mut self, kind: PlacedKind, function: Expr, sign: Rational, by_velocity: bool) {
        if let Some(book) = &mut self.places {
            book.laws.push(PointLaw { kind, function, sign, by_velocity });
        }
    }

    /// A force at a point that is given.
    pub(super) fn place_force(&mut self, name: String, of_energy: bool, at: Vec<Expr>, force: Vec<Expr>) {
        self.place_at(name, PlacedKind::Impressed, of_energy, at, force);
    }

    /// A force of a constraint row, for a multiplier of one, at a point that is given.
    pub(super) fn place_row_force(&mut self, name: &str, row: usize, at: Vec<Expr>, force: Vec<Expr>) {
        self.place_at(name.to_owned(), PlacedKind::Row(row), true, at, force);
    }

    fn place_at(&mut self, name: String, kind: PlacedKind, of_energy: bool, at: Vec<Expr>, force: Vec<Expr>) {
        if let Some(book) = &mut self.places {
            book.given.push((name, kind, of_energy, at, force));
        }
    }

    /// Whether points are kept.
    pub(super) fn keeps_places(&self) -> bool {
        self.places.is_some()
    }

    /// Every force with its point, in the speeds.
    pub(super) fn placed_forces(
        &mut self,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Vec<PlacedForce> {
        let Some(book) = self.places.take() else { return Vec::new() };
        let mut found = book.given;
        let meanings = self.meanings(&book.points);
        for law in &book.laws {
            let used = self.pool.symbols(&[law.function]);
            for point in &book.points {
                let by = if law.by_velocity { &point.velocity } else { &point.position };
                if !by.iter().any(|s| used.contains(s)) {
                    continue;
                }
                let slopes: Vec<Expr> = by.iter().map(|s| self.pool.diff(law.function, *s)).collect();
                let force =
                    slopes.into_iter().map(|e| self.pool.scale(e, law.sign.clone())).collect::<Vec<_>>();
                let force = self.pool.substitute(&force, &meanings);
                if force.iter().any(|e| *e != Pool::ZERO) {
                    found.push((point.name.clone(), law.kind, !law.by_velocity, point.at.clone(), force));
                }
            }
        }
        let coordinates = Positions::new(self.frame.coordinates.iter().map(|c| &c.symbol));
        let placed = found.into_iter().map(|(name, kind, of_energy, at, force)| {
            let mut on_speeds = Vec::new();
            for (f, r) in force.iter().zip(&at) {
                // Q_p = F . (dr/dx) X_p
                for (i, g) in coordinates.gradient(&mut self.pool, *r) {
                    for (p, X_ip) in frame.get(i).into_iter().flatten() {
                        let product = [*f, g, *X_ip].map(|e| (e, Rational::ONE));
                        on_speeds.push((*p, self.pool.product(product)));
                    }
                }
            }
            let [at, force] = [at, force].map(|list| self.pool.substitute(&list, images));
            let (speeds, values): (Vec<usize>, Vec<Expr>) = on_speeds.into_iter().unzip();
            let values = self.pool.substitute(&values, images);
            PlacedForce {
                name,
                kind,
                of_energy,
                at,
                force,
                on_speeds: speeds.into_iter().zip(values).collect(),
            }
        });
        placed.collect()
    }

    /// Positions and velocities for the symbols of points.
    fn meanings(&mut self, points: &[NamedPoint]) -> Vec<(Symbol, Expr)> {
        let mut meanings = Vec::new();
        for point in points {
            let rates: Vec<Expr> = point.at.iter().map(|e| self.dot.apply(&mut self.pool, *e)).collect();
            meanings.extend(point.position.iter().copied().zip(point.at.iter().copied()));
            meanings.extend(point.velocity.iter().copied().zip(rates));
        }
        meanings
    }
}
