//! Coefficients of the Tsitouras pair of order 5(4), with its dense output of order 4, and of the classical method of
//! order 4.
//!
//! Ch. Tsitouras, Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption, Computers
//! and Mathematics with Applications 62 (2011). The orders are measured in the tests of `explicit.rs`.

use crate::constraint::singular::Gap;

/// How the error is estimated from the derivatives.
pub(crate) enum Estimate {
    None,
    /// One weighted sum.
    One(&'static [f64]),
    /// DOP853: orders 5 and 3 combined.
    Two {
        fifth: &'static [f64],
        third: &'static [f64],
    },
}

/// A Runge-Kutta table.
pub(crate) struct Tableau {
    pub c: &'static [f64],
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    pub estimate: Estimate,
    /// Whether the derivative at the end is one of the derivatives of the step.
    pub last_is_next: bool,
    pub exponent: f64,
    pub gaps: &'static [Gap],
    /// Further stages of the dense output.
    pub extra: usize,
}

/// The pair; the seventh derivative is taken at the end of the step and serves the next one.
pub(crate) static TSIT5: Tableau = Tableau {
    c: &[0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0],
    a: &[
        &[],
        &[0.161],
        &[-0.008480655492356989, 0.335480655492357],
        &[2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        &[5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        &[5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383],
    ],
    b: &[
        0.09646076681806523,
        0.01,
        0.4798896504144996,
        1.379008574103742,
        -3.290069515436081,
        2.324710524099774,
    ],
    estimate: Estimate::One(&[
        -0.001780011052225777,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        0.015151515151515152,
    ]),
    last_is_next: true,
    exponent: 5.0,
    gaps: &[Gap { middle: 0.6, reach: 0.25 }],
    extra: 0,
};

/// Weights of the dense output: theta^1..4 for each of the seven derivatives.
pub(crate) const TSIT5_DENSE: [[f64; 4]; 7] = [
    [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
    [0.0, 0.13169999999999998, -0.2234, 0.1017],
    [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
    [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
    [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
    [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
    [0.0, 1.5, -4.0, 2.5],
];

/// The classical method.
pub(crate) static RK4: Tableau = Tableau {
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    estimate: Estimate::None,
    last_is_next: false,
    exponent: 4.0,
    gaps: &[Gap { middle: 0.25, reach: 0.2 }, Gap { middle: 0.75, reach: 0.2 }],
    extra: 0,
};
