//! Films: positions are those of the table, arrows are the forces, and what is chosen by default is what it says.

use crate::support::*;
use dalembert::diagnostic::Diagnostic;
use dalembert::system::Figure;
use dalembert::{Model, Motion, Request, Workspace};
use dalembert_view::animation::{Animation, ForceKind, MAX_FRAMES};
use dalembert_view::scene::Scene;

/// The film of a motion.
fn film_from(model: &Workspace, motion: &Motion) -> Result<Animation, Box<Diagnostic>> {
    Animation::new(&Model::from(model.clone()), motion)
}

/// A motion with its film.
fn film_of(text: &str, request: &Request) -> (Animation, Motion) {
    let mut model = load(text);
    let motion = run(&mut model, &Request { forces: true, ..request.clone() });
    let film = film_from(&model, &motion).expect("a film");
    (film, motion)
}

/// One component of a point over the frames.
fn track(film: &Animation, at: usize) -> Vec<f64> {
    (0..film.times.len()).map(|k| film.frame(k)[at]).collect()
}

/// One component of the arrows of a kind over the frames, and zeros where no such force acts.
fn arrow(film: &Animation, kind: ForceKind, component: usize) -> Vec<f64> {
    let width = film.points.len() * film.dimension;
    match film.arrows.iter().find(|a| a.kind == kind) {
        Some(arrows) => arrows.forces.chunks(width).map(|frame| frame[component]).collect(),
        None => vec![0.0; film.times.len()],
    }
}

const CHAIN: &str = "
    parameter m = 2, l = 0.5, g = 9.81
    coordinate x[1..2], y[1..2]
    kinetic sum(i in 1..2, m/2*(x[i]'^2 + y[i]'^2))
    potential sum(i in 1..2, m*g*y[i])
    constraint upper: x[1]^2 + y[1]^2 = l^2
    constraint lower: norm([x[2] - x[1], y[2] - y[1]]) = l
    initial x[1] = l, x[2] = 2*l
    output qx = impressed(x[1]), qy = impressed(y[2]), ix = ideal(x[1]), iy = ideal(y[2])
    output P = [x[2], y[2]]
";

#[test]
fn particles_carry_their_own_forces() {
    let (film, motion) = film_of(CHAIN, &until(1.0));
    assert_eq!((film.dimension, film.points.len(), film.times.len()), (2, 2, 51));
    assert_eq!(film.times, column(&motion, "t"));
    let last = film.points.iter().find(|(name, _)| name == "[x[2], y[2]]").expect("the second mass").1;
    assert_eq!(track(&film, last), column(&motion, "P.x"));
    assert_eq!(track(&film, last + 1), column(&motion, "P.y"));
    // Particles in right-angled coordinates: J is the unit matrix, and only rounding is left.
    let place = |name: &str| film.points.iter().position(|(n, _)| n == name).expect("a point") * 2;
    let (first, second) = (place("[x[1], y[1]]"), place("[x[2], y[2]]"));
    for (kind, component, output) in [
        (ForceKind::Impressed, first, "qx"),
        (ForceKind::Impressed, second + 1, "qy"),
        (ForceKind::Ideal, first, "ix"),
        (ForceKind::Ideal, second + 1, "iy"),
    ] {
        below(output, apart(&arrow(&film, kind, component), &column(&motion, output)), 1e-12);
    }
    assert!(film.arrows.iter().all(|a| a.unplaced < 1e-12), "every force has its point");
    assert_eq!(film.residuals.len(), 2);
    assert!(film.residuals.iter().all(|s| largest(&s.values) < 1e-12));
    let [kinetic, potential, total] = &film.energies[..] else { panic!("three energies") };
    let sum: Vec<f64> = kinetic.values.iter().zip(&potential.values).map(|(t, v)| t + v).collect();
    below("T + V", apart(&sum, &total.values), 1e-12);
}

