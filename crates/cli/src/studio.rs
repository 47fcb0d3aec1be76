//! `dalembert studio`: the page on this machine.

#[cfg(not(feature = "studio"))]
pub use without::{run, work};

#[cfg(not(feature = "studio"))]
mod without {
    use crate::args::{StudioArgs, StudioWorkerArgs};
    use crate::failure::Failure;

    pub fn run(_args: &StudioArgs) -> Result<(), Failure> {
        Err(Failure::plain("this program was built without the studio")
            .help("build it with the feature `studio`, which is on unless it is switched off"))
    }

    pub fn work(_args: &StudioWorkerArgs) -> Result<(), Failure> {
        Err(Failure::plain("this program was built without the studio"))
    }
}

#[cfg(feature = "studio")]
pub use with::{run, work};

#[cfg(feature = "studio")]
mod with {
    use crate::args::{StudioArgs, StudioWorkerArgs};
    use crate::failure::{Failure, reason};
    use crate::output::{complain, print};
    use dalembert_studio::{Limits, Options, serve};
    use std::process::{Command, Stdio};
    use std::time::Duration;

    pub fn run(args: &StudioArgs) -> Result<(), Failure> {
        let shown = args.folder.display();
        if !args.folder.is_dir() {
            let help = "name a folder, as in `dalembert studio models`; without one it is the current one";
            return Err(Failure::plain(format!("`{shown}` is not a folder")).help(help));
        }
        let program = std::env::current_exe()
            .map_err(|error| Failure::plain(format!("this program cannot be found again: {error}")))?;
        let options = Options {
            folder: args.folder.clone(),
            port: args.port,
            limits: Limits { time: Duration::from_secs(args.time_limit), memory: args.memory_limit },
            worker: (program, vec!["studio-worker".into()]),
        };
        let ready = |address: std::net::SocketAddr| {
            let page = format!("http://{address}/");
            let _ = print(&format!("{page}\n"));
            complain("The page is for this machine only. Ctrl-C ends it.\n");
            if args.open && !open(&page) {
                complain("no browser could be opened; open the address yourself\n");
            }
        };
        serve(&options, ready).map_err(|error| {
            let failure = Failure::plain(format!("the studio cannot be served: {}", reason(&error)));
            match args.port {
                Some(port) => {
                    failure.help(format!("is port {port} in use? Without `--port` a free one is found"))
                }
                None => failure,
            }
        })
    }

    /// Opens the page in the system's browser.
    fn open(page: &str) -> bool {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let (program, before): (&str, &[&str]) =
            if cfg!(windows) { ("cmd", &["/C", "start", ""]) } else { (opener, &[]) };
        let mut command = Command::new(program);
        command.args(before).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    }

    pub fn work(args: &StudioWorkerArgs) -> Result<(), Failure> {
        dalembert_studio::work(args.memory)
            .map_err(|error| Failure::plain(format!("the worker ended: {}", reason(&error))))
    }
}
