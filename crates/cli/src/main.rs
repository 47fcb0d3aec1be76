//! The `dalembert` command.
fn main() {}
