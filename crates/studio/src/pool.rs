//! Requests and the worker processes that answer them.
//!
//! A page has one lane for each kind of request. A new request takes the place of the one before it in its lane, so that
//! nothing queues up behind a slider. Idle workers wait for the lane they served last, because they still hold its model.

use crate::options::{Limits, Options};
use crate::process::Process;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

/// Requests that are worked on at once.
const BUSY: usize = 4;
/// Small requests at once, besides: what editors ask for does not wait for runs.
const BUSY_EDITING: usize = 2;
const EDITING: [&str; 4] = ["check", "hover", "complete", "format"];
/// Workers that wait with a model.
const IDLE: usize = 6;
/// How long they wait.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long a request waits for a worker.
const QUEUE: Duration = Duration::from_secs(20);
/// How long a worker may take to end a request softly before it is killed.
const GRACE: Duration = Duration::from_millis(300);

/// Page and kind of request.
pub type Lane = (String, String);

/// All workers.
pub struct Pool {
    command: (PathBuf, Vec<OsString>),
    limits: Limits,
    slots: Semaphore,
    editing: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: Vec<(Process, Lane, Instant)>,
    lanes: HashMap<Lane, Arc<Traffic>>,
}

/// What goes on in a lane.
#[derive(Default)]
struct Traffic {
    /// Held by the request that is worked on.
    turn: tokio::sync::Mutex<()>,
    newest: Mutex<Option<Arc<Stop>>>,
}

/// Ends a request from outside.
#[derive(Default)]
struct Stop {
    why: Mutex<Option<&'static str>>,
    bell: Notify,
}

impl Stop {
    fn ring(&self, why: &'static str) {
        locked(&self.why).get_or_insert(why);
        self.bell.notify_one();
    }

    async fn rung(&self) -> &'static str {
        self.bell.notified().await;
        locked(&self.why).unwrap_or("stopped")
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub fn new(options: &Options) -> Arc<Pool> {
        Arc::new(Pool {
            command: options.worker.clone(),
            limits: options.limits,
            slots: Semaphore::new(BUSY),
            editing: Semaphore::new(BUSY_EDITING),
            state: Mutex::default(),
        })
    }

    /// Begins a request; its lines come out of the receiver, the last one is the answer. Dropping the receiver ends it.
    pub fn begin(self: &Arc<Pool>, lane: Lane, request: Map<String, Value>) -> mpsc::Receiver<String> {
        let (lines, receiver) = mpsc::channel(16);
        let pool = Arc::clone(self);
        let stop = Arc::new(Stop::default());
        let traffic = Arc::clone(locked(&self.state).lanes.entry(lane.clone()).or_default());
        if let Some(older) = locked(&traffic.newest).replace(Arc::clone(&stop)) {
            older.ring("superseded");
        }
        tokio::spawn(async move {
            let answer = tokio::select! {
                answer = pool.serve(&lane, &traffic, &stop, request, &lines) => answer,
                () = lines.closed() => None,
            };
            if let Some(answer) = answer {
                let _ = lines.send(answer).await;
            }
            drop(traffic);
            // The map holds one reference; without another nobody is in the lane.
            locked(&pool.state).lanes.retain(|_, traffic| Arc::strong_count(traffic) > 1);
        });
        receiver
    }

    /// Ends the request of a lane, keeping what was computed.
    pub fn stop(&self, lane: &Lane) {
        let traffic = locked(&self.state).lanes.get(lane).cloned();
        if let Some(stop) = traffic.and_then(|traffic| locked(&traffic.newest).clone()) {
            stop.ring("cancelled");
        }
    }

    async fn serve(
        &self,
        lane: &Lane,
        traffic: &Traffic,
        stop: &Stop,
        request: Map<String, Value>,
        lines: &mpsc::Sender<String>,
    ) -> Option<String> {
        let slots = if EDITING.contains(&lane.1.as_str()) { &self.editing } else { &self.slots };
        let turn = async { (traffic.turn.lock().await, timeout(QUEUE, slots.acquire()).await) };
        let (_turn, slot) = tokio::select! {
            turn = turn => turn,
            why = stop.rung() => return Some(ended(why)),
        };
        let Ok(Ok(_slot)) = slot else {
            return Some(failed("the studio is busy with other runs", "try again when they are done"));
        };
        let mut worker = match self.take(lane) {
            Ok(worker) => worker,
            Err(error) => return Some(failed(&format!("no worker process could be started: {error}"), "")),
        };
        let answer = self.converse(&mut worker, stop, request, lines).await;
        match answer {
            Ok(answer) => {
                self.give_back(worker, lane.clone());
                Some(answer)
            }
            Err(answer) => Some(answer),
        }
    }

    /// The answer of a worker that can go on, or what to say of one that cannot.
    async fn converse(
        &self,
        worker: &mut Process,
        stop: &Stop,
        request: Map<String, Value>,
        lines: &mpsc::Sender<String>,
    ) -> Result<String, String> {
        let mut end = Instant::now() + self.limits.time;
        let mut stopping: Option<&'static str> = None;
        let mut asked = worker.ask(request).await.is_ok();
        while asked {
            tokio::select! {
                line = worker.line() => match line {
                    Some(line) if line.starts_with("{\"progress\"") => drop(lines.try_send(line)),
                    Some(line) => return Ok(line),
                    None => asked = false,
                },
                why = stop.rung(), if stopping.is_none() => {
                    (stopping, end) = (Some(why), Instant::now() + GRACE);
                    asked = worker.stop(why).await.is_ok();
                }
                () = sleep_until(end) => match stopping {
                    Some(why) => return Err(ended(why)),
                    None => {
                        (stopping, end) = (Some("time"), Instant::now() + 4 * GRACE);
                        asked = worker.stop("time").await.is_ok();
                    }
                },
            }
        }
        let (message, help) = worker.epitaph().await;
        Err(failed(&message, &help))
    }

    /// The worker that served this lane last, or a new one.
    fn take(&self, lane: &Lane) -> std::io::Result<Process> {
        let mut state = locked(&self.state);
        match state.idle.iter().position(|(_, last, _)| last == lane) {
            Some(k) => Ok(state.idle.remove(k).0),
            None => Process::start(&self.command, &self.limits),
        }
    }

    fn give_back(&self, worker: Process, lane: Lane) {
        let mut state = locked(&self.state);
        state.idle.push((worker, lane, Instant::now()));
        if state.idle.len() > IDLE {
            state.idle.remove(0);
        }
    }

    /// Ends workers that have waited too long; call it now and then.
    pub fn tidy(&self) {
        locked(&self.state).idle.retain(|(_, _, since)| since.elapsed() < PATIENCE);
    }
}

/// What is said of a request that ended without a result of its own.
fn ended(why: &str) -> String {
    let help = "use smaller families, or start the studio with a larger `--time-limit`";
    match why {
        "time" => failed("this took longer than it may", help),
        why => json!({ "ended": why }).to_string(),
    }
}

fn failed(message: &str, help: &str) -> String {
    json!({ "failed": { "message": message, "help": help } }).to_string()
}
