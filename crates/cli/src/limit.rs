//! `--time-limit SECONDS`: no command takes longer.
//!
//! A run is asked to end, as by Ctrl-C, and what it computed is written. Everything else has nothing to keep and ends
//! with a message. Files that are being written are finished first, whatever the clock says.

use crate::failure::Failure;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// Nothing would be lost: the process ends at the limit.
const NOTHING_TO_KEEP: u8 = 0;
/// A run looks at its flag and ends by itself.
const RUNNING: u8 = 1;
/// Results are being written.
const WRITING: u8 = 2;

static PHASE: AtomicU8 = AtomicU8::new(NOTHING_TO_KEEP);
static EXPIRED: AtomicBool = AtomicBool::new(false);
/// What runs look at.
static FLAGS: Mutex<Vec<Arc<AtomicBool>>> = Mutex::new(Vec::new());
static LIMIT: OnceLock<f64> = OnceLock::new();

/// How long a run may take to look at its flag, besides the time it has had: a step of a large system takes a while.
const GRACE: Duration = Duration::from_secs(10);
/// Between two looks at a run that is ending.
const PAUSE: Duration = Duration::from_millis(20);

/// Starts the clock. `report` tells the reader why the process ends.
pub fn start(seconds: Option<f64>, report: impl FnOnce(&Failure) + Send + 'static) {
    let Some(seconds) = seconds else { return };
    let began = Instant::now();
    let limit = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    if LIMIT.set(seconds).is_err() || began.checked_add(limit).is_none() {
        return;
    }
    spawn(move || {
        sleep(limit);
        EXPIRED.store(true, Ordering::SeqCst);
        flags().iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
        let patience = limit.saturating_add(GRACE.max(limit));
        while PHASE.load(Ordering::SeqCst) == RUNNING && began.elapsed() < patience {
            sleep(PAUSE);
        }
        if PHASE.load(Ordering::SeqCst) != WRITING {
            report(&failure("the command was not done by then"));
            std::process::exit(1);
        }
    });
}

/// A run begins that ends soon after its flag is set.
pub fn running(flag: &Arc<AtomicBool>) {
    if LIMIT.get().is_none() {
        return;
    }
    flags().push(Arc::clone(flag));
    PHASE.store(RUNNING, Ordering::SeqCst);
    // The clock may have run out while the run was prepared.
    if EXPIRED.load(Ordering::SeqCst) {
        flag.store(true, Ordering::SeqCst);
    }
}

/// What was computed is written from here on.
pub fn writing() {
    PHASE.store(WRITING, Ordering::SeqCst);
}

/// What to say of a run that the limit has ended, if it has; `kept` is what there is of it.
pub fn ended(kept: &str) -> Option<Failure> {
    EXPIRED.load(Ordering::SeqCst).then(|| failure(kept))
}

fn failure(what: &str) -> Failure {
    let seconds = LIMIT.get().copied().unwrap_or_default();
    Failure::plain(format!("the time limit of {seconds} s was reached: {what}"))
        .help("give more with `--time-limit SECONDS`")
}

fn flags() -> std::sync::MutexGuard<'static, Vec<Arc<AtomicBool>>> {
    FLAGS.lock().unwrap_or_else(PoisonError::into_inner)
}
