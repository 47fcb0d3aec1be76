//! A pendulum in Cartesian coordinates: its equations, its motion and the tension in its rod.
//!
//! `cargo run -p dalembert --example pendulum`

use dalembert::equations::Form;
use dalembert::run::Flow;
use dalembert::{Model, Request, Source};
use dalembert_expr::Format;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = "
        parameter m = 1 {kg}, l = 0.5 {m}, g = 9.81
        coordinate x {m}, y {m}
        kinetic m/2*(x'^2 + y'^2)
        potential m*g*y
        constraint rod: x^2 + y^2 = l^2
        initial x = 0.3, y ~ -0.4
        output tension = -2*l*multiplier(rod)
    ";
    let model = Model::load(&Source::new("pendulum.dal", text), &Default::default())?;
    println!("{}", model.equations(Form::Lagrange, Format::Text)?);

    let request = Request { until: Some(2.0), every: Some(0.25), ..Request::default() };
    let motion = model.simulate(&request, |_t| Flow::Continue)?;
    println!("{}", motion.table.columns.join("\t"));
    for row in motion.table.values.chunks(motion.table.columns.len()) {
        println!("{}", row.iter().map(|v| format!("{v:.5}")).collect::<Vec<_>>().join("\t"));
    }
    assert!(motion.outcome.largest_position_residual < 1e-14);
    Ok(())
}
