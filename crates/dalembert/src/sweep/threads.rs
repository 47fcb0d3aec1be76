//! Blocks over threads.

use super::worker::Worker;
use super::{Block, Sweep};
use dalembert_run::Flow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

impl Sweep {
    /// Makes the blocks whose numbers are given, on `threads` threads; `take` is handed each as it is ready, in no
    /// particular order, and may end the sweep. So may `cancel`, from anywhere: blocks that are not ready are dropped.
    /// Memory does not depend on how many there are.
    pub fn execute(
        &self,
        threads: usize,
        blocks: impl IntoIterator<Item = usize, IntoIter: Send>,
        cancel: &AtomicBool,
        mut take: impl FnMut(Block) -> Flow,
    ) {
        let blocks = Mutex::new(blocks.into_iter().filter(|b| *b < self.blocks()).fuse());
        let next = || blocks.lock().ok().and_then(|mut blocks| blocks.next());
        let threads = threads.max(1);
        let (sender, receiver) = sync_channel::<Block>(2 * threads);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || {
                    let Some(mut block) = next() else { return };
                    let mut worker = Worker::new(self);
                    while !cancel.load(Ordering::Relaxed) {
                        let Some(made) = worker.block(block, cancel) else { return };
                        if sender.send(made).is_err() {
                            return;
                        }
                        let Some(following) = next() else { return };
                        block = following;
                    }
                });
            }
            drop(sender);
            for block in receiver {
                if take(block) == Flow::Cancel {
                    cancel.store(true, Ordering::Relaxed);
                    // Those who wait to hand over a block find nobody and end.
                    break;
                }
            }
        });
    }
}
