//! Memory that holds code: written first, then made executable, never both.

use std::ptr::NonNull;

/// Pages with code in them.
pub(super) struct Executable {
    start: NonNull<libc::c_void>,
    length: usize,
}

// SAFETY: the pages are never written after `new` and are unmapped only by the owner.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Copies code into pages of its own; `None` if the system has none to give.
    pub fn new(code: &[u8]) -> Option<Self> {
        let length = code.len().max(1);
        // SAFETY: an anonymous private mapping; its length is not zero.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        let pages = Self { start: NonNull::new(start)?, length };
        // SAFETY: the mapping has at least `code.len()` bytes, is writable and overlaps nothing.
        let protected = unsafe {
            std::ptr::copy_nonoverlapping(code.as_ptr(), start.cast(), code.len());
            libc::mprotect(start, length, libc::PROT_READ | libc::PROT_EXEC)
        };
        (protected == 0).then_some(pages)
    }

    pub fn start(&self) -> *const u8 {
        self.start.as_ptr().cast_const().cast()
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: `start` and `length` are those of the mapping, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.as_ptr(), self.length) };
    }
}
