//! The `dalembert` command; see the library of this package.

fn main() -> std::process::ExitCode {
    dalembert_cli::main()
}
