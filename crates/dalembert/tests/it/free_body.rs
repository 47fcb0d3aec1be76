//! Arrows are the forces of the free-body diagram: the same system shows the same ones in any coordinates.

use crate::support::{below, evaluate, load, start};
use dalembert::run::Flow;
use dalembert::{Model, Overrides, Request, Source};
use dalembert_view::Animation;
use dalembert_view::animation::ForceKind;

fn film_of(text: &str) -> Animation {
    let model = Model::load(&Source::new("diagram.dal", text), &Overrides::default()).expect("it is read");
    let request = Request { forces: true, until: Some(1.0), every: Some(0.1), ..Request::default() };
    let motion = model.simulate(&request, |_| Flow::Continue).expect("it moves");
    Animation::new(&model, &motion).expect("it can be shown")
}

/// Every arrow of a kind in a frame: position and force, sorted; forces that vanish are left out.
fn arrows(film: &Animation, kind: ForceKind, frame: usize) -> Vec<[f64; 4]> {
    let Some(found) = film.arrows.iter().find(|a| a.kind == kind) else { return Vec::new() };
    let width = film.points.len() * 2;
    let mut sums: Vec<[f64; 4]> = Vec::new();
    for (k, (_, at)) in film.points.iter().enumerate() {
        let place = &film.frame(frame)[*at..at + 2];
        let force = &found.forces[frame * width + 2 * k..frame * width + 2 * k + 2];
        // Forces of several statements at one point are one arrow to the eye.
        let same = sums.iter_mut().find(|a| (a[0] - place[0]).hypot(a[1] - place[1]) < 1e-7);
        match same {
            Some(sum) => (sum[2], sum[3]) = (sum[2] + force[0], sum[3] + force[1]),
            None => sums.push([place[0], place[1], force[0], force[1]]),
        }
    }
    sums.retain(|a| a[2].hypot(a[3]) > 1e-7);
    sums.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    sums
}

/// Two films of one system: equal arrows of a kind in every frame.
fn same_arrows(what: &str, a: &Animation, b: &Animation, kind: ForceKind, count: usize) {
    for frame in 0..a.times.len() {
        let (one, other) = (arrows(a, kind, frame), arrows(b, kind, frame));
        assert_eq!((one.len(), other.len()), (count, count), "{what}, frame {frame}: {one:?} {other:?}");
        for (x, y) in one.iter().flatten().zip(other.iter().flatten()) {
            // Two integrations agree to their tolerances.
            below(&format!("{what}, frame {frame}"), (x - y).abs(), 2e-5 * (1.0 + x.abs()));
        }
    }
}

const DOUBLE_XY: &str = "
    parameter m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, g = 9.81
    coordinate x1, y1, x2, y2
    kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)
    potential m1*g*y1 + m2*g*y2
    constraint upper: x1^2 + y1^2 = l1^2
    constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = l2^2
    initial x1 = l1*sin(0.7), y1 = -l1*cos(0.7), x2 = l1*sin(0.7) + l2*sin(-0.4), y2 = -l1*cos(0.7) - l2*cos(-0.4)
    simulate until 1 tolerance 1e-11
";

const DOUBLE_ANGLES: &str = "
    parameter m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, g = 9.81
    coordinate a, b
    let P1 = [l1*sin(a), -l1*cos(a)]
    let P2 = P1 + l2*[sin(b), -cos(b)]
    kinetic m1/2*dot(P1', P1') + m2/2*dot(P2', P2')
    potential m1*g*P1.y + m2*g*P2.y
    initial a = 0.7, b = -0.4
    simulate until 1 tolerance 1e-11
";

const DOUBLE_BODIES: &str = "
    parameter m1 = 1, m2 = 2, l1 = 1, l2 = 0.5, g = 9.81
    gravity [0, -g]
    body upper: point m1 at [0, -l1]
    body lower: point m2 at [0, -l2]
    joint A: pin ground to upper
    joint B: pin upper at [0, -l1] to lower
    initial A = 0.7, B = -1.1
    draw point [0, -l1] of upper
    draw point [0, -l2] of lower
    simulate until 1 tolerance 1e-11
";

