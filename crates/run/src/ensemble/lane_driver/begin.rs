//! The beginning of a run in a lane: its start on the constraints, its derivative there, and a first step.

use super::dense_rows::Agenda;
use super::{Lane, LaneDriver, Tried};
use crate::ensemble::lane_projection::Watched;
use crate::ensemble::{Ended, Job, LANES, Sampled};
use crate::hybrid::rules::{self, Patrol};
use crate::method::step_size::first_step_by;

impl LaneDriver<'_> {
    /// Puts a run into a lane; says at once how it ended if there is nothing to do, or no first step.
    pub(in crate::ensemble) fn begin(
        &mut self,
        l: usize,
        job: &Job,
        rows: &mut dyn FnMut(Sampled<'_>),
    ) -> Option<Ended> {
        let (d, h_on, kernel) = (self.dim, self.handed_on, &*self.ensemble.kernel);
        let span = job.t_end - job.t;
        let finite = job.y.iter().chain([&span, &job.t]).all(|v| v.is_finite());
        let given = kernel.constants() - kernel.keep().map_or(0, |keep| keep.rows);
        let fits = job.y.len() == d && job.constants.len() == given;
        if !finite || span < 0.0 || !fits {
            return Some(Ended::GivenBack { id: job.id });
        }
        for (k, v) in job.y.iter().enumerate() {
            self.inputs[(2 + k) * LANES + l] = *v;
        }
        for (k, v) in job.constants.iter().enumerate() {
            self.inputs[(2 + d + h_on + k) * LANES + l] = *v;
        }
        self.lanes[l] = Some(Lane {
            id: job.id,
            t: job.t,
            t_start: job.t,
            t_end: job.t_end,
            h: 0.0,
            trying: 0.0,
            from: job.t,
            control: self.ensemble.control(),
            steps: 0,
            rejected: 0,
            patrol: Patrol::new(job.t),
            constraints: Watched::default(),
            agenda: Agenda::new(self.ensemble, job),
        });
        let mut tried = [Tried::Nothing; LANES];
        tried[l] = Tried::Accepted;
        self.keep(&mut tried);
        if tried[l] == Tried::GivesUp {
            return Some(self.given_back(l));
        }
        self.open(l, rows);
        if span == 0.0 {
            return Some(self.arrived(l));
        }
        let mut f = vec![0.0; d];
        let Ok(h) = self.first_step(l, span, &mut f) else { return Some(self.given_back(l)) };
        f[..h_on].iter().enumerate().for_each(|(k, v)| self.inputs[(2 + d + k) * LANES + l] = *v);
        if let Some(lane) = &mut self.lanes[l] {
            lane.h = h;
        }
        None
    }

    /// The derivative at the start, and the first step.
    fn first_step(&mut self, l: usize, span: f64, f: &mut [f64]) -> Result<f64, ()> {
        let (d, ensemble) = (self.dim, self.ensemble);
        let (fours, _) = self.inputs.as_chunks::<LANES>();
        let t = self.lanes[l].as_ref().map_or(0.0, |lane| lane.t);
        let y: Vec<f64> = fours[2..2 + d].iter().map(|four| four[l]).collect();
        for (k, four) in fours[2 + d + self.handed_on..].iter().enumerate() {
            self.alone_in[(1 + d + k) * LANES..(2 + d + k) * LANES].fill(four[l]);
        }
        let mut alone = |t: f64, y: &[f64], out: &mut [f64]| {
            self.alone_in[..LANES].fill(t);
            for (k, v) in y.iter().enumerate() {
                self.alone_in[(1 + k) * LANES..(2 + k) * LANES].fill(*v);
            }
            ensemble.kernel.derivative(&self.alone_in, &mut self.alone_work, &mut self.alone_out);
            out.iter_mut().enumerate().for_each(|(k, v)| *v = self.alone_out[k * LANES]);
            let sound = self.alone_out[d * LANES] == 1.0 && out.iter().all(|v| v.is_finite());
            if sound { Ok(()) } else { Err(()) }
        };
        alone(t, &y, f)?;
        match ensemble.fixed {
            Some(step) => Ok(rules::fixed_step(step, &ensemble.output, span)),
            None => {
                let order = ensemble.table.exponent;
                let suggested = first_step_by(alone, t, &y, f, span, order, ensemble.tol);
                Ok(rules::first_step(suggested.ok(), span, span))
            }
        }
    }
}
