//! B, e, K, virtual displacements, possible accelerations and virtual work in numbers, against their definitions.

use crate::support::*;
use dalembert::{Evaluation, Workspace};

fn at_start(text: &str) -> (Workspace, Evaluation) {
    let mut model = load(text);
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    (model, now)
}

const DEPENDENT: &str = "parameter m = 2, g = 9.81, mu = 0.3
    coordinate x, y, z
    kinetic m/2*(x'^2 + y'^2 + z'^2) + (x' + z')^2/3 + x'*y'/2
    potential m*g*z
    constraint a: x^2 + y^2 + z^2 = 1
    constraint b: x = y
    constraint both: x^2 + y^2 + z^2 + x - y = 1
    nonideal work -mu*(x'*delta(x) + z'*delta(z))
    initial x = 0.3, y ~ 0.3, z ~ 0.9, x' = 0.4";

#[test]
fn the_matrices_are_what_they_are_called() {
    let (model, now) = at_start(DEPENDENT);
    let terms = model.explicit_terms(&now);
    let (n, s) = (3, &now.solution);
    let B = terms.constraint_scaled.expect("positive M").concat();
    // B B^T = A M^-1 A^T, the first of the conditions that fix B up to a rotation; M^{1/2} = the inverse of B's factor.
    let K = terms.gain.expect("positive M");
    let e = terms.error_signal.expect("positive M");
    // U5: eta' - a = K e + the part of C; U2: M K e = Q_i.
    let pushed: Vec<f64> = K.iter().map(|row| dot(row, &e)).collect();
    below("M K e = Q_i", apart(&times(&now.terms.M, &pushed), &s.ideal_force), 1e-11);
    let drawn = times(&now.terms.A, &s.a_free);
    below(
        "e = b - A a",
        apart(&e, &now.terms.b.iter().zip(&drawn).map(|(b, a)| b - a).collect::<Vec<_>>()),
        1e-13,
    );
    // B is A times a symmetric matrix R with R M R = 1.
    let AK: Vec<f64> = now
        .terms
        .A
        .chunks(n)
        .flat_map(|row| (0..3).map(|j| (0..n).map(|i| row[i] * K[i][j]).sum()))
        .collect();
    let AKA: Vec<f64> = AK
        .chunks(3)
        .flat_map(|row| (0..n).map(|p| (0..3).map(|j| row[j] * now.terms.A[j * n + p]).sum()))
        .collect();
    below("A K A = A", apart(&AKA, &now.terms.A), 1e-12);
    let inverse = terms.constraint_scaled_pinv.expect("positive M").concat();
    let BB: Vec<f64> =
        (0..9).map(|k| (0..n).map(|i| B[k / 3 * n + i] * inverse[i * 3 + k % 3]).sum()).collect();
    let BBB: Vec<f64> =
        (0..3 * n).map(|k| (0..3).map(|j| BB[k / n * 3 + j] * B[j * n + k % n]).sum()).collect();
    below("B B^+ B = B", apart(&BBB, &B), 1e-12);
    let pushed_on: Vec<f64> =
        terms.nonideal_acceleration.expect("positive M").iter().zip(&s.a_free).map(|(c, a)| c - a).collect();
    below("M (a_ni - a) = C", apart(&times(&now.terms.M, &pushed_on), &terms.nonideal_term), 1e-12);
    let C = &terms.nonideal_term;
    assert!((C[0] + 0.3 * now.state.eta[0]).abs() < 1e-15 && C[1] == 0.0);
    assert_eq!(terms.virtual_displacements.len(), 1);
    for v in &terms.virtual_displacements {
        below("A v = 0", largest(&times(&now.terms.A, v)), 1e-13);
        let work = dot(v, C) - dot(v, &s.nonideal_force);
        below("v C = v Q_ni", work.abs(), 1e-13);
    }
    assert_eq!(B.len(), 9);
}

/// The appendix of [UK92] on B^+, with rows of rank 2 of 3: (A1) the four conditions, (A2) solutions of B u = b, (A4) the kernel of
/// B is at right angles to B^+, (A5) I - B^+ B is symmetric; (A3) the inverse of one row is the row over its square.
#[test]
fn the_inverse_of_moore_and_penrose() {
    let (model, now) = at_start(DEPENDENT);
    let terms = model.explicit_terms(&now);
    let B = terms.constraint_scaled.expect("positive M");
    let P = terms.constraint_scaled_pinv.expect("positive M");
    let product = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, y)| x * y[j]).sum();
        a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
    };
    let upright = |a: &[Vec<f64>]| -> Vec<Vec<f64>> {
        (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
    };
    let off = |a: &[Vec<f64>], b: &[Vec<f64>]| apart(&a.concat(), &b.concat());
    let (BP, PB) = (product(&B, &P), product(&P, &B));
    below("B B^+ B = B", off(&product(&BP, &B), &B), 1e-12);
    below("B^+ B B^+ = B^+", off(&product(&PB, &P), &P), 1e-12);
    below("B B^+ symmetric", off(&upright(&BP), &BP), 1e-12);
    below("B^+ B symmetric", off(&upright(&PB), &PB), 1e-12);
    let b: Vec<Vec<f64>> = now.terms.b.iter().map(|b| vec![*b]).collect();
    below("consistent: B B^+ b = b", off(&product(&BP, &b), &b), 1e-12);
    // Any u = B^+ b + (I - B^+ B) w solves B u = b; its second part is in the kernel, at right angles to all of B^+.
    let w = [0.3, -0.7, 1.1];
    let free: Vec<Vec<f64>> = PB.iter().zip(w).map(|(row, w_i)| vec![w_i - dot(row, &w)]).collect();
    below("B u = 0", largest(&product(&B, &free).concat()), 1e-12);
    below("u^T B^+ = 0", largest(&product(&upright(&free), &P).concat()), 1e-12);
    assert!(largest(&free.concat()) > 0.1);
    let (model, now) = at_start("coordinate x, y\nkinetic (x'^2 + y'^2)/2\nconstraint line: x + 2*y = 0");
    let one = model.explicit_terms(&now).constraint_scaled_pinv.expect("positive M").concat();
    below("u^+ = u^T/(u^T u)", apart(&one, &[0.2, 0.4]), 1e-15);
}

