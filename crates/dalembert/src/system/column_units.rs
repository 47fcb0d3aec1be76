//! Units of what results are called by: columns of tables, states, outputs, parameters.
//!
//! Results are in coherent SI units. Where a model gives no units nothing is said about them, but for time, which is in
//! seconds, and for joints, whose freedoms are angles or lengths by their kind.

use crate::bodies::JointKind;
use crate::system::{Parameter, System};
use dalembert_expr::Rational;
use dalembert_syntax::units::{Dimension, UnitInfo};
use std::collections::BTreeSet;

impl System {
    /// The unit of a column of a result by its name, as in `rad/s`; `None` where it is not known or there is none.
    ///
    /// ```
    /// use dalembert::{Model, Source};
    /// let text = "parameter m = 1 {kg}, l = 30 {cm}\ncoordinate theta {rad}\nkinetic m/2*l^2*theta'^2\n\
    ///     output tip = l*theta, E = energy";
    /// let model = Model::load(&Source::new("rod.dal", text), &Default::default()).unwrap();
    /// let unit = |name: &str| model.system.unit_of_column(name).unwrap_or_default();
    /// assert_eq!([unit("t"), unit("theta'"), unit("tip"), unit("E")], ["s", "rad/s", "m", "J"]);
    /// ```
    #[must_use]
    pub fn unit_of_column(&self, name: &str) -> Option<String> {
        self.kind_of(name).shown()
    }

    /// The units of columns, in order.
    #[must_use]
    pub fn units_of(&self, columns: &[String]) -> Vec<Option<String>> {
        columns.iter().map(|name| self.unit_of_column(name)).collect()
    }

    /// The unit of energies, where the model gives one.
    #[must_use]
    pub fn unit_of_energy(&self) -> Option<String> {
        self.energies.unit.shown()
    }

    fn kind_of(&self, name: &str) -> UnitInfo {
        if name == "t" {
            return UnitInfo::Known(Dimension::time());
        }
        self.kind_of_state(name)
            .or_else(|| self.experiment.outputs.iter().find(|o| o.name == name).map(|o| o.kind.clone()))
            .or_else(|| self.parameters.iter().find(|p| p.name == name).map(|p| p.kind.clone()))
            .or_else(|| self.kind_of_derivative(name))
            .or_else(|| self.kind_of_momentum(name))
            .unwrap_or(UnitInfo::Missing)
    }

    fn kind_of_state(&self, name: &str) -> Option<UnitInfo> {
        let given = |kind: &UnitInfo| matches!(kind, UnitInfo::Known(_));
        if let Some(i) = self.frame.coordinates.iter().position(|c| c.name == name) {
            let kind = &self.frame.coordinates[i].kind;
            return Some(if given(kind) { kind.clone() } else { self.kind_in_joint(i) });
        }
        let p = self.frame.speeds.iter().position(|s| s.name == name)?;
        match (&self.frame.speeds[p].kind, self.frame.speeds[p].rate_of) {
            (kind, _) if given(kind) => Some(kind.clone()),
            (_, Some(i)) => self.kind_of_state(&self.frame.coordinates[i].name).map(|kind| kind.per_time()),
            (_, None) => Some(self.kind_of_joint_speed(name)),
        }
    }

    /// A freedom of a joint is an angle or a length; components of quaternions are numbers.
    fn kind_in_joint(&self, coordinate: usize) -> UnitInfo {
        let Some(bodies) = &self.bodies else { return UnitInfo::Missing };
        let Some(joint) = bodies.joints.iter().find(|j| j.coordinates.contains(&coordinate)) else {
            return UnitInfo::Missing;
        };
        if joint.angles().contains(&coordinate) || joint.kind == JointKind::Screw {
            return UnitInfo::Known(Dimension::angle());
        }
        let part = self.frame.coordinates[coordinate].name.rsplit('.').next().unwrap_or_default();
        match part {
            "e0" | "e1" | "e2" | "e3" => UnitInfo::Number,
            _ => UnitInfo::Known(Dimension::length()),
        }
    }

