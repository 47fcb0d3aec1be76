//! Random models of two to five coordinates that mix the statements of the language.

use super::description::{Contact, Description, Law, Parameter, Reads, Requirement, Row};
use super::expression::{Expression as E, cos, number, sin, sqrt, square};
use crate::support::{Rng, ShortNumbers};

const MASS: usize = 0;
const ENERGY: usize = 1;
const FORCE: usize = 2;
const ANGLE: usize = 3;
const FREQUENCY: usize = 4;

pub fn random_model(seed: u64) -> Description {
    let mut rng = Rng::new(seed);
    let n = 2 + rng.below(4);
    let mut model = Description {
        coordinates: (0..n).collect(),
        q: (0..n).map(|_| rng.number(0.3, 1.2)).collect(),
        v: (0..n).map(|_| away_from_zero(&mut rng)).collect(),
        multipliers: true,
        energy: true,
        ..Description::default()
    };
    let mut make = Maker { model: &mut model, rng: &mut rng, n };
    make.energies();
    make.forces();
    make.constraints();
    if !make.model.rows.is_empty() {
        make.constraint_forces();
    }
    if make.model.rows.len() + 1 < n && make.rng.below(3) == 0 {
        make.requirement();
    }
    let i = make.rng.below(n);
    let level = make.model.q[i] + 0.1 * make.model.v[i];
    make.model.events.push(E::Coordinate(i) - number((level * 1000.0).round() / 1000.0));
    model
}

fn away_from_zero(rng: &mut Rng) -> f64 {
    let size = rng.number(0.4, 1.3);
    if rng.below(2) == 0 { size } else { -size }
}

struct Maker<'a> {
    model: &'a mut Description,
    rng: &'a mut Rng,
    n: usize,
}

