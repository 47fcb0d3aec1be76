//! `--animate FILE`: the film of a motion as a page.

use crate::files::{extension, put};
use crate::report::Failure;
use dalembert::{Film, export};
use std::io::Write;

/// Where an animation goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnimationTarget {
    /// A page that stands alone.
    Html(String),
}

/// Reads `--animate`.
pub fn animation_target(text: &str) -> Result<AnimationTarget, String> {
    match extension(text).as_str() {
        "html" => Ok(AnimationTarget::Html(text.to_owned())),
        _ => Err("the name must end in .html".to_owned()),
    }
}

impl AnimationTarget {
    /// The file.
    pub fn path(&self) -> &str {
        match self {
            AnimationTarget::Html(path) => path,
        }
    }

    /// Writes the film.
    pub fn write(&self, film: &Film) -> Result<(), Failure> {
        match self {
            AnimationTarget::Html(path) => {
                put(path, |out| out.write_all(export::animation_page(film).as_bytes()))
            }
        }
    }
}
