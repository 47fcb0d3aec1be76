//! The few machine instructions of x86-64 (AVX, AVX2) that straight-line code needs, as bytes.

use super::graph::Two;

/// A general register that holds an address.
pub(super) type Base = u8;

/// Where an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A vector register, 0 to 15.
    Register(u8),
    /// Memory at an address held by a base, plus bytes.
    Memory(Base, i32),
}

/// Mandatory prefix of an instruction, as a VEX prefix encodes it.
#[derive(Clone, Copy)]
enum Prefix {
    Packed = 1, // 66
    Scalar = 3, // F2
}

/// Opcode map, as a VEX prefix encodes it.
const MAP_0F: u8 = 1;
const MAP_0F38: u8 = 2;
const MAP_0F3A: u8 = 3;
/// The bit of a VEX prefix that chooses doubles in fused products.
const DOUBLE: u8 = 1 << 7;

/// How many numbers of a register an instruction works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    One,
    Two,
    Four,
}

/// Code under construction.
pub(super) struct Assembler {
    pub code: Vec<u8>,
    /// Of the instructions written next.
    pub width: Width,
}

impl Assembler {
    pub fn new(width: Width) -> Self {
        Self { code: Vec::new(), width }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// One instruction with a VEX prefix: `reg` and `vvvv` are registers, `rm` a register or memory.
    fn vex(&mut self, prefix: Prefix, map: u8, opcode: u8, reg: u8, vvvv: u8, rm: Location) {
        self.vex_sized(prefix, map, 0, opcode, reg, vvvv, rm);
    }

    #[allow(clippy::too_many_arguments)] // the fields of the encoding
    fn vex_sized(&mut self, prefix: Prefix, map: u8, size: u8, opcode: u8, reg: u8, vvvv: u8, rm: Location) {
        let base = match rm {
            Location::Register(r) => r,
            Location::Memory(base, _) => base,
        };
        let (high_reg, high_base) = (reg >> 3, base >> 3);
        let tail = size | (!vvvv & 15) << 3 | u8::from(self.width == Width::Four) << 2 | prefix as u8;
        if map == MAP_0F && high_base == 0 {
            self.bytes(&[0xC5, (1 - high_reg) << 7 | tail, opcode]);
        } else {
            self.bytes(&[0xC4, (1 - high_reg) << 7 | 1 << 6 | (1 - high_base) << 5 | map, tail, opcode]);
        }
        let (reg, base) = ((reg & 7) << 3, base & 7);
        match rm {
            Location::Register(_) => self.code.push(0xC0 | reg | base),
            Location::Memory(_, offset) => match i8::try_from(offset) {
                Ok(short) => self.bytes(&[0x40 | reg | base, short as u8]),
                Err(_) => {
                    self.code.push(0x80 | reg | base);
                    self.bytes(&offset.to_le_bytes());
                }
            },
        }
    }

    fn arithmetic(&self) -> Prefix {
        if self.width == Width::One { Prefix::Scalar } else { Prefix::Packed }
    }

    /// target <- memory.
    pub fn load(&mut self, target: u8, base: Base, offset: i32) {
        self.vex(self.arithmetic(), MAP_0F, 0x10, target, 0, Location::Memory(base, offset));
    }

    /// memory <- source.
    pub fn store(&mut self, source: u8, base: Base, offset: i32) {
        self.vex(self.arithmetic(), MAP_0F, 0x11, source, 0, Location::Memory(base, offset));
    }

    /// target <- a op b.
    pub fn two(&mut self, op: Two, target: u8, a: u8, b: Location) {
        let (prefix, opcode) = match op {
            Two::Add => (self.arithmetic(), 0x58),
            Two::Mul => (self.arithmetic(), 0x59),
            Two::Sub => (self.arithmetic(), 0x5C),
            Two::Div => (self.arithmetic(), 0x5E),
            Two::Compare(_) => (self.arithmetic(), 0xC2),
            Two::And => (Prefix::Packed, 0x54),
            Two::Or => (Prefix::Packed, 0x56),
            Two::Xor => (Prefix::Packed, 0x57),
            Two::AddInteger => (Prefix::Packed, 0xD4),
        };
        self.vex(prefix, MAP_0F, opcode, target, a, b);
        if let Two::Compare(predicate) = op {
            self.code.push(predicate as u8);
        }
    }

    /// target <- target + a b, or minus.
    pub fn fused_sum(&mut self, minus: bool, target: u8, a: u8, b: Location) {
        self.fused(0xB8 + if minus { 4 } else { 0 }, target, a, b);
    }

    /// target <- c + target a, or c - target a.
    pub fn fused_product(&mut self, minus: bool, target: u8, a: u8, c: Location) {
        self.fused(0xA8 + if minus { 4 } else { 0 }, target, a, c);
    }

    fn fused(&mut self, opcode: u8, target: u8, second: u8, third: Location) {
        let opcode = opcode + u8::from(self.width == Width::One);
        self.vex_sized(Prefix::Packed, MAP_0F38, DOUBLE, opcode, target, second, third);
    }

    /// target <- source.
    pub fn copy(&mut self, target: u8, source: u8) {
        self.vex(Prefix::Packed, MAP_0F, 0x28, target, 0, Location::Register(source));
    }

    /// target <- square root of source.
    pub fn sqrt(&mut self, target: u8, source: u8) {
        // The scalar form takes the upper half of its first operand; the packed one has none.
        let first = if self.width == Width::One { source } else { 0 };
        self.vex(self.arithmetic(), MAP_0F, 0x51, target, first, Location::Register(source));
    }

    /// target <- bits of source, moved to the left.
    pub fn shift(&mut self, target: u8, source: u8, bits: u8) {
        self.vex(Prefix::Packed, MAP_0F, 0x73, 6, target, Location::Register(source));
        self.code.push(bits);
    }

    /// target <- yes where the sign of the mask is set, else no.
    pub fn blend(&mut self, target: u8, mask: u8, no: u8, yes: Location) {
        self.vex(Prefix::Packed, MAP_0F3A, 0x4B, target, no, yes);
        self.code.push(mask << 4);
    }

    /// target <- the first number of a, and that of b.
    pub fn pair(&mut self, target: u8, a: u8, b: Location) {
        let opcode = if matches!(b, Location::Register(_)) { 0x14 } else { 0x16 };
        self.vex(Prefix::Packed, MAP_0F, opcode, target, a, b);
    }

    /// target <- the second number of source.
    pub fn second(&mut self, target: u8, source: u8) {
        self.vex(Prefix::Packed, MAP_0F, 0x15, target, source, Location::Register(source));
    }

    /// Saves what a caller wants saved and moves the four addresses to registers that calls leave alone.
    pub fn enter(&mut self) {
        self.bytes(&[0x53, 0x55, 0x41, 0x56, 0x41, 0x57]); // push rbx, rbp, r14, r15
        self.bytes(&[0x48, 0x83, 0xEC, 0x08]); // sub rsp, 8
        self.bytes(&[0x48, 0x89, 0xFB, 0x48, 0x89, 0xF5]); // mov rbx, rdi; mov rbp, rsi
        self.bytes(&[0x49, 0x89, 0xD6, 0x49, 0x89, 0xCF]); // mov r14, rdx; mov r15, rcx
    }

    /// Undoes [`enter`](Assembler::enter).
    pub fn leave(&mut self) {
        self.bytes(&[0x48, 0x83, 0xC4, 0x08, 0x41, 0x5F, 0x41, 0x5E, 0x5D, 0x5B]);
    }

    /// Calls `function(r15 + offset, second, third)`.
    pub fn call(&mut self, function: usize, offset: i32, second: u32, third: u32) {
        self.bytes(&[0xC5, 0xF8, 0x77]); // vzeroupper: what is called may use older instructions
        self.bytes(&[0x49, 0x8D, 0xBF]); // lea rdi, [r15 + offset]
        self.bytes(&offset.to_le_bytes());
        self.code.push(0xBE); // mov esi, second
        self.bytes(&second.to_le_bytes());
        self.code.push(0xBA); // mov edx, third
        self.bytes(&third.to_le_bytes());
        self.bytes(&[0x48, 0xB8]); // mov rax, function
        self.bytes(&(function as u64).to_le_bytes());
        self.bytes(&[0xFF, 0xD0]); // call rax
    }

    pub fn finish(&mut self) {
        self.bytes(&[0xC5, 0xF8, 0x77, 0xC3]); // vzeroupper; ret
    }
}
