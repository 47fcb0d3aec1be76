//! Every case that the fuzzer once found runs without a panic, in time and in bounded memory.

use dalembert_fuzz::corpus::{cases, files};
use dalembert_fuzz::targets::Target;
use dalembert_fuzz::watch::{Limits, Watch};

#[test]
fn what_was_found_once_is_mended() {
    let mut watch = Watch::new(Limits::default());
    let (mut run, mut finds) = (0, Vec::new());
    for target in Target::ALL {
        for file in files(&cases(target)) {
            let bytes = std::fs::read(&file).expect("a case can be read");
            let outcome = watch.run(target, &bytes);
            run += 1;
            if outcome.find().is_some() {
                finds.push(format!("{}: {outcome:?}", file.display()));
            }
        }
    }
    // The hook must not swallow the verdict.
    let _ = std::panic::take_hook();
    println!("{run} cases");
    assert!(finds.is_empty(), "{finds:#?}");
}
