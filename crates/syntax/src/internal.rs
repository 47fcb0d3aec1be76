//! Internal errors: a panic of the engine as a diagnostic that asks for a report.
//!
//! A panic is a bug of ours, but whoever meets it has a session, a page or a script to lose. Each face (command line,
//! Python, studio, language server) runs what it is asked inside [`catch`] and shows the diagnostic as it shows any
//! other. What panicked may be inconsistent afterwards: a face drops the model that was in use.

use crate::diagnostic::{Code, Diagnostic};
use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::{self, ThreadId};

/// Panics that were met and not reported yet: the thread, what was said and where.
static MET: Mutex<Vec<(ThreadId, String)>> = Mutex::new(Vec::new());
/// How many of them are kept; more come only from threads that nobody waits for.
const KEPT: usize = 32;
/// What a thread says when one that it waited for has panicked.
const OF_ANOTHER: &str = "a scoped thread panicked";

/// Does some work; a panic in it becomes a diagnostic. `what` is what was running, as in `simulate pendulum.dal`.
///
/// ```
/// let sum = dalembert_syntax::internal::catch("a sum", || 1 + 1);
/// assert_eq!(sum.unwrap(), 2);
/// let wrong = dalembert_syntax::internal::catch("an example", || panic!("a row is missing"));
/// assert!(wrong.map(|()| ()).unwrap_err().message.contains("a row is missing"));
/// ```
///
/// # Errors
///
/// An [`Internal`](Code::Internal) if the work panics.
pub fn catch<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, Box<Diagnostic>> {
    listen();
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| Box::new(diagnostic(what, payload.as_ref())))
}

/// Whether a diagnostic reports a bug of the engine rather than something about the model.
pub fn is_internal(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == Code::Internal
}

fn diagnostic(what: &str, payload: &(dyn Any + Send)) -> Diagnostic {
    found(what, &met().unwrap_or_else(|| words(payload)))
}

/// An internal error that the engine finds itself, by a check of its own results.
pub fn found(what: &str, said: &str) -> Diagnostic {
    let message = format!("internal error while running {what}: {said}");
    Diagnostic::error(Code::Internal, None, message)
        .help("this is a bug of dalembert; please report it, with the model and this message")
}

/// Keeps what panics say instead of printing it. With `RUST_BACKTRACE` set it is printed too.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        let shown = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
        set_hook(Box::new(move |info| {
            let mut met = MET.lock().unwrap_or_else(PoisonError::into_inner);
            if met.len() < KEPT {
                met.push((thread::current().id(), sentence(info)));
            }
            drop(met);
            if shown {
                before(info);
            }
        }));
    });
}

/// What was said and where.
fn sentence(info: &PanicHookInfo<'_>) -> String {
    let said = words(info.payload());
    match info.location() {
        Some(place) => format!("{said} ({}:{})", place.file(), place.line()),
        None => said,
    }
}

/// The first panic behind the one that has just been caught on this thread.
fn met() -> Option<String> {
    let mut met = MET.lock().unwrap_or_else(PoisonError::into_inner);
    let own = thread::current().id();
    let last = met.iter().rposition(|(thread, _)| *thread == own)?;
    let (_, said) = met.remove(last);
    if !said.contains(OF_ANOTHER) {
        return Some(said);
    }
    // The thread that was waited for said why; threads that panicked with it have nothing to add.
    let behind = met.first().map(|(_, said)| said.clone());
    met.clear();
    Some(behind.unwrap_or(said))
}

fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no reason was given".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Panics of the whole process are listened to: here one comes after the other.
    static ALONE: Mutex<()> = Mutex::new(());

    fn message<T>(work: impl FnOnce() -> T) -> String {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        catch("simulate pendulum.dal", work).map(|_| ()).unwrap_err().message
    }

    #[test]
    fn a_panic_is_a_diagnostic_with_its_place_and_what_was_running() {
        let said = message(|| {
            let empty: Vec<u8> = Vec::new();
            empty[std::hint::black_box(3)]
        });
        assert!(said.starts_with("internal error while running simulate pendulum.dal: index out of bounds"));
        assert!(said.contains("internal.rs:"), "{said}");
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let d = catch::<()>("x", || panic!("no")).unwrap_err();
        assert!(is_internal(&d) && d.help.iter().any(|help| help.contains("report")));
    }

    #[test]
    fn the_thread_that_panicked_says_why() {
        let said = message(|| thread::scope(|scope| drop(scope.spawn(|| panic!("lane {} is lost", 3)))));
        assert!(said.contains("lane 3 is lost"), "{said}");
    }

    #[test]
    fn work_without_a_panic_gives_its_result() {
        assert_eq!(catch("a sum", || 1 + 1).unwrap(), 2);
    }
}
