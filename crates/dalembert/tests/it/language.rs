//! What editors are told: over all models, over broken and mutated texts, and at chosen places.

use crate::support::{model_names, model_text};
use dalembert::diagnostic::{Code, any_error};
use dalembert::source::{Source, Span};
use dalembert_ide::{self, CompletionKind, Document, Sort, Usage};
use proptest::prelude::*;

/// All model files with their names.
fn models() -> Vec<Source> {
    let source = |name: String| Source::new(format!("{name}.dal"), model_text(&name));
    model_names().into_iter().map(source).collect()
}

fn document(text: &str) -> Document {
    Document::new(Source::new("model.dal", text))
}

/// The text without the mark `|`, and the offset of the mark.
fn marked(text: &str) -> (Document, u32) {
    let at = text.find('|').expect("a mark");
    (document(&text.replacen('|', "", 1)), at as u32)
}

fn labels(text: &str) -> Vec<String> {
    let (document, at) = marked(text);
    document.completions(at).into_iter().map(|item| item.label).collect()
}

fn hover(text: &str) -> String {
    let (document, at) = marked(text);
    document.hover(at).map_or(String::new(), |hover| hover.markdown())
}

/// Asks everything at an offset; the spans in the answers must be pieces of the text.
fn ask_everything(document: &Document, offset: u32) {
    let text = &document.source.text;
    let sound = |span: Span| assert!(text.get(span.range()).is_some(), "{span:?} at {offset}");
    document.hover(offset).into_iter().for_each(|hover| sound(hover.span));
    document.definition(offset).into_iter().for_each(sound);
    document.references(offset).into_iter().for_each(sound);
    document.completions(offset).into_iter().for_each(|item| sound(item.replace));
}

#[test]
fn every_name_of_every_model_leads_to_its_declaration() {
    for source in models() {
        let document = Document::new(source);
        let mut seen = 0;
        for occurrence in &document.names.occurrences {
            let name = document.source.slice(occurrence.span);
            let place = || format!("`{name}` at {:?} of {}", occurrence.span, document.source.name);
            for offset in [occurrence.span.start, occurrence.span.end] {
                let hover = document.hover(offset);
                assert!(hover.is_some_and(|h| h.span.end > h.span.start), "{} says nothing", place());
            }
            let Some(entity) = occurrence.entity else {
                let builtin = dalembert::syntax::words::find(dalembert::syntax::words::CONSTANTS, name)
                    .is_some()
                    || name == "π";
                assert!(occurrence.usage != Usage::Name || builtin, "{} is unknown", place());
                continue;
            };
            seen += 1;
            let declared = document.definition(occurrence.span.start);
            assert!(!declared.is_empty(), "{}", place());
            for span in declared {
                assert_eq!(document.source.slice(span), name, "{}", place());
            }
            let references = document.references(occurrence.span.start);
            assert!(references.contains(&occurrence.span), "{}", place());
            assert_eq!(document.names.entities[entity].name, name);
        }
        assert!(seen > 3, "{}", document.source.name);
    }
}

#[test]
fn models_are_good_and_their_names_known() {
    for source in models() {
        let said = dalembert_ide::diagnostics(&source);
        assert!(!any_error(&said), "{}: {:?}", source.name, said);
        let document = Document::new(source);
        let survey = document.survey();
        for entity in &document.names.entities {
            let known = match entity.sort {
                Sort::Index | Sort::Event => true,
                Sort::Body | Sort::Frame | Sort::Joint | Sort::Element => true,
                Sort::Constraint | Sort::Requirement => survey.constraints.contains_key(&entity.name),
                Sort::Parameter => survey.names.get(&entity.name).is_some_and(|fact| fact.value.is_some()),
                // `output energy = energy` is a column, not a name.
                Sort::Output => true,
                _ => survey.names.contains_key(&entity.name),
            };
            assert!(known, "{} of {}", entity.name, document.source.name);
        }
    }
}

#[test]
fn every_offset_of_every_model_has_an_answer() {
    for source in models() {
        let document = Document::new(source);
        for offset in (0..document.source.text.len() as u32 + 2).step_by(3) {
            ask_everything(&document, offset);
        }
        ask_everything(&document, u32::MAX);
    }
}

