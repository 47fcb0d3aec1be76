//! `body` statements: mass, centre and inertia, given or from shapes, and parts joined together.

use super::super::roles::{Allowed, State};
use super::super::scope::Binding;
use super::super::value::Value;
use super::super::{Elaborator, Fallible};
use super::algebra::{add, add_matrices, dot, point_inertia, scale, sub, unit};
use crate::bodies::{Body, IDENTITY, JointKind, Matrix3, Solid, Vector, ZERO};
use dalembert_expr::{Expr, Pool, Rational};
use dalembert_syntax::ast::{self, BodyPart};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// What may break the triangle inequality of principal inertias, relative to the largest, by rounding.
const TRIANGLE_TOL: f64 = 1e-9;

/// Mass, centre and inertia of a part, about its centre.
struct Inertia {
    mass: Expr,
    centre: Vector,
    inertia: Matrix3,
    solid: Option<Solid>,
}

impl Elaborator<'_> {
    pub(in super::super) fn body(&mut self, body: &ast::Body, span: Span) -> Fallible<()> {
        let name = self.declared(&body.name, "body")?;
        let parts: Vec<Fallible<Inertia>> = body.parts.iter().map(|part| self.body_part(part)).collect();
        let parts: Fallible<Vec<Inertia>> = parts.into_iter().collect();
        let parts = parts.inspect_err(|_| self.poison(&body.name))?;
        let Some(&b) = self.bodies.plan.body_of.get(&name) else { return Ok(()) };
        self.declare(&name, Binding::Body(b), body.name.span)?;
        let solids = parts.iter().filter_map(|part| part.solid.clone()).collect();
        let whole = self.joined(parts);
        let planned = &self.bodies.plan.bodies[b];
        let joint = planned.joint.unwrap_or(self.bodies.plan.joints.len() + b);
        let (parent, is_free, kind) = (planned.parent, planned.joint.is_none(), planned.free);
        let (mass, centre, inertia) = (whole.mass, whole.centre, whole.inertia);
        let body = Body { name: name.clone(), mass, centre, inertia, solids, joint, parent, span };
        self.bodies.bodies[b] = Some(body);
        if is_free {
            self.free_body(b, &name, kind, span)?;
        }
        Ok(())
    }

    /// The joint of a body that no joint carries, under the name of the body.
    fn free_body(&mut self, b: usize, name: &str, kind: JointKind, span: Span) -> Fallible<()> {
        let slot = self.bodies.plan.joints.len() + b;
        let joint = super::joints::unplaced(name, kind, (None, Some(b)), span);
        self.carrying_joint(slot, joint, b, false)
    }

    fn body_part(&mut self, part: &BodyPart) -> Fallible<Inertia> {
        let shape = part.shape.text.as_str();
        let mass = self.part(&part.mass, Allowed::only("a mass", State::Nothing))?;
        if matches!(mass.kind, UnitInfo::Known(_)) {
            self.bodies.mass_kind = Some(mass.kind);
        }
        let mass = mass.expr;
        self.refuse_negative(mass, part.mass.span, "a mass")?;
        if shape == "mass" {
            return self.given_inertia(part, mass);
        }
        let size = |word: &str| part.sizes.iter().find(|(known, _)| known.text == word).map(|(_, size)| size);
        let radius = match (shape, size("radius")) {
            ("rod" | "box" | "point", _) => Pool::ZERO,
            (_, Some(radius)) => self.constant_scalar(radius, "a radius")?,
            (_, None) => return self.missing_size(part, "radius"),
        };
        let at = size("at").map_or(Ok(ZERO), |at| self.constant_vector(at))?;
        let axis = size("axis").map_or(Ok(unit(2)), |axis| self.axis(axis))?;
        let (from, to) = match (shape, size("from"), size("to")) {
            ("rod" | "cylinder", Some(from), Some(to)) => {
                (self.constant_vector(from)?, self.constant_vector(to)?)
            }
            ("rod" | "cylinder", None, _) => return self.missing_size(part, "from"),
            ("rod" | "cylinder", ..) => return self.missing_size(part, "to"),
            _ => (ZERO, ZERO),
        };
        let sides = match (shape, size("size")) {
            ("box", Some(sides)) => self.constant_vector(sides)?,
            ("box", None) => return self.missing_size(part, "size"),
            _ => ZERO,
        };
        Ok(self.shape(shape, mass, Sizes { radius, at, axis, from, to, sides }))
    }

    fn missing_size<T>(&mut self, part: &BodyPart, word: &str) -> Fallible<T> {
        let message = format!("a {} needs its `{word}`", part.shape.text);
        let usage = dalembert_syntax::words::find(dalembert_syntax::words::SHAPES, &part.shape.text);
        let d = Diagnostic::error(Code::StatementNotFinished, part.shape.span, message);
        self.fail(match usage {
            Some(word) => d.help(format!("write it as in `{}`", word.usage)),
            None => d,
        })
    }

    /// Inertias of uniform shapes about their centres.
    fn shape(&mut self, shape: &str, m: Expr, sizes: Sizes) -> Inertia {
        let pool = &mut self.pool;
        let Sizes { radius: r, at, axis, from, to, sides } = sizes;
        let mr2 = pool.product([(m, Rational::ONE), (r, Rational::from(2))]);
        let along = sub(pool, &to, &from);
        let middle = add(pool, &from, &to).map(|e| pool.scale(e, Rational::HALF));
        let middle = add(pool, &middle, &at);
        let (from, to) = (add(pool, &from, &at), add(pool, &to, &at));
        let twelfth = fraction(1, 12);
        let slender = |pool: &mut Pool| {
            let m = pool.scale(m, twelfth.clone());
            point_inertia(pool, m, &along)
        };
        let round = |pool: &mut Pool, axis: &Vector, c: Rational| {
            let c = pool.scale(mr2, c);
            axial(pool, c, axis)
        };
        let (centre, inertia, solid) = match shape {
            "rod" => (middle, slender(pool), Solid::Cylinder { from, to, radius: None }),
            "cylinder" => {
                let length = dot(pool, &along, &along);
                let root = pool.sqrt(length);
                let inverse = pool.div(Pool::ONE, root);
                let axis = scale(pool, inverse, &along);
                let (turning, slender) = (round(pool, &axis, fraction(1, 4)), slender(pool));
                let inertia = add_matrices(pool, &turning, &slender);
                (middle, inertia, Solid::Cylinder { from, to, radius: Some(r) })
            }
            "ball" => (at, diagonal(pool, mr2, fraction(2, 5)), Solid::Ball { centre: at, radius: r }),
            "shell" => (at, diagonal(pool, mr2, fraction(2, 3)), Solid::Ball { centre: at, radius: r }),
            "disk" | "hoop" => {
                let is_hoop = shape == "hoop";
                let c = if is_hoop { Rational::HALF } else { fraction(1, 4) };
                let inertia = round(pool, &axis, c);
                (at, inertia, Solid::Disk { centre: at, axis, radius: r, is_hoop })
            }
            "box" => {
                let squares = sides.map(|side| pool.powi(side, 2));
                let m = pool.scale(m, twelfth);
                let inertia = std::array::from_fn(|i| {
                    let sum = pool.add(squares[(i + 1) % 3], squares[(i + 2) % 3]);
                    let e = pool.mul(m, sum);
                    std::array::from_fn(|j| if i == j { e } else { Pool::ZERO })
                });
                (at, inertia, Solid::Box { centre: at, size: sides })
            }
            _ => (at, [[Pool::ZERO; 3]; 3], Solid::Point(at)),
        };
        Inertia { mass: m, centre, inertia, solid: Some(solid) }
    }

    /// `mass m, centre C, inertia J about origin`
    fn given_inertia(&mut self, part: &BodyPart, mass: Expr) -> Fallible<Inertia> {
        let size = |word: &str| part.sizes.iter().find(|(known, _)| known.text == word).map(|(_, size)| size);
        let centre = size("centre").map_or(Ok(ZERO), |centre| self.constant_vector(centre))?;
        let Some(e) = size("inertia") else {
            return Ok(Inertia { mass, centre, inertia: [[Pool::ZERO; 3]; 3], solid: None });
        };
        let mut inertia = self.inertia_value(e)?;
        if part.about_origin {
            let moved = point_inertia(&mut self.pool, mass, &centre);
            inertia = std::array::from_fn(|i| sub(&mut self.pool, &inertia[i], &moved[i]));
            if self.bodies.plan.is_plane {
                // The number is about z alone, and so is what it becomes.
                inertia = [ZERO, ZERO, [Pool::ZERO, Pool::ZERO, inertia[2][2]]];
            }
        }
        self.check_inertia(&inertia, e.span, part.about_origin)?;
        Ok(Inertia { mass, centre, inertia, solid: None })
    }

    /// A number in the plane, three principal values, or a matrix.
    fn inertia_value(&mut self, e: &ast::Expr) -> Fallible<Matrix3> {
        let value = self.value(e)?;
        self.allow_in(e, &value.scalars(), Allowed::only("an inertia", State::Nothing))?;
        let zero = Pool::ZERO;
        match (&value, self.bodies.plan.is_plane) {
            (Value::Scalar(j, _), true) => Ok([[zero; 3], [zero; 3], [zero, zero, *j]]),
            (Value::Vector(_), false) => match value.scalars()[..] {
                [a, b, c] => Ok([[a, zero, zero], [zero, b, zero], [zero, zero, c]]),
                [a, b, c, d, e, f, g, h, i] => Ok([[a, b, c], [d, e, f], [g, h, i]]),
                _ => self.no_inertia(&value, e.span),
            },
            _ => self.no_inertia(&value, e.span),
        }
    }

    fn no_inertia<T>(&mut self, value: &Value, span: Span) -> Fallible<T> {
        let message = format!("{} is not an inertia", value.describe());
        let help = match self.bodies.plan.is_plane {
            true => "in the plane it is one number, about the centre",
            false => "give three principal values `[a, b, c]` or a matrix of three rows",
        };
        self.fail(Diagnostic::error(Code::DimensionMismatch, span, message).help(help))
    }

    /// Principal inertias of a body of positive mass keep the triangle inequality: none is larger than the others together.
    fn check_inertia(&mut self, inertia: &Matrix3, span: Span, moved: bool) -> Fallible<()> {
        let values = self.parameter_numbers(&inertia.concat());
        if values.iter().any(|v| !v.is_finite()) {
            return Ok(());
        }
        let size = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let symmetric =
            (0..3).all(|i| (0..i).all(|j| (values[3 * i + j] - values[3 * j + i]).abs() <= 1e-9 * size));
        if !symmetric {
            return self.error(Code::BadInertia, span, "an inertia matrix is symmetric, and this one is not");
        }
        let (mut diagonal, mut axes) = (values.clone(), [0.0; 9]);
        dalembert_linalg::symmetric_eigen(&mut diagonal, 3, &mut axes);
        let mut principal = [diagonal[0], diagonal[4], diagonal[8]];
        principal.sort_by(f64::total_cmp);
        let [a, b, c] = principal;
        let plane = self.bodies.plan.is_plane;
        if a < -TRIANGLE_TOL * size || (!plane && a + b < c * (1.0 - TRIANGLE_TOL)) {
            let about = if moved { " about its centre of mass" } else { "" };
            let message = match plane {
                true => format!("no body has the inertia {a:.6}{about}: it is negative"),
                false => format!(
                    "no body has the principal inertias {a:.6}, {b:.6} and {c:.6}{about}: {}",
                    if a < 0.0 { "one is negative" } else { "the largest is more than the others together" }
                ),
            };
            let help = match moved {
                true => {
                    "these are what `about origin` leaves: the values given less those of the mass at its centre; \
                     check the mass and the centre, or leave `about origin` out if they are about the centre of mass"
                }
                false => {
                    "check the units and signs; an inertia about the origin is written `inertia J about origin`"
                }
            };
            return self.fail(Diagnostic::error(Code::BadInertia, span, message).help(help));
        }
        Ok(())
    }

    fn refuse_negative(&mut self, e: Expr, span: Span, what: &str) -> Fallible<()> {
        match self.parameter_numbers(&[e])[..] {
            [value] if value < 0.0 => {
                let message = format!("{what} cannot be negative: it is {value}");
                self.error(Code::BadInertia, span, &message)
            }
            _ => Ok(()),
        }
    }

    /// Parts together: masses add up, centres in their proportion, inertias by the parallel axes.
    fn joined(&mut self, mut parts: Vec<Inertia>) -> Inertia {
        let massive = parts.iter().filter(|part| part.mass != Pool::ZERO).count();
        if parts.len() > 1 && massive > 0 {
            parts.retain(|part| part.mass != Pool::ZERO);
        }
        if parts.len() == 1 {
            return parts.swap_remove(0);
        }
        let pool = &mut self.pool;
        let mass = pool.total(parts.iter().map(|part| part.mass));
        let mut moment = ZERO;
        for part in &parts {
            let one = scale(pool, part.mass, &part.centre);
            moment = add(pool, &moment, &one);
        }
        let centre = if mass == Pool::ZERO { ZERO } else { moment.map(|e| pool.div(e, mass)) };
        let mut inertia = [[Pool::ZERO; 3]; 3];
        for part in &parts {
            let arm = sub(pool, &part.centre, &centre);
            let moved = point_inertia(pool, part.mass, &arm);
            let own = add_matrices(pool, &part.inertia, &moved);
            inertia = add_matrices(pool, &inertia, &own);
        }
        Inertia { mass, centre, inertia, solid: None }
    }
}

/// What a shape may have.
struct Sizes {
    radius: Expr,
    at: Vector,
    axis: Vector,
    from: Vector,
    to: Vector,
    sides: Vector,
}

fn fraction(a: i64, b: i64) -> Rational {
    Rational::new(a, b).unwrap_or(Rational::ZERO)
}

fn diagonal(pool: &mut Pool, e: Expr, c: Rational) -> Matrix3 {
    let e = pool.scale(e, c);
    IDENTITY.map(|row| row.map(|one| pool.mul(one, e)))
}

/// `c (1 + u u^T)`: c across the axis, 2 c about it.
fn axial(pool: &mut Pool, c: Expr, u: &Vector) -> Matrix3 {
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let outer = pool.mul(u[i], u[j]);
            let e = pool.add(outer, IDENTITY[i][j]);
            pool.mul(c, e)
        })
    })
}
