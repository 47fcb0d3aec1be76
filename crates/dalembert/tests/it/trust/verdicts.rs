//! `verify` does not accuse models that are right.

use crate::support::*;
use dalembert::verify::verify;

#[track_caller]
fn passes(text: &str) {
    let found = verify(&mut load(text)).unwrap_or_else(|d| panic!("{}", d.message));
    for check in found.checks {
        assert!(check.passed, "{}: {:.1e} of {:.1e}\n{text}", check.name, check.worst, check.tolerance);
    }
}

/// Angles from link to link: curvatures of Gauss's function lie five orders of magnitude apart.
#[test]
fn a_chain_of_ten_rods_in_relative_angles_passes() {
    let mut text = String::from("coordinate ");
    let names: Vec<String> = (1..=10).map(|i| format!("a{i}")).collect();
    text += &names.join(", ");
    let (mut kinetic, mut potential) = (Vec::new(), Vec::new());
    let (mut x, mut y) = (String::from("0"), String::from("0"));
    for i in 1..=10 {
        let (angle, rate) = (names[..i].join(" + "), names[..i].join("' + ") + "'");
        text += &format!("\nlet p{i} = [{x} + sin({angle})/2, {y} - cos({angle})/2]");
        kinetic.push(format!("dot(p{i}', p{i}')/2 + ({rate})^2/24"));
        potential.push(format!("9.81*p{i}.y"));
        x += &format!(" + sin({angle})");
        y += &format!(" - cos({angle})");
    }
    text += &format!("\nkinetic {}\npotential {}\n", kinetic.join(" + "), potential.join(" + "));
    passes(&(text + "initial a1 = 1, a5 = 0.3, a10 = 2\nsimulate until 0.5\n"));
}

#[test]
fn friction_beside_non_ideal_work_that_reads_reactions_passes() {
    passes(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0.1*x\n\
         friction on floor: coefficient 0.3, velocity x'\nnonideal work -0.2*reaction(floor)*sign(x')*delta(x)\n\
         initial x' = 2\nsimulate until 1\n",
    );
    passes(
        "parameter l = 1\ncoordinate x, y, a\nkinetic (x'^2 + y'^2)/2 + a'^2/24\npotential 9.81*y\n\
         let tip = [x - l/2*cos(a), y - l/2*sin(a)]\nconstraint floor: tip.y = 0\n\
         friction on floor: coefficient 0.3, velocity tip.x'\n\
         nonideal work -0.2*reaction(floor)*tanh(tip.x')*delta(tip.x) - 0.1*multiplier(floor)*a'*delta(a)\n\
         initial x' = 2, a = 0.8\nsimulate until 0.5\n",
    );
}

#[test]
fn structures_at_rest_without_loads_pass() {
    for more in ["", "potential 9.81*y\n"] {
        passes(&format!(
            "coordinate x, y\nkinetic (x'^2 + y'^2)/2\n{more}constraint a: x^2 + y^2 = 2\n\
             constraint b: (x - 2)^2 + y^2 = 3\ninitial x ~ 1, y ~ 1\nsimulate until 1\n"
        ));
    }
}

#[test]
fn values_near_the_limits_of_numbers_pass() {
    passes(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1e308\nforce y = -1.5e308\nconstraint k: x + y = 0\n\
         simulate until 1e-160\n",
    );
    passes(
        "parameter m = 1e308\ncoordinate x, y\nkinetic m*(x'^2 + y'^2)/2\npotential m*0.00981*y\n\
         constraint r: x^2 + y^2 = 1\ninitial x = 0.6, y = -0.8\nsimulate until 1\n",
    );
    passes(
        "coordinate x, y\nkinetic (x'^2 + y'^2)/2\nforce x = 1e-300\nforce y = -1e-300*x\nsimulate until 1\n",
    );
}
