//! Operations that fail on purpose: the k-th one of some work, on this thread.
//!
//! Creating, writing, waiting for the disk, changing permissions, cutting off, renaming and removing each count as an
//! operation. A write that fails has written half of what it was given, as on a disk that is full.

use std::cell::Cell;
use std::io::{Error, ErrorKind, Result};

thread_local! {
    /// Operations so far, and the number of the one that is to fail.
    static PLAN: Cell<(usize, Option<usize>)> = const { Cell::new((0, None)) };
}

/// What the failed operation says.
const SAID: &str = "a fault of the test";

pub(crate) fn step() -> Result<()> {
    PLAN.with(|plan| {
        let (done, fails) = plan.get();
        plan.set((done + 1, fails));
        if fails == Some(done) { Err(Error::new(ErrorKind::StorageFull, SAID)) } else { Ok(()) }
    })
}

/// Does some work whose operation number `k`, counted from 0, fails. Also says whether there was such an operation.
pub fn failing_at<T>(k: usize, work: impl FnOnce() -> T) -> (T, bool) {
    PLAN.set((0, Some(k)));
    let done = work();
    let (steps, _) = PLAN.replace((0, None));
    (done, steps > k)
}

/// Does some work again and again, each time with another failing operation, until it has no more of them. `check` is
/// told the number of the operation and what came out; the number of operations is given back.
pub fn each<T>(mut work: impl FnMut() -> T, mut check: impl FnMut(usize, T)) -> usize {
    for k in 0.. {
        let (done, failed) = failing_at(k, &mut work);
        if !failed {
            return k;
        }
        check(k, done);
    }
    unreachable!("some work has endlessly many operations")
}
