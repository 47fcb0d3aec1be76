//! A model on one page, for a lecture or the appendix of a paper: what it is, what kind its constraints are, its
//! equations, its motion, the forces in it, its energy balance, what it conserves and how accurate that is.
//!
//! The page stands alone: no script is needed to read it, nothing is loaded, formulas are MathML with their LaTeX beside
//! them, drawings are SVG, and it prints on A4. The same model gives the same bytes. Nothing is computed here: every
//! section asks the part of the engine whose answer it shows. What fails is said at its place, and the rest is written.

mod constraints;
mod equations;
mod forces;
mod formula;
mod formula_width;
mod html;
mod line_break;
mod listing;
mod motion;
mod results;
mod system;
mod theory;

use crate::markup::escaped;
use dalembert::analyze::{Analysis, analyze};
use dalembert::equations::Form;
use dalembert::notation::Notation;
use dalembert::simulate::Request;
use dalembert::{Model, Overrides, Source, Workspace};
use dalembert_run::Flow;
use dalembert_syntax::diagnostic::{Code, Diagnostic, Severity};
pub use forces::MAX_FORCES;
pub use formula::MAX_FORMULA;
use theory::Tag;

const STYLE: &str = include_str!("../assets/paper/paper.css");
/// Speeds and rows together up to which a page classifies constraints and looks for what is conserved.
pub const MAX_ANALYSED: usize = 120;
/// A page without a player runs nothing.
const STILL: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// What the page is to have.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How the motion is computed.
    pub request: Request,
    /// The forms of the equations; otherwise Lagrange's, the kernel form and the closed form where they are short.
    pub forms: Option<Vec<Form>>,
    /// Whether the motion is computed at all.
    pub motion: bool,
    /// Whether the page plays it, besides the still pictures.
    pub player: bool,
    /// Whether every other road is compared.
    pub verify: bool,
    /// What was changed from outside when the model was loaded: the page lists it, and its commands repeat it.
    pub overrides: Overrides,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted {
            request: Request::default(),
            forms: None,
            motion: true,
            player: false,
            verify: false,
            overrides: Overrides::default(),
        }
    }
}

/// Where the work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Classifying constraints and looking for what is conserved.
    Analysis,
    /// Writing equations.
    Equations,
    /// The motion has come to this time.
    Motion(f64),
    /// Comparing other roads.
    Verification,
}

/// A finished page.
#[derive(Clone, Debug)]
pub struct ReportPage {
    /// The page.
    pub html: String,
    /// What is missing on it and why, as it is said there.
    pub troubles: Vec<Diagnostic>,
    /// Whether the motion, or something that was asked for by name, is not there or not whole.
    pub failed: bool,
}

/// Writes the page. `progress` is told where the work is and may stop the run; the page is then of what was computed.
///
/// ```
/// use dalembert::{Model, Source, run::Flow};
/// use dalembert_view::{report_page::{self, Wanted}};
/// let text = "
///     parameter m = 1, g = 9.81
///     coordinate x, y
///     kinetic m/2*(x'^2 + y'^2)
///     potential m*g*y
///     constraint wire: y = x^2
///     initial x = 1
///     simulate until 1
/// ";
/// let source = Source::new("bead.dal", text);
/// let model = Model::load(&source, &Default::default()).unwrap();
/// let paper = report_page::write(&model, &source, &Wanted::default(), &mut |_| Flow::Continue);
/// assert!(!paper.failed && paper.troubles.is_empty());
/// assert!(paper.html.contains("<math") && paper.html.contains("wire"));
/// ```
pub fn write(
    model: &Model,
    source: &Source,
    wanted: &Wanted,
    progress: &mut dyn FnMut(Stage) -> Flow,
) -> ReportPage {
    let notation = Notation::of(&model.system);
    let mut draft = Draft {
        model,
        work: model.workspace(),
        source,
        wanted,
        notation,
        troubles: Vec::new(),
        failed: false,
        tags: Vec::new(),
    };
    let mut body = listing::section(&draft);
    body.push_str(&system::section(&mut draft));
    progress(Stage::Analysis);
    let analysis = analysis(&mut draft);
    body.push_str(&constraints::section(&mut draft, &analysis));
    progress(Stage::Equations);
    body.push_str(&equations::section(&mut draft));
    body.push_str(&motion::sections(&mut draft, progress));
    body.push_str(&results::conserved(&mut draft, &analysis));
    // What was interrupted has said so with its motion; what would take as long again is left out.
    if wanted.verify && progress(Stage::Verification) == Flow::Continue {
        body.push_str(&results::verification(&mut draft));
    }
    body.push_str(&theory::section(&draft.tags, draft.constrained()));
    let html = page(draft.model, wanted, &body);
    ReportPage { html, troubles: draft.troubles, failed: draft.failed }
}

