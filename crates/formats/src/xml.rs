//! XML within bounds, and values read from it with messages at their places.
//!
//! No document type definitions, so neither external nor recursive entities; a bound on the size of the text, on the number
//! of nodes and on their depth. Knows nothing of robots.

use crate::algebra::Vec3;
use dalembert_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use dalembert_syntax::source::{MAX_SOURCE_BYTES, Source, Span};
use roxmltree::{Document, Node, ParsingOptions};

/// Elements, comments and pieces of text that a file may have.
pub const MAX_NODES: u32 = 200_000;
/// How deep elements may be nested. The trees of the largest robots are some tens of bodies deep.
pub const MAX_DEPTH: usize = 400;
/// Messages that are kept; what is said of more than this is not read by anyone.
const MAX_MESSAGES: usize = 2000;
/// Sizes beyond this are mistakes, and would overflow in squares and products.
const LARGEST: f64 = 1e60;

/// What is to be said about a file.
#[derive(Default)]
pub struct Log {
    /// In the order in which it was found.
    pub messages: Vec<Diagnostic>,
}

impl Log {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.messages.len() < MAX_MESSAGES
            || diagnostic.is_error() && self.messages.len() < 2 * MAX_MESSAGES
        {
            self.messages.push(diagnostic);
        }
    }

    /// The errors alone: where there are some, nothing was made that the rest could be about.
    pub fn errors(&mut self) -> Diagnostics {
        Diagnostics(self.messages.drain(..).filter(Diagnostic::is_error).collect())
    }

    /// Adds a diagnostic as grave as its code says.
    pub fn say(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message));
    }

    /// Adds a diagnostic with advice.
    pub fn advise(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message).help(help));
    }
}

/// Parses a text.
///
/// # Errors
///
/// One diagnostic at the place where the text cannot be read on.
pub fn parse(source: &Source) -> Result<Document<'_>, Box<Diagnostic>> {
    if source.text.len() > MAX_SOURCE_BYTES {
        let message = format!("the file is longer than the {MAX_SOURCE_BYTES} bytes that are read");
        return Err(Box::new(Diagnostic::error(Code::XmlTooLarge, None, message)));
    }
    if let Some(span) = too_deep(&source.text) {
        let message = format!("elements are nested more than {MAX_DEPTH} deep");
        return Err(Box::new(Diagnostic::error(Code::XmlTooLarge, span, message)));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(&source.text, options).map_err(|error| Box::new(explain(&error, source)))
}

fn explain(error: &roxmltree::Error, source: &Source) -> Diagnostic {
    let position = error.pos();
    let span = Span::at(offset(&source.text, position.row as usize, position.col as usize));
    match error {
        roxmltree::Error::NodesLimitReached => {
            let message = format!("the file has more than the {MAX_NODES} nodes that are read");
            Diagnostic::error(Code::XmlTooLarge, None, message)
        }
        roxmltree::Error::DtdDetected => {
            let message =
                "a document type definition is not read: it could name other files or grow without bound";
            Diagnostic::error(Code::BadXml, None, message)
                .help("replace the entities of the file by their text and remove `<!DOCTYPE ...>`")
        }
        _ => Diagnostic::error(Code::BadXml, span, format!("this is not well-formed XML: {error}")),
    }
}

/// The offset of a line and a column in characters, both from 1.
fn offset(text: &str, row: usize, column: usize) -> u32 {
    let mut start = 0;
    for (k, line) in text.split_inclusive('\n').enumerate() {
        if k + 1 == row {
            let inside = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
            return (start + inside) as u32;
        }
        start += line.len();
    }
    text.len() as u32
}

/// Where elements are nested too deeply: a scan of tags, before any tree is built. Comments and quoted signs may only make it
/// count too much by what they contain.
fn too_deep(text: &str) -> Option<Span> {
    let (bytes, mut depth, mut at) = (text.as_bytes(), 0usize, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&b| b == b'<')) {
        let start = at + found;
        at = start + 1;
        match bytes.get(at) {
            Some(b'!') if bytes[start..].starts_with(b"<!--") => {
                at = text[start..].find("-->").map_or(bytes.len(), |end| start + end);
            }
            Some(b'!') if bytes[start..].starts_with(b"<![CDATA[") => {
                at = text[start..].find("]]>").map_or(bytes.len(), |end| start + end);
            }
            Some(b'!' | b'?') => {}
            Some(b'/') => depth = depth.saturating_sub(1),
            _ => {
                depth += 1;
                let end =
                    bytes[start..].iter().position(|&b| b == b'>').map_or(bytes.len(), |end| start + end);
                if end > 0 && bytes.get(end - 1) == Some(&b'/') {
                    depth -= 1;
                }
            }
        }
        if depth > MAX_DEPTH {
            return Some(Span::new(start as u32, start as u32 + 1));
        }
    }
    None
}

/// The opening tag of an element.
pub fn span(node: Node<'_, '_>) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let length = text.find('>').map_or(text.len(), |end| end + 1);
    Span::new(range.start as u32, (range.start + length) as u32)
}

/// The value of an attribute.
pub fn value_span(node: Node<'_, '_>, name: &str) -> Span {
    match node.attribute_node(name) {
        Some(attribute) => {
            let range = attribute.range_value();
            Span::new(range.start as u32, range.end as u32)
        }
        None => span(node),
    }
}