#[test]
fn a_double_pendulum_in_three_kinds_of_coordinates() {
    let [xy, angles, bodies] = [DOUBLE_XY, DOUBLE_ANGLES, DOUBLE_BODIES].map(film_of);
    same_arrows("weights in x, y and angles", &xy, &angles, ForceKind::Impressed, 2);
    same_arrows("weights in x, y and of bodies", &xy, &bodies, ForceKind::Impressed, 2);
    for film in [&xy, &angles, &bodies] {
        let weights = arrows(film, ForceKind::Impressed, 3);
        let mut sizes: Vec<f64> = weights.iter().map(|a| -a[3]).collect();
        sizes.sort_by(f64::total_cmp);
        below("m1 g", (sizes[0] - 9.81).abs(), 1e-9);
        below("m2 g", (sizes[1] - 19.62).abs(), 1e-9);
        assert!(weights.iter().all(|a| a[2].abs() < 1e-9), "weights hang straight down: {weights:?}");
        assert!(film.remarks.iter().all(|r| !r.contains("no known point")), "{:?}", film.remarks);
    }
}

const LADDER_CENTRE: &str = "
    parameter m = 10, L = 3, g = 9.81
    coordinate x, y, th
    let A = [x - L/2*cos(th), y + L/2*sin(th)]
    let B = [x + L/2*cos(th), y - L/2*sin(th)]
    kinetic m/2*(x'^2 + y'^2) + m*L^2/24*th'^2
    potential m*g*y
    constraint wall: A.x = 0
    constraint floor: B.y = 0
    initial th = 1.2, x = L/2*cos(1.2), y = L/2*sin(1.2)
    simulate until 1 tolerance 1e-11
    draw line A, B
";

const LADDER_ENDS: &str = "
    parameter m = 10, L = 3, g = 9.81
    coordinate ax, ay, bx, by
    let A = [ax, ay]
    let B = [bx, by]
    let C = (A + B)/2
    let d = B - A
    kinetic m/2*dot(C', C') + m/24*dot(d', d')
    potential m*g*C.y
    constraint stiff: dot(d, d) = L^2
    constraint wall: A.x = 0
    constraint floor: B.y = 0
    initial ax = 0, ay = L*sin(1.2), bx = L*cos(1.2), by = 0
    simulate until 1 tolerance 1e-11
    draw line A, B
";

#[test]
fn a_ladder_on_a_smooth_wall() {
    let [centre, ends] = [LADDER_CENTRE, LADDER_ENDS].map(film_of);
    same_arrows("weight of the ladder", &centre, &ends, ForceKind::Impressed, 1);
    for frame in [0, 4] {
        let forces = arrows(&centre, ForceKind::Ideal, frame);
        assert_eq!(forces.len(), 2, "wall and floor: {forces:?}");
        // The wall pushes along x at A, the floor along y at B.
        assert!(forces[0][0].abs() < 1e-6 && forces[0][3].abs() < 1e-6 && forces[0][2] > 1.0, "{forces:?}");
        assert!(forces[1][1].abs() < 1e-6 && forces[1][2].abs() < 1e-6 && forces[1][3] > 1.0, "{forces:?}");
    }
    // From ends the same forces, and between the ends what holds them apart: forces in balance along the ladder.
    for frame in 0..ends.times.len() {
        let (a, b) = (arrows(&centre, ForceKind::Ideal, frame), arrows(&ends, ForceKind::Ideal, frame));
        let total = |list: &[[f64; 4]], c: usize| list.iter().map(|f| f[c]).sum::<f64>();
        below("sum in x", (total(&a, 2) - total(&b, 2)).abs(), 1e-4);
        below("sum in y", (total(&a, 3) - total(&b, 3)).abs(), 1e-4);
    }
}

const PENDULUM_XY: &str = "
    parameter m = 1.5, l = 0.8, g = 9.81, c = 0.3
    coordinate x, y
    let P = [x, y]
    kinetic m/2*dot(P', P')
    potential m*g*y
    force -c*P' + [2, 1] at P
    constraint rod: norm(P) = l
    initial x = l*sin(1), y = -l*cos(1)
    simulate until 1 tolerance 1e-11
";

const PENDULUM_ANGLE: &str = "
    parameter m = 1.5, l = 0.8, g = 9.81, c = 0.3
    coordinate th
    let P = [l*sin(th), -l*cos(th)]
    kinetic m/2*dot(P', P')
    potential m*g*P.y
    force -c*P' + [2, 1] at P
    initial th = 1
    simulate until 1 tolerance 1e-11
";

#[test]
fn a_pendulum_with_drag_and_a_push() {
    let [xy, angle] = [PENDULUM_XY, PENDULUM_ANGLE].map(film_of);
    same_arrows("weight, drag and push", &xy, &angle, ForceKind::Impressed, 1);
    // The rod pulls towards the support.
    for frame in 0..xy.times.len() {
        let pull = arrows(&xy, ForceKind::Ideal, frame);
        assert_eq!(pull.len(), 1);
        let [x, y, fx, fy] = pull[0];
        below("along the rod", (x * fy - y * fx).abs(), 1e-6);
    }
}

