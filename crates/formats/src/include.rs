//! Files that an MJCF file includes, put in their place.
//!
//! As in MuJoCo, the children of the root of the included file replace `<include file="..."/>`, each file is included once,
//! and paths are relative to the folder of the main file. They may not leave that folder: a robot from elsewhere must not
//! read other files of this machine. Files are read by the caller.

use crate::xml;
use dalembert_syntax::diagnostic::{Code, Diagnostic, Diagnostics};
use dalembert_syntax::source::{Source, Span};
use roxmltree::Node;
use std::collections::BTreeSet;

/// How deep included files may include others.
const MAX_LEVELS: usize = 16;

/// The text of an MJCF file with the files that it includes in their places; any other text as it is.
///
/// Places in the result are places in that text, whose name says so.
///
/// ```
/// use dalembert_formats::include;
/// use dalembert_syntax::Source;
///
/// let main = Source::new("robot.xml", r#"<mujoco><include file="arm.xml"/></mujoco>"#);
/// let whole = include(&main, |path| match path {
///     "arm.xml" => Ok("<mujoco><worldbody/></mujoco>".to_owned()),
///     _ => Err("no such file".to_owned()),
/// })
/// .unwrap();
/// assert_eq!(whole.text, "<mujoco><worldbody/></mujoco>");
/// ```
///
/// # Errors
///
/// A file that cannot be read, is not XML, is included twice or is outside the folder; too much text.
pub fn include(
    source: &Source,
    mut read: impl FnMut(&str) -> Result<String, String>,
) -> Result<Source, Diagnostics> {
    let mut whole = source.clone();
    let mut seen = BTreeSet::new();
    for level in 0.. {
        let found = places(&whole).map_err(|d| Diagnostics(vec![*d]))?;
        if found.is_empty() {
            break;
        }
        // Places of a text that is put together already are not those of the file.
        let fail = |span: Span, message: String| {
            let span = (level == 0).then_some(span);
            Diagnostics(vec![Diagnostic::error(Code::NotImported, span, message)])
        };
        if level == MAX_LEVELS {
            return Err(fail(
                found[0].span,
                format!("included files are nested more than {MAX_LEVELS} deep"),
            ));
        }
        let mut text = whole.text.to_string();
        for place in found.iter().rev() {
            let path = place.path.as_str();
            if path.is_empty() || !is_inside(path) {
                let message = format!("`{path}` is not a file in the folder of this one");
                return Err(fail(place.span, message));
            }
            if !seen.insert(path.to_owned()) {
                return Err(fail(place.span, format!("`{path}` is included a second time")));
            }
            let part = read(path).map_err(|why| fail(place.span, format!("`{path}` is not read: {why}")))?;
            let content = content(&Source::new(path, part))
                .map_err(|d| fail(place.span, format!("in `{path}`: {}", d.message)))?;
            text.replace_range(place.range.clone(), &content);
        }
        whole = Source::new(format!("{} with the files it includes", source.name), text);
    }
    Ok(whole)
}

/// An element that stands for a file.
struct Place {
    path: String,
    range: std::ops::Range<usize>,
    span: Span,
}

fn places(source: &Source) -> Result<Vec<Place>, Box<Diagnostic>> {
    if !source.text.contains("<include") {
        return Ok(Vec::new());
    }
    let document = xml::parse(source)?;
    if document.root_element().tag_name().name() != "mujoco" {
        return Ok(Vec::new());
    }
    let place = |node: Node<'_, '_>| Place {
        path: node.attribute("file").unwrap_or_default().to_owned(),
        range: node.range(),
        span: xml::span(node),
    };
    Ok(document.descendants().filter(|node| node.has_tag_name("include")).map(place).collect())
}

/// What stands inside the root of a file.
fn content(source: &Source) -> Result<String, Box<Diagnostic>> {
    let document = xml::parse(source)?;
    let root = document.root_element();
    let ends = root.first_child().zip(root.last_child());
    Ok(ends
        .map_or(String::new(), |(first, last)| source.text[first.range().start..last.range().end].to_owned()))
}

/// Whether a path stays in its folder.
fn is_inside(path: &str) -> bool {
    use std::path::Component;
    std::path::Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
