//! Every operation that can fail passes here first, so that tests can make it fail.

/// Counts an operation; an error where the tests want one.
#[cfg(any(test, feature = "faults"))]
pub(crate) fn step() -> std::io::Result<()> {
    crate::faults::step()
}

/// Counts an operation in tests; here there are none to count.
#[cfg(not(any(test, feature = "faults")))]
#[inline]
pub(crate) fn step() -> std::io::Result<()> {
    Ok(())
}