#[test]
fn a_spring_between_points_pulls_at_both() {
    let film = film_of(
        "parameter k = 3, m = 1
         coordinate x, y, u, v
         let A = [x, y], B = [u, v]
         let d = B - A
         kinetic m/2*(x'^2 + y'^2 + u'^2 + v'^2)
         potential k/2*(norm(d) - 1)^2
         initial x = 0, y = 0, u = 2, v = 0
         simulate until 1",
    );
    let forces = arrows(&film, ForceKind::Impressed, 0);
    assert_eq!(forces.len(), 2, "{forces:?}");
    let expected = [[0.0, 0.0, 3.0, 0.0], [2.0, 0.0, -3.0, 0.0]];
    for (a, b) in forces.iter().flatten().zip(expected.iter().flatten()) {
        below("a spring", (a - b).abs(), 1e-12);
    }
}

#[test]
fn torques_are_couples_and_what_has_no_point_is_told() {
    let film = film_of(
        "parameter J = 2, tau = 3, V = 5
         coordinate th
         let P = [cos(th), sin(th)]*2
         kinetic J/2*th'^2
         potential V*th
         force th = tau
         simulate until 1",
    );
    let couple = film.couples.iter().find(|c| c.name == "th").expect("a couple on th");
    assert!(couple.values.iter().all(|v| (v - 3.0).abs() < 1e-12), "{:?}", couple.values);
    assert!(
        film.remarks.iter().any(|r| r.contains("has no known point and is not shown")),
        "{:?}",
        film.remarks
    );
    assert!(film.arrows.iter().all(|a| a.kind != ForceKind::Impressed || a.largest == 0.0));
}

/// The force of a joint that closes a loop acts at the joint, on both of its bodies.
#[test]
fn joints_that_close_loops_act_at_their_points() {
    let linkage = |cut: &str| {
        let mark = |name: &str| if name == cut { ", cut" } else { "" };
        format!(
            "gravity [0, -9.81]
             body crank: rod 0.8 from [0, 0] to [0.4, 0]
             body coupler: rod 2.2 from [0, 0] to [1.1, 0]
             body rocker: rod 1.6 from [0, 0] to [0.8, 0]
             joint A: pin ground to crank
             joint B: pin crank at [0.4, 0] to coupler
             joint C: pin coupler at [1.1, 0] to rocker at [0.8, 0]{}
             joint D: pin ground at [1, 0] to rocker{}
             initial A = 1, B ~ -0.4, A' = 2
             output F = force(D)",
            mark("C"),
            mark("D"),
        )
    };
    for cut in ["C", "D"] {
        let film = film_of(&linkage(cut));
        assert!(film.remarks.iter().all(|r| !r.contains("ideal")), "{cut}: {:?}", film.remarks);
    }
    let film = film_of(&linkage("D"));
    let forces = arrows(&film, ForceKind::Ideal, 0);
    let mut model = load(&linkage("D"));
    let state = start(&mut model);
    let F = evaluate(&model, &state).outputs;
    assert_eq!(forces.len(), 1, "{forces:?}");
    for (a, b) in forces[0].iter().zip([1.0, 0.0, F[0], F[1]]) {
        below("the bearing on the ground", (a - b).abs(), 1e-9);
    }
}

/// A guide that is written from the piston to the ground shows the same force, at the piston, as one written the other
/// way round; a piston that is a point takes no couple.
#[test]
fn a_guide_acts_at_the_piston_in_either_order() {
    let text = |guide: &str| {
        format!(
            "gravity [0, -9.81]
             body crank: rod 1.2 {{kg}} from [0, 0] to [0.15, 0]
             body con: rod 2 {{kg}} from [0, 0] to [0.5, 0]
             body piston: point 0.7 {{kg}}
             joint A: pin ground to crank
             joint B: pin crank at [0.15, 0] to con
             joint C: pin con at [0.5, 0] to piston
             joint D: slider {guide}, axis [1, 0]
             initial A = 0.3, A' = 3
             simulate until 1 tolerance 1e-11"
        )
    };
    let [one, other] = ["ground to piston", "piston to ground"].map(|guide| film_of(&text(guide)));
    same_arrows("guide", &one, &other, ForceKind::Ideal, 1);
    for (film, guide) in [(&one, "ground to piston"), (&other, "piston to ground")] {
        let ideal = film.couples.iter().filter(|c| c.kind == ForceKind::Ideal);
        let largest = ideal.flat_map(|c| &c.values).fold(0.0f64, |m, v| m.max(v.abs()));
        below(guide, largest, 1e-6);
    }
}
