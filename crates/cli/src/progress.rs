//! How far a run has come, and signals that end it early.

use dalembert::run::Flow;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Steps of the bar.
const FULL: f64 = 1000.0;
/// Calls between two looks at the clock.
const PATIENCE: u32 = 64;
/// Time between two changes of the bar.
const PAUSE: Duration = Duration::from_millis(80);

/// The end of the time limit sets the flag. The first signal to end (Ctrl-C, a termination, a hang-up) sets the flag, a second one ends the process. Without
/// signals the default stays.
pub fn listen(interrupted: &Arc<AtomicBool>) {
    crate::limit::running(interrupted);
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;
    for signal in [SIGINT, SIGTERM].into_iter().chain(hang_up()) {
        let _ = flag::register_conditional_shutdown(signal, 1, Arc::clone(interrupted));
        let _ = flag::register(signal, Arc::clone(interrupted));
    }
}

/// The signal of a terminal that is closed, unless it is to be ignored: what `nohup` started goes on.
#[cfg(target_os = "linux")]
fn hang_up() -> Option<i32> {
    use signal_hook::consts::SIGHUP;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    let ignored = u64::from_str_radix(ignored.trim(), 16).ok()?;
    (ignored >> (SIGHUP - 1) & 1 == 0).then_some(SIGHUP)
}

/// Elsewhere nobody can say whether it is to be ignored without unsafe code.
#[cfg(not(target_os = "linux"))]
fn hang_up() -> Option<i32> {
    None
}

/// Watches a run.
pub struct RunProgress {
    bar: ProgressBar,
    until: f64,
    interrupted: Arc<AtomicBool>,
    calls: u32,
    shown: Instant,
}

impl RunProgress {
    /// A watch; the bar shows on a terminal only, and only if wanted.
    pub fn new(until: Option<f64>, wanted: bool) -> RunProgress {
        let bar = match (wanted, until) {
            (true, Some(_)) => ProgressBar::new(FULL as u64),
            _ => ProgressBar::hidden(),
        };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {msg}  {elapsed}") {
            bar.set_style(style);
        }
        let watch = RunProgress {
            bar,
            until: until.unwrap_or(1.0),
            interrupted: Arc::new(AtomicBool::new(false)),
            calls: 0,
            shown: Instant::now(),
        };
        listen(&watch.interrupted);
        watch
    }

    /// Called after each step of the run.
    pub fn at(&mut self, t: f64) -> Flow {
        self.calls += 1;
        if self.calls >= PATIENCE {
            self.calls = 0;
            if !self.bar.is_hidden() && self.shown.elapsed() > PAUSE {
                self.shown = Instant::now();
                self.bar.set_position((FULL * t / self.until).clamp(0.0, FULL) as u64);
                self.bar.set_message(format!("t = {t:.4}"));
            }
        }
        self.flow()
    }

    fn flow(&self) -> Flow {
        if self.interrupted.load(Ordering::Relaxed) { Flow::Cancel } else { Flow::Continue }
    }

    /// Says what is done besides the run.
    pub fn says(&mut self, what: &'static str) -> Flow {
        if !self.bar.is_hidden() {
            self.bar.set_message(what);
            self.bar.tick();
        }
        self.flow()
    }

    /// The run is over: removes the bar, and what was computed is kept whatever the clock says.
    pub fn done(&self) {
        crate::limit::writing();
        self.bar.finish_and_clear();
    }
}

/// A bar over steps of equal weight, on a terminal only.
pub struct Steps(ProgressBar);

impl Steps {
    /// A bar for so many steps.
    pub fn new(count: usize, what: &'static str, wanted: bool) -> Steps {
        let bar = if wanted { ProgressBar::new(count as u64) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3}%  {msg}  {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Steps(bar)
    }

    /// One more is done.
    pub fn step(&self) {
        self.0.inc(1);
    }

    /// So many of so many are done.
    pub fn reach(&self, done: usize, count: usize) {
        self.0.set_length(count as u64);
        self.0.set_position(done as u64);
    }

    /// Removes the bar.
    pub fn done(&self) {
        self.0.finish_and_clear();
    }
}
