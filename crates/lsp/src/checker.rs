//! Checking texts on a thread of its own: the newest text of each document, once nothing was typed for a moment.

use dalembert::diagnostic::Diagnostic;
use dalembert::{Source, internal};
use dalembert_ide as language;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long nothing must be typed before a text is checked.
const PAUSE: Duration = Duration::from_millis(120);

/// What was found.
pub struct Checked {
    /// The document.
    pub uri: String,
    /// Which of its texts.
    pub revision: u64,
    /// What is to be said.
    pub diagnostics: Vec<Diagnostic>,
}

/// Texts that wait, by document; a newer one takes the place of an older one.
type Waiting = BTreeMap<String, (u64, String)>;

/// The door to the thread that checks.
pub struct Checker {
    shared: Arc<(Mutex<Waiting>, Condvar)>,
}

impl Checker {
    /// Starts the thread, which tells what it finds until nobody listens.
    pub fn start(mut tell: impl FnMut(Checked) -> bool + Send + 'static) -> Checker {
        let shared = Arc::new((Mutex::new(Waiting::new()), Condvar::new()));
        let theirs = Arc::clone(&shared);
        thread::spawn(move || {
            loop {
                let (uri, (revision, text)) = next(&theirs);
                let source = Source::new(&uri, text);
                // A panic is a bug of ours: it is said with the text, and other texts are still checked.
                let checked = internal::catch("a check of this text", || language::diagnostics(&source));
                let diagnostics = checked.unwrap_or_else(|internal| vec![*internal]);
                if !tell(Checked { uri, revision, diagnostics }) {
                    return;
                }
            }
        });
        Checker { shared }
    }

    /// Asks for a check of a text.
    pub fn check(&self, uri: &str, revision: u64, text: &str) {
        lock(&self.shared.0).insert(uri.to_owned(), (revision, text.to_owned()));
        self.shared.1.notify_one();
    }
}

/// Waits for a text, and then until no newer one comes.
fn next((waiting, changed): &(Mutex<Waiting>, Condvar)) -> (String, (u64, String)) {
    let mut texts = lock(waiting);
    loop {
        while texts.is_empty() {
            texts = changed.wait(texts).unwrap_or_else(PoisonError::into_inner);
        }
        let (later, pause) = changed.wait_timeout(texts, PAUSE).unwrap_or_else(PoisonError::into_inner);
        texts = later;
        if pause.timed_out()
            && let Some(first) = texts.pop_first()
        {
            return first;
        }
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