/// The forces at the points have the power of the generalised force, whatever the speeds are.
#[test]
fn arrows_have_the_power_of_the_force() {
    let pendulum = "
        parameter l = 0.7
        coordinate x, theta
        let P = [x + l*sin(theta), -l*cos(theta)], C = [x, 0]
        kinetic x'^2 + dot(P', P')/2
        potential 9.81*P.y
        dissipation 0.1*theta'^2
        require swing: theta = 0.3*sin(4*t) decay 4
        actuate x
        draw point P
        draw point C
        output vP = P', vC = C'
        output impressed_power = power(impressed), control_power = power(control)
    ";
    let sleigh = "
        parameter a = 0.4
        coordinate x, y, theta
        speed v = x'*cos(theta) + y'*sin(theta)
        speed u = -x'*sin(theta) + y'*cos(theta)
        speed omega = theta'
        let P = [x + a*cos(theta), y + a*sin(theta)], C = [x, y]
        kinetic (v^2 + (u + a*omega)^2)/2 + omega^2/4
        potential y
        draw line P, C
        initial v = 0.2, u = 0.3, omega = 2
        output vP = P', vC = C'
        output impressed_power = power(impressed), control_power = 0*x
    ";
    for (name, text, turning) in [("pendulum", pendulum, "theta'"), ("sleigh", sleigh, "omega")] {
        let (film, motion) = film_of(text, &until(1.0));
        assert!(film.arrows.iter().all(|a| a.unplaced < 1e-9), "{name}: {:?}", film.remarks);
        for (kind, output) in
            [(ForceKind::Impressed, "impressed_power"), (ForceKind::Control, "control_power")]
        {
            let mut power = vec![0.0; film.times.len()];
            let mut add = |force: &[f64], rate: &[f64]| {
                power.iter_mut().zip(force.iter().zip(rate)).for_each(|(p, (f, v))| *p += f * v);
            };
            for (k, (point, _)) in film.points.iter().enumerate() {
                for (c, part) in ["x", "y"].iter().enumerate() {
                    add(&arrow(&film, kind, 2 * k + c), &column(&motion, &format!("v{point}.{part}")));
                }
            }
            for couple in film.couples.iter().filter(|c| c.kind == kind) {
                add(&couple.values, &column(&motion, turning));
            }
            below(&format!("{name}, {output}"), apart(&power, &column(&motion, output)), 1e-10);
        }
    }
}

/// A force on a coordinate acts at the point whose coordinate it is; other points that move along have none.
#[test]
fn forces_on_coordinates_act_at_their_points() {
    let text = "
        coordinate x
        kinetic x'^2/2
        force x = 6
        draw point [x, 0]
        draw point [x - 1, 0]
        draw point [x + 1, 1]
    ";
    let (film, _) = film_of(text, &until(1.0));
    assert_eq!(film.points.len(), 1);
    below("all of it", apart(&arrow(&film, ForceKind::Impressed, 0), &[6.0; 51]), 1e-12);
}

/// A motor at a joint is drawn at the joint, not at the first point that its angle moves.
#[test]
fn couples_are_drawn_at_their_joints() {
    let text = "
        gravity [0, -9.81]
        body upper: rod 1 from [0, 0] to [0, -1]
        body lower: rod 1 from [0, 0] to [0, -2]
        joint shoulder: pin ground to upper
        joint elbow: pin upper at [0, -1] to lower
        force shoulder = 3
        force elbow = -2
        initial shoulder = 0.4
        output hip = [0, 0] of upper, knee = [0, -1] of upper
    ";
    let (film, motion) = film_of(text, &until(0.5));
    for (joint, point, value) in [("shoulder", "hip", 3.0), ("elbow", "knee", -2.0)] {
        let couple = film.couples.iter().find(|c| c.name == joint && c.kind == ForceKind::Impressed);
        let couple = couple.unwrap_or_else(|| panic!("no couple at {joint}"));
        below(joint, apart(&couple.values, &vec![value; film.times.len()]), 1e-12);
        for (k, part) in ["x", "y"].iter().enumerate() {
            below(
                joint,
                apart(&track(&film, couple.at + k), &column(&motion, &format!("{point}.{part}"))),
                1e-12,
            );
        }
    }
}