/// The symmetric root, by squaring it: for diagonal M it is known, for a full 2 x 2 by (M + s)/sqrt(tr M + 2 s).
#[test]
fn the_root_is_symmetric() {
    let (model, now) =
        at_start("coordinate x, y\nkinetic x'^2 + 3*x'*y'/2 + 2*y'^2\nconstraint c: x + 2*y = 0");
    let B = model.explicit_terms(&now).constraint_scaled.unwrap().concat();
    let (a, b, d) = (2.0, 1.5, 4.0f64);
    let s = (a * d - b * b).sqrt();
    let t = (a + d + 2.0 * s).sqrt();
    let root = [(a + s) / t, b / t, b / t, (d + s) / t];
    // B M^{1/2} = A
    below(
        "B root = A",
        apart(&[B[0] * root[0] + B[1] * root[2], B[0] * root[1] + B[1] * root[3]], &[1.0, 2.0]),
        1e-13,
    );
}

#[test]
fn possible_accelerations_deviate_as_the_principle_says() {
    let (model, now) = at_start(DEPENDENT);
    let v = model.explicit_terms(&now).virtual_displacements[0].clone();
    let z: Vec<f64> = now.solution.eta_dot.iter().zip(&v).map(|(a, v)| a + 0.7 * v).collect();
    let text = format!("x'' = {:e}, y'' = {:e}, z'' = {:e}", z[0], z[1], z[2]);
    let other = model.possible(&now, &text).unwrap();
    below("A z = b", largest(&other.residual), 1e-12);
    assert!(other.kept && !model.possible(&now, "x'' = 100").unwrap().kept);
    below("G(z) - G = d M d", (other.gauss_excess - other.deviation).abs(), 1e-10);
    let d = dot(&v, &times(&now.terms.M, &v)) * 0.49;
    below("d M d", (other.deviation - d).abs(), 1e-12);
    let itself = model.possible(&now, "").unwrap();
    below("G", (itself.gauss - now.solution.gauss).abs() / now.solution.gauss, 1e-12);
    assert_eq!(itself.deviation, 0.0);
    assert!(model.possible(&now, "q'' = 1").is_err() && model.possible(&now, "x' = 1").is_err());
}

