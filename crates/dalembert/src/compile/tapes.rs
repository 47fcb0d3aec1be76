//! The tapes themselves, for writing them down elsewhere.

use super::Compiled;
use dalembert_tape::Program;

/// What a writer of code needs of a compiled system. Places are (array, index in it).
pub struct Tapes<'c> {
    /// x', M, Q, A, b over `t, x, eta, parameters`.
    pub terms: (&'c Program, &'c [(usize, usize)]),
    /// C, over multipliers and reactions too.
    pub nonideal: Option<&'c Program>,
    /// A, b, S, W of C1.
    pub control: Option<(&'c Program, &'c [(usize, usize)])>,
    /// Whether W is given.
    pub has_cost: bool,
    /// Rows of each constraint.
    pub groups: &'c [std::ops::Range<usize>],
}

impl Compiled {
    /// The tapes of x', M, Q, A, b; of C; and of A, b, S, W of control; with the places of their outputs.
    pub fn tapes(&self) -> Tapes<'_> {
        Tapes {
            terms: (&self.programs.terms.program, &self.programs.terms.places.each),
            nonideal: self.programs.nonideal.as_ref(),
            control: self.programs.control_terms.as_ref().map(|c| (&c.program, &c.places.each[..])),
            has_cost: self.has_cost,
            groups: &self.groups,
        }
    }
}
