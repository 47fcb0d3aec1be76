//! `--animate FILE`: the film of a motion as a page, or as a video that ffmpeg encodes.

use crate::failure::Failure;
use crate::files::{extension, put, refused};
use crate::progress::Steps;
use dalembert_files::{make_beside, up_to};
use dalembert_view::Animation;
use dalembert_view::{self, FRAME_RATE, Frames};
use std::io::{Error, ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Encoders for .mp4, best first.
const ENCODERS: [&str; 3] = ["libx264", "libopenh264", "mpeg4"];

/// Bytes of what ffmpeg says that are repeated.
const MAX_SAID: usize = 1 << 16;

/// Where an animation goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnimationTarget {
    /// A page that stands alone.
    Html(String),
    /// A picture that moves.
    Gif(String),
    /// A video.
    Mp4(String),
}

/// Reads `--animate`.
pub fn animation_target(text: &str) -> Result<AnimationTarget, String> {
    match extension(text).as_str() {
        "html" => Ok(AnimationTarget::Html(text.to_owned())),
        "gif" => Ok(AnimationTarget::Gif(text.to_owned())),
        "mp4" => Ok(AnimationTarget::Mp4(text.to_owned())),
        _ => Err("the name must end in .html, .gif or .mp4".to_owned()),
    }
}

impl AnimationTarget {
    /// The file.
    pub fn path(&self) -> &str {
        match self {
            AnimationTarget::Html(path) | AnimationTarget::Gif(path) | AnimationTarget::Mp4(path) => path,
        }
    }

    /// Whether it is a page.
    pub fn is_page(&self) -> bool {
        matches!(self, AnimationTarget::Html(_))
    }

    /// Whether what makes it is there, found out before the run.
    pub fn check(&self) -> Result<(), Failure> {
        match self {
            AnimationTarget::Html(_) => Ok(()),
            AnimationTarget::Gif(path) => encoders(path).map(drop),
            AnimationTarget::Mp4(path) => encoder(path).map(drop),
        }
    }

    /// Writes the film.
    pub fn write(&self, film: &Animation, show_progress: bool) -> Result<(), Failure> {
        match self {
            AnimationTarget::Html(path) => {
                put(path, |out| out.write_all(dalembert_view::animation_page(film).as_bytes()))
            }
            AnimationTarget::Gif(path) => {
                // A palette for each frame: one for all would need all frames in memory.
                let palette =
                    "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none";
                encode(film, path, 1.0, &["-vf", palette, "-loop", "0", "-f", "gif"], show_progress)
            }
            AnimationTarget::Mp4(path) => {
                let name = encoder(path)?;
                let quality: &[&str] = match name {
                    "libx264" => &["-crf", "20"],
                    _ => &["-b:v", "3M"],
                };
                let mut options =
                    vec!["-c:v", name, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"];
                options.extend_from_slice(quality);
                encode(film, path, 1.5, &options, show_progress)
            }
        }
    }
}

/// What ffmpeg says of its encoders.
fn encoders(path: &str) -> Result<String, Failure> {
    let output = Command::new("ffmpeg").args(["-hide_banner", "-encoders"]).stdin(Stdio::null()).output();
    match output {
        Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let failure = Failure::plain(format!("`{path}` is encoded by ffmpeg, which was not found"));
            Err(failure.help("install ffmpeg, or write a page with `--animate FILE.html`"))
        }
        Err(error) => Err(Failure::plain(format!("ffmpeg cannot be started: {error}"))),
    }
}

/// The best encoder for .mp4 that this ffmpeg has.
fn encoder(path: &str) -> Result<&'static str, Failure> {
    let known = encoders(path)?;
    let has = |name: &&&str| known.split_whitespace().any(|word| word == **name);
    ENCODERS.iter().find(has).copied().ok_or_else(|| {
        let failure = Failure::plain(format!(
            "this ffmpeg cannot write `{path}`: it has none of {}",
            ENCODERS.join(", ")
        ));
        failure.help("install another ffmpeg, or write a page with `--animate FILE.html`")
    })
}

/// Draws the frames and hands them to ffmpeg, which writes beside the file until it is complete.
fn encode(
    film: &Animation,
    path: &str,
    scale: f64,
    options: &[&str],
    show_progress: bool,
) -> Result<(), Failure> {
    let mut failure = None;
    let made = make_beside(Path::new(path), |part| {
        encode_to(film, path, part, scale, options, show_progress).map_err(|why| {
            failure = Some(why);
            Error::other("ffmpeg failed")
        })
    });
    made.map_err(|error| failure.unwrap_or_else(|| refused(path, &error)))
}

fn encode_to(
    film: &Animation,
    path: &str,
    part: &Path,
    scale: f64,
    options: &[&str],
    show_progress: bool,
) -> Result<(), Failure> {
    let mut frames = Frames::new(film, scale);
    let (width, height) = frames.size();
    let mut child = Command::new("ffmpeg")
        .args(["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24"])
        .args(["-video_size", &format!("{width}x{height}"), "-framerate", &FRAME_RATE.to_string(), "-i", "-"])
        .args(options)
        .arg(format!("file:{}", part.display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::plain(format!("ffmpeg cannot be started: {error}")))?;
    let (input, errors) = (child.stdin.take(), child.stderr.take());
    // What it says is read while it is fed, so that neither waits for the other.
    let said = std::thread::spawn(move || {
        let mut errors = errors?;
        let text = up_to(&mut errors, MAX_SAID).ok()?;
        let _ = std::io::copy(&mut errors, &mut std::io::sink());
        Some(String::from_utf8_lossy(&text).trim().to_owned())
    });
    let steps = Steps::new(frames.count(), "encoding", show_progress);
    if let Some(mut input) = input {
        for k in 0..frames.count() {
            // If it has ended early, its own words tell why.
            if input.write_all(frames.render(k)).is_err() {
                break;
            }
            steps.step();
        }
    }
    steps.done();
    let status = child.wait().map_err(|error| Failure::plain(format!("ffmpeg was lost: {error}")))?;
    let said = said.join().ok().flatten().unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    let reason = if said.is_empty() { status.to_string() } else { said };
    Err(Failure::plain(format!("ffmpeg could not write `{path}`: {reason}")))
}
