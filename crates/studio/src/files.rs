//! The models of one folder: listed, read and written, and nothing outside of it.
//!
//! A name is the plain name of a file that ends in `.dal`. Links may lead to other files of the folder only. A file is
//! written only if it still is what the writer has seen.

use dalembert::source::MAX_SOURCE_BYTES;
use dalembert_files::{replace, up_to};
use std::hash::{DefaultHasher, Hasher};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Files that are listed.
const MAX_FILES: usize = 1000;

/// A folder with models.
pub struct Folder {
    root: PathBuf,
}

/// A text and the mark of its content.
pub struct FileText {
    /// The text.
    pub text: String,
    /// Changes with the content.
    pub version: String,
}

/// Why a file is not read or written.
#[derive(Debug)]
pub enum FileError {
    /// Not a name of a model in this folder.
    Name(String),
    /// There is no such file.
    Missing,
    /// Larger than any model may be.
    TooLarge,
    /// The file is not what the writer has seen; what it is now, if it is there.
    Changed(Option<String>),
    /// The system refused.
    System(String),
}

impl Folder {
    /// A folder that is there.
    pub fn open(path: &Path) -> std::io::Result<Folder> {
        let root = path.canonicalize()?;
        match root.is_dir() {
            true => Ok(Folder { root }),
            false => Err(Error::new(ErrorKind::NotADirectory, "not a folder")),
        }
    }

