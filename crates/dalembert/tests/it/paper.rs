//! The page of every model: whole, well-formed, the same each time, and honest about what is not on it.

use crate::support::*;
use dalembert::run::Flow;
use dalembert::{Model, Request, Source};
use dalembert_view::report_page::{self, MAX_FORCES, MAX_FORMULA, ReportPage, Stage, Wanted};

fn paper_of(name: &str, text: &str, wanted: &Wanted) -> (Model, ReportPage) {
    let source = Source::new(format!("models/{name}.dal"), text);
    let model = Model::load(&source, &Default::default()).unwrap_or_else(|d| panic!("{name}: {d:?}"));
    let paper = report_page::write(&model, &source, wanted, &mut |_| Flow::Continue);
    (model, paper)
}

/// A short run: pages are about what is on them.
fn briefly(until: f64) -> Wanted {
    Wanted {
        request: Request { until: Some(until), every: Some(until / 20.0), ..Request::default() },
        ..Wanted::default()
    }
}

/// Elements that HTML leaves open are written closed; so the page is checked as XML is, scripts and style aside.
/// Counts elements, and the parts of those that must have two or three.
fn check_nesting(name: &str, html: &str) -> usize {
    let body = html.strip_prefix("<!DOCTYPE html>\n").unwrap_or_else(|| panic!("{name}: no doctype"));
    let (mut open, mut count, mut rest): (Vec<(&str, usize)>, usize, &str) = (Vec::new(), 0, body);
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "{name}: a stray > in {:?}", &rest[..at.min(80)]);
        for (k, _) in rest[..at].match_indices('&') {
            let entity = &rest[k..rest[k..].find(';').map_or(k, |end| k + end)];
            assert!(
                matches!(entity, "&amp" | "&lt" | "&gt" | "&quot"),
                "{name}: {:?}",
                &rest[k..at.min(k + 20)]
            );
        }
        let end = at + rest[at..].find('>').unwrap_or_else(|| panic!("{name}: an open tag"));
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "{name}: <{tag}>");
        if let Some(closed) = tag.strip_prefix('/') {
            let (element, parts) = open.pop().unwrap_or_else(|| panic!("{name}: </{closed}> closes nothing"));
            assert_eq!(element, closed, "{name}: nesting");
            match element {
                "msup" | "msub" | "mfrac" | "mover" | "munder" => assert_eq!(parts, 2, "{name}: {element}"),
                "msubsup" | "munderover" => assert_eq!(parts, 3, "{name}: {element}"),
                _ => {}
            }
            continue;
        }
        count += 1;
        if let Some((_, parts)) = open.last_mut() {
            *parts += 1;
        }
        let element = tag.split_whitespace().next().unwrap_or_default();
        if element == "style" {
            rest = &rest[rest.find("</style>").expect("an end of the style") + "</style>".len()..];
        } else if !tag.ends_with('/') {
            open.push((element, 0));
        }
    }
    assert!(open.is_empty(), "{name}: left open: {open:?}");
    count
}

/// What every page must have.
fn check(name: &str, model: &Model, paper: &ReportPage) {
    let html = &paper.html;
    assert!(check_nesting(name, html) > 100, "{name}");
    let names = model.system.constraints.named.iter().map(|c| &c.name);
    for name_ in names.chain(model.system.frame.coordinates.iter().map(|c| &c.name)).take(50) {
        assert!(html.contains(&format!("<code>{name_}</code>")), "{name}: {name_}");
    }
    for section in ["model", "system", "constraints", "equations", "start", "conserved", "theory"] {
        assert!(html.contains(&format!("<section id=\"{section}\">")), "{name}: {section}");
    }
    assert!(!html.contains(">NaN<") && !html.contains(">inf<") && !html.contains("cannot be set"), "{name}");
    assert!(html.contains("<math") && html.contains("application/x-tex"), "{name}");
    assert!(!html.contains("<script") && !html.contains(" src=") && !html.contains("url("), "{name}");
    for trouble in &paper.troubles {
        let said = trouble
            .message
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;");
        assert!(html.contains(&said), "{name}: {said} is said on the page");
    }
}

/// A megabyte of equations, of which the page shows nothing.
const LONG: [&str; 1] = ["bicycle"];

