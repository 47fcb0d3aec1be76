//! `draw` statements: points, lines, circles and traces over coordinates and time.

use super::roles::{Allowed, DRAWN, State};
use super::value::Value;
use super::{Elaborator, Fallible};
use crate::system::{DrawnPoint, Figure};
use dalembert_expr::Expr;
use dalembert_syntax::ast::{self, ExprKind, Shape};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::units::UnitInfo;

/// What all parts of a picture may be written over.
const ALLOWED: Allowed = Allowed::only(DRAWN, State::Position).with_auxiliaries();

impl Elaborator<'_> {
    pub(super) fn draw(&mut self, shape: &Shape) -> Fallible<()> {
        let figure = match shape {
            Shape::Point(at) => Figure::Point(self.place(at)?),
            Shape::Trace(of) => Figure::Trace(self.place(of)?),
            Shape::Line(points) => {
                let points: Vec<Fallible<DrawnPoint>> = points.iter().map(|p| self.place(p)).collect();
                Figure::Line(points.into_iter().collect::<Fallible<_>>()?)
            }
            Shape::Circle { centre, radius, normal } => self.circle(centre, radius, normal.as_ref())?,
        };
        self.drawing.figures.push(figure);
        Ok(())
    }

    fn circle(
        &mut self,
        centre: &ast::Expr,
        radius: &ast::Expr,
        normal: Option<&ast::Expr>,
    ) -> Fallible<Figure> {
        let (centre, part) = (self.place(centre), self.part(radius, ALLOWED));
        let (centre, part) = (centre?, part?);
        self.same_unit(&centre.kind, &part.kind, radius.span)?;
        let normal = normal.map(|n| self.normal(n)).transpose()?;
        Ok(Figure::Circle { centre, radius: part.expr, normal })
    }

    /// The normal of a circle: a vector of three, in any unit.
    fn normal(&mut self, e: &ast::Expr) -> Fallible<Vec<Expr>> {
        let value = self.value(e)?;
        let parts = self.components(&value, e)?;
        if parts.len() != 3 {
            let message = format!("the normal of a circle has three components, not {}", parts.len());
            let d = Diagnostic::error(Code::DimensionMismatch, e.span, message);
            return self.fail(d.help("leave it out for a circle in the plane of the first two components"));
        }
        self.allow_in(e, &value.scalars(), ALLOWED)?;
        Ok(parts.into_iter().map(|(e, _)| e).collect())
    }

    /// A point: two or three components in one unit, the same for everything that is drawn.
    fn place(&mut self, e: &ast::Expr) -> Fallible<DrawnPoint> {
        let value = self.value(e)?;
        let parts = self.components(&value, e)?;
        self.allow_in(e, &value.scalars(), ALLOWED)?;
        let mut kind = UnitInfo::Number;
        for (_, part) in &parts {
            kind = self.same_unit(&kind, part, e.span)?;
        }
        if let UnitInfo::Known(_) = kind {
            self.drawing.unit = self.same_unit(&self.drawing.unit.clone(), &kind, e.span)?;
        }
        let name = match &e.kind {
            ExprKind::Name(_) | ExprKind::Index(..) => self.spelt_name(e)?,
            _ => self.text_of(e),
        };
        Ok(DrawnPoint { name, at: parts.into_iter().map(|(e, _)| e).collect(), kind })
    }

    fn components(&mut self, value: &Value, e: &ast::Expr) -> Fallible<Vec<(Expr, UnitInfo)>> {
        let wrong = |code| {
            let message =
                format!("a point of two or three components is wanted here, not {}", value.describe());
            Diagnostic::error(code, e.span, message).help("write it as `[x, y]` or `[x, y, z]`")
        };
        match value {
            Value::Vector(parts) if matches!(parts.len(), 2 | 3) && !value.is_matrix() => {
                parts.iter().map(|part| self.as_scalar(part.clone(), e.span)).collect()
            }
            Value::Vector(_) => self.fail(wrong(Code::DimensionMismatch)),
            _ => self.fail(wrong(Code::VectorExpected)),
        }
    }
}
