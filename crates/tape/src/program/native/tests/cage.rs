//! Memory between pages that may not be touched, and a call that sees what the code makes of the caller's registers.

use std::arch::asm;

/// At which guard page a buffer lies.
#[derive(Clone, Copy)]
pub enum Side {
    /// It begins where the guard before it ends.
    Before,
    /// It ends where the guard behind it begins.
    Behind,
}

/// A buffer of its own pages.
pub struct Cage {
    map: *mut u8,
    whole: usize,
    start: *mut u8,
    length: usize,
}

impl Cage {
    fn new(length: usize, side: Side) -> Self {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let inner = length.div_ceil(page).max(1) * page;
        let whole = inner + 2 * page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous private mapping of its own; the pages in its middle are made writable.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), whole, libc::PROT_NONE, flags, -1, 0) };
        assert_ne!(map, libc::MAP_FAILED, "pages for a test");
        let map: *mut u8 = map.cast();
        let offset = match side {
            Side::Before => page,
            Side::Behind => page + inner - length,
        };
        // SAFETY: `offset` lies inside the mapping.
        let cage = Self { map, whole, start: unsafe { map.add(offset) }, length };
        cage.protect(libc::PROT_READ | libc::PROT_WRITE);
        cage
    }

    /// All but the guards.
    fn protect(&self, rights: libc::c_int) {
        // SAFETY: as in `new`.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        // SAFETY: whole pages of our own mapping.
        let done = unsafe { libc::mprotect(self.map.add(page).cast(), self.whole - 2 * page, rights) };
        assert_eq!(done, 0, "rights of pages of a test");
    }

    fn filled(bytes: &[u8], side: Side) -> Self {
        let cage = Self::new(bytes.len(), side);
        // SAFETY: the buffer has that length, is writable and new.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), cage.start, bytes.len()) };
        cage
    }

    /// Code, executable and not writable, with a guard right behind its last byte.
    pub fn code(bytes: &[u8]) -> Self {
        let cage = Self::filled(bytes, Side::Behind);
        cage.protect(libc::PROT_READ | libc::PROT_EXEC);
        cage
    }

    /// Numbers that may be written.
    pub fn numbers(values: &[f64], side: Side) -> Self {
        // SAFETY: numbers are bytes.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), 8 * values.len()) };
        Self::filled(bytes, side)
    }

    /// Numbers that may not.
    pub fn frozen(values: &[f64], side: Side) -> Self {
        let cage = Self::numbers(values, side);
        cage.protect(libc::PROT_READ);
        cage
    }

    pub fn values(&self) -> &[f64] {
        // SAFETY: the buffer is made of numbers, aligned as the pages are.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length / 8) }
    }
}

impl Drop for Cage {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing refers to it any more.
        unsafe { libc::munmap(self.map.cast(), self.whole) };
    }
}

/// What the convention of calls (System V, x86-64) says is the caller's: rbx, rbp, r12 to r15, the stack, the modes of
/// arithmetic, the direction flag.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kept {
    registers: [u64; 6],
    stack: [u64; 2],
    modes: [u32; 2],
    flags: [u64; 2],
}

impl Kept {
    const MARKS: [u64; 6] = [0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666];

    /// What a call must leave, given what was there before.
    pub fn expected(seen: &Kept) -> Kept {
        // The status bits below the masks tell of rounding and may change; so may the flags but for the direction.
        Kept {
            registers: Self::MARKS,
            stack: [seen.stack[0]; 2],
            modes: [seen.modes[0], seen.modes[0] & !63 | seen.modes[1] & 63],
            flags: [seen.flags[0], seen.flags[0] & 0x400 | seen.flags[1] & !0x400],
        }
    }
}

/// Enters code with inputs, outputs, constants and workspace; the last two biased as it expects.
pub fn call(code: &Cage, [inputs, outputs, constants, workspace]: [&Cage; 4]) -> Kept {
    let bias = super::super::BIAS as usize;
    let mut kept = Kept::default();
    // SAFETY: the code follows the convention of calls or this test fails; registers that the compiler may not name as
    // changed are saved here. Four words of stack and the room below them keep it aligned to 16 bytes.
    unsafe {
        asm!(
            "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15", "push r8", "push r8",
            "mov [r8 + 48], rsp",
            "stmxcsr [r8 + 64]",
            "pushfq", "pop rbx", "mov [r8 + 72], rbx",
            "mov ebx, 0x1111", "mov ebp, 0x2222", "mov r12d, 0x3333",
            "mov r13d, 0x4444", "mov r14d, 0x5555", "mov r15d, 0x6666",
            "call rax",
            "mov r8, [rsp]",
            "mov [r8], rbx", "mov [r8 + 8], rbp", "mov [r8 + 16], r12",
            "mov [r8 + 24], r13", "mov [r8 + 32], r14", "mov [r8 + 40], r15",
            "mov [r8 + 56], rsp",
            "stmxcsr [r8 + 68]",
            "pushfq", "pop rbx", "mov [r8 + 80], rbx",
            "pop r8", "pop r8", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
            inout("rax") code.start => _,
            inout("rdi") inputs.start => _,
            inout("rsi") outputs.start => _,
            inout("rdx") constants.start.wrapping_add(bias) => _,
            inout("rcx") workspace.start.wrapping_add(bias) => _,
            inout("r8") &raw mut kept => _,
            clobber_abi("sysv64"),
        );
    }
    kept
}
