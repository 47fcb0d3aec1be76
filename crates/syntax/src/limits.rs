//! How much of everything a text may have, so that reading it is bounded.

/// How deep brackets, signs, exponents, `if` and `for` may be nested in each other. Trees are read and walked by
/// recursion, so this bounds the stack: the deepest text fits into a thread of 2 MB even without optimisation.
pub const MAX_NESTING: usize = 100;

/// How many subscripts, components and primes may follow one operand, as in `P[1]'.x`; neighbouring primes count once.
pub const MAX_POSTFIX: usize = 8;

/// How many characters a number may have.
pub const MAX_NUMBER_LENGTH: usize = 400;

/// After this many errors reading stops: the text is not a model.
pub const MAX_DIAGNOSTICS: usize = 200;
