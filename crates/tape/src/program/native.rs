//! Native code for straight-line programs, on x86-64 with AVX2 and FMA: one state at a time, or four in the lanes of a register.
//!
//! The operations are those of the interpreter in the same order, so results agree bit for bit; elementary functions
//! other than sine and cosine are calls of the same library. Where an angle is too large for the reduction in `trig` the
//! code gives no answer and the interpreter is asked. On other machines there is no native code, and that is all.
//!
//! Tested against the interpreter on random tapes, deep enough to spill, in `tests/it/native.rs`.

mod allocate;
mod assembler;
mod expand;
mod graph;
#[cfg(all(target_arch = "x86_64", unix))]
mod memory;
mod schedule;
#[cfg(all(test, target_arch = "x86_64", unix))]
mod tests;
#[cfg(all(any(debug_assertions, test), target_arch = "x86_64", unix))]
mod verify;

use crate::op::Op;
use crate::program::Program;
use crate::trig;
use allocate::{BIAS, GUARD_SLOT, allocate};

/// Programs longer than this are left to the interpreter: their code would no longer fit in any cache.
const MAX_OPERATIONS: usize = 2_000_000;

/// Wide programs beyond this are put in an order that spares registers: a store of four numbers costs more than what the
/// order of the tape, which has more operations side by side, gains. (Measured: 6 % at 2,000 operations; one lane loses.)
const MIN_SCHEDULED: usize = 300;

/// Inputs, outputs, constants, slots.
type Entry = unsafe extern "sysv64" fn(*const f64, *mut f64, *const f64, *mut f64);

/// Machine code of one program.
pub(crate) struct Native {
    #[cfg(all(target_arch = "x86_64", unix))]
    code: memory::Executable,
    /// Each `stride` times, and a few more for reads of whole registers.
    constants: Vec<f64>,
    lanes: usize,
    /// Numbers that a constant and a slot take: as many as there are lanes, or two where pairs are computed.
    stride: usize,
    n_inputs: usize,
    n_outputs: usize,
    slots: usize,
    guarded: bool,
    /// Numbers of inputs, outputs and workspace that a run touches, and the place of the guard in the workspace: known
    /// once, so that runs only compare.
    room: [usize; 3],
    guard: usize,
    bytes: usize,
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Native {{ lanes: {}, bytes: {} }}", self.lanes, self.bytes)
    }
}

impl Native {
    /// Code for `lanes` (1 or 4) states at once; `None` where the machine or the program does not lend itself to it.
    #[cfg(all(target_arch = "x86_64", unix))]
    pub fn new(program: &Program, lanes: usize) -> Option<Self> {
        let able = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        if !able || program.counts().total() > MAX_OPERATIONS {
            return None;
        }
        let mut expanded = expand::expand(program, lanes == 1);
        if lanes > 1 && expanded.graph.nodes.len() > MIN_SCHEDULED {
            expanded = schedule::schedule(expanded);
        }
        let library: extern "sysv64" fn(*mut f64, u32, u32) = library;
        let allocated = allocate(&expanded, lanes, library as *const () as usize);
        let stride = allocated.stride;
        let mut constants = Vec::with_capacity((allocated.constants.len() + 4) * stride);
        for bits in &allocated.constants {
            constants.extend(std::iter::repeat_n(f64::from_bits(*bits), stride));
        }
        constants.resize(constants.len() + 4, 0.0);
        let slots = allocated.slots;
        let native = Self {
            room: [program.input_count() * lanes, program.output_count() * lanes, workspace(slots, stride)],
            guard: GUARD_SLOT * stride,
            bytes: allocated.code.len(),
            code: memory::Executable::new(&allocated.code)?,
            constants,
            lanes,
            stride,
            n_inputs: program.input_count(),
            n_outputs: program.output_count(),
            slots,
            guarded: expanded.guard.is_some(),
        };
        #[cfg(any(debug_assertions, test))]
        native.verify(&allocated.code);
        Some(native)
    }

    /// Reads the code once more before it is entered.
    ///
    /// # Panics
    /// If it is not what may be entered: a bug of ours.
    #[cfg(all(any(debug_assertions, test), target_arch = "x86_64", unix))]
    fn verify(&self, code: &[u8]) {
        if let Err(verify::Fault { at, what }) = verify::verify(code, &self.layout()) {
            panic!("native code at byte {at} of {}: {what}", code.len());
        }
    }

