//! `report`: the page, what is said where something is missing, and how it looks in a browser where one is found.

use crate::support::browser::{Browser, attribute, text};
use crate::support::{dalembert, model, scratch, with_input};
use std::path::{Path, PathBuf};

#[test]
fn a_page_is_written() {
    let page = scratch("report_page").join("disk.html");
    let disk = model("rolling_disk");
    let answer = dalembert(&[
        "report",
        &disk,
        "-o",
        text(&page),
        "--until",
        "2",
        "--form",
        "lagrange",
        "--form",
        "hamilton",
    ]);
    assert_eq!((answer.code, answer.stdout), (0, format!("wrote {}\n", text(&page))), "{}", answer.stderr);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("Hamilton's equations"));
    assert!(!html.contains("Kernel form"), "forms are those asked for");
    assert_eq!(
        html.matches("http").count(),
        html.matches("<svg xmlns=\"http://www.w3.org/2000/svg\"").count() + 1
    );
    for foreign in ["https://", "src=", "@import", "url(", "<script"] {
        assert!(!html.contains(foreign), "the page asks for nothing: {foreign}");
    }
    let again = dalembert(&[
        "report", &disk, "--out", "-", "--until", "2", "--form", "lagrange", "--form", "hamilton",
    ]);
    assert_eq!(again.stdout, html, "the same model gives the same bytes");
}

#[test]
fn values_from_outside_are_on_the_page() {
    let answer = dalembert(&[
        "report",
        &model("rolling_disk"),
        "-o",
        "-",
        "--set",
        "m=7.25",
        "--initial",
        "theta'=3",
        "--no-motion",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("<td class=\"number\">7.25</td>"));
    assert!(answer.stdout.contains("<td class=\"number\">3</td>"));
    assert!(!answer.stdout.contains("id=\"motion\""), "no motion was wanted");
}

const BLOWS_UP: &str = "coordinate x\nmass [[1]]\nforce x = 2*x^3\ninitial x = 1, x' = 1\nsimulate until 2\n";

#[test]
fn what_fails_is_said_twice_and_the_rest_is_there() {
    let page = scratch("report_failed").join("page.html");
    let answer = with_input(&["report", "-", "-o", text(&page)], BLOWS_UP);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    assert!(answer.stderr.contains("error[E07"), "{}", answer.stderr);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("class=\"trouble\"") && html.contains("(E07"));
    for section in ["system", "equations", "motion", "balance", "accuracy", "conserved", "theory"] {
        assert!(html.contains(&format!("id=\"{section}\"")), "{section}");
    }
    let no_start = "coordinate x\nkinetic x'^2/2\nconstraint never: x^2 = -1\nsimulate until 1\n";
    let answer = with_input(&["report", "-", "-o", "-"], no_start);
    assert_eq!(answer.code, 1);
    assert!(answer.stdout.contains("id=\"equations\"") && answer.stdout.contains("class=\"trouble\""));
    let endless = "coordinate x\nkinetic x'^2/2\n";
    let answer = with_input(&["report", "-", "-o", "-"], endless);
    assert_eq!(answer.code, 0, "a model need not say how long");
    assert!(answer.stderr.contains("no end time is given") && answer.stdout.contains("no end time is given"));
    let refused =
        with_input(&["report", "-", "-o", "-", "--form", "hamilton-jacobi", "--until", "1"], endless);
    assert_eq!(refused.code, 1, "a form asked for by name must be there");
}

#[test]
fn json_tells_what_is_missing() {
    let page = scratch("report_json").join("page.html");
    let answer = with_input(&["report", "-", "-o", text(&page), "--json"], BLOWS_UP);
    let said = answer.json();
    assert_eq!((answer.code, &said["complete"], &said["files"][0]), (1, &false.into(), &text(&page).into()));
    assert!(said["error"].is_string() && said["diagnostics"][0]["code"].as_str().unwrap().starts_with("E07"));
    assert_eq!(with_input(&["report", "-", "-o", "-", "--json"], BLOWS_UP).code, 2);
    assert_eq!(with_input(&["report", "-", "-o", "page.pdf"], BLOWS_UP).code, 2);
    assert_eq!(with_input(&["report", "-"], BLOWS_UP).code, 2, "where to is not guessed");
    assert_eq!(with_input(&["report", "-", "-o", "no/such/place.html"], BLOWS_UP).code, 1);
}

