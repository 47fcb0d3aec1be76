//! Programs as a module of WebAssembly, for pages that compute by themselves.
//!
//! Each program becomes a function of two addresses: inputs are read behind the first, outputs written behind the second, as
//! doubles in little-endian order. Functions that the instruction set lacks are imported from `m` under the names of
//! [`IMPORTED`]. There is no fused product and sum: it is rounded twice, so that last digits may differ from those of
//! [`Program::interpret`]; so they may where the host's sine, power and so on round in another way.
//!
//! Format: WebAssembly Core Specification 1.0, sections 5.2 to 5.5. Checked by `tests/it/wasm.rs` against the interpreter.

use crate::listing::{Listing, Operand};
use crate::op::Op;
use crate::program::Program;

/// What a host must provide, by name: functions of one double, and of two (`pow`, `atan2`, and `lookup` of a
/// column of a [`Lookup`](crate::Lookup) by its number and a place).
pub const IMPORTED: [(&str, Op); 18] = [
    ("sin", Op::Sin),
    ("cos", Op::Cos),
    ("tan", Op::Tan),
    ("asin", Op::Asin),
    ("acos", Op::Acos),
    ("atan", Op::Atan),
    ("sinh", Op::Sinh),
    ("cosh", Op::Cosh),
    ("tanh", Op::Tanh),
    ("asinh", Op::Asinh),
    ("acosh", Op::Acosh),
    ("atanh", Op::Atanh),
    ("exp", Op::Exp),
    ("log", Op::Log),
    ("sign", Op::Sign),
    ("pow", Op::Pow),
    ("atan2", Op::Atan2),
    ("lookup", Op::Lookup),
];

/// Bytes of a page of memory.
const PAGE: usize = 65_536;

/// Instructions that are used, by their byte.
mod code {
    pub const END: u8 = 0x0b;
    pub const CALL: u8 = 0x10;
    pub const SELECT: u8 = 0x1b;
    pub const GET: u8 = 0x20;
    pub const SET: u8 = 0x21;
    pub const LOAD: u8 = 0x2b;
    pub const STORE: u8 = 0x39;
    pub const CONSTANT: u8 = 0x44;
    pub const EQUAL: u8 = 0x61;
    pub const NOT_EQUAL: u8 = 0x62;
    pub const LESS: u8 = 0x63;
    pub const GREATER: u8 = 0x64;
    pub const LESS_EQUAL: u8 = 0x65;
    pub const AND: u8 = 0x71;
    pub const OR: u8 = 0x72;
    pub const ABS: u8 = 0x99;
    pub const NEG: u8 = 0x9a;
    pub const FLOOR: u8 = 0x9c;
    pub const SQRT: u8 = 0x9f;
    pub const ADD: u8 = 0xa0;
    pub const SUB: u8 = 0xa1;
    pub const MUL: u8 = 0xa2;
    pub const DIV: u8 = 0xa3;
    pub const FROM_TRUTH: u8 = 0xb8;
}

const F64: u8 = 0x7c;
const I32: u8 = 0x7f;

/// A module with these functions and a memory, all exported, that holds at least so many doubles. O(length).
///
/// ```
/// use dalembert_tape::{Builder, Op, wasm};
/// let mut tape = Builder::new(2);
/// let (x, y) = (tape.input(0), tape.input(1));
/// let sum = tape.push(Op::Add, &[x, y]);
/// let module = wasm::module(&[("sum", &tape.finish(&[sum]))], 3);
/// assert!(module.starts_with(b"\0asm\x01\0\0\0"));
/// ```
#[must_use]
pub fn module(functions: &[(&str, &Program)], doubles: usize) -> Vec<u8> {
    let binary = |op: Op| usize::from(op.arity() == 2);
    let types = [vec![0x60, 2, I32, I32, 0], vec![0x60, 1, F64, 1, F64], vec![0x60, 2, F64, F64, 1, F64]];
    let imports: Vec<Vec<u8>> = IMPORTED
        .iter()
        .map(|(name, op)| [text("m"), text(name), vec![0, 1 + binary(*op) as u8]].concat())
        .collect();
    let declared: Vec<Vec<u8>> = functions.iter().map(|_| vec![0]).collect();
    let pages = doubles.saturating_mul(8).div_ceil(PAGE);
    let memory = vec![[vec![0], number(pages)].concat()];
    let mut exports = vec![[text("memory"), vec![2, 0]].concat()];
    for (k, (name, _)) in functions.iter().enumerate() {
        exports.push([text(name), vec![0], number(IMPORTED.len() + k)].concat());
    }
    let bodies: Vec<Vec<u8>> = functions.iter().map(|(_, program)| body(&program.listing())).collect();
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    let sections = [
        (1, types.to_vec()),
        (2, imports),
        (3, declared),
        (5, memory),
        (7, exports),
        (10, bodies.iter().map(|b| sized(b)).collect()),
    ];
    for (id, items) in sections {
        let content = [number(items.len()), items.concat()].concat();
        bytes.push(id);
        bytes.extend(sized(&content));
    }
    bytes
}

