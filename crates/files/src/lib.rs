//! Files: read within bounds, and written so that nothing good is lost.
//!
//! A file is written beside its place under another name, completed on the disk, and only then renamed. A full disk, a
//! power cut or a killed process leave the file that was there before. Devices and pipes, which cannot be replaced,
//! are written to directly. Every operation that can fail goes through this crate, so that the tests can make each of
//! them fail (`faults`).
//!
//! ```
//! let folder = std::env::temp_dir();
//! let path = folder.join(format!("dalembert-files-{}.csv", std::process::id()));
//! dalembert_files::replace(&path, |out| std::io::Write::write_all(out, b"t,x\n0,1\n")).unwrap();
//! assert_eq!(dalembert_files::read_text(&path, 1000).unwrap(), "t,x\n0,1\n");
//! dalembert_files::remove(&path).unwrap();
//! ```

#[cfg(any(test, feature = "faults"))]
pub mod faults;
mod library;
mod place;
mod read;
mod step;
mod write;

pub use library::compile_library;
pub use place::same;
pub use read::{read_text, up_to};
pub use write::{LEFTOVER, OutputFile, make_beside, probe, remove, replace};