    /// What the code may touch.
    #[cfg(all(any(debug_assertions, test), target_arch = "x86_64", unix))]
    fn layout(&self) -> verify::BufferLayout {
        let library: extern "sysv64" fn(*mut f64, u32, u32) = library;
        verify::BufferLayout {
            inputs: 8 * self.n_inputs * self.lanes,
            outputs: 8 * self.n_outputs * self.lanes,
            constants: 8 * self.constants.len(),
            slots: 8 * self.workspace(),
            lanes: self.lanes,
            stride: self.stride,
            guarded: self.guarded,
            library: library as *const () as usize,
        }
    }

    /// There is none on this kind of machine.
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    pub fn new(_program: &Program, _lanes: usize) -> Option<Self> {
        None
    }

    /// Bytes of code.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many numbers of workspace a run takes.
    pub fn workspace(&self) -> usize {
        workspace(self.slots, self.stride)
    }

    /// Computes the outputs; false if it cannot for these inputs. Number k of lane l is at `k * lanes + l`.
    ///
    /// # Panics
    /// If a slice is shorter than the counts say.
    #[inline]
    pub fn run(&self, inputs: &[f64], workspace: &mut [f64], outputs: &mut [f64]) -> bool {
        let [n_in, n_out, n_work] = self.room;
        assert!(
            inputs.len() >= n_in && outputs.len() >= n_out && workspace.len() >= n_work,
            "room for a run of native code"
        );
        self.enter(inputs, workspace, outputs);
        self.within(workspace)
    }

    /// Runs the code for block after block of inputs and outputs, whole ones only; tells each block that it cannot do.
    pub fn run_blocks(
        &self,
        inputs: &[f64],
        workspace: &mut [f64],
        outputs: &mut [f64],
        mut missed: impl FnMut(usize),
    ) {
        assert!(workspace.len() >= self.workspace(), "room for a run of native code");
        let (a, b) = (self.n_inputs * self.lanes, self.n_outputs * self.lanes);
        let blocks = inputs.chunks_exact(a.max(1)).zip(outputs.chunks_exact_mut(b.max(1)));
        for (k, (inputs, outputs)) in blocks.enumerate() {
            self.enter(inputs, workspace, outputs);
            if !self.within(workspace) {
                missed(k);
            }
        }
    }

    /// Whether no angle was beyond what the code reduces exactly. All at once, without a branch for each lane.
    #[inline]
    fn within(&self, workspace: &[f64]) -> bool {
        let guard = self.guard;
        match self.lanes {
            _ if !self.guarded => true,
            1 => workspace[guard] <= trig::LIMIT,
            lanes => {
                workspace[guard..guard + lanes].iter().fold(true, |all, sum| all & (*sum <= trig::LIMIT))
            }
        }
    }

    #[cfg(all(target_arch = "x86_64", unix))]
    #[inline]
    fn enter(&self, inputs: &[f64], workspace: &mut [f64], outputs: &mut [f64]) {
        let bias = BIAS as usize / 8;
        // SAFETY: the code is that of `allocate`, which reads `n_inputs * lanes` inputs and the constants, writes
        // `n_outputs * lanes` outputs and `slots * stride` numbers of workspace, all of which the callers have checked; the
        // addresses of constants and slots are biased as the code expects.
        unsafe {
            let entry: Entry = std::mem::transmute(self.code.start());
            entry(
                inputs.as_ptr(),
                outputs.as_mut_ptr(),
                self.constants.as_ptr().wrapping_add(bias),
                workspace.as_mut_ptr().wrapping_add(bias),
            );
        }
    }

    #[cfg(not(all(target_arch = "x86_64", unix)))]
    fn enter(&self, _inputs: &[f64], _workspace: &mut [f64], _outputs: &mut [f64]) {}
}

/// Numbers of workspace for so many slots. One more: logic reads whole registers.
fn workspace(slots: usize, stride: usize) -> usize {
    slots * stride + 1
}

/// A function of the library on the lanes of its first operand, and of its second, which follows; the result replaces
/// the first.
extern "sysv64" fn library(args: *mut f64, op: u32, lanes: u32) {
    let (op, lanes) = (Op::ALL[op as usize], lanes as usize);
    // SAFETY: the code passes two slots of `lanes` numbers each.
    let args = unsafe { std::slice::from_raw_parts_mut(args, 2 * lanes) };
    for l in 0..lanes {
        args[l] = op.apply(args[l], args[lanes + l], 0.0);
    }
}