/// Every statement has a local of its own behind the two addresses.
fn body(listing: &Listing) -> Vec<u8> {
    let count = listing.statements.len();
    let mut out = if count == 0 { vec![0] } else { [vec![1], number(count), vec![F64]].concat() };
    for (k, statement) in listing.statements.iter().enumerate() {
        operation(statement.op, &statement.operands, &mut out);
        out.push(code::SET);
        out.extend(number(2 + k));
    }
    for (k, value) in listing.outputs.iter().enumerate() {
        out.extend([code::GET, 1]);
        operand(value, &mut out);
        out.extend([code::STORE, 3]);
        out.extend(number(8 * k));
    }
    out.push(code::END);
    out
}

/// Leaves the value on the stack.
fn operation(op: Op, operands: &[Operand], out: &mut Vec<u8>) {
    let push = |k: usize, out: &mut Vec<u8>| operand(&operands[k], out);
    let holds = |k: usize, out: &mut Vec<u8>| {
        operand(&operands[k], out);
        operand(&Operand::Constant(0.0), out);
        out.push(code::NOT_EQUAL);
    };
    match op {
        Op::Neg | Op::Sqrt | Op::Abs | Op::Floor => {
            push(0, out);
            out.push(match op {
                Op::Neg => code::NEG,
                Op::Sqrt => code::SQRT,
                Op::Floor => code::FLOOR,
                _ => code::ABS,
            });
        }
        Op::Add | Op::Sub | Op::Mul | Op::Div => {
            push(0, out);
            push(1, out);
            out.push(match op {
                Op::Add => code::ADD,
                Op::Sub => code::SUB,
                Op::Mul => code::MUL,
                _ => code::DIV,
            });
        }
        Op::MulAdd => {
            push(0, out);
            push(1, out);
            out.push(code::MUL);
            push(2, out);
            out.push(code::ADD);
        }
        Op::NegMulAdd => {
            push(2, out);
            push(0, out);
            push(1, out);
            out.extend([code::MUL, code::SUB]);
        }
        Op::Min | Op::Max => {
            push(0, out);
            push(1, out);
            push(0, out);
            push(1, out);
            out.push(if op == Op::Min { code::LESS } else { code::GREATER });
            // A number that is none stays one.
            push(0, out);
            push(0, out);
            out.extend([code::NOT_EQUAL, code::OR, code::SELECT]);
        }
        Op::Less | Op::LessEqual | Op::Equal => {
            push(0, out);
            push(1, out);
            out.push(match op {
                Op::Less => code::LESS,
                Op::LessEqual => code::LESS_EQUAL,
                _ => code::EQUAL,
            });
            out.push(code::FROM_TRUTH);
        }
        Op::And | Op::Or => {
            holds(0, out);
            holds(1, out);
            out.extend([if op == Op::And { code::AND } else { code::OR }, code::FROM_TRUTH]);
        }
        Op::Not => {
            push(0, out);
            operand(&Operand::Constant(0.0), out);
            out.extend([code::EQUAL, code::FROM_TRUTH]);
        }
        Op::Select => {
            push(1, out);
            push(2, out);
            holds(0, out);
            out.push(code::SELECT);
        }
        _ => {
            (0..op.arity()).for_each(|k| push(k, out));
            let place = IMPORTED.iter().position(|(_, known)| *known == op);
            out.push(code::CALL);
            out.extend(number(place.expect("every other operator is imported")));
        }
    }
}

fn operand(operand: &Operand, out: &mut Vec<u8>) {
    match operand {
        Operand::Input(k) => {
            out.extend([code::GET, 0, code::LOAD, 3]);
            out.extend(number(8 * k));
        }
        Operand::Constant(value) => {
            out.push(code::CONSTANT);
            out.extend(value.to_le_bytes());
        }
        Operand::Statement(k) => {
            out.push(code::GET);
            out.extend(number(2 + k));
        }
    }
}

/// An unsigned number in LEB128.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn text(name: &str) -> Vec<u8> {
    [number(name.len()), name.as_bytes().to_vec()].concat()
}

fn sized(content: &[u8]) -> Vec<u8> {
    [number(content.len()), content.to_vec()].concat()
}
