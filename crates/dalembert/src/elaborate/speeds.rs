//! The speeds and the kinematics K1: x' = X0 + X eta.
//!
//! A coordinate has its rate by a `kinematics` line, or from the definitions of speeds (a linear system,
//! inverted here), or its rate is a speed itself.

use super::roles::Role;
use super::{Elaborator, Fallible, MAX_DENSE};
use crate::kernel_form::Places;
use crate::system::Speed;
use dalembert_expr::{Expr, Pool, Symbol};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;

/// What K1 has become.
pub(super) struct Kinematics {
    /// All speeds: rates that stay speeds first, then the declared ones.
    pub speeds: Vec<Speed>,
    /// x' of each coordinate in the speeds.
    pub rates: Vec<Expr>,
    /// Rows Y with `eta = Y x' + ...`, one a speed, where all are known.
    pub inverse: Option<Vec<Vec<Expr>>>,
}

impl Kinematics {
    /// The speed that is the rate of each coordinate, where one is.
    pub(crate) fn speed_of(&self, coordinates: usize) -> Vec<Option<usize>> {
        let mut speed_of = vec![None; coordinates];
        for (p, s) in self.speeds.iter().enumerate() {
            s.rate_of.into_iter().for_each(|i| speed_of[i] = Some(p));
        }
        speed_of
    }
}