#[test]
fn couples_without_a_point_are_told() {
    let text = "
        coordinate x, phi
        kinetic (x'^2 + phi'^2)/2
        force x = 3
        force phi = 4
        draw point [x, 0]
    ";
    let (film, _) = film_of(text, &until(1.0));
    let arrows = &film.arrows[0];
    below("4 of 5", (arrows.unplaced - 0.8).abs(), 1e-12);
    assert_eq!(film.remarks, ["80 % of the impressed force has no known point and is not shown"]);
}

/// Held control and another plant are known to the run alone.
#[test]
fn forces_are_those_of_the_run() {
    let text = "
        parameter m = 1
        coordinate x
        kinetic m/2*x'^2
        require go: x = sin(t) decay 4
        initial x = 0.5
        draw point [x, 0]
        output u = control(x)
    ";
    let mut model = load(text);
    let request = Request { forces: true, hold: Some(0.2), plant: vec![("m".to_owned(), 1.5)], ..until(1.0) };
    let motion = run(&mut model, &request);
    let film = film_from(&model, &motion).expect("a film");
    below("held", apart(&arrow(&film, ForceKind::Control, 0), &column(&motion, "u")), 1e-12);
    assert_eq!(film.parameters[0].value, 1.5);
    // Without forces kept, they are computed from the states.
    let plain = run(&mut model, &until(1.0));
    let film = film_from(&model, &plain).expect("a film");
    below("from states", apart(&arrow(&film, ForceKind::Control, 0), &column(&plain, "u")), 1e-12);
}

#[test]
fn friction_is_a_force_of_its_kind() {
    let (film, motion) =
        film_of(&format!("{}\noutput fx = nonideal(x)", model_text("rough_incline")), &until(1.0));
    let block = film.points.iter().position(|(name, _)| name == "[x, y]").expect("the block") * 2;
    below("friction", apart(&arrow(&film, ForceKind::Nonideal, block), &column(&motion, "fx")), 1e-12);
    assert!(largest(&column(&motion, "fx")) > 1.0);
}

/// Names of points and rods of a scene.
fn chosen(model: &mut Workspace) -> (Vec<String>, Vec<String>, Scene) {
    let scene = Scene::new(model);
    let (mut points, mut rods) = (Vec::new(), Vec::new());
    for figure in &scene.figures {
        match figure {
            Figure::Point(at) => points.push(at.name.clone()),
            Figure::Line(ends) => rods.push(format!("{}-{}", ends[0].name, ends[1].name)),
            _ => {}
        }
    }
    (points, rods, scene)
}

