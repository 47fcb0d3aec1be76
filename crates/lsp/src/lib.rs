//! The language server protocol over a pair of streams: an editor on one side, [`dalembert_ide`] on the other.
//!
//! Nothing here knows the model language. Requests are answered at once, from the newest text. What is wrong with a
//! text is found on a thread of its own, from the newest text only, when nothing was typed for a moment.
//!
//! ```
//! let input = std::io::Cursor::new(b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}".to_vec());
//! let mut output = Vec::new();
//! assert_eq!(dalembert_lsp::serve(input, &mut output).unwrap(), 1); // no shutdown before the exit
//! ```

mod answers;
mod checker;
mod convert;
mod documents;
mod position;
mod server;
mod transport;

pub use position::{ClientPosition, Encoding, Lines};

use server::{Flow, Server};
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use transport::Incoming;

/// What the main loop waits for.
enum Event {
    /// A message of the client.
    Message(serde_json::Value),
    /// Bytes that are no message, and why.
    Garbled(String),
    /// The client is gone.
    Closed,
    /// A text has been checked.
    Checked(checker::Checked),
}

/// How many events may wait; the reader pauses beyond.
const QUEUE: usize = 256;

/// Serves one client until it says `exit` or its stream ends. The answer is the exit code of the process: 0 after
/// `shutdown` and `exit`, 1 otherwise.
///
/// # Errors
///
/// When the client cannot be written to.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write) -> io::Result<u8> {
    let (sender, events) = sync_channel(QUEUE);
    let for_checks = sender.clone();
    thread::spawn(move || listen(input, &sender));
    let checker = checker::Checker::start(move |checked| for_checks.send(Event::Checked(checked)).is_ok());
    answer(&events, Server::new(checker), output)
}

/// Passes the messages of the client on.
fn listen(mut input: impl BufRead, sender: &SyncSender<Event>) {
    loop {
        let event = match transport::read(&mut input) {
            Ok(Incoming::Message(message)) => Event::Message(message),
            Ok(Incoming::Garbled(why)) => Event::Garbled(why),
            Ok(Incoming::End) | Err(_) => Event::Closed,
        };
        let last = matches!(event, Event::Closed);
        if sender.send(event).is_err() || last {
            return;
        }
    }
}

fn answer(events: &Receiver<Event>, mut server: Server, mut output: impl Write) -> io::Result<u8> {
    loop {
        let flow = match events.recv() {
            Ok(Event::Message(message)) => server.receive(&message),
            Ok(Event::Garbled(why)) => server.garbled(&why),
            Ok(Event::Checked(checked)) => server.checked(checked),
            Ok(Event::Closed) | Err(_) => Flow::Exit(server.exit_code()),
        };
        for message in server.outbox() {
            transport::write(&mut output, &message)?;
        }
        if let Flow::Exit(code) = flow {
            return Ok(code);
        }
    }
}