#[test]
fn every_model_has_its_page() {
    for name in model_names().into_iter().filter(|name| !LONG.contains(&name.as_str())) {
        let (model, paper) = paper_of(&name, &model_text(&name), &briefly(0.05));
        check(&name, &model, &paper);
        assert!(!paper.failed, "{name}: {:?}", paper.troubles);
        for section in ["motion", "forces", "balance", "accuracy"] {
            assert!(paper.html.contains(&format!("<section id=\"{section}\">")), "{name}: {section}");
        }
    }
}

fn has(paper: &ReportPage, texts: &[&str]) {
    for text in texts {
        assert!(paper.html.contains(text), "{text}");
    }
}

#[test]
fn pages_show_what_is_special() {
    let page = |name: &str, wanted: &Wanted| paper_of(name, &model_text(name), wanted).1;
    has(
        &page("rough_incline", &briefly(1.0)),
        &[
            "<code>friction plane</code>",
            "Coulomb",
            "normal force N",
            "Coulomb friction is written with names of its own",
            "event back",
            "work of non-ideal",
        ],
    );
    has(
        &page("double_pendulum_shoulder", &briefly(0.5)),
        &["Requirements", "control force", "(C1)", "Control forces stand under names of their own"],
    );
    has(
        &page("appell_nonideal", &briefly(0.5)),
        &["non-ideal force (U3)", "Q_ni on", "nonlinear nonholonomic", ">U3<"],
    );
    has(&page("chaplygin_sleigh_quasi", &briefly(0.5)), &["quasi-velocity", ">K1<", "nonholonomic"]);
    has(&page("bricard", &briefly(0.01)), &["from the other constraints"]);
    has(&page("hj_kepler", &briefly(0.5)), &["a complete integral of the Hamilton–Jacobi equation"]);
    has(
        &page("rolling_disk", &briefly(1.0)),
        &["<strong>nonholonomic</strong>", "2, 3, 4; closure 4 of 4", "<circle", "energy"],
    );
    let forms = Some(vec![dalembert::equations::Form::HamiltonJacobi, dalembert::equations::Form::Hamilton]);
    let jacobi = page("hj_circle", &Wanted { forms, motion: false, ..Wanted::default() });
    has(&jacobi, &["Hamilton–Jacobi</h3>", "Hamilton's equations</h3>"]);
    assert!(!jacobi.html.contains("Lagrange's equations with multipliers</h3>") && !jacobi.failed);
}

#[test]
fn large_systems_are_cut_and_say_so() {
    let source = Source::new("models/link_chain.dal", model_text("link_chain"));
    let model = Model::load(&source, &sets(&[("N", "60")])).unwrap();
    let paper = report_page::write(&model, &source, &briefly(0.01), &mut |_| Flow::Continue);
    check_nesting("link_chain", &paper.html);
    has(&paper, &["more rows are left out", "more columns are left out"]);
    has(
        &paper,
        &[
            &format!("more than the {MAX_FORMULA} a page shows"),
            &format!("more than the {MAX_FORCES} that are followed"),
        ],
    );
    has(&paper, &["<code>dalembert derive link_chain.dal --form lagrange --format latex</code>"]);
    assert!(!paper.failed, "{:?}", paper.troubles);
}

/// Names that would look alike in formulas, and letters of the general equations as names.
#[test]
fn tables_and_formulas_share_one_notation() {
    let text = "parameter M = 2, Q = 3, theta_1 = 4, X = theta_1*Q\ncoordinate theta1, b\n\
                kinetic M/2*theta1'^2 + b'^2/2 + X*theta1*0\npotential Q*theta_1*theta1^2\nforce b = Q*theta1\n\
                constraint c: b = theta_1*theta1\ninitial theta1 = 1\nsimulate until 1\n";
    let (_, paper) = paper_of("names", text, &briefly(0.1));
    assert!(paper.html.matches("\\mathtt{theta1}").count() > 4, "one of the two is written as its name");
    for (name, shown) in
        [("theta1", "\\mathtt{theta1}"), ("theta1'", "\\dot{\\mathtt{theta1}}"), ("theta_1", "\\theta_{1}")]
    {
        let rows = paper.html.lines().filter(|l| l.contains(&format!("</td><td><code>{name}</code>")));
        let rows: Vec<&str> = rows.collect();
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row.contains(&format!(">{shown}</annotation>"))),
            "{rows:?}"
        );
    }
    has(
        &paper,
        &["\\mathbf{M} &amp;= \\begin{bmatrix} M", "\\mathbf{b} &amp;=", "\\mathbf{Q}_{\\dot{b}} &amp;="],
    );
    assert_eq!(paper.html.matches("Upright bold letters are matrices").count(), 1, "said once");
    let conserved = &paper.html[paper.html.find("id=\"conserved\"").unwrap()..];
    assert!(
        conserved.contains("\\mathcal{J}_{1} &amp;=") && conserved.contains("\\mathtt{theta1}"),
        "{conserved}"
    );
}

