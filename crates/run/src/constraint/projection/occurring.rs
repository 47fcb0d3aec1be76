//! What occurs in each row of the constraints: a residual is measured by the coordinates and speeds in its own row.

use crate::row_sensitivity::nudged;
use crate::tolerance;
use crate::{Dynamics, Point, Shape, Terms};

/// Which coordinates and speeds occur in each row.
#[derive(Clone, Debug)]
pub(super) struct Occurring {
    /// Ends of the lists of rows, then the lists.
    ends: Vec<u32>,
    speeds: Vec<u32>,
    /// Ends and lists of coordinates; empty where they are those of the speeds.
    coordinate_ends: Vec<u32>,
    coordinates: Vec<u32>,
}

impl Occurring {
    /// By structure where A is given by its entries; else by what does not vanish at states nearby. O(entries of A).
    pub fn new(kernel: &dyn Dynamics, at: Point<'_>, here: &Terms, scratch: &mut [f64]) -> Self {
        let Shape { n_x, n_eta: n, n_con: m, identity_frame, .. } = kernel.shape();
        let (mut ends, mut speeds) = (Vec::with_capacity(m), Vec::new());
        if here.sparsity.is_some() {
            for i in 0..m {
                speeds.extend(here.row(i).entries().map(|(j, _)| j as u32));
                ends.push(speeds.len() as u32);
            }
        }
        let dense = here.sparsity.is_none();
        let mut in_row = vec![false; if dense { m * n } else { 0 }];
        let mut in_position = vec![false; if identity_frame { 0 } else { m * n_x }];
        let (mut near, mut slopes) = (here.clone(), vec![0.0; in_position.len()]);
        for round in 0..tolerance::NUDGES {
            let state = nudged(at, round);
            if dense {
                kernel.terms(state.point(), scratch, &mut near);
                in_row.iter_mut().zip(&near.A).for_each(|(occurs, a)| *occurs |= *a != 0.0);
            }
            if !identity_frame {
                kernel.position_gradient(state.t, &state.x, scratch, &mut slopes);
                in_position.iter_mut().zip(&slopes).for_each(|(occurs, a)| *occurs |= *a != 0.0);
            }
        }
        let list = |flags: &[bool], width: usize| -> (Vec<u32>, Vec<u32>) {
            let (mut ends, mut list) = (Vec::with_capacity(m), Vec::new());
            for row in flags.chunks(width.max(1)) {
                list.extend((0..width).filter(|&j| row[j]).map(|j| j as u32));
                ends.push(list.len() as u32);
            }
            ends.resize(m, list.len() as u32);
            (ends, list)
        };
        if dense {
            (ends, speeds) = list(&in_row, n);
        }
        let (coordinate_ends, coordinates) =
            if identity_frame { Default::default() } else { list(&in_position, n_x) };
        Self { ends, speeds, coordinate_ends, coordinates }
    }

    /// 1 + the largest coordinate, and the largest speed, of each row.
    pub fn measure(&self, at: Point<'_>, position: &mut [f64], velocity: &mut [f64]) {
        let largest = |ends: &[u32], list: &[u32], values: &[f64], out: &mut [f64]| {
            let mut begin = 0;
            for (out, &end) in out.iter_mut().zip(ends) {
                *out = list[begin..end as usize]
                    .iter()
                    .fold(1.0, |m: f64, &j| m.max(1.0 + values[j as usize].abs()));
                begin = end as usize;
            }
        };
        largest(&self.ends, &self.speeds, at.eta, velocity);
        match self.coordinate_ends.is_empty() {
            true => largest(&self.ends, &self.speeds, at.x, position),
            false => largest(&self.coordinate_ends, &self.coordinates, at.x, position),
        }
    }
}