#[test]
fn defaults_show_points_and_rods() {
    let cases: [(&str, &str, &[&str], &[&str]); 7] = [
        (
            "a chain of particles",
            CHAIN,
            &["[x[1], y[1]]", "[x[2], y[2]]"],
            &["O-[x[1], y[1]]", "[x[1], y[1]]-[x[2], y[2]]"],
        ),
        (
            "a pendulum hung beside the origin",
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: (x - 2)^2 + (y + 1)^2 = 4\ninitial x = 2",
            &["[x, y]"],
            &["[2, -1]-[x, y]"],
        ),
        (
            "links that are written",
            "parameter l = 2\ncoordinate a, b\nlet P = l*[sin(a), -cos(a)]\nlet Q = P + l*[sin(b), -cos(b)]\n\
             let v = P'\nlet n = [cos(b), sin(b)]\nkinetic dot(P', P') + dot(Q', Q')",
            &["P", "Q"],
            &["O-P", "P-Q"],
        ),
        (
            "a pendulum on a cart",
            "coordinate x, th\nlet C = [x, 0]\nlet P = C + 2*[sin(th), -cos(th)]\nkinetic x'^2 + dot(P', P')",
            &["C", "P"],
            &["C-P"],
        ),
        (
            "a plane, an ellipse and a spring are no rods",
            "coordinate x1, y1, x2, y2\nkinetic x1'^2 + y1'^2 + x2'^2 + y2'^2\npotential (x2 - x1)^2\n\
             constraint plane: y1 = 2*x1\nconstraint ellipse: x2^2 + 2*y2^2 = 1\ninitial x2 = 1",
            &["[x1, y1]", "[x2, y2]"],
            &[],
        ),
        (
            "a length that time changes is not a rod",
            "coordinate th\nlet P = (2 + sin(t))*[sin(th), -cos(th)]\nkinetic dot(P', P')",
            &["P"],
            &[],
        ),
        (
            "three dimensions",
            "coordinate xA, yA, zA\nkinetic xA'^2 + yA'^2 + zA'^2\nconstraint xA^2 + yA^2 + zA^2 = 1\ninitial xA = 1",
            &["[xA, yA, zA]"],
            &["O-[xA, yA, zA]"],
        ),
    ];
    for (what, text, points, rods) in cases {
        let (found, joined, scene) = chosen(&mut load(text));
        assert_eq!((&found[..], &joined[..]), (&points.map_strings()[..], &rods.map_strings()[..]), "{what}");
        assert!(scene.remarks[0].starts_with("drawn by default: point"), "{what}: {:?}", scene.remarks);
    }
}

trait Strings {
    fn map_strings(&self) -> Vec<String>;
}

impl Strings for &[&str] {
    fn map_strings(&self) -> Vec<String> {
        self.iter().map(|s| (*s).to_owned()).collect()
    }
}

#[test]
fn other_models_show_their_coordinates() {
    let mut model = load("coordinate q, s\nkinetic q'^2 + s'^2\npotential q^2 + s^2\ninitial q = 1");
    let motion = run(&mut model, &until(3.0));
    let film = film_from(&model, &motion).expect("a film");
    assert_eq!(
        film.remarks,
        ["drawn by default: coordinates q, s on scales; write `draw` statements to choose"]
    );
    assert_eq!(film.shapes.iter().map(|s| s.kind).collect::<Vec<_>>(), ["gauge", "gauge"]);
    let (low, high) = film.shapes[0].range.expect("a range");
    assert!(low < -0.9 && high == 1.0, "{low} {high}");
    assert!(film.points.is_empty() && film.arrows.is_empty());
}

#[test]
fn long_tables_are_thinned() {
    let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\ndraw point [x, y]";
    let request = Request { until: Some(1.0), every: Some(1e-4), ..Request::default() };
    let (film, _) = film_of(text, &request);
    assert!(film.times.len() <= MAX_FRAMES && film.times.len() > MAX_FRAMES / 2, "{}", film.times.len());
    assert_eq!((film.times[0], film.times.last()), (0.0, Some(&1.0)));
    assert!(film.remarks[0].starts_with("one row of 6 is shown"), "{:?}", film.remarks);
}

/// Every model has a film whose numbers are where the shapes say.
#[test]
fn every_model_has_a_film() {
    for name in model_names() {
        let mut model = load_file(&name);
        let motion = run(&mut model, &Request { forces: true, ..until(0.1) });
        let film = film_from(&model, &motion).unwrap_or_else(|d| panic!("{name}: {}", d.message));
        assert!(!film.shapes.is_empty(), "{name}");
        assert_eq!(film.tracks.len(), film.width * film.times.len(), "{name}");
        assert!(film.tracks.iter().all(|v| v.is_finite()), "{name}");
        assert!(film.low.iter().zip(&film.high).all(|(l, h)| l <= h), "{name}");
        for arrows in &film.arrows {
            assert_eq!(arrows.forces.len(), film.times.len() * film.points.len() * film.dimension, "{name}");
            assert!(arrows.unplaced <= 1.0 + 1e-9 && arrows.largest > 0.0, "{name}");
        }
        let json = film.to_json();
        let length = |text: &serde_json::Value| text.as_str().map_or(0, str::len);
        assert_eq!(length(&json["times"]), (8 * film.times.len()).div_ceil(3) * 4, "{name}");
        assert_eq!(length(&json["tracks"]), (8 * film.tracks.len()).div_ceil(3) * 4, "{name}");
    }
}

