//! Functions that are constant between knots, by their numbers: what programs look up.
//!
//! A list of knots divides the line into stretches, the first one before the first knot, each knot at the beginning of its
//! own. Each column has a number for every stretch. [`Op::Lookup`](crate::Op::Lookup) takes the number of a column and a place:
//! O(log knots), O(1) near the place that was looked up before.
//!
//! Programs hold numbers only, so columns are known by a number everywhere. Whoever writes that number into a program or an
//! expression holds the [`Lookup`] too ([`Program`](crate::Program) by itself); numbers of dropped ones are not used again.

use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// Columns of one list of knots, at most.
pub const MAX_COLUMNS: usize = 16;

static NEXT: AtomicU64 = AtomicU64::new(0);
static KNOWN: RwLock<Option<FxHashMap<u64, Weak<Lookup>>>> = RwLock::new(None);

/// Knots with their columns.
#[derive(Debug)]
pub struct Lookup {
    number: u64,
    /// A name for people, an identifier.
    pub name: String,
    /// Where stretches begin, ascending.
    pub knots: Vec<f64>,
    /// A number for each stretch, one more than there are knots.
    pub columns: Vec<Vec<f64>>,
}

impl Lookup {
    /// Makes it known; `None` if there are more than [`MAX_COLUMNS`] columns, if one has not a number for each stretch, or if
    /// the knots do not ascend.
    ///
    /// ```
    /// use dalembert_tape::{Builder, Lookup, Op};
    /// let steps = Lookup::new("steps", vec![1.0, 2.0], vec![vec![5.0, 6.0, 7.0]]).unwrap();
    /// let mut tape = Builder::new(1);
    /// let (column, x) = (tape.constant(steps.column(0)), tape.input(0));
    /// let y = tape.push(Op::Lookup, &[column, x]);
    /// let program = tape.finish(&[y]);
    /// let mut out = [0.0];
    /// program.run(&[1.5], &mut vec![0.0; program.register_count()], &mut out);
    /// assert_eq!(out, [6.0]);
    /// ```
    pub fn new(name: &str, knots: Vec<f64>, columns: Vec<Vec<f64>>) -> Option<Arc<Lookup>> {
        let ascending = knots.windows(2).all(|pair| pair[0] < pair[1]);
        if columns.len() > MAX_COLUMNS || columns.iter().any(|c| c.len() != knots.len() + 1) || !ascending {
            return None;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = Arc::new(Lookup { number, name: name.to_owned(), knots, columns });
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_default().insert(number, Arc::downgrade(&new));
        Some(new)
    }

    /// The number that programs know a column by.
    #[must_use]
    pub fn column(&self, k: usize) -> f64 {
        (self.number * MAX_COLUMNS as u64 + k as u64) as f64
    }

    /// That of a column's number, and which of its columns.
    #[must_use]
    pub fn of_column(column: f64) -> Option<(Arc<Lookup>, usize)> {
        let (number, k) = split(column);
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        let found = known.as_ref()?.get(&number)?.upgrade()?;
        (k < found.columns.len()).then_some((found, k))
    }

    /// The stretch of a place, by the one that was found last.
    fn stretch(&self, x: f64, last: usize) -> usize {
        let holds =
            |k: usize| (k == 0 || self.knots[k - 1] <= x) && self.knots.get(k).is_none_or(|knot| x < *knot);
        let near = [last, last + 1].into_iter().find(|k| *k <= self.knots.len() && holds(*k));
        near.unwrap_or_else(|| self.knots.partition_point(|knot| *knot <= x))
    }
}

impl Drop for Lookup {
    fn drop(&mut self) {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_mut() {
            known.remove(&self.number);
        }
    }
}

fn split(column: f64) -> (u64, usize) {
    let whole = column as u64;
    (whole / MAX_COLUMNS as u64, (whole % MAX_COLUMNS as u64) as usize)
}

/// A few that a thread has read last, each with the stretch found last.
const NEAR: usize = 8;

/// The number, what it is of, and the stretch found last.
type Slot = Option<(u64, Arc<Lookup>, usize)>;

thread_local! {
    static CACHE: RefCell<[Slot; NEAR]> = const { RefCell::new([const { None }; NEAR]) };
}

/// The number of a column at a place; NaN where there is none.
pub(crate) fn look_up(column: f64, x: f64) -> f64 {
    if x.is_nan() || column.is_nan() || column < 0.0 {
        return f64::NAN;
    }
    let (number, k) = split(column);
    let found = CACHE.try_with(|cache| {
        let mut cache = cache.try_borrow_mut().ok()?;
        let slot = &mut cache[number as usize % NEAR];
        if slot.as_ref().is_none_or(|(known, ..)| *known != number) {
            *slot = Lookup::of_column(column).map(|(found, _)| (number, found, 0));
        }
        let (_, lookup, last) = slot.as_mut()?;
        *last = lookup.stretch(x, *last);
        lookup.columns.get(k).map(|column| column[*last])
    });
    found.ok().flatten().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_found_from_anywhere() {
        let knots: Vec<f64> = (0..50).map(|k| (f64::from(k) * 0.7).powi(2)).collect();
        let lookup = Lookup::new("a", knots.clone(), vec![(0..=50).map(f64::from).collect()]).expect("good");
        let column = lookup.column(0);
        for k in 0..4000_usize {
            let x = -5.0 + (k * 7919 % 4000) as f64 * 0.32;
            let expected = knots.iter().filter(|knot| **knot <= x).count();
            assert_eq!(look_up(column, x), expected as f64, "{x}");
        }
        assert_eq!([look_up(column, knots[7]), look_up(column, knots[7].next_down())], [8.0, 7.0]);
        assert!(look_up(column, f64::NAN).is_nan() && look_up(-1.0, 0.0).is_nan());
        drop(lookup);
        assert!(Lookup::of_column(column).is_none() || look_up(column, 0.0) == 1.0);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Lookup::new("a", vec![1.0, 1.0], Vec::new()).is_none());
        assert!(Lookup::new("a", vec![1.0], vec![vec![1.0]]).is_none());
    }
}
