//! Units are checked wherever they are given, and the message points at what is wrong.

use super::said;
use crate::support::{load, refusal};

const QUANTITIES: &str = "parameter m = 2 {kg}, l = 0.5 {m}, k = 3 {N/m}, W = 2 {1/s}, n = 1.5\n";

/// The text that the first message of a refused model underlines, and the message.
fn underlined(rest: &str) -> (String, String) {
    let text = format!("{QUANTITIES}{rest}");
    let said = refusal(&text).swap_remove(0);
    assert_eq!(said.code.id(), "E0602", "{rest}: {}", said.message);
    let span = said.span.expect("a place");
    (text[span.start as usize..span.end as usize].to_owned(), said.message)
}

fn accepted(rest: &str) {
    load(&format!("{QUANTITIES}{rest}"));
}

#[test]
fn components_of_a_force_fit_their_speeds() {
    let (place, message) =
        underlined("coordinate x {m}, th {rad}\nkinetic m/2*(x'^2 + l^2*th'^2)\nforce [k*x, k*l]");
    assert_eq!((place.as_str(), message.as_str()), ("k*l", "units differ: N*m and N"));
    accepted("coordinate x {m}, th {rad}\nkinetic m/2*(x'^2 + l^2*th'^2)\nforce [k*x, k*l^2*th]");
    accepted("coordinate x {m}, th {rad}\nkinetic m/2*(x'^2 + l^2*th'^2)\nforce [0, n*k*l]");
}

#[test]
fn the_direct_form_has_one_energy() {
    let coordinates = "coordinate x {m}, y {m}, th {rad}\n";
    let (place, _) =
        underlined(&format!("{coordinates}mass [[m, 0, 0], [0, m, 0], [0, 0, m]]\nforce [0, 0, 0]"));
    assert_eq!(place, "m");
    let mass = format!("{coordinates}mass [[m, 0, 0], [0, m, 0], [0, 0, m*l^2]]\n");
    accepted(&format!("{mass}force [-k*x, -k*y, -k*l^2*th]"));
    assert_eq!(underlined(&format!("{mass}force [-k*x, -k*y, -k*l]")).0, "-k*l");
    // Without units of inertia the forces still belong to one energy.
    let plain = format!("{coordinates}mass [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n");
    accepted(&format!("{plain}force [-k*x, -k*y, -k*l^2*th]"));
    assert_eq!(underlined(&format!("{plain}force [-k*x, -k*y, -k*l*th]")).0, "-k*l*th");
}

#[test]
fn forces_on_declared_speeds_are_checked() {
    let model = "coordinate x {m}\nspeed u {m/s} = 2*x'\nkinetic m/2*u^2\n";
    accepted(&format!("{model}force u = -k*x"));
    assert_eq!(underlined(&format!("{model}force u = -k*x^2")).0, "-k*x^2");
    assert_eq!(underlined("coordinate x {m}\nspeed u {m} = 2*x'\nkinetic m/2*u^2").0, "2*x'");
}

#[test]
fn decays_are_rates() {
    let model = "coordinate x {m}\nkinetic m/2*x'^2\n";
    accepted(&format!("{model}require r: x = l*cos(W*t) decay W, W^2"));
    accepted(&format!("{model}require r: x = l*cos(W*t) decay n, 4"));
    assert_eq!(underlined(&format!("{model}require r: x = l*cos(W*t) decay W, l")).0, "l");
    assert_eq!(underlined(&format!("{model}require r: x = l*cos(W*t) decay W^2, W")).0, "W^2");
    assert_eq!(underlined(&format!("{model}require r: x = l*cos(W*t) decay W")).0, "W");
    assert_eq!(underlined(&format!("{model}require r: x' = l*W decay W^2")).0, "W^2");
    accepted(&format!("{model}require r: x' = l*W decay W"));
}

#[test]
fn a_power_of_a_unit_is_a_number() {
    let model = "coordinate x {m}, th {rad}\nkinetic m/2*(x'^2 + l^2*th'^2)\n";
    assert_eq!(underlined(&format!("{model}output b = x^th")).0, "th");
    assert_eq!(underlined(&format!("{model}output b = x^pi")).0, "pi");
    accepted(&format!("{model}output b = (x/l)^th, c = x^(1/2), d = x^n, e = th^th"));
}

#[test]
fn the_branch_with_the_other_unit_is_underlined() {
    let force = "coordinate x {m}\nkinetic m/2*x'^2\nforce x = if x > l then -k*(x-l) else m";
    let (place, message) = underlined(force);
    assert_eq!((place.as_str(), message.as_str()), ("m", "units differ: N and kg"));
    assert!(said(&format!("{QUANTITIES}{force}")).contains("this is in kg"));
}
