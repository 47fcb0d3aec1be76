//! Configuration and speeds (K1).

use super::System;
use dalembert_expr::{Expr, Symbol};
use dalembert_run::State;
use dalembert_syntax::source::Span;
use dalembert_syntax::units::UnitInfo;

/// Configuration, speeds and the kinematics between them (K1).
#[derive(Clone, Default)]
pub struct Frame {
    /// Configuration x.
    pub coordinates: Vec<Coordinate>,
    /// Speeds eta.
    pub speeds: Vec<Speed>,
    /// K1: x' of each coordinate, in x, eta, t.
    pub kinematics: Vec<Expr>,
    /// Rows of the inverse of K1 where it is known in symbols: `eta_p = Y_p x' + ...`, one row a speed.
    pub speeds_in_rates: Option<Vec<Vec<Expr>>>,
}

/// What a variable of the configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateSort {
    /// It says where something is.
    Position,
    /// `state`: it has a rate of its own, which no virtual displacement changes.
    State,
    /// `discrete`: only events change it.
    Discrete,
}

/// A variable of x: a coordinate, or behind all coordinates an auxiliary one.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// What it is.
    pub sort: CoordinateSort,
    /// Name, with subscripts.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Symbol of its rate (also the speed's symbol where the rate is a speed).
    pub rate: Symbol,
    /// Symbol of its second rate.
    pub acceleration: Symbol,
    /// Symbol of its virtual displacement.
    pub displacement: Symbol,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it is declared.
    pub span: Span,
}

/// A speed (quasi-velocity).
#[derive(Clone, Debug)]
pub struct Speed {
    /// Name: `u`, or `x'` for the rate of a coordinate.
    pub name: String,
    /// Its symbol.
    pub symbol: Symbol,
    /// Symbol of its derivative.
    pub acceleration: Symbol,
    /// Symbol of its virtual displacement.
    pub displacement: Symbol,
    /// The coordinate whose rate it is, if it is one.
    pub rate_of: Option<usize>,
    /// Its unit, as far as known.
    pub kind: UnitInfo,
    /// Where it is declared.
    pub span: Span,
}

impl System {
    /// How many variables of x say where something is; auxiliary ones come behind them.
    pub fn positions(&self) -> usize {
        self.frame.coordinates.iter().take_while(|c| c.sort == CoordinateSort::Position).count()
    }

    /// Names of the state in the order of tables: coordinates, speeds, then state variables and discrete values.
    pub fn table_names(&self) -> Vec<&str> {
        let (positions, others) = self.frame.coordinates.split_at(self.positions());
        let speeds = self.frame.speeds.iter().map(|s| s.name.as_str());
        let positions = positions.iter().map(|c| c.name.as_str());
        positions.chain(speeds).chain(others.iter().map(|c| c.name.as_str())).collect()
    }

    /// Symbols of the state in the order of tables.
    pub fn table_symbols(&self) -> Vec<Symbol> {
        let (positions, others) = self.frame.coordinates.split_at(self.positions());
        let speeds = self.frame.speeds.iter().map(|s| s.symbol);
        positions.iter().map(|c| c.symbol).chain(speeds).chain(others.iter().map(|c| c.symbol)).collect()
    }

    /// A state in the order of tables.
    pub fn table_state<'s>(&self, x: &'s [f64], eta: &'s [f64]) -> impl Iterator<Item = f64> + use<'s> {
        let (positions, others) = x.split_at(self.positions());
        positions.iter().chain(eta).chain(others).copied()
    }

    /// The state of a row of a table, which begins with its time.
    pub fn state_of_row(&self, row: &[f64]) -> State {
        let (positions, n) = (self.positions(), self.frame.speeds.len());
        let (x, rest) = row[1..].split_at(positions);
        let (eta, rest) = rest.split_at(n);
        let others = &rest[..self.frame.coordinates.len() - positions];
        State { t: row[0], x: x.iter().chain(others).copied().collect(), eta: eta.to_vec() }
    }
}
