//! Expressions as a person writes them, for printing only: fractions cancelled, like terms and factors collected, squares
//! of sines or cosines replaced by each other where that is shorter.
//!
//! The expression becomes one fraction of polynomials (`tidy/fraction.rs`, `tidy/divisor.rs`) in a ring where `sin^2 = 1 - cos^2` and
//! `sqrt(b)^2 = b` hold (`tidy/polynomial.rs`), which is written again with factors in front (`tidy/write.rs`, `tidy/products.rs`).
//! Every step is an identity where both sides exist; what is common to numerator and denominator is cancelled
//! (`x/x = 1`), as the constructors do. The work is bounded; beyond the bound [`Pool::simplify`] has the last word.
//! Programs are compiled from expressions that have not been tidied. Checked by `tests/it/tidy.rs` at random points.

mod divisor;
mod fraction;
mod polynomial;
mod products;
mod write;

use crate::pool::{Expr, Pool};
use fraction::Fractions;

/// Products of terms that one expression may take.
const BUDGET: u64 = 150_000;
/// What the product of two terms costs, in visits of a node.
const TERMS: u64 = 10;
/// Work on one short expression once the work that was allowed is done.
const SMALL_BUDGET: u64 = 10_000;
/// Shorter expressions are taken apart in any case.
const SMALL: u64 = 500;
/// Longer expressions are not taken apart.
const MAX_TIDIED: u64 = 20_000;

impl Pool {
    /// A short expression of the same value, for readers; a long one itself once [`Pool::allow_tidying`] is spent.
    ///
    /// ```
    /// use dalembert_expr::{Function, Pool};
    /// let mut pool = Pool::new();
    /// let (m, g, u) = (pool.named("m"), pool.named("g"), pool.named("u"));
    /// let tan = pool.call1(Function::Tan, u);
    /// let square = pool.powi(tan, 2);
    /// let sloped = pool.mul(m, square);
    /// let (weight, below) = (pool.mul(m, g), pool.add(m, sloped));
    /// let e = pool.div(weight, below); // m*g/(m + m*tan(u)^2)
    /// let e = pool.tidy(e);
    /// assert_eq!(pool.text(e), "g*cos(u)^2");
    /// ```
    pub fn tidy(&mut self, e: Expr) -> Expr {
        let tired = self.tired();
        if tired && self.cost(e) > SMALL {
            return e;
        }
        if tired {
            return self.tidy_anew(e, SMALL_BUDGET).0;
        }
        // The same entry comes again: symmetric matrices, forces that are multipliers. Work is counted as if it were done, so
        // that what is printed later does not depend on it.
        if let Some(&(known, work)) = self.tidied.get(&e) {
            self.spend(work);
            return known;
        }
        let (short, work) = self.tidy_anew(e, BUDGET);
        // Where the work ended on the way, more of it may be allowed later.
        if !self.tired() {
            self.tidied.insert(e, (short, work));
        }
        short
    }

    /// What [`Pool::tidy`] was given so far beside what it made of it, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn tidied(&self) -> Vec<(Expr, Expr)> {
        let mut all: Vec<(Expr, Expr)> = self.tidied.iter().map(|(e, (short, _))| (*e, *short)).collect();
        all.sort_unstable();
        all
    }

    /// The short expression and the work it took.
    fn tidy_anew(&mut self, e: Expr, budget: u64) -> (Expr, u64) {
        let simple = self.simplify(e);
        if self.cost(simple) > MAX_TIDIED {
            return (simple, 0);
        }
        let mut fractions = Fractions::new(budget);
        let written = fractions.convert(self, simple).map(|f| {
            let f = fractions.cancel_divisors(f);
            fractions.write(self, &f)
        });
        let work = TERMS * (budget - fractions.ring.budget);
        self.spend(work);
        let short = match written {
            None => simple,
            Some(written) => {
                let written = self.simplify(written);
                self.shorter_text(simple, written)
            }
        };
        (short, work)
    }

    /// The one with the shorter text; of two alike the one with fewer divisions, or the first.
    fn shorter_text(&mut self, a: Expr, b: Expr) -> Expr {
        let size = |text: &str| (text.len(), text.matches('/').count());
        if a == b || size(&self.text(a)) <= size(&self.text(b)) { a } else { b }
    }
}
