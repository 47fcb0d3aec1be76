//! A system written by hand in Rust, without the model language: a mass on a slope that is stated
//! twice. The two rows are redundant, which needs no special treatment.
//!
//! `cargo run -p dalembert-run --example own_system`

use dalembert_run::*;

/// A unit mass in the plane, y upward, on the line y = -x, stated twice.
struct Slope;

impl Dynamics for Slope {
    fn shape(&self) -> Shape {
        Shape { n_x: 2, n_eta: 2, n_con: 2, identity_frame: true, ..Shape::default() }
    }

    fn levels(&self) -> &[Level] {
        &[Level::Position, Level::Position]
    }

    fn terms(&self, at: Point, _: &mut [f64], out: &mut Terms) {
        out.x_dot.copy_from_slice(at.eta);
        out.M.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        out.Q.copy_from_slice(&[0.0, -9.81]);
        out.A.copy_from_slice(&[1.0, 1.0, 2.0, 2.0]);
        out.b.fill(0.0);
    }

    fn residuals(&self, at: Point, _: &mut [f64], phi: &mut [f64], psi: &mut [f64]) {
        let (position, velocity) = (at.x[0] + at.x[1], at.eta[0] + at.eta[1]);
        phi.copy_from_slice(&[position, 2.0 * position]);
        psi.copy_from_slice(&[velocity, 2.0 * velocity]);
    }

    fn position_gradient(&self, _: f64, _: &[f64], _: &mut [f64], out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 1.0, 2.0, 2.0]);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = State::new(0.0, &[0.0, 0.0], &[0.0, 0.0]);
    let solution = accelerate(&Slope, start.point())?;
    println!("acceleration {:?}, constraint force {:?}", solution.eta_dot, solution.ideal_force);

    let options = Options { output: Output::Every(0.25), ..Options::default() };
    let outcome = integrate(&Slope, &start, 1.0, &options, &mut |row: Row| {
        println!("t = {:.2}  x = {:+.6}  y = {:+.6}", row.t, row.x[0], row.x[1]);
    });
    assert_eq!(outcome.stop, Stop::EndTime);
    assert!((outcome.state.x[0] - 9.81 / 4.0).abs() < 1e-9);
    Ok(())
}
