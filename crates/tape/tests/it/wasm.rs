//! Modules of WebAssembly, run by Node where it is installed, against the interpreter.

use dalembert_tape::{Builder, Op, Program, wasm};
use std::io::Write;
use std::process::{Command, Stdio};

/// Every operator at numbers of all kinds, some behind others; what is looked up is the host's.
fn every_operator() -> Program {
    let mut tape = Builder::new(6);
    let inputs: Vec<_> = (0..6).map(|k| tape.input(k)).collect();
    let mut values = Vec::new();
    for op in Op::ALL.iter().filter(|op| **op != Op::Lookup) {
        for first in 0..6 {
            let operands: Vec<_> = (0..op.arity()).map(|k| inputs[(first + 2 * k) % 6]).collect();
            values.push(tape.push(*op, &operands));
        }
    }
    let half = tape.constant(0.5);
    let mixed = tape.push(Op::MulAdd, &[values[7], half, values[12]]);
    values.push(mixed);
    tape.finish(&values)
}

const SCRIPT: &str = "
const [module, ...inputs] = require('fs').readFileSync(0, 'utf8').trim().split('\\n');
const bytes = Buffer.from(module, 'hex');
const m = Object.fromEntries(Object.getOwnPropertyNames(Math).map(name => [name, Math[name]]));
m.lookup = () => NaN;
const { memory, f } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { m }).exports;
const numbers = new Float64Array(memory.buffer);
for (const line of inputs) {
  const x = line.split(' ').map(Number);
  numbers.set(x);
  f(0, 64);
  console.log([...numbers.slice(8, 8 + COUNT)].map(String).join(' '));
}";

#[test]
fn modules_have_the_values_of_the_interpreter() {
    let program = every_operator();
    let count = program.output_count();
    let module = wasm::module(&[("f", &program)], 8 + count);
    let states = [
        [0.3, -0.7, 1.0, 0.0, 2.5, -3.0],
        [0.9, 0.25, -1.0, 7.5, -0.0, 1e-9],
        [-0.5, f64::INFINITY, 0.1, 1e10, f64::NAN, 0.6],
    ];
    let hex: String = module.iter().map(|byte| format!("{byte:02x}")).collect();
    let line = |state: &[f64; 6]| state.map(|v| format!("{v:?}").replace("inf", "Infinity")).join(" ");
    let asked = [vec![hex], states.iter().map(line).collect()].concat().join("\n");
    let script = SCRIPT.replace("COUNT", &count.to_string());
    let node =
        Command::new("node").args(["-e", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut node) = node else {
        eprintln!("left out: Node is not installed");
        return;
    };
    node.stdin.take().expect("a pipe").write_all(asked.as_bytes()).expect("Node reads");
    let output = node.wait_with_output().expect("Node ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), states.len());
    for (state, found) in states.iter().zip(text.lines()) {
        let mut registers = vec![0.0; program.register_count()];
        let mut wanted = vec![0.0; count];
        program.interpret(state, &mut registers, &mut wanted);
        for (k, (wanted, found)) in wanted.iter().zip(found.split(' ')).enumerate() {
            let found: f64 = found.replace("Infinity", "inf").parse().expect("a number");
            // Products with sums are rounded twice, and functions are those of the host.
            let same = (wanted - found).abs() <= 4e-15 * wanted.abs().max(1.0)
                || *wanted == found
                || (wanted.is_nan() && found.is_nan());
            assert!(same, "output {k} at {state:?}: {found}, not {wanted}");
        }
    }
}