#[test]
fn hover_tells_what_a_name_is() {
    let head = "const N = 3\nparameter l = 50 {cm}, k[1..N] = 2\ncoordinate x {m}, q[1..N]\n\
                speed u = x'\nlet P = [x, l]\nlet far = x > l\n";
    let ask = |line: &str| hover(&format!("{head}{line}"));
    assert!(ask("potential l|").contains("parameter in m"), "{}", ask("potential l|"));
    assert!(ask("potential l|").contains("value 0.5 m"));
    assert!(ask("potential l|").contains("parameter l = 50 {cm}, k[1..N] = 2"));
    assert!(ask("potential k|[1]").contains("family of 3 members"));
    assert!(ask("potential N|").contains("value 3"));
    assert!(ask("kinetic x|'^2").contains("**`x'`**: rate of the coordinate `x` in m/s"));
    assert!(ask("kinetic x'|^2").contains("rate of the coordinate `x`"));
    assert!(ask("output a = q[2]''|").contains("acceleration of the coordinate `q`"));
    assert!(ask("output a = u|'").contains("acceleration, the rate of the speed `u`"));
    assert!(ask("potential P|.y").contains("name for an expression, a vector of 2 in m"));
    assert!(ask("potential if far| then 1 else 0").contains("a condition"));
    assert!(ask("work 2*|δx").contains("virtual displacement of the coordinate `x`"));
    assert!(ask("potential sum(i in 1..N, q[i|])").contains("index"));
    assert!(ask("potential si|n(x)").contains("sin(x)"));
    assert!(ask("poten|tial x").contains("statement"));
    assert!(ask("parameter m = 1 {k|g}").contains("unit"));
    assert!(ask("simulate until 1 method rad|au").contains("stiff"));
    assert!(ask("simulate un|til 1").contains("Last time"));
    assert!(
        ask("constraint rod: x = l*t\noutput T = multiplier(ro|d)")
            .contains("rheonomic holonomic constraint")
    );
    assert!(ask("constraint roll|: [x', q[1]'] = [1, 0]").contains("linear velocity constraint"));
    assert_eq!(ask("# potential l|"), "");
}

#[test]
fn greek_letters_and_primes_are_found_at_any_byte() {
    let text = "coordinate θ, φ_1\nkinetic (θ'^2 + φ_1'^2)/2\nwork -δθ - 2*δφ_1\n";
    let document = document(text);
    let place = text.find("θ'").unwrap() as u32;
    assert_eq!(document.definition(place + 1), [Span::new(11, 13)]);
    assert_eq!(document.references(11).len(), 3);
    let names: Vec<&str> = document.references(11).into_iter().map(|s| document.source.slice(s)).collect();
    assert_eq!(names, ["θ"; 3]);
    assert_eq!(document.rename(place, "alpha").unwrap().len(), 3);
    (0..text.len() as u32 + 3).for_each(|offset| ask_everything(&document, offset));
}

#[test]
fn indices_are_known_in_their_loop() {
    let text =
        "coordinate q[1..3]\nfor i in 1..3 { potential i*q[i]^2 }\nkinetic sum(i in 1..3, i*q[i]'^2)\n";
    let document = document(text);
    let first = text.find("i in").unwrap() as u32;
    let second = text.rfind("i in").unwrap() as u32;
    assert_eq!(document.references(first).len(), 3);
    assert_eq!(document.references(second).len(), 3);
    assert!(document.references(first).iter().all(|span| span.start < second));
    assert!(labels("const N = 2\nfor k in 1..N { potential |").contains(&"k".to_string()));
    assert!(!labels("const N = 2\nfor k in 1..N { potential k }\npotential |").contains(&"k".to_string()));
}

#[test]
fn completions_fit_their_place() {
    assert!(labels("|").contains(&"coordinate".into()));
    assert_eq!(labels("coordinate x\nkin|"), ["kinematics", "kinetic"]);
    assert!(labels("coordinate |").is_empty());
    assert!(labels("parameter m = 1, |").is_empty());
    let head =
        "parameter mass1 = 1 {kg}\ncoordinate x, theta\nconstraint rod: x = 1\nrequire high: theta = 1\n";
    let ask = |line: &str| labels(&format!("{head}{line}"));
    assert_eq!(ask("potential ma|"), ["mass1", "max"]);
    assert_eq!(ask("initial |"), ["x", "theta"]);
    assert_eq!(ask("actuate x, |"), ["x", "theta"]);
    assert_eq!(ask("output T = multiplier(|"), ["rod"]);
    assert_eq!(ask("output T = residual(|)"), ["rod", "high"]);
    assert_eq!(ask("output W = power(i|"), ["impressed", "ideal"]);
    assert_eq!(ask("output F = ideal(|)"), ["x", "theta"]);
    assert_eq!(ask("friction |"), ["on"]);
    assert_eq!(ask("friction on |"), ["rod"]);
    assert_eq!(ask("friction on rod: |"), ["coefficient", "velocity", "static", "normal"]);
    assert_eq!(ask("simulate |"), ["until"]);
    assert_eq!(ask("simulate until 10 me|"), ["method"]);
    assert_eq!(ask("simulate until 10 method r|"), ["rk4", "radau"]);
    assert_eq!(ask("nonideal |"), ["work"]);
    assert!(ask("parameter l = 1 {|").contains(&"kg".into()));
    assert!(!ask("parameter l = 1 {|").contains(&"x".into()));
    assert!(ask("potential x + |").contains(&"sin".into()));
    assert!(!ask("potential x + |").contains(&"multiplier".into()), "a potential asks for no result");
    assert!(ask("output a = |").contains(&"multiplier".into()));
    assert!(
        !ask("potential later|\nlet later1 = 2").contains(&"later1".into()),
        "declared before it is used"
    );
    assert!(ask("# x|").is_empty());
    assert!(ask("system \"x|\"").is_empty());
    let (document, at) = marked("coordinate theta\nkinetic th|");
    let item = document.completions(at).remove(0);
    assert_eq!(
        (item.kind, document.source.slice(item.replace)),
        (CompletionKind::Name(Sort::Coordinate), "th")
    );
}

