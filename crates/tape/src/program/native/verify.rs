//! A second reading of the machine code before it is entered: it has known instructions only, every address lies inside
//! what its base points at, nothing is read before it is written, and the stack is left as it was found.
//!
//! Written from the encoding of the instructions (Intel SDM, volume 2), not from the assembler: what the assembler gets
//! wrong is found here. Runs wherever code is made in debug builds, so over the tapes of all models and the random tapes
//! of the tests; `tests.rs` compares it with a decoder that is not ours. Does not know what the program computes.

use super::allocate::{BIAS, GUARD_SLOT};
use crate::op::Op;

/// What the code may touch, in bytes behind each of its four addresses.
pub(super) struct BufferLayout {
    pub inputs: usize,
    pub outputs: usize,
    pub constants: usize,
    pub slots: usize,
    pub lanes: usize,
    /// Numbers that a slot takes.
    pub stride: usize,
    /// Whether the slot of the guard is read afterwards.
    pub guarded: bool,
    /// The only function that may be called.
    pub library: usize,
}

/// Where the code is not as it must be, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub at: usize,
    pub what: &'static str,
}

/// push rbx, rbp, r14, r15; sub rsp, 8; mov rbx, rdi; mov rbp, rsi; mov r14, rdx; mov r15, rcx.
const ENTER: [u8; 22] = [
    0x53, 0x55, 0x41, 0x56, 0x41, 0x57, 0x48, 0x83, 0xEC, 0x08, 0x48, 0x89, 0xFB, 0x48, 0x89, 0xF5, 0x49,
    0x89, 0xD6, 0x49, 0x89, 0xCF,
];
/// add rsp, 8; pop r15, r14, rbp, rbx.
const LEAVE: [u8; 10] = [0x48, 0x83, 0xC4, 0x08, 0x41, 0x5F, 0x41, 0x5E, 0x5D, 0x5B];
const VZEROUPPER: [u8; 3] = [0xC5, 0xF8, 0x77];
const RET: u8 = 0xC3;
/// lea rdi, [r15 + offset].
const LEA: [u8; 3] = [0x49, 0x8D, 0xBF];

/// Reads code to its end.
pub(super) fn verify(code: &[u8], layout: &BufferLayout) -> Result<(), Fault> {
    let mut reader = Reader {
        code,
        at: 0,
        layout,
        known: 0,
        slots: vec![false; layout.slots.div_ceil(8)],
        outputs: vec![false; layout.outputs.div_ceil(8)],
        bases: [7, 6, 2, 1],
    };
    reader.read().map_err(|what| Fault { at: reader.at, what })
}

type Checked<T = ()> = Result<T, &'static str>;

/// An operand in memory or in a register.
#[derive(Clone, Copy)]
enum Operand {
    Register(u8),
    Memory { base: u8, offset: i64 },
}

/// The fields of an instruction with a VEX prefix.
struct Vex {
    map: u8,
    /// 1 for the prefix 66, 3 for F2.
    prefix: u8,
    wide: bool,
    size: bool,
    opcode: u8,
    reg: u8,
    /// The second operand; 0 stands for none, too.
    second: u8,
    rm: Operand,
}

struct Reader<'c> {
    code: &'c [u8],
    at: usize,
    layout: &'c BufferLayout,
    /// Vector registers that hold a value, a bit each.
    known: u16,
    /// Numbers in memory that have been written.
    slots: Vec<bool>,
    outputs: Vec<bool>,
    /// Registers with the addresses of inputs, outputs, constants, slots.
    bases: [u8; 4],
}