#[test]
fn units_and_numbers_are_set() {
    let text = "parameter g = 9.80665 {m/s^2}, m = 0.123456789 {kg}, third = 1/3\ncoordinate x {m}\n\
                kinetic m/2*x'^2\npotential m*g*x\ninitial x = 1.23456789\nsimulate until 1\n";
    let mut wanted = briefly(0.1);
    wanted.request.rtol = Some(9.999999999999999e-14);
    let (_, paper) = paper_of("units", text, &wanted);
    has(
        &paper,
        &[
            "m\u{2009}s<sup>−2</sup>",
            "m\u{2009}s<sup>−1</sup>",
            "<td class=\"number\">9.80665</td>",
            "<td class=\"number\">0.123456789</td>",
            "<td class=\"number\">1.23456789</td>",
            "<td class=\"number\">0.333333</td>",
            "relative 1 × 10<sup>−13</sup>",
        ],
    );
    let accuracy = &paper.html
        [paper.html.find("id=\"accuracy\"").unwrap()..paper.html.find("id=\"conserved\"").unwrap()];
    let raw = |word: &str| word.contains('e') && word.trim_end_matches([',', ';']).parse::<f64>().is_ok();
    assert!(!accuracy.split([' ', '<', '>']).any(raw), "{accuracy}");
}

#[test]
fn free_systems_have_no_multipliers() {
    let forms = ["kernel", "lagrange", "explicit", "poincare", "hamilton"].map(|f| f.parse().unwrap());
    for forms in [None, Some(forms.to_vec())] {
        let (_, paper) =
            paper_of("double_pendulum", &model_text("double_pendulum"), &Wanted { forms, ..briefly(0.5) });
        for word in ["multiplier", "λ", "lambda", "K3", "U2", "by them"] {
            assert!(!paper.html.contains(word), "{word}");
        }
        has(&paper, &["<h3>Lagrange's equations</h3>", ">L2<"]);
    }
    has(
        &paper_of("rolling_disk", &model_text("rolling_disk"), &briefly(0.5)).1,
        &["with multipliers</h3>", ">U2<"],
    );
}

/// Functions that constraints keep constant are formulas.
#[test]
fn integrals_of_constraints_are_set() {
    let (_, paper) = paper_of("cart_two_wheels", &model_text("cart_two_wheels"), &briefly(0.5));
    has(
        &paper,
        &[
            "The constraints keep constant:",
            "2 \\, b \\, \\psi - R \\, \\theta_{1} + R \\, \\theta_{2} &amp;= \\mathrm{const}",
        ],
    );
    assert!(!paper.html.contains("<code>2*b*psi"));
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y' = 2*x*x'\ninitial x' = 1\nsimulate until 1\n";
    let (_, paper) = paper_of("parabola", text, &briefly(0.5));
    let row = paper.html.lines().find(|l| l.contains("<code>c</code></td><td>holonomic")).expect("a row");
    assert!(row.contains("<math") && row.contains("x^{2}"), "{row}");
}

