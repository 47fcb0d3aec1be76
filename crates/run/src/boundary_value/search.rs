//! The search for a path that solves the equations of one grid: straight to the end, down with the action, or drawn from a
//! known motion.

use super::grid::Grid;
use super::{ConnectError, Connection, DOUBTFUL, END_TOL, Ends, MAX_ROOM, MOST, morse_index};
use crate::hybrid::{Method, Options, Output, Stop};
use crate::{Lagrangian, Projector, Row, State, integrate};
use dalembert_linalg::norm_max;

/// Newton's steps for one solution.
const MAX_NEWTON: usize = 60;
/// Steps down with the action.
const MAX_DESCENT: usize = 200;
/// Steps of the end on its way from a known motion to where it is wanted.
const MAX_DRAWS: usize = 200;
/// Multiplications for all factorisations of a search together: about a minute.
const MAX_WORK: f64 = 5e10;
/// Elements at first.
const FEWEST: usize = 8;
/// Elements of the first grid at most, where the path is expected to change fast.
const MOST_AT_FIRST: usize = 256;
/// A way point is passed within this part of its distance to its neighbours.
const PASSED: f64 = 0.3;

/// One search, with what it has cost so far.
pub(super) struct PathSearch<'a> {
    pub kernel: &'a dyn Lagrangian,
    pub ends: &'a Ends<'a>,
    iterations: usize,
    work: f64,
}

impl<'a> PathSearch<'a> {
    pub fn new(kernel: &'a dyn Lagrangian, ends: &'a Ends<'a>) -> Self {
        Self { kernel, ends, iterations: 0, work: 0.0 }
    }

    /// Counts an iteration; refused where the work of all of them has become too much.
    fn begin(&mut self, grid: &Grid) -> Result<(), ConnectError> {
        self.iterations += 1;
        self.work += grid.work();
        if self.work <= MAX_WORK {
            return Ok(());
        }
        Err(ConnectError::NotConverged { iterations: self.iterations, correction: f64::NAN })
    }

    /// A solution on few elements: from the straight path, or from the motion that the rates start, or from a path that
    /// bends aside.
    pub fn first(&mut self) -> Result<Grid, ConnectError> {
        let mut trouble = ConnectError::NotConverged { iterations: 0, correction: f64::NAN };
        let fewest = self.fewest();
        for elements in [fewest, 4 * fewest, 16 * fewest] {
            let mut grid = Grid::new(self.kernel, elements, self.ends.start.t, self.ends.t_end);
            if grid.room() > MAX_ROOM || elements > MOST {
                continue;
            }
            self.lay(&mut grid, 0.0);
            match self
                .solve(&mut grid)
                .or_else(|_| self.descend(&mut grid, 0.0))
                .or_else(|_| self.drawn(&mut grid))
            {
                Ok(()) => return Ok(grid),
                Err(error) => trouble = error,
            }
        }
        self.aside().unwrap_or_else(|| Err(self.conjugate().unwrap_or(trouble)))
    }

    /// A solution from a path that bends aside, or that the ends are conjugate; `None` where it leads nowhere.
    pub fn aside(&mut self) -> Option<Result<Grid, ConnectError>> {
        let elements = 2 * self.fewest();
        for bend in [0.3, -0.3, 1.0] {
            let mut grid = Grid::new(self.kernel, elements, self.ends.start.t, self.ends.t_end);
            if grid.room() > MAX_ROOM {
                return None;
            }
            self.lay(&mut grid, bend);
            if self.solve(&mut grid).or_else(|_| self.descend(&mut grid, bend)).is_ok() {
                return Some(Ok(grid));
            }
            // Down to the bottom of a valley, along which Newton's method finds no single path.
            let sensitivity = grid.sensitivity(self.kernel);
            if sensitivity >= DOUBTFUL && sensitivity.is_finite() {
                return Some(Err(ConnectError::Conjugate { sensitivity }));
            }
        }
        None
    }

    /// Elements short enough for the fastest change near the first path.
    fn fewest(&self) -> usize {
        let mut grid = Grid::new(self.kernel, FEWEST, self.ends.start.t, self.ends.t_end);
        if grid.room() > MAX_ROOM {
            return FEWEST;
        }
        self.lay(&mut grid, 0.0);
        let span = (self.ends.t_end - self.ends.start.t).abs();
        let wanted = (0.5 * span * grid.frequency(self.kernel)).min(MOST_AT_FIRST as f64);
        FEWEST.max((wanted as usize).next_power_of_two())
    }

    /// Whether the ends are conjugate already on the first path, as they are for linear equations.
    fn conjugate(&self) -> Option<ConnectError> {
        let mut grid = Grid::new(self.kernel, 8 * FEWEST, self.ends.start.t, self.ends.t_end);
        if grid.room() > MAX_ROOM {
            return None;
        }
        self.lay(&mut grid, 0.0);
        let sensitivity = grid.sensitivity(self.kernel);
        (sensitivity >= DOUBTFUL && sensitivity.is_finite())
            .then_some(ConnectError::Conjugate { sensitivity })
    }

