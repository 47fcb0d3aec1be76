//! Control: what it may use (`actuate`), its bounds, and what it costs (`weight`), as S and W of C1.

use super::laws::diagonal;
use super::roles::{Allowed, State};
use super::scope::Binding;
use super::speeds::Kinematics;
use super::{Elaborator, Fallible};
use dalembert_expr::{Expr, Pool, Rational, Symbol, Zero};
use dalembert_syntax::ast::{self, ActuatorKind, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// A force that control may use, as it is written.
pub(super) struct RawActuator {
    name: String,
    acts: Acts,
    bounds: Option<[Expr; 2]>,
}

/// What a force acts on.
enum Acts {
    /// A coordinate or a speed.
    On(Binding),
    /// A point, with the components of the force of an input of one.
    At(Vec<Expr>, Vec<Expr>),
}

/// What control may use.
pub(super) struct Control {
    pub actuators: Option<Vec<(String, Vec<Expr>)>>,
    /// Bounds of the inputs, nothing where none has any.
    pub bounds: Vec<Option<[Expr; 2]>>,
    pub weight: Option<(Vec<Vec<Expr>>, Span)>,
}

impl Elaborator<'_> {
    /// `actuate x, theta in -5..5, q[1..N], [Fx, Fy] at P`
    pub(super) fn actuate(&mut self, items: &[ast::Actuator], span: Span) -> Fallible<()> {
        for item in items {
            let found = match &item.kind {
                ActuatorKind::On(target) => self.actuated(target)?,
                ActuatorKind::At { force, point } => vec![self.actuated_at(force, point)?],
            };
            for (name, acts, unit) in found {
                let place = match &item.kind {
                    ActuatorKind::On(target) => target.span,
                    ActuatorKind::At { force, point } => force.span.to(point.span),
                };
                let bounds = item.bounds.as_ref().map(|range| self.bounds(range, &unit)).transpose()?;
                let known = self.control.actuators.iter().flat_map(|(list, _)| list);
                if known.into_iter().any(|other| other.name == name) {
                    let message = format!("`{name}` is actuated already");
                    return self.error(Code::DeclaredTwice, place, &message);
                }
                let (list, _) = self.control.actuators.get_or_insert_with(|| (Vec::new(), span));
                list.push(RawActuator { name, acts, bounds });
            }
        }
        Ok(())
    }

    /// Whether control acts on coordinates and speeds alone, so that its force on a joint is that of a motor there.
    pub(super) fn has_control_at_joints(&self) -> bool {
        let mut actuators = self.control.actuators.iter().flat_map(|(list, _)| list);
        !self.control.requirements.is_empty()
            && actuators.all(|actuator| matches!(actuator.acts, Acts::On(_)))
    }

    /// Whether control acts on a freedom of this joint by an input that is not a force on a coordinate or speed alone.
    pub(super) fn is_actuated_apart(&self, joint: &str) -> bool {
        let of_joint = |name: &str| {
            name.strip_prefix(joint).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut actuators = self.control.actuators.iter().flat_map(|(list, _)| list);
        let controlled = !self.control.requirements.is_empty();
        controlled && !self.has_control_at_joints() && actuators.any(|actuator| of_joint(&actuator.name))
    }

    /// The members of a target, with the unit of the force on them where it is known.
    fn actuated(&mut self, target: &Target) -> Fallible<Vec<(String, Acts, UnitInfo)>> {
        let mut list = Vec::new();
        for name in self.members(target)? {
            let on = self.lookup(&name, target.span)?;
            if let Binding::Freedom(..) = on {
                let value = self.value_of_binding(on, &name, target.span)?;
                let (freedom, _) = self.as_scalar(value, target.span)?;
                list.push((name, Acts::At(vec![Pool::ONE], vec![freedom]), UnitInfo::Missing));
                continue;
            }
            if !matches!(on, Binding::Coordinate(_) | Binding::Speed(_)) {
                let message = format!("control acts on a coordinate or a speed, `{name}` is neither");
                return self.error(Code::UnknownName, target.span, &message);
            }
            list.push((name, Acts::On(on), UnitInfo::Missing));
        }
        Ok(list)
    }

    /// A force along a direction at a point; the input is its size where the direction is a unit vector.
    fn actuated_at(&mut self, force: &ast::Expr, point: &ast::Expr) -> Fallible<(String, Acts, UnitInfo)> {
        let (f, p) = (self.value(force)?, self.value(point)?);
        if f.scalars().len() != p.scalars().len() || f.scalars().len() < 2 {
            return self.mismatch(&f, &p, point.span);
        }
        let direction = Allowed::only("the direction of a control force", State::Position);
        self.allow_in(force, &f.scalars(), direction)?;
        self.allow_in(point, &p.scalars(), Allowed::only("the point of a force", State::Position))?;
        let text = dalembert_syntax::expression_text;
        let name = format!("{} at {}", text(force), text(point));
        Ok((name, Acts::At(f.scalars(), p.scalars()), UnitInfo::Missing))
    }

    /// `in -5..5`
    fn bounds(&mut self, range: &ast::Range, unit: &UnitInfo) -> Fallible<[Expr; 2]> {
        let allowed = Allowed::only("a bound of control", State::Velocity).with_auxiliaries();
        let (least, most) = (self.part(&range.first, allowed)?, self.part(&range.last, allowed)?);
        self.same_unit(unit, &least.kind, range.first.span)?;
        self.same_unit(&least.kind, &most.kind, range.last.span)?;
        let width = self.pool.sub(most.expr, least.expr);
        if let Some(width) = self.pool.as_number(width)
            && *width < Rational::ZERO
        {
            let message = "the bounds of a control force are the wrong way round";
            let d = Diagnostic::error(Code::BadCoefficient, range.span, message);
            return self.fail(d.help("the least force comes first, `in -5..5`"));
        }
        Ok([least.expr, most.expr])
    }

    /// Generalised forces of a force at a point: F . dP/dq through the frame.
    fn force_at_point(
        &mut self,
        force: &[Expr],
        point: &[Expr],
        n: usize,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Vec<Expr> {
        let force = self.pool.substitute(force, images);
        let point = self.pool.substitute(point, images);
        let places = crate::kernel_form::Places::new(self.frame.coordinates.iter().map(|c| &c.symbol));
        let mut parts: Vec<Vec<Expr>> = vec![Vec::new(); n];
        for (F, P) in force.into_iter().zip(point) {
            for (i, slope) in places.gradient(&mut self.pool, P) {
                let pull = self.pool.mul(F, slope);
                for (p, X_ip) in &frame[i] {
                    parts[*p].push(self.pool.mul(pull, *X_ip));
                }
            }
        }
        parts.into_iter().map(|part| self.pool.total(part)).collect()
    }

    /// Requirements, inputs and their cost with rates replaced.
    pub(super) fn close_control(
        &mut self,
        k: &Kinematics,
        frame: &[Vec<(usize, Expr)>],
        images: &[(Symbol, Expr)],
    ) -> Fallible<Control> {
        let residuals: Vec<Expr> = self.control.rows.iter().map(|r| r.residual).collect();
        let replaced = self.pool.substitute(&residuals, images);
        self.control.rows.iter_mut().zip(replaced).for_each(|(row, e)| row.residual = e);
        let rows = self.control.rows.iter().filter(|row| row.on_accelerations);
        let rows: Vec<(Expr, Span)> = rows.map(|row| (row.residual, row.span)).collect();
        self.check_accelerations(k, &rows)?;
        let (actuators, weight) = (self.control.actuators.take(), self.control.weight.take());
        if self.control.rows.is_empty()
            && let Some(span) = actuators.as_ref().map(|a| a.1).or(weight.as_ref().map(|w| w.1))
        {
            let message = "nothing is required of the control: this has no effect";
            self.diagnostics.push(
                Diagnostic::warning(Code::AlwaysTrue, span, message)
                    .help("say what it must achieve with `require`"),
            );
        }
        let n = k.speeds.len();
        let own = n - self.frame.definitions.len();
        let bounds = actuators.iter().flat_map(|(list, _)| list).map(|a| a.bounds);
        let bounds: Vec<Option<[Expr; 2]>> =
            bounds.map(|b| b.map(|[a, b]| [a, b].map(|e| self.pool.substitute(&[e], images)[0]))).collect();
        let bounds = if bounds.iter().all(Option::is_none) { Vec::new() } else { bounds };
        let actuators = actuators.map(|(list, _)| {
            let mut columns = Vec::new();
            for actuator in list {
                let column = match actuator.acts {
                    Acts::On(Binding::Coordinate(i)) => dense(n, &frame[i]),
                    Acts::On(Binding::Speed(s)) => dense(n, &[(own + s, Pool::ONE)]),
                    Acts::On(_) => vec![Pool::ZERO; n],
                    Acts::At(force, point) => self.force_at_point(&force, &point, n, frame, images),
                };
                columns.push((actuator.name, column));
            }
            columns
        });
        let count = actuators.as_ref().map_or(n, Vec::len);
        let weight = match weight {
            None => None,
            Some((rows, span)) => Some((self.checked_weight(rows, count, images, span)?, span)),
        };
        Ok(Control { actuators, bounds, weight })
    }

    fn checked_weight(
        &mut self,
        rows: Vec<Vec<Expr>>,
        count: usize,
        images: &[(Symbol, Expr)],
        span: Span,
    ) -> Fallible<Vec<Vec<Expr>>> {
        let rows = match rows.as_slice() {
            [row] if row.len() == 1 && count != 1 => diagonal(&vec![row[0]; count]),
            _ => rows,
        };
        if rows.len() != count || rows.iter().any(|row| row.len() != count) {
            let message = format!("the weight must be {count} by {count}, one row for each control input");
            return self.error(Code::DimensionMismatch, span, &message);
        }
        let rows: Vec<Vec<Expr>> = rows.iter().map(|row| self.pool.substitute(row, images)).collect();
        for i in 0..count {
            for j in 0..i {
                let difference =
                    self.pool.combine([(rows[i][j], Rational::ONE), (rows[j][i], Rational::MINUS_ONE)]);
                if self.pool.is_zero(difference) != Zero::Yes {
                    let message = format!("the weight is not symmetric in entries {} and {}", i + 1, j + 1);
                    return self.error(Code::MassNotSymmetric, span, &message);
                }
            }
        }
        Ok(rows)
    }
}

fn dense(n: usize, entries: &[(usize, Expr)]) -> Vec<Expr> {
    let mut column = vec![Pool::ZERO; n];
    entries.iter().for_each(|(p, e)| column[*p] = *e);
    column
}