#[test]
fn lines_that_cannot_be_read_keep_their_names() {
    let text = "parameter m = 1, l = \ncoordinate theta {rad\nlet P = [l*sin(theta), (\nkinetic m*theta'^2\n";
    let document = document(text);
    let at = text.find("m*theta").unwrap() as u32;
    assert_eq!(document.definition(at), [Span::new(10, 11)]);
    assert!(!document.definition(at + 2).is_empty(), "{:#?}", document.names);
    assert!(document.rename(at, "mass1").is_err(), "a place could be missed");
    assert!(document.format().is_err());
}

#[test]
fn renaming_refuses_what_would_change_the_model() {
    let document = document("parameter m = 1\ncoordinate x, θ\nkinetic m/2*x'^2\noutput p = m*x'\n");
    assert_eq!(document.rename(10, "M").unwrap().len(), 3);
    for bad in ["x", "θ", "p", "sin", "t", "2m", "a b", "", "if", "a-b", "m "] {
        assert!(document.rename(10, bad).is_err(), "{bad}");
    }
    assert!(document.rename(0, "y").is_err(), "a keyword has no other name");
}

#[test]
fn the_outline_shows_what_is_declared() {
    let document = document("system \"Chain\"\nconst N = 2\ncoordinate q[1..N]\nconstraint c: q[1] = 0\n");
    let names: Vec<String> = document.symbols().into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, ["Chain", "N", "q[1..N]", "c"]);
}

#[test]
fn mechanics_is_checked_while_typing_unless_the_model_is_large() {
    let codes = |text: &str| -> Vec<Code> {
        dalembert_ide::diagnostics(&Source::new("", text)).iter().map(|said| said.code).collect()
    };
    let chain = |n: usize| {
        format!(
            "const N = {n}\ncoordinate q[1..N]\nkinetic sum(i in 1..N, q[i]'^2)\nconstraint q[1] = 0\nconstraint 2*q[1] = 0\n"
        )
    };
    assert_eq!(codes(&chain(5)), [Code::RedundantConstraints]);
    assert_eq!(codes(&chain(500)), [Code::NotCheckedYet]);
    assert_eq!(codes("coordinate x, y\nkinetic x'^2\n"), [Code::MassSingular]);
    assert_eq!(codes("coordinate x\nkinetic x'^2 + oops\n"), [Code::UnknownName]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Cut anywhere, with pieces taken out and put in, any model gets answers at any offset.
    #[test]
    fn mutated_models_get_answers(
        which in 0..1000_usize,
        cut in 0.0..1.0_f64,
        at in 0.0..1.0_f64,
        piece in prop::sample::select(vec!["", "(", ")", "{", "}", "[", "\n", "θ𝛼", "'", "δ", "\"", "#", "for i in 1..", "=", ":", "1e", "let ", "\u{feff}", "\r\n"]),
        offsets in prop::collection::vec(0.0..1.1_f64, 12),
    ) {
        let models = models();
        let text = &models[which % models.len()].text;
        let floor = |share: f64| text.floor_char_boundary((share * text.len() as f64) as usize);
        let (end, at) = (floor(cut), floor(at));
        let mut mutated = text[..end.max(at)].to_owned();
        mutated.insert_str(at, piece);
        let document = document(&mutated);
        let _ = document.survey();
        for share in offsets {
            ask_everything(&document, (share * mutated.len() as f64) as u32);
        }
        let _ = document.symbols();
        if let Ok(formatted) = document.format() {
            prop_assert_eq!(Document::new(Source::new("", formatted.as_str())).format().unwrap_or_default(), formatted);
        }
    }
}
