//! The same questions as the verifier's, answered by a decoder that is not ours.

use super::super::BIAS;
use super::super::verify::BufferLayout;
use iced_x86::{Code, Decoder, DecoderOptions, InstructionInfoFactory, Mnemonic, OpAccess, Register};

/// Every instruction is one that straight-line code needs, and touches memory behind its base only.
pub fn check(code: &[u8], layout: &BufferLayout) -> Result<(), String> {
    let mut factory = InstructionInfoFactory::new();
    let mut bases = [Register::RDI, Register::RSI, Register::RDX, Register::RCX];
    let mut called = None;
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut last = Mnemonic::INVALID;
    while decoder.can_decode() {
        let i = decoder.decode();
        if i.code() == Code::INVALID {
            return Err(format!("byte {} is not an instruction", i.ip()));
        }
        last = i.mnemonic();
        match i.mnemonic() {
            Mnemonic::Push if i.ip() == 0 => {
                bases = [Register::RBX, Register::RBP, Register::R14, Register::R15];
            }
            // The stack before and after, as a whole: see `ENTER` and `LEAVE` of the verifier.
            Mnemonic::Push | Mnemonic::Pop | Mnemonic::Sub | Mnemonic::Add => {}
            Mnemonic::Mov => {
                if i.op0_register() == Register::RAX {
                    called = Some(i.immediate64());
                }
            }
            Mnemonic::Call if called != Some(layout.library as u64) => return Err("a call elsewhere".into()),
            Mnemonic::Call | Mnemonic::Vzeroupper | Mnemonic::Ret => {}
            Mnemonic::Lea => {
                let start = i.memory_displacement64() as i64 + i64::from(BIAS);
                let inside = start >= 0 && start as usize + 16 * layout.lanes <= layout.slots;
                if i.memory_base() != bases[3] || !inside {
                    return Err(format!("{i:?}: slots of a call"));
                }
            }
            _ => {
                for memory in factory.info(&i).used_memory() {
                    let kind = bases.iter().position(|b| *b == memory.base());
                    let Some(kind) = kind else { return Err(format!("{i:?}: no base")) };
                    let bias = if kind >= 2 { i64::from(BIAS) } else { 0 };
                    let start = memory.displacement() as i64 + bias;
                    let room = [layout.inputs, layout.outputs, layout.constants, layout.slots][kind];
                    let written = !matches!(memory.access(), OpAccess::Read);
                    let inside = start >= 0 && start as usize + memory.memory_size().size() <= room;
                    let allowed = kind == 3 || written == (kind == 1);
                    if !inside || !allowed || memory.index() != Register::None {
                        return Err(format!("{i:?}: byte {start} of {room}, written {written}"));
                    }
                }
            }
        }
    }
    if last == Mnemonic::Ret { Ok(()) } else { Err("no end".into()) }
}