#[test]
fn virtual_work_of_each_class() {
    let (mut model, now) = at_start(DEPENDENT);
    let v = model.explicit_terms(&now).virtual_displacements[0].clone();
    let text = format!("x = {:e}, y = {:e}, z = {:e}", v[0], v[1], v[2]);
    let work = model.virtual_work(&now, &text).unwrap();
    assert!(work.kept);
    below("ideal", work.ideal.abs(), 1e-12);
    below("applied", (work.applied + 2.0 * 9.81 * v[2]).abs(), 1e-13);
    below(
        "nonideal",
        (work.nonideal + 0.3 * (now.state.eta[0] * v[0] + now.state.eta[2] * v[2])).abs(),
        1e-12,
    );
    let broken = model.virtual_work(&now, "z = 1").unwrap();
    assert!(!broken.kept && broken.ideal != 0.0);
    assert!(model.virtual_work(&now, "w = 1").is_err());
}

/// The displacement of a point is what its rate is with the displacement for the speeds, time held.
#[test]
fn points_are_displaced() {
    let text = "parameter l = 2\ncoordinate r, phi\nlet P = [r*cos(phi) + t, r*sin(phi)]\nlet V = P'
        kinetic (r'^2 + r^2*phi'^2)/2\ninitial r = 1.5, phi = 0.4, phi' = 1";
    let (mut model, now) = at_start(text);
    let work = model.virtual_work(&now, "r = 0.5, phi = 0.2").unwrap();
    let names: Vec<&str> = work.points.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(names, ["P"], "a velocity is not a point");
    let (s, c) = 0.4f64.sin_cos();
    below("delta P", apart(&work.points[0].1, &[0.5 * c - 0.3 * s, 0.5 * s + 0.3 * c]), 1e-15);
}

/// In quasi-velocities displacements and accelerations go by the names of the speeds.
#[test]
fn quasi_velocities() {
    let mut model = load_file("chaplygin_sleigh_quasi");
    let state = start(&mut model);
    let now = evaluate(&model, &state);
    let work = model.virtual_work(&now, "v = 1, omega = 0.5").unwrap();
    below("ideal", work.ideal.abs(), 1e-12);
    let other = model.possible(&now, "omega' = 2").unwrap();
    assert!(other.gauss_excess > 0.0);
}

/// Without constraints of nature B, e and K are those of the requirements.
#[test]
fn requirements() {
    let text = "coordinate x, y\nkinetic x'^2 + y'^2/2\npotential x*y\nrequire line: x = 2*y decay 1, 1\ninitial x = 1";
    let (model, now) = at_start(text);
    let terms = model.explicit_terms(&now);
    assert_eq!(terms.requirement_matrix, [[1.0, -2.0]]);
    let (K, e) = (terms.gain.unwrap(), terms.error_signal.unwrap());
    let pushed: Vec<f64> = K.iter().map(|row| dot(row, &e)).collect();
    below("Q_c = M K e", apart(&times(&now.terms.M, &pushed), &now.solution.control_force), 1e-13);
}

/// The gain of the inputs with constraints of nature, non-ideal work, a cost, and requirements that say the same twice (C1).
#[test]
fn inputs_are_their_gain_times_the_error_of_the_requirements() {
    let base = "parameter m = 1.3, b = 0.2\ncoordinate x, y, z\nkinetic m/2*(x'^2 + y'^2 + z'^2) + 0.1*x'*y'\npotential 9.81*z
        constraint bowl: z = 0.3*(x^2 + y^2)\nnonideal work -b*(x'*delta(x) + y'*delta(y))
        initial x = 0.3, y = 0.2, x' = 0.4, y' = 0.1\n";
    for control in [
        "require line: x = 2*y + 0.1*t decay 1, 1",
        "require line: x = 2*y + 0.1*t decay 1, 1\nactuate x, y\nweight [[2, 0.1], [0.1, 1 + x^2]]",
        "require line: x = 2*y decay 1, 1\nrequire again: 3*x = 6*y decay 1, 1\nactuate [1, 0.5, 0] at [x, y, z], z",
    ] {
        let (model, now) = at_start(&[base, control].concat());
        let terms = model.explicit_terms(&now);
        let found = terms.control.expect("linear");
        let u: Vec<f64> = found.gain.iter().map(|row| dot(row, &found.error)).collect();
        let size = 1.0 + largest(&now.solution.inputs);
        below(control, apart(&u, &now.solution.inputs) / size, 1e-11);
    }
    let rough = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0
        friction on floor: coefficient 0.1, velocity x'\nrequire go: x = t decay 1, 1\nactuate x\ninitial x' = 1";
    let (model, now) = at_start(rough);
    assert!(model.explicit_terms(&now).control.is_none(), "friction follows the inputs");
}