/// What a page leaves out of large families, it says; and it stays small.
#[test]
fn large_families_are_bounded() {
    let source = Source::new("models/link_chain.dal", model_text("link_chain"));
    let mut sizes = Vec::new();
    for n in ["100", "1250"] {
        let model = Model::load(&source, &sets(&[("N", n)])).unwrap();
        let paper = report_page::write(&model, &source, &briefly(0.001), &mut |_| Flow::Continue);
        has(&paper, &[" and 160 more:", "more rows are left out"][usize::from(n != "100")..]);
        assert_eq!(paper.html.contains("; 1200 of 1250 figures"), n == "1250", "{n}");
        sizes.push(paper.html.len());
    }
    assert!(sizes.iter().all(|size| *size < 1_200_000), "{sizes:?}");
    let row = |k: usize| (0..13).map(|j| if j == k { "2" } else { "0" }).collect::<Vec<_>>().join(", ");
    let weight: Vec<String> = (0..13).map(|k| format!("[{}]", row(k))).collect();
    let text = format!(
        "coordinate x[1..13]\nkinetic sum(i in 1..13, x[i]'^2)/2\nrequire r: x[1] = sin(t)\nweight [{}]\n\
         initial x[1]' = 1\nsimulate until 0.1\n",
        weight.join(", ")
    );
    let (_, paper) = paper_of("weights", &text, &briefly(0.1));
    has(&paper, &["has 13 rows, more than the 12 a page shows"]);
}

#[test]
fn commands_on_the_page_are_quoted() {
    let source = Source::new("my models/a pendulum.dal", model_text("pendulum"));
    let overrides = dalembert::Overrides {
        set: vec![("m".into(), "2*3".into())],
        initial: vec!["theta'=1".into()],
        ..Default::default()
    };
    let model = Model::load(&source, &overrides).unwrap();
    let wanted = Wanted { overrides, motion: false, ..Wanted::default() };
    let paper = report_page::write(&model, &source, &wanted, &mut |_| Flow::Continue);
    has(&paper, &["With <code>--set &quot;m=2*3&quot; --initial &quot;theta'=1&quot;</code>"]);
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let text = model_text("double_pendulum_cartesian");
    let first = paper_of("x", &text, &briefly(0.3)).1.html;
    assert_eq!(first, paper_of("x", &text, &briefly(0.3)).1.html);
}

/// Forces on the page are those of the run: tension of a pendulum at its start, m g cos(phi) + m v^2/l.
#[test]
fn forces_are_those_of_the_motion() {
    let text = "parameter m = 2, l = 1, g = 10\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n\
                constraint rod: x^2 + y^2 = l^2\ninitial x = 0, y ~ -1, x' = 3\nsimulate until 1\n";
    let (_, paper) = paper_of("rod", text, &Wanted::default());
    // The rod pulls with 2*10 + 2*9 = 38 = 2 l |lambda| at the lowest point, where it pulls most.
    let row = paper.html.lines().find(|line| line.contains("<code>|rod|</code>")).expect("a row for the rod");
    let cells: Vec<&str> =
        row.split("<td class=\"number\">").skip(1).map(|c| &c[..c.find('<').unwrap()]).collect();
    assert_eq!((cells[0], cells[3], cells[4]), ("38", "38", "0"), "{row}");
    assert!(
        paper.html.contains("<td><code>λ rod</code></td><td>multiplier</td><td class=\"number\">−19</td>")
    );
}

#[test]
fn hostile_names_and_titles_stay_text() {
    let text = "# <img> & \"x\" </main>\nsystem \"</title><script>alert(1)</script> & <b>\"\ncoordinate x\nkinetic x'^2/2 # ]]> <\nsimulate until 1\n";
    let (model, paper) = paper_of("bad", text, &briefly(0.1));
    check("bad", &model, &paper);
    assert!(
        paper.html.contains("<h1>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;</h1>")
    );
}

#[test]
fn interrupted_runs_are_shown_as_far_as_they_came() {
    let source = Source::new("models/pendulum.dal", model_text("pendulum"));
    let model = Model::load(&source, &Default::default()).unwrap();
    let mut stages = Vec::new();
    let paper = report_page::write(&model, &source, &Wanted::default(), &mut |stage| {
        stages.push(stage);
        if matches!(stage, Stage::Motion(t) if t > 0.5) { Flow::Cancel } else { Flow::Continue }
    });
    assert!(paper.failed && paper.troubles.iter().any(|d| d.message.contains("interrupted")));
    assert_eq!(stages[..2], [Stage::Analysis, Stage::Equations]);
    check("pendulum", &model, &paper);
}