/// The children that are elements.
pub fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(|child| child.is_element())
}

/// The first child with a tag.
pub fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    children(node).find(|child| child.tag_name().name() == tag)
}

/// The numbers of a text.
///
/// # Errors
///
/// What is wrong with it.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let read = |word: &str| match word.parse::<f64>() {
        Ok(value) if value.is_finite() && value.abs() <= LARGEST => {
            // What is that small is zero, and its square would be below what doubles hold.
            Ok(if value.abs() < 1.0 / LARGEST { 0.0 } else { value })
        }
        Ok(_) => Err(format!("`{word}` is not a number that a robot can have")),
        Err(_) => Err(format!("`{}` is not a number", word.chars().take(40).collect::<String>())),
    };
    text.split_ascii_whitespace().take(1000).map(read).collect()
}

impl Log {
    /// The numbers of an attribute; none if it is not there. What is wrong is said.
    pub fn list(&mut self, node: Node<'_, '_>, name: &str) -> Option<Vec<f64>> {
        match numbers(node.attribute(name)?) {
            Ok(values) => Some(values),
            Err(why) => {
                let d = Diagnostic::error(Code::BadXmlValue, value_span(node, name), why);
                let unexpanded = node.attribute(name).is_some_and(|text| text.contains("${"));
                self.push(if unexpanded { d.help("expand the file with `xacro` first") } else { d });
                None
            }
        }
    }

    /// So many numbers of an attribute.
    pub fn array<const N: usize>(&mut self, node: Node<'_, '_>, name: &str) -> Option<[f64; N]> {
        let values = self.list(node, name)?;
        let count = values.len();
        match values.try_into() {
            Ok(values) => Some(values),
            Err(_) => {
                let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
                let message = format!("`{name}` has {wanted}, not {count}");
                self.say(Code::BadXmlValue, value_span(node, name), message);
                None
            }
        }
    }

    /// One number.
    pub fn scalar(&mut self, node: Node<'_, '_>, name: &str) -> Option<f64> {
        self.array::<1>(node, name).map(|[value]| value)
    }

    /// A number that is not negative.
    pub fn positive(&mut self, node: Node<'_, '_>, name: &str) -> Option<f64> {
        let value = self.scalar(node, name)?;
        if value < 0.0 {
            let message = format!("`{name}` is {value}, and cannot be negative");
            self.say(Code::BadXmlValue, value_span(node, name), message);
            return None;
        }
        Some(value)
    }

    /// A direction: three numbers that are not all zero.
    pub fn direction(&mut self, node: Node<'_, '_>, name: &str) -> Option<Vec3> {
        let axis = self.array::<3>(node, name)?;
        if axis == [0.0; 3] {
            self.say(Code::BadXmlValue, value_span(node, name), "an axis of length zero has no direction");
            return None;
        }
        Some(axis)
    }

    /// An attribute that must be there.
    pub fn needed<'a>(&mut self, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let value = node.attribute(name);
        if value.is_none() {
            let message = format!("`<{}>` needs the attribute `{name}`", node.tag_name().name());
            self.say(Code::MissingInXml, span(node), message);
        }
        value
    }

    /// One of some words.
    pub fn word(&mut self, node: Node<'_, '_>, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let text = node.attribute(name)?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let shown: String = text.chars().take(40).collect();
            let message = format!("`{name}` is one of {}, not `{shown}`", words.join(", "));
            self.say(Code::BadXmlValue, value_span(node, name), message);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Diagnostic {
        *parse(&Source::new("robot.xml", text)).expect_err("it is refused")
    }

    #[test]
    fn hostile_files_are_refused() {
        let laughs = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><robot>&b;</robot>";
        assert_eq!(refused(laughs).code, Code::BadXml);
        let foreign = "<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><robot name=\"&x;\"/>";
        assert_eq!(refused(foreign).code, Code::BadXml);
        let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
        assert_eq!(refused(&deep).code, Code::XmlTooLarge);
        assert_eq!(refused(&format!("<a>{}</a>", "<b/>".repeat(300_000))).code, Code::XmlTooLarge);
        assert_eq!(refused(&format!("<a>{}</a>", " ".repeat(MAX_SOURCE_BYTES))).code, Code::XmlTooLarge);
        for text in ["", "<", "<a", "<a b=>", "</a>", "<a></b>", "<a>&nothing;</a>", "\u{0}", "<a/><b/>"] {
            assert_eq!(refused(text).code, Code::BadXml, "{text}");
        }
    }

    #[test]
    fn depth_is_that_of_elements() {
        let wide = format!("<a>{}</a>", "<b x='1'/><c>1</c><!-- <d> -->".repeat(2000));
        assert!(too_deep(&wide).is_none());
        assert!(too_deep(&format!("<a>{}", "<b>".repeat(MAX_DEPTH))).is_some());
    }

    #[test]
    fn numbers_are_finite_and_of_a_size() {
        assert_eq!(numbers(" 1 -2.5e3\n.5 "), Ok(vec![1.0, -2500.0, 0.5]));
        assert_eq!(numbers("1e-99"), Ok(vec![0.0]));
        for text in ["nan", "inf", "1e99", "1,2", "${x}", "0x10"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