    fn kind_of_joint_speed(&self, name: &str) -> UnitInfo {
        let base = match (&self.bodies, name.rsplit('.').next()) {
            (Some(_), Some("wx" | "wy" | "wz")) => Dimension::angle(),
            (Some(_), Some("vx" | "vy" | "vz")) => Dimension::length(),
            _ => return UnitInfo::Missing,
        };
        UnitInfo::Known(base.per_time())
    }

    /// `d(x)/d(m)`, `d(x)/d(theta(0))`: a derivative with respect to a parameter or a starting value.
    fn kind_of_derivative(&self, name: &str) -> Option<UnitInfo> {
        let (above, below) = name.strip_prefix("d(")?.strip_suffix(')')?.split_once(")/d(")?;
        let below = below.strip_suffix("(0)").unwrap_or(below);
        Some(self.kind_of(above).times(&self.kind_of(below), &Rational::MINUS_ONE))
    }

    /// `p_x`: the momentum of a coordinate, whose product with its rate is an energy.
    fn kind_of_momentum(&self, name: &str) -> Option<UnitInfo> {
        let of = name.strip_prefix("p_")?;
        let rate = self.kind_of_state(of).map(|kind| kind.per_time())?;
        Some(self.energies.unit.times(&rate, &Rational::MINUS_ONE))
    }
}

/// Units of forces: their product with what they act on is an energy, or a power where that is a velocity.
impl System {
    /// The unit of the multiplier of a constraint row.
    #[must_use]
    pub fn unit_of_multiplier(&self, row: usize) -> Option<String> {
        let row = self.constraints.rows.get(row)?;
        let work = if row.holonomic { self.energies.unit.clone() } else { self.energies.unit.per_time() };
        work.times(&row.kind, &Rational::MINUS_ONE).shown()
    }

    /// The unit of a generalised force on a speed: `N`, or `N*m` where the speed is that of an angle.
    #[must_use]
    pub fn unit_of_force(&self, speed: usize) -> Option<String> {
        let kind = self.kind_of_state(&self.frame.speeds.get(speed)?.name)?;
        self.energies.unit.per_time().times(&kind, &Rational::MINUS_ONE).shown()
    }

    /// Whether generalised forces are known to have different units, as newtons and newton metres: a norm over them means
    /// nothing.
    #[must_use]
    pub fn mixes_force_units(&self) -> bool {
        let kinds =
            self.frame.speeds.iter().map(|s| self.kind_of_state(&s.name).and_then(|kind| kind.shown()));
        let units: BTreeSet<String> = kinds.flatten().collect();
        units.len() > 1
    }

    /// The unit of the norm of a generalised force, where it is the same on every speed.
    #[must_use]
    pub fn unit_of_reaction(&self) -> Option<String> {
        let first = self.unit_of_force(0)?;
        (1..self.frame.speeds.len()).all(|p| self.unit_of_force(p).as_ref() == Some(&first)).then_some(first)
    }
}

impl Parameter {
    /// A value of it in the unit of the file, from SI. The result goes back to the same number in SI; where no double
    /// does, as for an expression in degrees, the last bit may differ.
    #[must_use]
    pub fn in_file_unit(&self, value: f64) -> f64 {
        let guess = value / self.unit_size;
        // 45 degrees come back as 45: the shortest number that means the same, or a neighbour of the quotient.
        let short = |digits: usize| format!("{guess:.*e}", digits - 1).parse::<f64>().ok();
        let near = [guess, guess.next_up(), guess.next_down()];
        (1..=17).filter_map(short).chain(near).find(|number| self.in_si(*number) == value).unwrap_or(guess)
    }

    /// A number of the file in SI, with the one rounding that reading it has.
    fn in_si(&self, number: f64) -> f64 {
        let (factor, pi_power) = &self.unit_scale;
        let exact = Rational::from_decimal(&format!("{:?}", number.abs())).map(|n| (&n * factor).to_f64());
        let size = exact.unwrap_or(number.abs() * factor.to_f64());
        let pi = std::f64::consts::PI;
        (if *pi_power == 0 { size } else { size * pi.powi(*pi_power as i32) }).copysign(number)
    }

    /// The unit of the file where one is written, else what is known from its value.
    #[must_use]
    pub fn file_unit(&self) -> Option<String> {
        self.unit.clone().or_else(|| self.kind.shown()).filter(|unit| unit != "1")
    }
}