impl Maker<'_> {
    fn parameter(&mut self, dimension: usize, low: f64, high: f64) -> E {
        let value = self.rng.number(low, high);
        self.model.parameters.push(Parameter { value, dimension, unit: 0 });
        E::Parameter(self.model.parameters.len() - 1)
    }

    fn coordinate(&mut self) -> E {
        E::Coordinate(self.rng.below(self.n))
    }

    fn rate(&mut self) -> E {
        E::Rate(self.rng.below(self.n))
    }

    fn number(&mut self, low: f64, high: f64) -> E {
        number(self.rng.number(low, high))
    }

    /// A smooth function of the configuration, sometimes of the time, between -1 and 1.
    fn wave(&mut self) -> E {
        let q = self.coordinate();
        match self.rng.below(4) {
            0 => sin(q + self.parameter(ANGLE, -2.0, 2.0)),
            1 => cos(self.number(0.5, 2.0) * q - self.coordinate()),
            2 => sin(self.parameter(FREQUENCY, 0.5, 3.0) * E::Time + q),
            _ => cos(q),
        }
    }

    /// Positive definite: a square for each rate, and squares of combinations.
    fn energies(&mut self) {
        for i in 0..self.n {
            let m = self.parameter(MASS, 0.5, 2.0);
            let change = self.number(-0.6, 0.6) * self.wave();
            self.model.kinetic.push(0.5 * m * (number(1.0) + change) * square(E::Rate(i)));
            let k = self.parameter(ENERGY, -2.0, 2.0);
            let potential = k * self.wave() + self.number(0.1, 1.0) * square(E::Coordinate(i));
            self.model.potential.push(potential);
        }
        let m = self.parameter(MASS, 0.1, 0.8);
        let form = self.rate() * self.wave() + self.rate() * self.wave() + self.number(-0.5, 0.5);
        self.model.kinetic.push(0.5 * m * square(form));
        if self.rng.below(2) == 0 {
            let gyroscopic = self.number(-0.5, 0.5) * self.wave() * self.rate();
            self.model.lagrangian.push(gyroscopic);
        }
    }

    fn forces(&mut self) {
        if self.rng.below(3) > 0 {
            let f = self.parameter(FORCE, -2.0, 2.0);
            let e = f * self.wave() - self.number(0.0, 0.5) * self.rate() * self.wave();
            let i = self.rng.below(self.n);
            self.model.forces.push((i, e));
        }
        if self.rng.below(2) == 0 {
            let relative = self.rate() - self.number(-1.0, 1.0) * self.rate();
            let c = self.number(0.1, 0.5) * (number(1.0) + square(self.coordinate()));
            self.model.dissipation.push(c * square(relative));
        }
        if self.rng.below(2) == 0 {
            let l = self.number(0.3, 1.0);
            let (angle, base) = (self.coordinate(), self.coordinate());
            let point = [base.clone() + l.clone() * sin(angle.clone()), l * cos(angle) - 0.3 * base];
            let force =
                [self.parameter(FORCE, -2.0, 2.0) * self.wave(), self.number(-1.0, 1.0) * self.rate()];
            self.model.forces_at.push((force, point));
        }
    }

    fn constraints(&mut self) {
        let most = self.n.min(4);
        for k in 0..self.rng.below(most) {
            let i = self.rng.below(self.n);
            let j = (i + 1 + self.rng.below(self.n - 1)) % self.n;
            let (qi, qj, vi, vj) = (E::Coordinate(i), E::Coordinate(j), E::Rate(i), E::Rate(j));
            let holonomic = self.rng.below(5) < 3;
            let left = match (holonomic, self.rng.below(3)) {
                (true, 0) => sqrt(square(qi - number(-0.4)) + square(qj + self.number(0.1, 0.5))),
                (true, 1) => qi + self.number(-1.0, 1.0) * sin(qj),
                (true, _) => qi * (number(1.5) + self.number(-0.8, 0.8) * cos(qj)) + self.coordinate(),
                (false, 0) => vi - self.wave() * vj,
                (false, 1) => vi * cos(qj.clone()) + vj * sin(qj) + self.number(-0.5, 0.5) * self.wave(),
                (false, _) => square(vi) + self.number(0.5, 1.5) * square(vj),
            };
            let moving = if self.rng.below(3) == 0 {
                self.number(-0.3, 0.3) * sin(self.parameter(FREQUENCY, 0.5, 3.0) * E::Time)
            } else {
                self.number(-0.2, 0.2) * E::Coordinate(j)
            };
            let right = self.level(&left, moving);
            self.model.rows.push(Row { name: format!("c{k}"), left, right, holonomic, scale: number(1.0) });
        }
    }

    /// A right side near the value of the left one at the guess, so that the start must still be found.
    fn level(&mut self, left: &E, moving: E) -> E {
        let level = self.model.value(left) - self.model.value(&moving);
        moving + number((level * 100.0).round() / 100.0)
    }

    fn constraint_forces(&mut self) {
        let row = self.rng.below(self.model.rows.len());
        let rubs = self.rng.below(5) < 2;
        if rubs {
            let velocity = self.rate() + self.number(-0.5, 0.5) * self.wave() * self.rate();
            let coefficient = self.rng.number(0.05, 0.3);
            self.model.contacts.push(Contact { row, coefficient, velocity });
        }
        for _ in 0..self.rng.below(3) {
            // A law that reads a multiplier beside friction would read what friction has made of it.
            let reads = match self.rng.below(3) {
                1 if !rubs => Reads::Multiplier(row),
                2 if !rubs => Reads::Reaction(row),
                _ => Reads::Nothing,
            };
            let coefficient = self.number(-0.4, 0.4) * self.rate() * self.wave();
            self.model.laws.push(Law { coordinate: self.rng.below(self.n), coefficient, reads });
        }
    }

    fn requirement(&mut self) {
        let i = self.rng.below(self.n);
        let holonomic = self.rng.below(2) == 0;
        let left =
            if holonomic { E::Coordinate(i) + 0.3 * self.wave() } else { E::Rate(i) + 0.5 * self.wave() };
        let right = self.number(0.1, 0.5) * sin(self.parameter(FREQUENCY, 0.5, 3.0) * E::Time);
        let row = Row { name: "goal".into(), left, right, holonomic, scale: number(1.0) };
        self.model.requirements.push(Requirement {
            row,
            k1: self.rng.number(1.0, 3.0),
            k0: self.rng.number(0.5, 2.0),
        });
        if self.rng.below(2) == 0 {
            self.model.actuated.push(i);
            if self.rng.below(2) == 0 {
                self.model.actuated.push((i + 1) % self.n);
            }
        }
    }
}
