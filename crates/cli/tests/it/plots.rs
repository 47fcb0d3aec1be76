//! Pages of `--plot FILE.html`: they stand alone, begin with what went wrong, have units, and run in a browser.

use crate::support::browser::{Browser, attribute, text};
use crate::support::{scratch, with_input};

const BEAD: &str = "system \"Bead </script> & hoop\"
parameter W = 30 {rpm}, R = 50 {cm}, m = 200 {g}, g = 9.81 {m/s^2}, c = 0.01 {N*m*s/rad}
coordinate theta {rad}
kinetic m*R^2*(theta'^2 + W^2*sin(theta)^2)/2
potential -m*g*R*cos(theta)
force theta = -c*theta'
output E = energy, place = [R*sin(theta), -R*cos(theta)]
initial theta = 45 {deg}
simulate until 5
";

/// The numbers of a page.
fn numbers(html: &str) -> serde_json::Value {
    let json = html.split("id=\"numbers\">").nth(1).and_then(|rest| rest.split("</script>").next());
    serde_json::from_str(json.expect("numbers")).expect("a document")
}

#[test]
fn a_plot_page_stands_alone() {
    let page = scratch("plots_alone").join("bead.html");
    let answer = with_input(&["simulate", "-", "--plot", text(&page)], BEAD);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("<title>Bead &lt;/script&gt; &amp; hoop</title>"));
    assert_eq!(html.matches("</script>").count(), 3, "the numbers cannot end their script");
    for foreign in ["https://", "src=", "\nimport ", "@import", "url("] {
        assert!(!html.contains(foreign), "the page asks for nothing: {foreign}");
    }
    assert!(html.contains("<svg role=\"img\""), "the still picture is there without scripts");
    assert!(html.len() < 200_000, "{} bytes", html.len());
    let document = numbers(&html);
    assert_eq!(document["x"]["unit"], "s");
    let titles: Vec<&str> =
        document["panels"].as_array().unwrap().iter().map(|p| p["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["coordinates [rad]", "speeds [rad/s]", "outputs [J]", "outputs [m]"]);
}

#[test]
fn a_page_of_a_failed_run_begins_with_the_failure() {
    let page = scratch("plots_failed").join("page.html");
    let model = "coordinate x\nkinetic x'^2/2\nforce x = 2*x^3\ninitial x = 1, x' = 1\nsimulate until 5\n";
    let answer = with_input(&["simulate", "-", "--plot", text(&page)], model);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    let html = std::fs::read_to_string(&page).unwrap();
    let failure =
        html.find("class=\"dal-failure\">the integration came to a standstill").expect("the failure");
    assert!(failure < html.find("<svg").unwrap());
}

/// Values over a parameter are in the unit of the file, and say so.
#[test]
fn eigenvalues_and_landscapes_have_units() {
    let dir = scratch("plots_units");
    let (page, csv) = (dir.join("over.html"), dir.join("over.csv"));
    let over = ["linearize", "-", "--at", "theta=0", "--over", "W=0..90:31", "--units-row"];
    let answer = with_input(&[&over[..], &["--plot", text(&page), "--out", text(&csv)]].concat(), BEAD);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    // W^2 = g/R, in revolutions a minute.
    assert!(answer.stdout.contains("becomes positive at W = 42.2981 rpm"));
    assert_eq!(numbers(&std::fs::read_to_string(&page).unwrap())["x"]["unit"], "rpm");
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().nth(1), Some("# rpm,1/s,1/s,1/s,1/s"));
    let answer =
        with_input(&["equilibrium", "-", "--landscape", "theta=-1..1:9", "--plot", text(&page)], BEAD);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let html = std::fs::read_to_string(&page).unwrap();
    let document = numbers(&html);
    assert_eq!(document["panels"][0]["lines"][0]["unit"], "J");
    assert!(html.contains("theta = 0 rad"), "places have units");
}

#[test]
fn sweeps_have_units() {
    let dir = scratch("plots_sweep").join("out");
    let words = ["sweep", "-", "--vary", "W=10..20:2", "--sample", "theta~uniform(0,0.1)", "--keep"];
    let answer = with_input(&[&words[..], &["max(theta), rms(E)", "--out", text(&dir)]].concat(), BEAD);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("max(theta) [rad]") && answer.stdout.contains("rms(E) [J]"));
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(dir.join("summary.json")).unwrap()).unwrap();
    let units = &summary["units"];
    assert_eq!((&units["W"], &units["theta(0)"]), (&"rpm".into(), &"rad".into()));
    assert_eq!(units["energy_change"], "J");
}

#[test]
fn plots_are_drawn_in_a_browser() {
    let Some(browser) = Browser::find("plots_browser") else { return };
    let page = browser.dir.join("bead.html");
    assert_eq!(with_input(&["simulate", "-", "--plot", text(&page)], BEAD).code, 0);
    for width in [1280, 390] {
        let dom = browser.dom(&page, "", width);
        assert_eq!((attribute(&dom, "errors"), attribute(&dom, "wide")), ("0", "false"), "{width}");
        assert_eq!((attribute(&dom, "from"), attribute(&dom, "to")), ("0", "5"), "{width}");
        assert_eq!(dom.matches("<canvas").count(), 4, "{width}");
    }
}
