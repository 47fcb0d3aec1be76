//! `dalembert explain`.

use crate::args::ExplainArgs;
use crate::failure::Failure;
use crate::output::{print, print_json};
use dalembert::diagnostic::Code;
use serde_json::{Value, json};

pub fn run(args: &ExplainArgs) -> Result<(), Failure> {
    match (args.code, args.json) {
        (Some(code), false) => print(&code.explain()),
        (Some(code), true) => {
            let mut document = entry(code);
            document["text"] = json!(code.explain());
            print_json(&document)
        }
        (None, false) => {
            let lines: String = Code::ALL.iter().map(|c| format!("{}  {}\n", c.id(), c.title())).collect();
            print(&lines)
        }
        (None, true) => print_json(&Code::ALL.iter().map(|c| entry(*c)).collect()),
    }
}

fn entry(code: Code) -> Value {
    json!({ "code": code.id(), "severity": code.severity().name(), "title": code.title() })
}
