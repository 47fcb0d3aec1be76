//! Where a system gives no executable pages the interpreter does the work: the same bits, and nobody is told otherwise.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "asks the kernel to refuse executable pages")]

use dalembert_tape::{Builder, Lanes, Op, Program};

/// `PR_SET_MDWE` with `PR_MDWE_REFUSE_EXEC_GAIN` (Linux 6.3): memory that was writable never becomes executable.
fn refuse_executable_pages() -> bool {
    // SAFETY: changes a mode of this process and reads no memory.
    unsafe { libc::prctl(65, 1, 0, 0, 0) == 0 }
}

fn program() -> Program {
    let mut b = Builder::new(2);
    let (x, y) = (b.input(0), b.input(1));
    let (s, c) = (b.push(Op::Sin, &[x]), b.push(Op::Exp, &[y]));
    let product = b.push(Op::Mul, &[s, c]);
    let root = b.push(Op::Sqrt, &[product]);
    b.finish(&[product, root])
}

fn outputs() -> Vec<u64> {
    let mut program = program();
    program.compile();
    let mut out = [0.0; 2];
    program.run(&[0.7, 1.3], &mut vec![0.0; program.register_count()], &mut out);
    let lanes = Lanes::new(program.clone());
    let mut four = [0.0; 8];
    let inputs = [0.7, 0.1, -0.2, 3.0, 1.3, 1.0, 2.0, -4.0];
    lanes.run(&inputs, &mut vec![0.0; lanes.workspace()], &mut four);
    out.iter().chain(&four).map(|v| v.to_bits()).collect()
}

/// Set for the child process that runs the test below alone: a mode of a process cannot be taken back.
const CHILD: &str = "DALEMBERT_REFUSED";

#[test]
fn without_executable_pages_the_interpreter_gives_the_same_bits() {
    if std::env::var_os(CHILD).is_some() {
        if refuse_executable_pages() {
            assert!(!program().compile(), "there is no native code, and `compile` says so");
            assert_eq!(program().native_bytes(), 0);
        } else {
            eprintln!("SKIPPED: this kernel cannot refuse executable pages to one process");
        }
        println!("bits {:?}", outputs());
        return;
    }
    let name = "refused::without_executable_pages_the_interpreter_gives_the_same_bits";
    let me = std::env::current_exe().expect("a test has a file");
    let child = std::process::Command::new(me)
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the child starts");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains(&format!("bits {:?}", outputs())), "{said}");
}
