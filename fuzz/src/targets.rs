//! Who reads what was written. Each target takes bytes, the form in which cases are kept.

mod text;

use dalembert_cli::parts;

/// What can be fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Model texts: reading, formatting, deriving, starting, moving, analysing.
    Text,
    /// Command lines, a word a line.
    Arguments,
    /// A block of a sweep.
    Block,
    /// A request to a worker of the studio, a line of JSON.
    Studio,
    /// What a client sends to the language server.
    Messages,
    /// Robots in URDF and MJCF.
    Robots,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 6] =
        [Target::Text, Target::Arguments, Target::Block, Target::Studio, Target::Messages, Target::Robots];

    /// Its name, which is that of its folder of cases.
    pub fn name(self) -> &'static str {
        match self {
            Target::Text => "text",
            Target::Arguments => "arguments",
            Target::Block => "block",
            Target::Studio => "studio",
            Target::Messages => "messages",
            Target::Robots => "robots",
        }
    }

    /// By its name.
    pub fn by_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Gives bytes to whoever reads them. Whether they were understood.
    ///
    /// # Panics
    /// If whoever reads them does, or what comes back contradicts itself: that is a find.
    pub fn run(self, bytes: &[u8]) -> bool {
        match self {
            Target::Text => text::run(bytes),
            Target::Arguments => {
                let words: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
                values(&words);
                parts::reads_arguments(&words)
            }
            Target::Block => block(bytes),
            Target::Studio => {
                let line = String::from_utf8_lossy(bytes);
                dalembert_studio::answer(&line).is_some_and(|answer| answer.get("failed").is_none())
            }
            Target::Messages => {
                let mut said = Vec::new();
                let input = std::io::Cursor::new(bytes.to_vec());
                dalembert_lsp::serve(input, &mut said).is_ok_and(|code| code == 0)
            }
            Target::Robots => robot(bytes),
        }
    }
}

/// A robot is refused, or its model has a text that can be read.
fn robot(bytes: &[u8]) -> bool {
    let Ok(source) = dalembert::Source::from_bytes("robot.xml", bytes.to_vec()) else { return false };
    let options = dalembert_formats::Options { fixed_base: bytes.len().is_multiple_of(2) };
    match dalembert_formats::import(&source, &options) {
        Ok(_) => true,
        Err(errors) => {
            let internal = errors.iter().find(|d| dalembert::internal::is_internal(d));
            assert!(internal.is_none(), "{}", internal.map_or("", |d| &d.message));
            false
        }
    }
}

/// Values of options that are read behind the command line.
fn values(words: &[String]) {
    for word in words {
        let _ = dalembert::sweep::Axis::read(word);
        let _ = dalembert::sweep::Sample::read(word);
    }
}

/// A block is read, with some number of columns and runs.
fn block(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    (1..6).any(|columns| parts::reads_block(text, columns, text.lines().count()))
}
