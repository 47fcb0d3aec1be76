//! What may vary between two runs that agree: times, wording, version.
//!
//! Numbers of the mechanics are never touched. Wording of diagnostics is left out because their codes are recorded,
//! and because better words are not a change of results.

/// Keys of JSON documents whose lines are left out.
const KEYS: &[&str] = &[
    // Times of this run.
    "wall_time",
    "seconds",
    "runs_per_second",
    // Wording of diagnostics.
    "error",
    "message",
    "help",
];

/// Files of a sweep that hold times or the version: their lines in the list of checksums are left out.
const CHECKED: &[&str] = &[" summary.json", " manifest.json"];

/// Removes from an output what may vary. `version` is the program's name and version as it writes them.
pub fn filter(bytes: &[u8], version: &str) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return replace(bytes, version.as_bytes(), b"dalembert");
    };
    text.split_inclusive('\n')
        .filter(|line| !varies(line))
        .map(|line| without_wall_time(&line.replace(version, "dalembert")))
        .collect::<String>()
        .into_bytes()
}

/// Codes of the diagnostics in what a command printed: `[E0512]` on standard error, `"code": "E0512"` in JSON.
pub fn codes(stdout: &[u8], stderr: &[u8]) -> Vec<String> {
    let (stdout, stderr) = (String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    let after = |text: &str, mark: &str| -> Vec<String> {
        text.split(mark)
            .skip(1)
            .filter_map(|rest| rest.get(..5))
            .filter(|s| is_code(s))
            .map(str::to_owned)
            .collect()
    };
    let mut codes = [after(&stderr, "["), after(&stdout, "\"code\": \"")].concat();
    codes.sort();
    codes.dedup();
    codes
}

fn is_code(text: &str) -> bool {
    text.starts_with(['E', 'W', 'N']) && text[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line is an entry of a JSON document under one of [`KEYS`], or a checksum of one of [`CHECKED`].
fn varies(line: &str) -> bool {
    let checksum = line.starts_with(|c: char| c.is_ascii_digit());
    if checksum && CHECKED.iter().any(|file| line.trim_end().ends_with(file)) {
        return true;
    }
    let key = line.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\": "));
    key.is_some_and(|(key, _)| KEYS.contains(&key))
}

/// The summary of a run in words, on pages: `wall time` is followed by a number of seconds.
fn without_wall_time(line: &str) -> String {
    let Some((before, after)) = line.split_once("wall time") else { return line.to_owned() };
    let number = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
    let rest = after[number..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    format!("{before}wall time{}{rest}", &after[..number])
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(from) {
            out.extend_from_slice(to);
            at += from.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{codes, filter};

    fn filtered(text: &str) -> String {
        String::from_utf8(filter(text.as_bytes(), "dalembert 0.1.0")).unwrap()
    }

    #[test]
    fn times_words_and_version_go() {
        let document = "{\n  \"steps\": 7,\n  \"wall_time\": 0.013,\n  \"error\": \"no\",\n  \"t\": 1.5\n}\n";
        assert_eq!(filtered(document), "{\n  \"steps\": 7,\n  \"t\": 1.5\n}\n");
        assert_eq!(filtered("<i>dalembert 0.1.0</i>"), "<i>dalembert</i>");
        assert_eq!(filter(b"\xff dalembert 0.1.0\xff", "dalembert 0.1.0"), b"\xff dalembert\xff");
        assert_eq!(filtered("<th>wall time</th><td>0.021 s</td>"), "<th>wall time</th><td> s</td>");
    }

    #[test]
    fn checksums_of_files_with_times_go() {
        let list = "40 af86 results.csv\n571 a5e3 summary.json\n9 0c manifest.json\n";
        assert_eq!(filtered(list), "40 af86 results.csv\n");
    }

    #[test]
    fn numbers_stay() {
        for text in ["t,x\n0,1.25e-7\n", "  \"message_count\": 3\n", "seconds,1\n", "no line feed"] {
            assert_eq!(filtered(text), text);
        }
    }

    #[test]
    fn codes_of_both_streams() {
        let json = b"{\"diagnostics\": [{\n\"code\": \"W0503\",\n\"code\": \"other\"}]}";
        assert_eq!(codes(json, b"error[E0512]: no such\nwarning[W0503]: x[1]\n"), ["E0512", "W0503"]);
        assert!(codes(b"", "E0512 [E05\u{e9}".as_bytes()).is_empty());
    }
}