/// What there is to find out, where that takes no longer than a page may.
fn analysis(draft: &mut Draft) -> AnalysisResult {
    let size = draft.model.form.speeds.len() + draft.model.system.constraints.rows.len();
    if size <= MAX_ANALYSED {
        return analyze(&mut draft.work).map_err(|d| d.severity(Severity::Warning));
    }
    let message = format!("{size} speeds and rows together are too many to analyse for a page");
    let help = format!("`{}` does it", draft.command("analyze MODEL"));
    Err(Diagnostic::new(Code::TooLarge, None, message).severity(Severity::Note).help(help))
}

/// A page in the making.
struct Draft<'a> {
    model: &'a Model,
    /// Where expressions are made for the page.
    work: Workspace,
    source: &'a Source,
    wanted: &'a Wanted,
    notation: Notation,
    troubles: Vec<Diagnostic>,
    failed: bool,
    tags: Vec<Tag>,
}

impl Draft<'_> {
    /// Notes that something is missing, and says it on the page.
    fn trouble(&mut self, diagnostic: Diagnostic) -> String {
        self.failed |= diagnostic.is_error();
        let shown = html::diagnostic(&diagnostic);
        self.troubles.push(diagnostic);
        shown
    }

    /// Whether there are constraints, and so multipliers.
    fn constrained(&self) -> bool {
        !self.model.system.constraints.rows.is_empty()
    }

    /// Notes that the page rests on an equation of the theory.
    fn rests_on(&mut self, tags: &[Tag]) {
        self.tags.extend_from_slice(tags);
    }

    /// The command that writes what the page leaves out; the model goes by the name of its file.
    fn command(&self, rest: &str) -> String {
        let file = self.source.name.rsplit(['/', '\\']).next().unwrap_or_default();
        let file = match file.ends_with(".dal") {
            true if file.starts_with('-') => quoted(&format!("./{file}")),
            true => quoted(file),
            false => "MODEL".to_owned(),
        };
        format!("dalembert {}{}", rest.replace("MODEL", &file), self.changes())
    }

    /// Options that repeat what was changed from outside, each with a space before it.
    fn changes(&self) -> String {
        let o = &self.wanted.overrides;
        let sets = o.set.iter().map(|(name, value)| format!(" --set {}", quoted(&format!("{name}={value}"))));
        let initials = o.initial.iter().map(|text| format!(" --initial {}", quoted(text)));
        sets.chain(initials).collect()
    }
}

/// An argument as a shell takes it: between double quotes where these keep it as it is, else between single ones.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "=._-+/,:".contains(c);
    let read = |c: char| "\"$`\\!".contains(c) || c.is_control();
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if !text.chars().any(read) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn page(model: &Model, wanted: &Wanted, body: &str) -> String {
    let title = escaped(model.system.title.as_deref().unwrap_or("A mechanical system"));
    let plays = wanted.player && body.contains("id=\"player\"");
    let policy = if plays { crate::player::POLICY } else { STILL };
    let style = if plays { crate::player::PLAYER_STYLE } else { "" };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"generator\" content=\"dalembert {}\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n\
         </body>\n</html>\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// What was found out about a model, or why not.
type AnalysisResult = Result<Analysis, Diagnostic>;

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn arguments_survive_a_shell() {
        let cases = [
            ("m=7.25", "m=7.25"),
            ("g=9.81 m/s^2", "\"g=9.81 m/s^2\""),
            ("theta'=3", "\"theta'=3\""),
            ("m=2*l", "\"m=2*l\""),
            ("m=$HOME", "'m=$HOME'"),
            ("x'=`id`", r"'x'\''=`id`'"),
            ("", "\"\""),
        ];
        for (text, shown) in cases {
            assert_eq!(quoted(text), shown);
        }
    }
}
