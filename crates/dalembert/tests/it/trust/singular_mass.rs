//! Mass matrices that are singular though none of their rows vanishes (U9): they run where the constraints determine the
//! motion, and are refused where nothing does.

use crate::support::{Rng, ShortNumbers, below, evaluate, largest, last, load, run_text, sharply_until};
use dalembert::Request;
use dalembert::diagnostic::Code;
use dalembert::run::State;

/// Kinetic energy of the angular momentum alone: no inertia along the radius, which the sphere determines.
const SPHERE: &str = "coordinate x, y, z\n\
    let L = cross([x, y, z], [x', y', z'])\n\
    kinetic (L.x^2 + 2*L.y^2 + 3*L.z^2)/2\n\
    potential 9.81*z\n\
    constraint s: x^2 + y^2 + z^2 = 1\n";

#[test]
fn a_pivot_that_is_rounding_over_a_small_pivot_is_not_inertia() {
    let model = load(SPHERE);
    let x = [0.624_020_730_022_898_7, -0.781_406_740_631_779_3, 0.0012783571128407911];
    let eta = [-0.567_225_206_530_196_5, -0.453_330_996_250_708_1, -0.21559604784300485];
    let state = State { t: 0.0, x: x.to_vec(), eta: eta.to_vec() };
    let found = evaluate(&model, &state).solution.eta_dot;
    below("x''", (found[0] + 0.34151).abs(), 1e-5);
    below("y''", (found[1] - 0.44977).abs(), 1e-5);
}

/// Without the sphere nothing determines the motion along the radius, at any state and in any order of the coordinates.
#[test]
fn a_direction_without_inertia_is_refused_in_every_order_of_the_coordinates() {
    for order in ["x, y, z", "y, z, x", "z, x, y", "z, y, x"] {
        let text = SPHERE.replace("coordinate x, y, z", &format!("coordinate {order}"));
        let text = text.replace("constraint s: x^2 + y^2 + z^2 = 1\n", "");
        let mut rng = Rng::new(3);
        for _ in 0..20 {
            let at = format!(
                "initial x = {}, y = {}, z = {}",
                rng.number(-1.0, 1.0),
                rng.number(-1.0, 1.0),
                rng.number(-1e-3, 1e-3)
            );
            let mut model = load(&format!("{text}{at}"));
            let start = model.start().expect("a start").state;
            let code = model.evaluate(&start).err().map(|d| d.code);
            assert_eq!(code, Some(Code::MassSingular), "{order}: {at}");
        }
    }
}

/// A rigid body in Euler parameters and their rates (Haug, Shabana, Udwadia and Schutte): M has rank 3 of 4.
const BODY: &str = "parameter I1 = 1, I2 = 2, I3 = 3\n\
    coordinate e0, e1, e2, e3\n\
    let w1 = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')\n\
    let w2 = 2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')\n\
    let w3 = 2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')\n\
    kinetic (I1*w1^2 + I2*w2^2 + I3*w3^2)/2\n\
    constraint unit: e0^2 + e1^2 + e2^2 + e3^2 = 1\n\
    initial e0 = 1, e1 = 0, e2 = 0, e3 = 0, e1' = 0.005, e2' = 2.5, e3' = 0.005\n\
    output wx = w1, wy = w2, wz = w3, T = energy\n";

#[test]
fn a_body_in_euler_parameters_and_their_rates_runs() {
    // The same body in body rates, by Euler's equations.
    let rates = |w: &[f64; 3]| {
        [(2.0 - 3.0) * w[1] * w[2] / 1.0, (3.0 - 1.0) * w[2] * w[0] / 2.0, (1.0 - 2.0) * w[0] * w[1] / 3.0]
    };
    let expected = crate::support::rk4([0.01, 5.0, 0.01], 20.0, 200_000, |_, w| rates(w));
    for method in ["dop853", "radau", "tsit5"] {
        let request = Request { method: Some(method.into()), rtol: Some(1e-10), ..sharply_until(20.0) };
        let motion = run_text(BODY, &request);
        for (name, value) in ["wx", "wy", "wz"].iter().zip(expected) {
            below(&format!("{method} {name}"), (last(&motion, name) - value).abs(), 1e-6);
        }
        let energy = motion.energy.expect("an energy").1;
        below(&format!("{method} energy"), energy.abs(), 1e-6);
    }
    let request = Request { method: Some("rk4".into()), step: Some(0.002), ..sharply_until(20.0) };
    let motion = run_text(BODY, &request);
    below("rk4 energy", largest(&[motion.energy.expect("an energy").1]), 1e-6);
}
