//! How much work a pool has done, counted in operations so that the same text always ends at the same place.

use crate::pool::Pool;

/// What looking up a node costs, in visits of a node.
pub(super) const INTERNED: u64 = 4;

/// A count of work, and the count from which [`Pool::tidy`] and [`Pool::simplify`] leave expressions as they are.
#[derive(Clone, Debug)]
pub(super) struct Effort {
    done: u64,
    limit: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Effort { done: 0, limit: u64::MAX }
    }
}

impl Effort {
    pub fn spend(&mut self, work: u64) {
        self.done = self.done.saturating_add(work);
    }
}

impl Pool {
    /// Allows [`Pool::tidy`] and [`Pool::simplify`] so much further work, in visits of nodes; what they are given later stays
    /// as it is.
    pub fn allow_tidying(&mut self, work: u64) {
        self.effort.limit = self.effort.done.saturating_add(work);
    }

    /// Whether the work that was allowed is done.
    #[must_use]
    pub fn tired(&self) -> bool {
        self.effort.done >= self.effort.limit
    }

    /// Work so far, in visits of nodes.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.effort.done
    }

    pub(crate) fn spend(&mut self, work: u64) {
        self.effort.spend(work);
    }
}