impl Elaborator<'_> {
    pub(super) fn resolve_speeds(&mut self) -> Fallible<Kinematics> {
        let n = self.frame.coordinates.len();
        let rate_symbols: Vec<Symbol> = self.frame.coordinates.iter().map(|c| c.rate).collect();
        let defined = self.definitions_by_rates();
        let in_definitions: Vec<Expr> = defined.iter().map(|d| d.1).collect();
        let used = self.pool.symbols(&in_definitions);
        // Symbols come sorted.
        let covered: Vec<usize> = (0..n).filter(|&i| used.binary_search(&rate_symbols[i]).is_ok()).collect();
        if let Some((_, span)) = self.frame.definitions.first().copied().flatten() {
            self.limit_dense(covered.len(), "rates in definitions of speeds", span)?;
        }
        if let Some(&i) = covered.iter().find(|&&i| self.frame.kinematics[i].is_some()) {
            let span = self.frame.kinematics[i].map_or(Span::default(), |k| k.1);
            let message = format!(
                "the rate of `{}` is given by `kinematics` and used in the definition of a speed",
                self.frame.coordinates[i].name
            );
            return self.error(Code::KinematicsTwice, span, &message);
        }
        let own: Vec<usize> = (0..n)
            .filter(|i| self.frame.kinematics[*i].is_none() && covered.binary_search(i).is_err())
            .collect();
        let mut speeds: Vec<Speed> = own.iter().map(|&i| self.rate_as_speed(i)).collect();
        let mut rates: Vec<Expr> = rate_symbols.iter().map(|s| self.pool.var(*s)).collect();
        let all_defined = self.frame.definitions.iter().all(Option::is_some)
            && self.frame.kinematics.iter().all(Option::is_none)
            && n <= MAX_DENSE;
        let rows = if all_defined { &own[..] } else { &[] };
        let mut inverse: Vec<Vec<Expr>> = rows.iter().map(|&i| unit_row(n, i)).collect();

        let solved = self.invert_definitions(&defined, &covered)?;
        for (&i, rate) in covered.iter().zip(solved.rates) {
            rates[i] = rate;
        }
        self.check_kinematics_lines(&rate_symbols)?;
        for i in 0..n {
            if let Some((e, _)) = self.frame.kinematics[i] {
                // A line may use rates that stay speeds, or defined speeds: put them in.
                let images: Vec<(Symbol, Expr)> =
                    covered.iter().map(|&k| (rate_symbols[k], rates[k])).collect();
                rates[i] = self.pool.substitute(&[e], &images)[0];
            }
        }
        speeds.append(&mut self.frame.speeds);
        inverse.extend(solved.rows.into_iter().map(|row| {
            let mut full = vec![Pool::ZERO; n];
            covered.iter().zip(row).for_each(|(&i, e)| full[i] = e);
            full
        }));
        // Without energies M and Q decide by themselves: no brackets of directions are asked for.
        let direct =
            self.forces.mass_given && self.energies.kinetic.is_empty() && self.energies.lagrangian.is_empty();
        if !direct {
            self.check_every_speed_moves_something(&speeds, &rates)?;
        }
        Ok(Kinematics { speeds, rates, inverse: all_defined.then_some(inverse) })
    }

    /// The definitions of speeds with earlier defined speeds replaced by their own definitions, so that every
    /// coefficient of a rate shows. What remains besides rates are speeds without a definition, which `kinematics` serve.
    fn definitions_by_rates(&mut self) -> Vec<(usize, Expr, Span)> {
        let symbols: Vec<Symbol> = self.frame.speeds.iter().map(|s| s.symbol).collect();
        let places = Places::new(&symbols);
        let mut in_rates: Vec<Option<Expr>> = Vec::new();
        let mut defined = Vec::new();
        for (p, definition) in self.frame.definitions.iter().enumerate() {
            in_rates.push(definition.map(|(e, span)| {
                let used = places.present(&mut self.pool, e);
                let images: Vec<(Symbol, Expr)> =
                    used.into_iter().filter_map(|(q, s)| Some((s, (*in_rates.get(q)?)?))).collect();
                let e = if images.is_empty() { e } else { self.pool.substitute(&[e], &images)[0] };
                defined.push((p, e, span));
                e
            }));
        }
        defined
    }

    fn rate_as_speed(&self, i: usize) -> Speed {
        let c = &self.frame.coordinates[i];
        Speed {
            name: format!("{}'", c.name),
            symbol: c.rate,
            acceleration: c.acceleration,
            displacement: c.displacement,
            rate_of: Some(i),
            kind: c.kind.per_time(),
            span: c.span,
        }
    }

    /// From `eta = Y x' + y0` to `x' = Y^-1 (eta - y0)`.
    fn invert_definitions(&mut self, defined: &[(usize, Expr, Span)], covered: &[usize]) -> Fallible<Solved> {
        let symbols: Vec<Symbol> = covered.iter().map(|&i| self.frame.coordinates[i].rate).collect();
        let whole = defined.iter().map(|d| d.2).reduce(Span::to);
        if defined.len() != covered.len() {
            let names: Vec<&str> = covered.iter().map(|&i| self.frame.coordinates[i].name.as_str()).collect();
            let message = format!(
                "{} definition{} of speeds for the rates of {} coordinates ({})",
                defined.len(),
                if defined.len() == 1 { "" } else { "s" },
                covered.len(),
                names.join(", ")
            );
            let d = Diagnostic::error(Code::SpeedsNotInvertible, whole, message);
            return self.fail(d.help("define as many speeds as rates occur in the definitions; a rate in no definition stays a speed by itself"));
        }
        // Speeds without a definition are variables of K1 too: linear in them and in the rates at once.
        let undefined = self.frame.speeds.iter().zip(&self.frame.definitions).filter(|(_, d)| d.is_none());
        let velocities: Vec<Symbol> =
            symbols.iter().copied().chain(undefined.map(|(s, _)| s.symbol)).collect();
        let zeros: Vec<(Symbol, Expr)> = symbols.iter().map(|s| (*s, Pool::ZERO)).collect();
        let (mut rows, mut constants) = (Vec::new(), Vec::new());
        for (_, e, span) in defined {
            match self.pool.linear(*e, &velocities) {
                Some(mut linear) => {
                    linear.coefficients.truncate(symbols.len());
                    rows.push(linear.coefficients);
                    constants.push(self.pool.substitute(&[*e], &zeros)[0]);
                }
                None => {
                    let message = "the definition of a speed must be linear in the rates";
                    let d = Diagnostic::error(Code::NotLinear, *span, message);
                    return self.fail(d.help(
                        "coefficients may depend on coordinates and time: `speed u = cos(a)*x' + 2*y'`; speeds in a definition stand for their own definitions",
                    ));
                }
            }
        }
        let Some(inverse) = self.pool.regular_inverse(&rows, &[]) else {
            let d = Diagnostic::error(
                Code::SpeedsNotInvertible,
                whole,
                "these speeds do not determine the rates: their definitions depend on each other",
            );
            return self.fail(d.help("replace one of them by an independent combination of rates"));
        };
        let mut rates = Vec::new();
        for row in &inverse {
            let mut parts = Vec::new();
            for (k, (p, ..)) in defined.iter().enumerate() {
                let speed = self.pool.var(self.frame.speeds[*p].symbol);
                let difference = self.pool.sub(speed, constants[k]);
                parts.push(self.pool.mul(row[k], difference));
            }
            rates.push(self.pool.total(parts));
        }
        Ok(Solved { rates, rows })
    }

    /// Kinematics lines must be linear in the speeds, and given wherever free speeds are declared.
    fn check_kinematics_lines(&mut self, rates: &[Symbol]) -> Fallible<()> {
        let speeds: Vec<Symbol> =
            self.frame.speeds.iter().map(|s| s.symbol).chain(rates.iter().copied()).collect();
        let places = Places::new(&speeds);
        for i in 0..self.frame.kinematics.len() {
            let Some((e, span)) = self.frame.kinematics[i] else { continue };
            if self.pool.depends_on(e, &[self.frame.coordinates[i].rate]) {
                let message =
                    format!("the kinematics of `{}` contain its own rate", self.frame.coordinates[i].name);
                return self.error(Code::NotLinear, span, &message);
            }
            let present: Vec<Symbol> =
                places.present(&mut self.pool, e).into_iter().map(|(_, s)| s).collect();
            if self.pool.linear(e, &present).is_none() {
                return self.error(Code::NotLinear, span, "kinematics must be linear in the speeds");
            }
        }
        Ok(())
    }

    fn check_every_speed_moves_something(&mut self, speeds: &[Speed], rates: &[Expr]) -> Fallible<()> {
        let used = self.pool.symbols(rates);
        let mut result = Ok(());
        for speed in speeds {
            if used.binary_search(&speed.symbol).is_err() {
                let message = format!("the speed `{}` moves no coordinate", speed.name);
                let d = Diagnostic::error(Code::KinematicsMissing, speed.span, message);
                result = self.fail(d.help("give its kinematics, one `kinematics x' = ...` for each coordinate it moves, or define it by rates; without them the equations of motion are not determined"));
            }
        }
        result
    }

    /// The rates that are not speeds, in the speeds: what is put in their place everywhere.
    pub(super) fn rate_images(&self, kinematics: &Kinematics) -> Vec<(Symbol, Expr)> {
        let speed_of = kinematics.speed_of(self.frame.coordinates.len());
        let dependent = (0..self.frame.coordinates.len()).filter(|&i| speed_of[i].is_none());
        dependent.map(|i| (self.frame.coordinates[i].rate, kinematics.rates[i])).collect()
    }

    /// Symbols of rates that are no speeds are not allowed to survive elaboration.
    pub(super) fn demote_rates(&mut self, images: &[(Symbol, Expr)]) {
        for (symbol, _) in images {
            self.set_role(*symbol, Role::Result);
        }
    }
}

struct Solved {
    rates: Vec<Expr>,
    rows: Vec<Vec<Expr>>,
}

fn unit_row(n: usize, i: usize) -> Vec<Expr> {
    (0..n).map(|k| if k == i { Pool::ONE } else { Pool::ZERO }).collect()
}