    /// Its path, for people.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The names of its models in order.
    pub fn names(&self) -> std::io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.root)?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            if self.place(&name).is_ok_and(|path| path.is_file()) {
                names.push(name);
            }
        }
        names.sort();
        names.truncate(MAX_FILES);
        Ok(names)
    }

    /// Whether files can be made here.
    pub fn writable(&self) -> bool {
        let probe = self.root.join(format!(".dalembert-studio-{}", std::process::id()));
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&probe);
        made.is_ok_and(|_| std::fs::remove_file(&probe).is_ok())
    }

    /// Reads a model.
    pub fn read(&self, name: &str) -> Result<FileText, FileError> {
        let path = self.place(name)?;
        match std::fs::metadata(&path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(FileError::Name("this is not a plain file".to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(FileError::Missing),
            Err(error) => return Err(system(&error)),
        }
        let read = std::fs::File::open(&path).and_then(|file| up_to(file, MAX_SOURCE_BYTES + 1));
        let bytes = read.map_err(|e| system(&e))?;
        let source = dalembert::Source::from_bytes(name, bytes).map_err(|d| FileError::Name(d.message))?;
        Ok(FileText { version: version(&source.text), text: source.text })
    }

    /// Writes a model over the version that was seen (`None`: there was no such file); gives the new version.
    pub fn write(&self, name: &str, text: &str, seen: Option<&str>) -> Result<String, FileError> {
        if text.len() > MAX_SOURCE_BYTES {
            return Err(FileError::TooLarge);
        }
        let now = match self.read(name) {
            Ok(found) => Some(found.version),
            Err(FileError::Missing) => None,
            Err(other) => return Err(other),
        };
        if now.as_deref() != seen {
            return Err(FileError::Changed(now));
        }
        let path = self.place(name)?;
        replace(&path, |out| out.write_all(text.as_bytes())).map_err(|e| system(&e))?;
        Ok(version(text))
    }

    /// Where a file of this name is, links followed; the file need not exist.
    fn place(&self, name: &str) -> Result<PathBuf, FileError> {
        let bad = |why: &str| Err(FileError::Name(why.to_owned()));
        if !name.ends_with(".dal") || name.len() > 200 {
            return bad("the name of a model ends in .dal and is no longer than 200 bytes");
        }
        if name.starts_with('.') || name.chars().any(|c| "/\\:\0".contains(c) || c.is_control()) {
            return bad("give the name of a file in this folder, without a path");
        }
        let path = self.root.join(name);
        match path.canonicalize() {
            Ok(real) if real.parent() == Some(&self.root) => match real.extension() {
                Some(ending) if ending == "dal" => Ok(real),
                _ => bad("this link leads to a file that is not a model"),
            },
            Ok(_) => bad("this link leads out of the folder"),
            // A link to nowhere is there and has no place.
            Err(_) if path.symlink_metadata().is_ok() => bad("this link leads nowhere"),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(path),
            Err(error) => Err(system(&error)),
        }
    }
}

fn system(error: &Error) -> FileError {
    let text = error.to_string();
    FileError::System(text.split(" (os error").next().unwrap_or(&text).to_lowercase())
}

fn version(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    format!("{:016x}-{}", hasher.finish(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> (PathBuf, Folder) {
        let base = std::env::temp_dir().join(format!("dalembert-files-{name}-{}", std::process::id()));
        let inner = base.join("inner");
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(base.join("secret.dal"), "secret").unwrap();
        (base.clone(), Folder::open(&inner).unwrap())
    }

    #[test]
    fn nothing_outside_is_read_or_written() {
        let (base, folder) = folder("outside");
        std::fs::create_dir(folder.path().join("deep.dal")).unwrap();
        let absolute = base.join("secret.dal").display().to_string();
        let names = [
            "../secret.dal",
            "..",
            "x/../../secret.dal",
            "..\\secret.dal",
            "a\0.dal",
            ".dal",
            "x.txt",
            "",
            "deep.dal",
        ];
        for name in names.iter().copied().chain([absolute.as_str()]) {
            assert!(matches!(folder.read(name), Err(FileError::Name(_))), "{name:?}");
            assert!(matches!(folder.write(name, "x", None), Err(FileError::Name(_))), "{name:?}");
        }
        assert_eq!(std::fs::read_to_string(base.join("secret.dal")).unwrap(), "secret");
        std::fs::remove_dir_all(base).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_inside() {
        use std::os::unix::fs::symlink;
        let (base, folder) = folder("links");
        let root = folder.path().to_owned();
        folder.write("real.dal", "coordinate x", None).unwrap();
        symlink(base.join("secret.dal"), root.join("out.dal")).unwrap();
        symlink(base.join("none.dal"), root.join("nowhere.dal")).unwrap();
        symlink(root.join("real.dal"), root.join("in.dal")).unwrap();
        std::fs::write(root.join("notes.txt"), "notes").unwrap();
        symlink(root.join("notes.txt"), root.join("other.dal")).unwrap();
        for name in ["out.dal", "nowhere.dal", "other.dal"] {
            assert!(matches!(folder.read(name), Err(FileError::Name(_))), "{name}");
            assert!(matches!(folder.write(name, "x", None), Err(FileError::Name(_))), "{name}");
        }
        assert!(!base.join("none.dal").exists());
        assert_eq!(std::fs::read_to_string(root.join("notes.txt")).unwrap(), "notes");
        assert_eq!(folder.read("in.dal").unwrap().text, "coordinate x");
        assert_eq!(folder.names().unwrap(), ["in.dal", "real.dal"]);
        std::fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn a_file_that_changed_is_not_overwritten() {
        let (base, folder) = folder("versions");
        let first = folder.write("a.dal", "one", None).unwrap();
        assert!(matches!(folder.write("a.dal", "two", None), Err(FileError::Changed(Some(_)))));
        let second = folder.write("a.dal", "two", Some(&first)).unwrap();
        std::fs::write(folder.path().join("a.dal"), "from elsewhere").unwrap();
        assert!(matches!(folder.write("a.dal", "three", Some(&second)), Err(FileError::Changed(Some(_)))));
        assert_eq!(folder.read("a.dal").unwrap().text, "from elsewhere");
        let long = " ".repeat(MAX_SOURCE_BYTES + 1);
        assert!(matches!(folder.write("c.dal", &long, None), Err(FileError::TooLarge)));
        folder.write("c.dal", &long[1..], None).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside the files");
        assert!(matches!(folder.write("b.dal", "x", Some(&second)), Err(FileError::Changed(None))));
        std::fs::remove_dir_all(base).unwrap();
    }

    #[test]
    fn a_save_that_fails_leaves_the_text_that_was_there() {
        let (base, folder) = folder("faults");
        let seen = folder.write("a.dal", "good", None).unwrap();
        let text = "coordinate x\n".repeat(20_000);
        let saves = dalembert_files::faults::each(
            || folder.write("a.dal", &text, Some(&seen)),
            |k, saved| {
                assert!(saved.is_err(), "operation {k} failed and the save says it is done");
                assert_eq!(folder.read("a.dal").unwrap().text, "good", "operation {k}");
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "operation {k} left a file");
            },
        );
        assert!(saves >= 5, "{saves} operations");
        assert_eq!(folder.read("a.dal").unwrap().text, text);
        std::fs::remove_dir_all(base).unwrap();
    }
}
