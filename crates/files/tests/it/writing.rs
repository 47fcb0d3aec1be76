//! Writing files: what was good stays, whatever fails, and links lead where they should.

use dalembert_files::{LEFTOVER, faults, make_beside, probe, replace, same};
use std::fs;
use std::io::{Error, Write};
use std::path::{Path, PathBuf};

/// A new empty folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("dalembert-files-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn leftovers(&self) -> usize {
        let names = fs::read_dir(&self.0).unwrap().flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().starts_with(LEFTOVER)).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// More than one piece of the buffer, so that writes happen in the middle.
fn long(letter: &str) -> String {
    letter.repeat(200_000)
}

#[test]
fn whatever_fails_the_file_is_the_old_one_or_the_new_one_as_a_whole() {
    let folder = Folder::new("each");
    let path = folder.file("table.csv");
    fs::write(&path, "good").unwrap();
    let (old, new) = ("good".to_owned(), long("x"));
    let steps = faults::each(
        || replace(&path, |out| new.as_bytes().chunks(50_000).try_for_each(|piece| out.write_all(piece))),
        |k, outcome| {
            assert!(outcome.is_err(), "operation {k} failed and nobody said so");
            assert!(text(&path) == old, "operation {k} left something else");
            assert_eq!(folder.leftovers(), 0, "operation {k} left its file behind");
        },
    );
    // Create, several writes, permissions, sync, rename.
    assert!(steps >= 6, "{steps} operations");
    assert!(text(&path) == new);
}

#[test]
fn a_writer_that_fails_or_panics_leaves_the_old_file_alone() {
    let folder = Folder::new("writer");
    let path = folder.file("table.csv");
    fs::write(&path, "good").unwrap();
    let failed = replace(&path, |out| out.write_all(b"half").and(Err::<(), _>(Error::other("no more"))));
    assert_eq!(failed.unwrap_err().to_string(), "no more");
    let panicked =
        std::panic::catch_unwind(|| replace(&path, |_| -> std::io::Result<()> { panic!("a bug") }));
    assert!(panicked.is_err());
    let other = make_beside(&path, |part| fs::write(part, "half").and(Err::<(), _>(Error::other("ended"))));
    assert_eq!(other.unwrap_err().to_string(), "ended");
    assert_eq!((text(&path).as_str(), folder.leftovers()), ("good", 0));
}

#[test]
fn another_program_writes_beside_with_the_same_ending() {
    let folder = Folder::new("program");
    let path = folder.file("film.gif");
    make_beside(&path, |part| {
        assert_eq!(part.extension().unwrap(), "gif");
        fs::write(part, "frames")
    })
    .unwrap();
    assert_eq!((text(&path).as_str(), folder.leftovers()), ("frames", 0));
}

#[test]
fn a_probe_changes_nothing() {
    let folder = Folder::new("probe");
    let path = folder.file("table.csv");
    probe(&path).unwrap();
    assert!(!path.exists() && folder.leftovers() == 0);
    fs::write(&path, "good").unwrap();
    probe(&path).unwrap();
    assert_eq!(text(&path), "good");
    assert!(probe(&folder.0).is_err(), "a directory is not a file");
    assert!(probe(&folder.file("missing/table.csv")).is_err());
}

#[test]
#[cfg(unix)]
fn links_are_followed_and_stay_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (real, link, nowhere) =
        (folder.file("real.csv"), folder.file("link.csv"), folder.file("nowhere.csv"));
    fs::write(&real, "good").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.csv", &link).unwrap();
    symlink("later.csv", &nowhere).unwrap();
    replace(&link, |out| out.write_all(b"new")).unwrap();
    replace(&nowhere, |out| out.write_all(b"new")).unwrap();
    assert_eq!((text(&real).as_str(), text(&folder.file("later.csv")).as_str()), ("new", "new"));
    assert!(link.is_symlink() && nowhere.is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(same(&link, &real) && !same(&real, &nowhere));
    fs::hard_link(&real, folder.file("twin.csv")).unwrap();
    assert!(same(&folder.file("twin.csv"), &real));
    symlink("b", folder.file("a")).unwrap();
    symlink("a", folder.file("b")).unwrap();
    assert!(replace(&folder.file("a"), |out| out.write_all(b"new")).is_err(), "links in a circle");
}

#[test]
#[cfg(target_os = "linux")]
fn devices_are_written_to_directly() {
    replace(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
    let full = replace(Path::new("/dev/full"), |out| out.write_all(b"no room"));
    assert!(full.is_err());
}