    /// Ends and way points in order.
    fn stations(&self) -> Vec<&[f64]> {
        let ends = self.ends;
        let via = ends.via.iter().map(Vec::as_slice);
        std::iter::once(&ends.start.x[..]).chain(via).chain([ends.x_end]).collect()
    }

    /// How far each coordinate goes between stations.
    fn ranges(&self) -> Vec<f64> {
        let stations = self.stations();
        let range = |p: usize| {
            let (low, high) = stations
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x[p]), h.max(x[p])));
            if high > low { high - low } else { 1.0 }
        };
        (0..self.ends.x_end.len()).map(range).collect()
    }

    /// Piecewise linear between the ends and the way points, each leg with time in proportion to its length.
    fn straight(&self, t: f64) -> Vec<f64> {
        let (ends, stations, ranges) = (self.ends, self.stations(), self.ranges());
        let length = |pair: &[&[f64]]| -> f64 {
            let parts = pair[0].iter().zip(pair[1]).zip(&ranges);
            parts.map(|((a, b), range)| ((a - b) / range).powi(2)).sum::<f64>().sqrt()
        };
        let lengths: Vec<f64> = stations.windows(2).map(length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        // A leg that stands still takes some time too.
        let times: Vec<f64> = lengths.iter().map(|l| l.max(0.05 * mean).max(1e-300)).collect();
        let mut place = (t - ends.start.t) / (ends.t_end - ends.start.t) * times.iter().sum::<f64>();
        let mut leg = 0;
        while leg + 1 < times.len() && place > times[leg] {
            place -= times[leg];
            leg += 1;
        }
        let s = (place / times[leg]).clamp(0.0, 1.0);
        stations[leg].iter().zip(stations[leg + 1]).map(|(a, b)| a + s * (b - a)).collect()
    }

    /// The first path, bent aside by so much of its range, each coordinate otherwise.
    fn lay(&self, grid: &mut Grid, bend: f64) {
        let (start, span) = (self.ends.start.t, self.ends.t_end - self.ends.start.t);
        let ranges = self.ranges();
        grid.lay(|t| {
            let mut x = self.straight(t);
            let aside = bend * (std::f64::consts::PI * (t - start) / span).sin();
            for (p, x) in x.iter_mut().enumerate() {
                *x += aside * ranges[p] * (1.0 + 0.37 * p as f64);
            }
            x
        });
        grid.project(self.kernel);
    }

    /// Whether a path passes near each way point, in units of the way to its neighbours.
    fn passed(&self, grid: &Grid) -> Vec<bool> {
        let (stations, ranges) = (self.stations(), self.ranges());
        let distance = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).zip(&ranges).map(|((a, b), range)| ((a - b) / range).abs()).fold(0.0, f64::max)
        };
        let near = |s: &[&[f64]]| {
            let way = distance(s[0], s[1]).min(distance(s[1], s[2]));
            grid.nearest(s[1], &ranges) <= PASSED * way
        };
        stations.windows(3).map(near).collect()
    }

    /// Goes down with the action from the straight path: where L grows with the rates there is a least one (Tonelli).
    /// Newton's matrix gets so much of the kinetic one added that the action falls.
    fn descend(&mut self, grid: &mut Grid, bend: f64) -> Result<(), ConnectError> {
        self.lay(grid, bend);
        let size = 1.0 + grid.size();
        let (mut added, mut action) = (1.0_f64, grid.action(self.kernel));
        for _ in 0..MAX_DESCENT {
            self.begin(grid)?;
            let kept = grid.keep();
            let moved = grid.damped(self.kernel, added).map(|correction| {
                grid.advance(&correction, 1.0);
                grid.project(self.kernel);
                norm_max(&correction.positions) / size
            });
            let next = grid.action(self.kernel);
            if moved.is_some_and(|moved| moved < 1e-4) {
                return self.solve(grid);
            }
            if moved.is_some() && next < action {
                (action, added) = (next, 0.3 * added);
                continue;
            }
            grid.restore(kept);
            added = (4.0 * added).max(1e-3);
        }
        Err(ConnectError::NotConverged { iterations: self.iterations, correction: f64::NAN })
    }

    /// Takes the motion that the rates start, and draws its end to where it is wanted.
    fn drawn(&mut self, grid: &mut Grid) -> Result<(), ConnectError> {
        let lost = ConnectError::NotConverged { iterations: self.iterations, correction: f64::NAN };
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let times = grid.times();
        let options = Options {
            method: Method::Dop853,
            rtol: 1e-9,
            output: Output::Times(times[1..times.len() - 1].to_vec()),
            max_steps: 200_000,
            ..Options::default()
        };
        let outcome =
            integrate(self.kernel, self.ends.start, self.ends.t_end, &options, &mut |row: Row<'_>| {
                rows.push(row.x.to_vec());
            });
        if outcome.stop != Stop::EndTime || rows.len() != times.len() {
            return Err(lost);
        }
        for (g, x) in rows.iter().enumerate() {
            grid.set(g, x);
        }
        self.solve(grid)?;
        let from = rows.last().cloned().unwrap_or_default();
        let (mut done, mut step) = (0.0_f64, 0.25_f64);
        let mut projector = Projector::new(self.kernel);
        for _ in 0..MAX_DRAWS {
            let goal = (done + step).min(1.0);
            let mut end: Vec<f64> =
                from.iter().zip(self.ends.x_end).map(|(a, b)| a + goal * (b - a)).collect();
            if goal < 1.0 {
                let mut rates = vec![0.0; end.len()];
                let _ = projector.project(self.kernel, self.ends.t_end, &mut end, &mut rates);
            } else {
                end.copy_from_slice(self.ends.x_end);
            }
            let kept = grid.keep();
            grid.move_end(self.kernel, &end);
            match self.solve(grid) {
                Ok(()) if goal >= 1.0 => return Ok(()),
                Ok(()) => (done, step) = (goal, 1.6 * step),
                Err(_) => {
                    grid.restore(kept);
                    step *= 0.4;
                    if step < 1e-4 {
                        return Err(lost);
                    }
                }
            }
        }
        Err(lost)
    }

    /// Newton with damping from what the grid holds.
    pub fn solve(&mut self, grid: &mut Grid) -> Result<(), ConnectError> {
        let size = 1.0 + grid.size();
        let (mut damping, mut last) = (1.0_f64, f64::INFINITY);
        for _ in 0..MAX_NEWTON {
            self.begin(grid)?;
            let lost = |correction| ConnectError::NotConverged { iterations: self.iterations, correction };
            let Some(correction) = grid.correction(self.kernel) else { return Err(lost(last)) };
            let now = norm_max(&correction.positions) / size;
            if !now.is_finite() {
                return Err(lost(last));
            }
            // At rounding: corrections of the last digits go back and forth.
            if now < 1e-13 || (now < 1e-10 && now > 0.3 * last) {
                grid.advance(&correction, 1.0);
                // Rows that vanish at a node ask nothing of it: a path through such a place is none.
                return if grid.off(self.kernel) <= END_TOL { Ok(()) } else { Err(lost(now)) };
            }
            last = now;
            damping = (2.0 * damping).min(1.0);
            loop {
                grid.advance(&correction, damping);
                // The correction that the old matrix asks for at the new place must be shorter.
                let next =
                    grid.simplified(self.kernel).map_or(f64::INFINITY, |c| norm_max(&c.positions) / size);
                if next <= (1.0 - 0.25 * damping) * now || now < 1e-9 {
                    break;
                }
                grid.advance(&correction, -damping);
                damping *= 0.5;
                if damping < 1e-3 {
                    return Err(lost(now));
                }
            }
        }
        Err(ConnectError::NotConverged { iterations: self.iterations, correction: last })
    }

    /// Difference of the rates at the start, times the time: what a motion from there would miss the end by.
    pub fn rates_apart(&self, coarse: &mut Grid, fine: &mut Grid) -> f64 {
        let (Some((a, _)), Some((b, _))) = (coarse.end_rates(self.kernel), fine.end_rates(self.kernel))
        else {
            return f64::INFINITY;
        };
        let span = (self.ends.t_end - self.ends.start.t).abs();
        a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs() * span))
    }

    pub fn finish(
        &self,
        mut coarse: Grid,
        mut fine: Grid,
        error: f64,
        sensitivity: f64,
    ) -> Result<Connection, ConnectError> {
        let lost = ConnectError::NotConverged { iterations: self.iterations, correction: f64::NAN };
        let Some((eta_start, eta_end)) = fine.end_rates(self.kernel) else { return Err(lost) };
        let (first, second) =
            (morse_index::of(&mut coarse, self.kernel), morse_index::of(&mut fine, self.kernel));
        // A number of negative directions that grows with the nodes says that L is not convex in the rates.
        let agreed = second.filter(|s| first.is_some_and(|f| f.index == s.index));
        Ok(Connection {
            start: State::new(self.ends.start.t, &self.ends.start.x, &eta_start),
            end: State::new(self.ends.t_end, self.ends.x_end, &eta_end),
            action: fine.action(self.kernel),
            error,
            elements: fine.elements(),
            iterations: self.iterations,
            passed: self.passed(&fine),
            path: fine.path(),
            second: agreed,
            sensitivity,
        })
    }
}
