//! Every model that can be exported, at its own start, and rows that vanish there. A right side that is nothing but
//! rounding is measured as the engine measures it, or the answer is a refusal.

use super::*;

/// Wheels at a place where one component of a vector row vanishes, directions that turn through one, and requirements of
/// which one says nothing at the start.
const VANISHING: [&str; 5] = [
    "coordinate q\nkinetic q'^2/2\nrequire path: [sin(q), cos(q)] = [sin(t^2), cos(t^2)] decay 2, 1\ninitial q = 0",
    "coordinate x, y, big\nkinetic (x'^2 + y'^2 + big'^2)/2\nconstraint a: y = 0\nconstraint b: 2*y = 0\n\
     require r: x = sin(t)\ninitial big = 1.5e11, big' = 1e6, x' = 1",
    "coordinate phi, s\nkinetic (phi'^2 + s'^2)/2\nconstraint roll: (0.6*phi' - s')*[-sin(phi), cos(phi)] = [0, 0]\n\
     initial phi = pi, s ~ 0, phi' = 0.7",
    "coordinate phi, s\nkinetic (phi'^2 + s'^2)/2\nconstraint roll: (0.6*(phi - pi) - s)*[-sin(phi), cos(phi)] = [0, 0]\n\
     initial phi = pi, s ~ 0, phi' = 1.1",
    "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: z*sin(2*t + 0.1) = 0\n\
     constraint b: z*cos(2*t) = 0\ninitial x = 0.3, z ~ 0.3",
];

/// Models with their start as the only state. What cannot be exported says so.
fn starts() -> &'static [Case] {
    static STARTS: std::sync::OnceLock<Vec<Case>> = std::sync::OnceLock::new();
    STARTS.get_or_init(|| {
        let mut made = Vec::new();
        // Of the others the start is the first of several states already.
        let known: Vec<&str> = cases().iter().map(|case| case.name.as_str()).collect();
        for name in model_names().into_iter().filter(|name| !known.contains(&name.as_str())) {
            let mut model = load_file(&name);
            match code::write(&model, Target::C, &name) {
                Ok(_) => {
                    let states = vec![start(&mut model)];
                    made.push(Case { name, model, states });
                }
                Err(refusal) => assert!(
                    matches!(refusal.code, Code::NotApplicable | Code::TooLarge),
                    "{name}: {}",
                    refusal.message
                ),
            }
        }
        for (k, text) in VANISHING.iter().enumerate() {
            let mut model = load(text);
            let states = vec![start(&mut model)];
            made.push(Case { name: format!("vanishing_{k}"), model, states });
        }
        assert!(made.len() > 35, "most models can be exported: {}", made.len());
        for case in &made {
            assert_eq!(expected(case, &case.states[0]).0, 0, "{}: the engine has an answer", case.name);
        }
        made
    })
}

fn all() -> Vec<&'static Case> {
    starts().iter().collect()
}

#[test]
fn at_their_own_start_models_in_c_have_the_numbers_of_the_engine() {
    if present("cc") {
        below("exported C at the start", in_c(&folder("c_starts"), &all(), "-O0"), AGREE);
    }
}

/// A compiler of Rust is slow: control and rows that vanish, where the measures decide. The rest is as in C.
#[test]
fn at_their_own_start_models_in_rust_have_the_numbers_of_the_engine() {
    let measured = |case: &&Case| {
        case.name.starts_with("vanishing") || !case.model.system.control.requirements.is_empty()
    };
    let cases: Vec<&Case> = starts().iter().filter(measured).collect();
    assert!(cases.len() > 6, "models with control: {}", cases.len());
    below("exported Rust at the start", in_rust(&folder("rust_starts"), &cases), AGREE);
}

#[test]
fn at_their_own_start_models_in_python_have_the_numbers_of_the_engine() {
    if present("python3") {
        let smooth = |case: &&'static Case| case.model.system.contacts.is_empty();
        let cases: Vec<&Case> = all().into_iter().filter(smooth).collect();
        below("exported Python at the start", in_python(&folder("python_starts"), &cases), AGREE);
    }
}