impl Reader<'_> {
    fn read(&mut self) -> Checked {
        let calls = self.skip(&ENTER);
        if calls {
            self.bases = [3, 5, 14, 15];
        }
        loop {
            if calls && self.skip(&LEAVE) {
                return self.end();
            }
            if self.code[self.at..].starts_with(&VZEROUPPER) {
                if !calls {
                    return self.end();
                }
                self.skip(&VZEROUPPER);
                self.call()?;
            } else {
                let (vex, next) = self.decode()?;
                // An instruction may end in a byte of its own, so it says how long it is.
                let immediate = self.instruction(&vex, next)?;
                self.at = next + immediate;
            }
        }
    }

    /// vzeroupper; ret; and nothing behind it. All results are there.
    fn end(&mut self) -> Checked {
        if !self.skip(&VZEROUPPER) || !self.skip(&[RET]) || self.at != self.code.len() {
            return Err("the code does not end as it must");
        }
        if !self.outputs.iter().all(|written| *written) {
            return Err("an output is not written");
        }
        let guard = GUARD_SLOT * self.layout.stride;
        if self.layout.guarded && !self.slots[guard..guard + self.layout.lanes].iter().all(|w| *w) {
            return Err("the guard is not written");
        }
        Ok(())
    }

    fn skip(&mut self, bytes: &[u8]) -> bool {
        let found = self.code[self.at..].starts_with(bytes);
        if found {
            self.at += bytes.len();
        }
        found
    }

    fn take<const N: usize>(&mut self) -> Checked<[u8; N]> {
        let end = self.at + N;
        let bytes = self.code.get(self.at..end).and_then(|b| b.try_into().ok());
        self.at = end.min(self.code.len());
        bytes.ok_or("the code ends within an instruction")
    }

    /// library(two slots, operator, lanes).
    fn call(&mut self) -> Checked {
        if !self.skip(&LEA) {
            return Err("what is called gets no slots");
        }
        let offset = i64::from(i32::from_le_bytes(self.take()?));
        let lanes = self.layout.lanes;
        self.access(Operand::Memory { base: self.bases[3], offset }, 2 * lanes * 8, false)?;
        let op = self.skip(&[0xBE]).then(|| self.take().map(u32::from_le_bytes)).ok_or("no operator")??;
        let count = self.skip(&[0xBA]).then(|| self.take().map(u32::from_le_bytes)).ok_or("no lanes")??;
        if op as usize >= Op::ALL.len() || count as usize != lanes {
            return Err("a call with an operator or a number of lanes that there is not");
        }
        let target =
            self.skip(&[0x48, 0xB8]).then(|| self.take().map(u64::from_le_bytes)).ok_or("no function")??;
        if target as usize != self.layout.library || !self.skip(&[0xFF, 0xD0]) {
            return Err("a call of another function");
        }
        self.known = 0;
        Ok(())
    }

    /// The prefix, the opcode and the operands; where the instruction ends but for an immediate byte.
    fn decode(&self) -> Checked<(Vex, usize)> {
        let byte =
            |k: usize| self.code.get(self.at + k).copied().ok_or("the code ends within an instruction");
        let (first, map, high_base, tail, length) = match byte(0)? {
            0xC5 => (byte(1)?, 1, 0, byte(1)? & 0x7F, 2),
            0xC4 => (byte(1)?, byte(1)? & 0x1F, u8::from(byte(1)? & 0x20 == 0) << 3, byte(2)?, 3),
            _ => return Err("an instruction that is not known"),
        };
        if byte(0)? == 0xC4 && first & 0x40 == 0 {
            return Err("an index register");
        }
        let (opcode, modrm) = (byte(length)?, byte(length + 1)?);
        let mut next = self.at + length + 2;
        let low = modrm & 7;
        let rm = match modrm >> 6 {
            3 => Operand::Register(low | high_base),
            _ if low == 4 => return Err("an address with an index"),
            1 => {
                next += 1;
                Operand::Memory { base: low | high_base, offset: i64::from(byte(length + 2)? as i8) }
            }
            2 => {
                next += 4;
                let bytes = [byte(length + 2)?, byte(length + 3)?, byte(length + 4)?, byte(length + 5)?];
                Operand::Memory { base: low | high_base, offset: i64::from(i32::from_le_bytes(bytes)) }
            }
            _ => return Err("an address without an offset"),
        };
        let vex = Vex {
            map,
            prefix: tail & 3,
            wide: tail & 4 != 0,
            // Three-byte prefixes have a bit for the size of numbers.
            size: length == 3 && tail & 0x80 != 0,
            opcode,
            reg: (modrm >> 3 & 7) | u8::from(first & 0x80 == 0) << 3,
            second: !(tail >> 3) & 15,
            rm,
        };
        Ok((vex, next))
    }

    /// What one instruction reads and writes. The number of immediate bytes that follow.
    fn instruction(&mut self, v: &Vex, next: usize) -> Checked<usize> {
        let scalar = v.prefix == 3;
        if !matches!(v.prefix, 1 | 3) || v.wide != (self.layout.lanes == 4) || (scalar && v.wide) {
            return Err("an instruction of another width");
        }
        let whole = if v.wide { 32 } else { 16 };
        let numbers = if scalar { 8 } else { whole };
        let in_memory = matches!(v.rm, Operand::Memory { .. });
        let immediate = self.code.get(next).copied().unwrap_or(u8::MAX);
        match (v.map, v.opcode) {
            // Moves: load, store, copy.
            (1, 0x10) if in_memory && v.second == 0 => self.compute(v, &[], numbers)?,
            (1, 0x11) if in_memory && v.second == 0 => {
                self.known(v.reg)?;
                self.access(v.rm, numbers, true)?;
            }
            (1, 0x28) if !in_memory && !scalar && v.second == 0 => self.compute(v, &[], whole)?,
            // Arithmetic, then comparisons.
            (1, 0x58 | 0x59 | 0x5C | 0x5E) => self.compute(v, &[v.second], numbers)?,
            (1, 0xC2) if immediate <= 4 => {
                self.compute(v, &[v.second], numbers)?;
                return Ok(1);
            }
            (1, 0x51) if !in_memory && scalar => self.compute(v, &[v.second], numbers)?,
            (1, 0x51) if !in_memory && v.second == 0 => self.compute(v, &[], numbers)?,
            // Logic and integers.
            (1, 0x54 | 0x56 | 0x57 | 0xD4) if !scalar => self.compute(v, &[v.second], whole)?,
            (1, 0x73) if !scalar && !in_memory && v.reg == 6 && immediate < 64 => {
                self.operand(v.rm, whole)?;
                self.known |= 1 << v.second;
                return Ok(1);
            }
            // Pairs.
            (1, 0x14 | 0x15) if !scalar && !in_memory => self.compute(v, &[v.second], whole)?,
            (1, 0x16) if !scalar && in_memory => self.compute(v, &[v.second], 8)?,
            // Fused products overwrite an operand; the last bit of the opcode says that it is of one number.
            (2, 0xA8 | 0xA9 | 0xAC | 0xAD | 0xB8 | 0xB9 | 0xBC | 0xBD) if !scalar && v.size => {
                let numbers = if v.opcode & 1 == 1 { 8 } else { whole };
                if v.wide && numbers == 8 {
                    return Err("an instruction of another width");
                }
                self.compute(v, &[v.reg, v.second], numbers)?;
            }
            (3, 0x4B) if !scalar && !v.size && immediate & 15 == 0 => {
                self.compute(v, &[v.second, immediate >> 4], whole)?;
                return Ok(1);
            }
            _ => return Err("an instruction that is not known"),
        }
        Ok(0)
    }

    /// The register of an instruction is written from others and an operand of so many bytes.
    fn compute(&mut self, v: &Vex, registers: &[u8], bytes: usize) -> Checked {
        registers.iter().try_for_each(|r| self.known(*r))?;
        self.operand(v.rm, bytes)?;
        self.known |= 1 << v.reg;
        Ok(())
    }

    fn known(&self, register: u8) -> Checked {
        if self.known & (1 << register) == 0 { Err("a register is read that holds nothing") } else { Ok(()) }
    }

    fn operand(&mut self, operand: Operand, bytes: usize) -> Checked {
        match operand {
            Operand::Register(r) => self.known(r),
            memory => self.access(memory, bytes, false),
        }
    }

    /// Memory is read or written: inside what the base points at, and not before it was written.
    fn access(&mut self, operand: Operand, bytes: usize, write: bool) -> Checked {
        let Operand::Memory { base, offset } = operand else { return Err("not an address") };
        let kind = self.bases.iter().position(|b| *b == base).ok_or("an address from no base")?;
        let bias = if kind >= 2 { i64::from(BIAS) } else { 0 };
        let room = [self.layout.inputs, self.layout.outputs, self.layout.constants, self.layout.slots][kind];
        let start = usize::try_from(offset + bias).map_err(|_| "an address before its base")?;
        if start % 8 != 0 || start + bytes > room {
            return Err("an address beyond what its base points at");
        }
        let words = start / 8..(start + bytes) / 8;
        match (kind, write) {
            (0 | 2, false) => {}
            (1, true) => self.outputs[words].fill(true),
            (3, true) => self.slots[words].fill(true),
            (3, false) => {
                // One lane may read a number with what lies behind it, and use the number.
                let used = if self.layout.lanes == 1 { words.start..words.start + 1 } else { words };
                if !self.slots[used].iter().all(|written| *written) {
                    return Err("a slot is read that holds nothing");
                }
            }
            _ => return Err("memory that must not be read or written"),
        }
        Ok(())
    }
}