#[test]
fn all_roads_and_a_player_on_request() {
    let answer = dalembert(&[
        "report",
        &model("pendulum_index3"),
        "-o",
        "-",
        "--verify",
        "--animate",
        "--until",
        "0.5",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("id=\"verification\"") && answer.stdout.contains("<code>gauss</code>"));
    assert!(answer.stdout.contains("id=\"player\"") && answer.stdout.contains("dal-player"));
}

/// A copy of a page that measures itself; the page has no script of its own and lets none run.
fn measuring(page: &Path) -> PathBuf {
    let html = std::fs::read_to_string(page).unwrap();
    let script = "<script>const r = document.documentElement; r.dataset.wide = r.scrollWidth > innerWidth;
        r.dataset.formulas = [...document.querySelectorAll('math')].filter((m) => m.getBoundingClientRect().width > 3).length;
        r.dataset.cut = [...document.querySelectorAll('.box')].filter((b) => b.scrollWidth > b.clientWidth + 1).map((b) => b.textContent.slice(0, 60)).join('|');
        r.dataset.flat = [...document.querySelectorAll('msup')].filter((m) => m.children.length !== 2).length;</script></body>";
    let open = html.replace("default-src 'none'; style-src 'unsafe-inline'", "").replace("</body>", script);
    let copy = page.with_extension("measured.html");
    std::fs::write(&copy, open).unwrap();
    copy
}

#[test]
fn pages_fit_into_wide_and_narrow_windows() {
    let Some(browser) = Browser::find("report_browser") else { return };
    for name in ["rolling_disk", "rough_incline", "double_pendulum_shoulder", "andrews_squeezer"] {
        let page = browser.dir.join(format!("{name}.html"));
        let answer = dalembert(&["report", &model(name), "-o", text(&page), "--quiet"]);
        assert_eq!(answer.code, 0, "{name}: {}", answer.stderr);
        for width in [1280, 390] {
            if width == 390 {
                browser.dom(&page, "", width); // as it is, without complaints
            }
            let dom = browser.dom(&measuring(&page), "", width);
            assert_eq!(
                (attribute(&dom, "wide"), attribute(&dom, "flat")),
                ("false", "0"),
                "{name} at {width}"
            );
            assert!(attribute(&dom, "formulas").parse::<usize>().unwrap() > 15, "{name}: formulas are set");
        }
    }
}

/// The same with the style of the printed page on the screen.
fn as_printed(page: &Path) -> PathBuf {
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("@media print") && html.contains(".box { overflow: visible; }"));
    let copy = page.with_extension("printed.html");
    let html = html.replace("@media print", "@media all").replace(".box { overflow: visible; }", "");
    std::fs::write(&copy, html).unwrap();
    copy
}

/// Nothing is cut off at the edge of its box: in a window of 1000 px, and on A4 less its margins.
#[test]
fn formulas_and_tables_end_where_the_page_does() {
    let Some(browser) = Browser::find("report_edges") else { return };
    let names = ["rolling_torus", "lagrange_top", "link_chain", "n_four_bar"];
    for name in names {
        let page = browser.dir.join(format!("{name}.html"));
        assert_eq!(
            dalembert(&["report", &model(name), "-o", text(&page), "--until", "1", "--quiet"]).code,
            0
        );
        for (page, width) in [(page.clone(), 1000), (as_printed(&page), 658)] {
            let dom = browser.dom(&measuring(&page), "", width);
            assert_eq!((attribute(&dom, "wide"), attribute(&dom, "cut")), ("false", ""), "{name} at {width}");
        }
    }
}

/// The picture of the manual, taken anew where `DALEMBERT_SCREENSHOTS` is set.
#[test]
fn the_page_has_its_picture_taken() {
    let Some(browser) = Browser::find("report_picture") else { return };
    let page = browser.dir.join("page.html");
    assert_eq!(dalembert(&["report", &model("rolling_disk"), "-o", text(&page)]).code, 0);
    browser.picture(&page, "", (390, 1400), "narrow.png");
    let taken = browser.picture(&page, "", (1280, 2700), "report.png");
    let image = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images/report.png"));
    if std::env::var_os("DALEMBERT_SCREENSHOTS").is_some() {
        std::fs::copy(taken, &image).expect("the picture is kept");
    }
    assert!(image.is_file(), "the manual shows it");
}
