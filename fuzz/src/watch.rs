//! Cases run on a thread of their own, under eyes that see panics (on any thread), time and memory.

use crate::targets::Target;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// As much stack as a main thread has: deep texts must not need more.
const STACK: usize = 8 << 20;
/// Times by which the clock may exceed the time of the processor.
pub const PATIENCE: u32 = 20;
/// Between two looks at the clock and the memory.
const LOOK: Duration = Duration::from_millis(20);

/// What one case may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time of the processor, so that a busy machine changes nothing; what waits for ever ends by the clock, after
    /// [`PATIENCE`] times as long.
    pub time: Duration,
    /// Memory beyond what was there before, in MiB.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { time: Duration::from_secs(30), memory: 1536 }
    }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was understood, or refused.
    Done(bool),
    /// Somebody panicked: where, and with which words.
    Panicked(String, String),
    /// It took longer than the limit. Its thread is left behind.
    Hung,
    /// It took more memory than the limit. Its thread is left behind.
    Gorged,
}

impl Outcome {
    /// What tells finds apart; `None` if all is well.
    pub fn find(&self) -> Option<String> {
        match self {
            Outcome::Done(_) => None,
            Outcome::Panicked(place, _) => Some(place.clone()),
            Outcome::Hung => Some("hung".to_owned()),
            Outcome::Gorged => Some("memory".to_owned()),
        }
    }
}

/// The first panic since it was last asked for.
static PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

/// Panics are kept for [`Watch::run`] from now on instead of being printed, also those that somebody catches.
fn listen_to_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |l| format!("{}:{}", l.file(), l.line()));
        let payload = info.payload();
        let words = payload.downcast_ref::<String>().map(String::as_str);
        let words = words.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no words");
        if let Ok(mut panic) = PANIC.lock() {
            panic.get_or_insert_with(|| (place, words.to_owned()));
        }
    }));
}

fn last_panic() -> Option<(String, String)> {
    PANIC.lock().ok().and_then(|mut panic| panic.take())
}

/// Memory of this process, in MiB; 0 where the system does not say.
fn memory() -> u64 {
    let said = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = said.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    pages * 4 / 1024
}

/// Time of the processor that this process has taken; `None` where the system does not say.
fn processor() -> Option<Duration> {
    let said = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks: user and system time are the twelfth and thirteenth field, in hundredths.
    let fields: Vec<&str> = said.rsplit(')').next()?.split_whitespace().collect();
    let hundredths: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * hundredths))
}

/// The two ends of a thread that runs cases.
type Ends = (Sender<(Target, Vec<u8>)>, Receiver<bool>);

/// Runs one case after the other.
pub struct Watch {
    limits: Limits,
    worker: Option<Ends>,
}

impl Watch {
    /// With these limits.
    pub fn new(limits: Limits) -> Watch {
        Watch { limits, worker: None }
    }

    /// A thread that runs cases until nobody sends any.
    fn start() -> Ends {
        let (cases, inbox) = channel::<(Target, Vec<u8>)>();
        let (answers, outbox) = channel();
        let work = move || {
            for (target, bytes) in inbox {
                let understood = catch_unwind(AssertUnwindSafe(|| target.run(&bytes))).unwrap_or(false);
                if answers.send(understood).is_err() {
                    return;
                }
            }
        };
        // Without a thread there is no answer, which the caller takes for a panic.
        let _ = std::thread::Builder::new().stack_size(STACK).spawn(work);
        (cases, outbox)
    }

    /// Runs a case.
    pub fn run(&mut self, target: Target, bytes: &[u8]) -> Outcome {
        // Again each time: what is run may listen itself.
        listen_to_panics();
        let (began, start, before) = (Instant::now(), processor(), memory());
        let (cases, answers) = self.worker.get_or_insert_with(Self::start);
        let sent = cases.send((target, bytes.to_vec())).is_ok();
        let outcome = loop {
            match answers.recv_timeout(LOOK) {
                Ok(understood) => break Outcome::Done(understood),
                Err(RecvTimeoutError::Timeout) if sent => {}
                Err(_) => {
                    break Outcome::Panicked("thread".to_owned(), "the thread of a case has gone".to_owned());
                }
            }
            let clock = began.elapsed();
            let taken = processor().zip(start).map_or(clock, |(now, then)| now.saturating_sub(then));
            if taken > self.limits.time || clock > PATIENCE * self.limits.time {
                break Outcome::Hung;
            }
            if memory() > before + self.limits.memory {
                break Outcome::Gorged;
            }
        };
        if !matches!(outcome, Outcome::Done(_)) {
            self.worker = None;
        }
        match last_panic() {
            Some((place, words)) => Outcome::Panicked(place, words),
            None => outcome,
        }
    }

    /// A case without the lines that its panic does not need.
    pub fn shrink(&mut self, target: Target, bytes: &[u8], find: &str) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        let began = Instant::now();
        let mut k = 0;
        while k < lines.len() && began.elapsed() < self.limits.time {
            let mut fewer = lines.clone();
            fewer.remove(k);
            let same = self.run(target, &fewer.concat()).find().as_deref() == Some(find);
            if same { lines = fewer } else { k += 1 }
        }
        lines.concat()
    }
}