/// Video frames show something, and something else later.
#[test]
fn frames_are_drawn() {
    for text in [
        model_text("double_pendulum"),
        model_text("rolling_disk"),
        "coordinate q\nkinetic q'^2\ninitial q' = 1".to_owned(),
    ] {
        let (film, _) = film_of(&text, &until(2.0));
        let mut frames = dalembert_view::Frames::new(&film, 1.0);
        assert_eq!((frames.size(), frames.count()), ((640, 480), 51));
        let (first, later) = (frames.render(0).to_vec(), frames.render(40).to_vec());
        let inked = |pixels: &[u8]| pixels.iter().filter(|v| **v < 200).count();
        assert!(first.len() == 640 * 480 * 3 && inked(&first) > 1000 && inked(&later) > 1000);
        assert!(first.iter().zip(&later).filter(|(a, b)| a != b).count() > 500);
    }
}

/// A midpoint has no force of its own where the particles beside it are drawn.
#[test]
fn other_points_leave_forces_to_particles() {
    let text = format!(
        "{CHAIN}\ndraw point [x[1], y[1]]\ndraw point [x[2], y[2]]\ndraw point [(x[1] + x[2])/2, (y[1] + y[2])/2]"
    );
    let (film, motion) = film_of(&text, &until(1.0));
    below("first", apart(&arrow(&film, ForceKind::Ideal, 0), &column(&motion, "ix")), 1e-12);
    below("second", apart(&arrow(&film, ForceKind::Ideal, 3), &column(&motion, "iy")), 1e-12);
    assert_eq!(film.points.len(), 2);
    assert!(film.remarks.iter().all(|r| !r.contains("no known point")), "{:?}", film.remarks);
}

#[test]
fn what_cannot_be_shown_is_told() {
    let text = "
        coordinate x, y
        kinetic (x'^2 + y'^2)/2
        initial x = 1, x' = -1
        draw point [sqrt(x), y]
        draw circle [0, 0, 0], x, [0, 0, 1]
        draw circle [0, 0, 0], 1, [0, 0, y]
    ";
    let (film, _) = film_of(text, &until(2.0));
    for words in ["point [sqrt(x), y]: not finite", "of negative radius", "without a normal of any length"] {
        assert!(film.remarks.iter().any(|r| r.contains(words)), "{words}: {:?}", film.remarks);
    }
}

/// Pictures far from the origin keep their digits on the way to the player.
#[test]
fn players_get_positions_with_all_digits() {
    let text =
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 6771000.123, x' = 0.001\ndraw point [x, y]";
    let (film, _) = film_of(text, &until(1.0));
    let json = film.to_json();
    let encoded = json["tracks"].as_str().expect("a string");
    // Eight bytes a number, four signs for three bytes.
    assert_eq!(encoded.len(), (8 * film.tracks.len()).div_ceil(3) * 4);
    assert_eq!(json["format"], 2);
}

#[test]
fn a_vertical_plane_is_drawn() {
    let mut model = load("coordinate x, z\nkinetic (x'^2 + z'^2)/2\npotential 9.81*z");
    let scene = Scene::new(&mut model);
    assert!(scene.figures.iter().any(|f| matches!(f, Figure::Point(p) if p.name == "[x, z]")));
}
