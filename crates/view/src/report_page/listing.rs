//! The head of the page: what the model says about itself, and its text.

use super::{Draft, html};
use crate::markup::escaped;
use dalembert_syntax::{KEYWORDS, RESERVED_WORDS, TokenKind, tokens};

/// Lines of a model text that are shown at most.
const MAX_LINES: usize = 400;

/// The header comments as an abstract, and the model as it is written.
pub(super) fn section(draft: &Draft) -> String {
    let text = &draft.source.text;
    let mut body = String::new();
    for (label, words) in header(text) {
        let label = if label.is_empty() { String::new() } else { format!("<strong>{label}.</strong> ") };
        body.push_str(&format!("<p>{label}{}</p>\n", escaped(&words)));
    }
    if !body.is_empty() {
        body = format!("<div class=\"abstract\">\n{body}</div>\n");
    }
    let lines = text.lines().count();
    let shown: String =
        coloured(text).lines().take(MAX_LINES).map(|l| format!("<li><code>{l}</code></li>\n")).collect();
    let mut model = format!("<ol class=\"listing\">\n{shown}</ol>\n");
    if lines > MAX_LINES {
        model.push_str(&html::remark(&format!("The first {MAX_LINES} of {lines} lines.")));
    }
    let changes = draft.changes();
    if !changes.is_empty() {
        model.push_str(&format!("<p>With {}.</p>\n", html::code(changes.trim())));
    }
    body + &html::section("model", "The model", &model)
}

/// The comments on top, as paragraphs: what it is, where it is from, what is known.
fn header(text: &str) -> Vec<(&'static str, String)> {
    let mut parts: Vec<(&'static str, String)> = vec![("", String::new())];
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    for line in lines.skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix('#')) {
        let mut rest = line.trim();
        while let Some((at, label)) = next_label(rest) {
            push(&mut parts, &rest[..at]);
            parts.push((label, String::new()));
            rest = rest[at + label.len() + 1..].trim();
        }
        push(&mut parts, rest);
    }
    parts.retain(|(_, words)| !words.is_empty());
    parts
}

/// Where the next of the usual labels stands in a line: at its beginning or behind a sentence.
fn next_label(line: &str) -> Option<(usize, &'static str)> {
    let labels = ["Source", "Known"].into_iter();
    let found = labels.filter_map(|label| {
        let at = line.find(&format!("{label}:"))?;
        (at == 0 || line[..at].trim_end().ends_with('.')).then_some((at, label))
    });
    found.min()
}

fn push(parts: &mut [(&'static str, String)], words: &str) {
    if let Some((_, last)) = parts.last_mut()
        && !words.trim().is_empty()
    {
        if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(words.trim());
    }
}

/// The text with comments, strings, numbers and words of the language marked; lines stay lines.
fn coloured(text: &str) -> String {
    let (tokens, _) = tokens(text);
    let (mut out, mut at, mut begins) = (String::new(), 0, true);
    for token in tokens {
        let range = token.span.range();
        if range.start < at || range.end > text.len() {
            continue;
        }
        out.push_str(&lines(&text[at..range.start]));
        let word = &text[range.clone()];
        let class = match token.kind {
            TokenKind::Comment => Some("c"),
            TokenKind::Text => Some("s"),
            TokenKind::Number => Some("n"),
            TokenKind::Name if begins && KEYWORDS.contains(&word) => Some("k"),
            _ if RESERVED_WORDS.contains(&word) => Some("k"),
            _ => None,
        };
        match class {
            Some(class) => out.push_str(&format!("<span class=\"{class}\">{}</span>", escaped(word))),
            None => out.push_str(&lines(word)),
        }
        begins = matches!(
            token.kind,
            TokenKind::Newline | TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace
        );
        at = range.end;
    }
    out + &lines(&text[at..])
}

/// Escaped, with ends of lines kept.
fn lines(text: &str) -> String {
    text.split('\n').map(|line| escaped(line.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_comments_are_taken_apart() {
        let text =
            "\n# A block. It slides.\n# Source: a book. Known: a = g\n#   and more.\nsystem \"x\"\n# later\n";
        let expected = [("", "A block. It slides."), ("Source", "a book."), ("Known", "a = g and more.")];
        let found = header(text);
        assert_eq!(found.iter().map(|(l, w)| (*l, w.as_str())).collect::<Vec<_>>(), expected);
        assert!(header("coordinate x # Source: none").is_empty());
    }

    #[test]
    fn lines_stay_lines() {
        let text = "coordinate x # <b>\nkinetic 2*x'^2\r\npotential if x < 1 then 1 else 2";
        let marked = coloured(text);
        assert_eq!(marked.lines().count(), 3);
        assert!(
            marked.starts_with("<span class=\"k\">coordinate</span> x <span class=\"c\"># &lt;b&gt;</span>")
        );
        assert!(marked.contains("x &lt; <span class=\"n\">1</span> <span class=\"k\">then</span>"));
    }
}
