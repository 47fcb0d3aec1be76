//! Declarations: constants, parameters, coordinates, speeds, kinematics and names for expressions.

use super::roles::{Allowed, Role, State};
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible, Reported};
use crate::system::{Coordinate, CoordinateSort, DrawnPoint, Parameter, Speed};
use dalembert_expr::{Expr, Rational};
use dalembert_syntax::ast::{self, Declared, Definition, StatementKind as S, Target};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::parse;
use dalembert_syntax::source::{Source, Span};
use dalembert_syntax::units::{self, UnitInfo};

impl Elaborator<'_> {
    pub(super) fn constant(&mut self, d: &Definition) -> Fallible<()> {
        let name = self.member(&d.target)?;
        let given = self.override_of(&name).inspect_err(|_| self.poison(&d.target))?;
        let value = match given {
            Some((e, _)) => Ok(e),
            None => self.scalar(&d.value).map(|(e, _)| e),
        };
        let value = value.inspect_err(|_| self.poison(&d.target))?;
        match self.pool.as_number(value).cloned() {
            Some(r) if r.to_i64().is_some() => {
                self.declare(&name, Binding::Number(r), d.target.span)?;
                self.constants.push(name);
                Ok(())
            }
            _ => {
                self.poison(&d.target);
                let diagnostic = Diagnostic::error(
                    Code::IndexNotWhole,
                    d.value.span,
                    format!("`const {name}` must be a whole number"),
                );
                self.fail(diagnostic.help("a constant that is not whole is a `parameter`"))
            }
        }
    }

    pub(super) fn parameter(&mut self, d: &Definition) -> Fallible<()> {
        self.parameter_or_input(d, false)
    }

    /// A signal from outside: a parameter that may stand where its rate is not asked for.
    pub(super) fn input(&mut self, d: &Definition) -> Fallible<()> {
        self.parameter_or_input(d, true)
    }

    fn parameter_or_input(&mut self, d: &Definition, is_input: bool) -> Fallible<()> {
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        let stated = self.value_of_each(&d.target, names.len(), &d.value);
        for (k, name) in names.into_iter().enumerate() {
            let given = self.override_of(&name).inspect_err(|_| self.poison(&d.target))?;
            let quantity = given.as_ref().is_some_and(|(_, kind)| *kind != UnitInfo::Number);
            let value = match given {
                Some(given) => Ok(given),
                None => stated.as_ref().map(|values| values[k % values.len()].clone()).map_err(|_| Reported),
            };
            let (value, kind) = value.inspect_err(|_| self.poison(&d.target))?;
            let checked = match quantity {
                true => self.quantity_from_outside(value, kind, d),
                false => self.parameter_unit(value, kind, d),
            };
            let (value, kind, unit_size) = checked.inspect_err(|_| self.poison(&d.target))?;
            self.allow(
                &[value],
                Allowed::only(if is_input { "an input's default" } else { "a parameter" }, State::Nothing),
                d.value.span,
            )
            .inspect_err(|_| self.poison(&d.target))?;
            self.declare(&name, Binding::Parameter(self.parameters.len()), d.target.span)?;
            let symbol = self.symbol_with_role(&name, if is_input { Role::Input } else { Role::Parameter });
            let span = d.target.span;
            let unit = d.unit.as_ref().map(dalembert_syntax::unit_text);
            let read = d.unit.as_ref().filter(|_| unit_size != 1.0).and_then(|unit| units::read(unit).ok());
            let unit_scale = read.map_or((Rational::ONE, 0), |unit| (unit.factor, unit.pi_power));
            self.parameters.push(Parameter {
                name,
                symbol,
                value,
                kind,
                unit_size,
                unit_scale,
                unit,
                is_input,
                span,
            });
        }
        Ok(())
    }

    /// One value for all members of a family, or one for each where a list is given: rows of a matrix for a family of two
    /// subscripts.
    pub(super) fn value_of_each(
        &mut self,
        target: &Target,
        members: usize,
        e: &ast::Expr,
    ) -> Fallible<Vec<(Expr, UnitInfo)>> {
        let mut extents = Vec::new();
        for subscript in &target.subscripts {
            if let ast::Subscript::Over(range) = subscript {
                let (first, last) = self.range(range)?;
                extents.push(last.saturating_sub(first).saturating_add(1).max(0) as usize);
            }
        }
        let is_family = !extents.is_empty();
        match self.value(e)? {
            value if extents.len() > 1 && value.has_shape(&extents) => {
                Ok(value.scalars().into_iter().zip(value.units()).collect())
            }
            Value::Vector(parts) if is_family && parts.len() == members => {
                parts.into_iter().map(|part| self.as_scalar(part, e.span)).collect()
            }
            Value::Vector(parts) if is_family => {
                let message = format!("{} values for {members} members of a family", parts.len());
                self.error(Code::DimensionMismatch, e.span, &message)
            }
            value => Ok(vec![self.as_scalar(value, e.span)?]),
        }
    }

    /// A value with a unit of its own, given from outside: it is in SI already, and its unit must be that of the parameter.
    fn quantity_from_outside(
        &mut self,
        value: Expr,
        kind: UnitInfo,
        d: &Definition,
    ) -> Fallible<(Expr, UnitInfo, f64)> {
        let Some(unit) = &d.unit else { return Ok((value, kind, 1.0)) };
        match units::read(unit) {
            Ok(read) => {
                let (size, declared) = (read.size(), UnitInfo::Known(read.dimension));
                self.same_unit(&kind, &declared, unit.span)?;
                Ok((value, declared, size))
            }
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    /// The value in SI, its unit and the size of that unit in SI: a bare number is in the unit given, an expression of quantities has its own.
    pub(super) fn parameter_unit(
        &mut self,
        value: Expr,
        kind: UnitInfo,
        d: &Definition,
    ) -> Fallible<(Expr, UnitInfo, f64)> {
        let Some(unit) = &d.unit else {
            // A bare number without a unit has none given; it is not "a plain number".
            let kind = if kind == UnitInfo::Number { UnitInfo::Missing } else { kind };
            return Ok((value, kind, 1.0));
        };
        let read = match units::read(unit) {
            Ok(read) => read,
            Err(diagnostic) => return self.fail(*diagnostic),
        };
        let in_si = read.size();
        let declared = UnitInfo::Known(read.dimension.clone());
        if kind == UnitInfo::Number {
            let size = self.unit_size(&read);
            return Ok((self.pool.mul(value, size), declared, in_si));
        }
        self.same_unit(&kind, &declared, unit.span)?;
        if !read.factor.is_one() || read.pi_power != 0 {
            let diagnostic = Diagnostic::error(
                Code::UnitNotCoherent,
                unit.span,
                "this value comes from other quantities and is in coherent SI units already",
            );
            return self.fail(diagnostic.help("give the coherent unit (m, kg, s, rad, N, J), or none"));
        }
        Ok((value, declared, 1.0))
    }

    /// The unit of a coordinate or speed: coherent only, so that columns need no conversion.
    pub(super) fn state_unit(&mut self, unit: Option<&ast::Unit>) -> Fallible<UnitInfo> {
        let Some(unit) = unit else { return Ok(UnitInfo::Missing) };
        match units::read(unit) {
            Ok(read) if read.factor.is_one() && read.pi_power == 0 => Ok(UnitInfo::Known(read.dimension)),
            Ok(_) => {
                let d = Diagnostic::error(
                    Code::UnitNotCoherent,
                    unit.span,
                    "coordinates and speeds are in coherent SI units",
                );
                self.fail(d.help("use m, kg, s, rad; parameters may be given in any unit and are converted"))
            }
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    pub(super) fn coordinate(&mut self, d: &Declared) -> Fallible<()> {
        let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        self.limit(self.frame.coordinates.len() + names.len(), "coordinates", d.target.span)
            .inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            self.new_coordinate(&name, kind.clone(), d.target.span)?;
        }
        Ok(())
    }

    /// Declares a coordinate with its rate, acceleration and virtual displacement.
    pub(super) fn new_coordinate(&mut self, name: &str, kind: UnitInfo, span: Span) -> Fallible<usize> {
        let i = self.frame.coordinates.len();
        self.declare(name, Binding::Coordinate(i), span)?;
        let symbol = self.symbol_with_role(name, Role::Coordinate);
        let rate = self.symbol_with_role(&format!("{name}'"), Role::Rate);
        let acceleration = self.symbol_with_role(&format!("{name}''"), Role::Acceleration);
        let displacement = self.symbol_with_role(&format!("delta({name})"), Role::Displacement);
        let [v, a, delta] = [rate, acceleration, displacement].map(|s| self.pool.var(s));
        self.dot.define(symbol, v);
        self.dot.define(rate, a);
        self.virtual_change.define(symbol, delta);
        let name = name.to_owned();
        self.frame.coordinates.push(Coordinate {
            sort: CoordinateSort::Position,
            name,
            symbol,
            rate,
            acceleration,
            displacement,
            kind,
            span,
        });
        self.frame.kinematics.push(None);
        Ok(i)
    }

    pub(super) fn speed(&mut self, d: &ast::Speed) -> Fallible<()> {
        let kind = self.state_unit(d.unit.as_ref()).inspect_err(|_| self.poison(&d.target))?;
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        self.limit(self.frame.speeds.len() + names.len(), "speeds", d.target.span)
            .inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            let definition = match &d.definition {
                Some(e) => {
                    let part = self.part(e, Allowed::only("the definition of a speed", State::Velocity));
                    let part = part.inspect_err(|_| self.poison(&d.target))?;
                    self.same_unit(&kind, &part.kind, e.span)?;
                    Some((part.expr, e.span))
                }
                None => None,
            };
            self.new_speed(&name, definition, kind.clone(), d.target.span)?;
        }
        Ok(())
    }

    /// Declares a speed with its derivative and virtual displacement.
    pub(super) fn new_speed(
        &mut self,
        name: &str,
        definition: Option<(Expr, Span)>,
        kind: UnitInfo,
        span: Span,
    ) -> Fallible<usize> {
        let s = self.frame.speeds.len();
        self.declare(name, Binding::Speed(s), span)?;
        let symbol = self.symbol_with_role(name, Role::Rate);
        let acceleration = self.symbol_with_role(&format!("{name}'"), Role::Acceleration);
        let displacement = self.symbol_with_role(&format!("delta({name})"), Role::Displacement);
        let a = self.pool.var(acceleration);
        self.dot.define(symbol, a);
        let name = name.to_owned();
        self.frame.speeds.push(Speed { name, symbol, acceleration, displacement, rate_of: None, kind, span });
        self.frame.definitions.push(definition);
        Ok(s)
    }

    pub(super) fn kinematics_of(&mut self, target: &Target, rate: &ast::Expr, span: Span) -> Fallible<()> {
        let name = self.member(target)?;
        let Binding::Coordinate(i) = self.lookup(&name, target.span)? else {
            let message = format!("`{name}` is not a coordinate");
            return self.error(Code::UnknownName, target.span, &message);
        };
        let part = self.part(rate, Allowed::only("kinematics", State::Velocity))?;
        if let Some((_, first)) = self.frame.kinematics[i] {
            let d = Diagnostic::error(
                Code::KinematicsTwice,
                span,
                format!("the kinematics of `{name}` are given twice"),
            );
            return self.fail(d.label(first, "first here"));
        }
        let kind = self.frame.coordinates[i].kind.per_time();
        self.same_unit(&kind, &part.kind, rate.span)?;
        self.frame.kinematics[i] = Some((part.expr, rate.span));
        Ok(())
    }

    pub(super) fn let_name(&mut self, d: &Definition) -> Fallible<()> {
        if !d.arguments.is_empty() {
            return self.define_function(d).inspect_err(|_| self.poison(&d.target));
        }
        let names = self.members(&d.target).inspect_err(|_| self.poison(&d.target))?;
        for name in names {
            let value = self.value(&d.value).inspect_err(|_| self.poison(&d.target))?;
            self.remember_vector(&name, &value);
            self.place_name(&name, &d.value, &value);
            self.declare(&name, Binding::Value(value), d.target.span)?;
        }
        Ok(())
    }

    /// Named vectors of two or three numbers may be points worth drawing.
    fn remember_vector(&mut self, name: &str, value: &Value) {
        let Value::Vector(parts) = value else { return };
        let scalar = |part: &Value| match part {
            Value::Scalar(e, kind) => Some((*e, kind.clone())),
            _ => None,
        };
        let Some(parts) = parts.iter().map(scalar).collect::<Option<Vec<_>>>() else { return };
        let kind = parts.iter().try_fold(UnitInfo::Number, |kind, (_, part)| kind.plus(part).ok());
        if let (2 | 3, Some(kind)) = (parts.len(), kind) {
            let at = parts.into_iter().map(|(e, _)| e).collect();
            self.drawing.vectors.push(DrawnPoint { name: name.to_owned(), at, kind });
        }
    }

    /// The value given from outside for a parameter or constant, if any.
    pub(super) fn override_of(&mut self, name: &str) -> Fallible<Option<(Expr, UnitInfo)>> {
        let family = name.split('[').next().unwrap_or(name);
        // One for the member wins over one for the family.
        let given = &self.overrides.set;
        let position = given.iter().rposition(|(n, _)| n == name);
        let Some(k) = position.or_else(|| given.iter().rposition(|(n, _)| n == family)) else {
            return Ok(None);
        };
        let wanted = &given[k].0;
        let same = given.iter().zip(&mut self.used_overrides).filter(|((n, _), _)| n == wanted);
        same.for_each(|(_, used)| *used = true);
        let text = given[k].1.clone();
        let source = Source::new("--set", format!("let value = {text}"));
        let (ast, diagnostics) = parse(&source);
        let kinds: Vec<&S> = ast.body.statements.iter().map(|s| &s.kind).collect();
        let definition = match kinds.as_slice() {
            [S::Let(list)] if diagnostics.is_empty() && list.len() == 1 => &list[0],
            _ => {
                let message = format!("`{text}` is not a value for `{name}`");
                let help = match super::initial::mended(&source, &diagnostics) {
                    Some(line) => format!("did you mean `{}`?", line.trim_start_matches("let value = ")),
                    None => "write a number, as in `--set m=1.5`".to_owned(),
                };
                return self.fail(Diagnostic::error(Code::BadOption, None, message).help(help));
            }
        };
        self.foreign = Some(format!("--set {}={text}", given[k].0));
        let value = self.scalar(&definition.value);
        self.foreign = None;
        let (value, kind) = value?;
        // In the unit of the file, unless it has a unit of its own.
        let quantity = matches!(&definition.value.kind, ast::ExprKind::Quantity(..));
        Ok(Some((value, if quantity { kind } else { UnitInfo::Number })))
    }
}
