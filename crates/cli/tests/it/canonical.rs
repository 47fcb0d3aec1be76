//! Brackets, momenta as columns, least action and Legendre transforms on the command line: keys, columns, exit codes.

use crate::support::{dalembert, model, with_input};

const PENDULUM: &str = "parameter m = 1.3, l = 0.9, g = 9.81
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = l^2
initial x = 0.9, y ~ 0, y' = 0.4
output T = kinetic_energy
simulate until 1 every 0.5
";

#[test]
fn brackets_in_words_and_json() {
    let said = dalembert(&["brackets", &model("kepler"), "x", "p_x", "--json"]).json();
    assert_eq!((&said["bracket"], &said["evolution"]), (&"1".into(), &"p_x/m".into()));
    assert_eq!(said["multipliers"], serde_json::json!({}));
    // Options may stand anywhere, and a function may begin with a minus.
    let said = with_input(&["brackets", "-", "--json", "-x", "p_x"], PENDULUM).json();
    assert_eq!((&said["bracket"], &said["evolution"]), (&"-1".into(), &"-p_x/m".into()));
    assert!(said["multipliers"]["rod"].as_str().is_some_and(|e| e.contains("p_x^2")), "{said}");
    assert_eq!(said["dirac_bracket"], "-y^2/(x^2 + y^2)");
    let words = with_input(&["brackets", "-", "p_x", "H", "--format", "python"], PENDULUM);
    assert!(
        words.stdout.contains("lambda_rod = ") && words.stdout.contains("evolution = "),
        "{}",
        words.stdout
    );
    let wrong = with_input(&["brackets", "-", "p_z", "x"], PENDULUM);
    assert!(wrong.code == 1 && wrong.stderr.contains("unknown name `p_z`"), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("p_x") || wrong.stderr.contains("p_y"), "{}", wrong.stderr);
    assert_eq!(with_input(&["brackets", "-", "x"], PENDULUM).code, 2);
}

#[test]
fn momenta_and_multipliers_are_columns() {
    let header = |form: &str| {
        let table = with_input(&["simulate", "-", "--form", form, "--out", "-"], PENDULUM);
        table.stdout.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(header("explicit"), "t,x,y,x',y',T");
    assert_eq!(header("hamilton"), "t,x,y,x',y',p_x,p_y,T");
    assert_eq!(header("suslov"), "t,x,y,x',y',p_x,p_y,M_rod,T");
    let given = |value: &str| {
        let option = format!("M_rod={value}");
        let answer =
            with_input(&["simulate", "-", "--form", "suslov", "--multiplier", &option, "--json"], PENDULUM);
        answer.json()["final"].clone()
    };
    let (a, b) = (given("0"), given("-0.3"));
    let of = |said: &serde_json::Value, name: &str| said[name].as_f64().unwrap_or(f64::NAN);
    assert!(
        (of(&a, "x") - of(&b, "x")).abs() < 1e-7 && (of(&a, "M_rod") - of(&b, "M_rod") - 0.3).abs() < 1e-7
    );
    let wrong = with_input(&["simulate", "-", "--form", "suslov", "--multiplier", "M_rot=1"], PENDULUM);
    assert!(wrong.code == 1 && wrong.stderr.contains("did you mean `M_rod`?"), "{}", wrong.stderr);
    assert_eq!(with_input(&["simulate", "-", "--multiplier", "M_rod"], PENDULUM).code, 2);
}

#[test]
fn connect_at_an_energy() {
    let said = dalembert(&[
        "connect",
        &model("kepler"),
        "--to",
        "x=-0.5, y=0.7, z=0.1",
        "--energy",
        "-0.4",
        "--json",
    ]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let said = said.json();
    let of = |name: &str| said[name].as_f64().unwrap_or(f64::NAN);
    assert!((of("abbreviated_action") - of("jacobi_length")).abs() < 1e-8 && of("energy") == -0.4);
    assert!((of("t") - of("time")).abs() < 1e-15 && of("missed_by") < 1e-9);
    let low = dalembert(&["connect", &model("kepler"), "--to", "x=-0.5", "--energy", "-40"]);
    assert!(low.code == 1 && low.stderr.contains("E0742"), "{}", low.stderr);
    let both = dalembert(&["connect", &model("kepler"), "--to", "x=1", "--energy", "1", "--until", "2"]);
    assert_eq!(both.code, 2);
    // A negative number after a space is a number everywhere, if not one that is wanted.
    let wrong = with_input(&["simulate", "-", "--until", "-1"], PENDULUM);
    assert!(wrong.code == 2 && wrong.stderr.contains("a positive number is wanted"), "{}", wrong.stderr);
}

#[test]
fn a_legendre_transform_of_any_function() {
    let args = ["derive", "-", "--form", "legendre", "--function", "-m*u^2/2", "--variables", "u"];
    let said = with_input(&args, PENDULUM);
    assert!(said.code == 0 && said.stdout.contains("G = -v_u^2/(2*m)"), "{}{}", said.stdout, said.stderr);
    assert_eq!(with_input(&["derive", "-", "--form", "legendre"], PENDULUM).code, 2);
}

#[test]
fn shared_parts_values_of_inputs_and_derivatives_in_c() {
    let named = with_input(&["derive", "-", "--form", "udwadia", "--names"], PENDULUM);
    assert!(
        named.code == 0 && named.stdout.starts_with("z1 = x^2 + y^2\n"),
        "{}{}",
        named.stdout,
        named.stderr
    );
    let cart = "input u = 1.5 {N}\nparameter m = 2 {kg}\ncoordinate x {m}\nkinetic m*x'^2/2\nforce x = u\ninitial x = 0.5\n";
    let at = with_input(&["evaluate", "-", "--json", "--at", "x=2", "--input", "u=-3*x"], cart).json();
    assert_eq!(at["input_values"], serde_json::json!({ "u": -6.0 }));
    assert!((at["acceleration"][0].as_f64().unwrap_or(f64::NAN) + 3.0).abs() < 1e-14, "{at}");
    assert_eq!(at["diagnostics"][0]["code"], "W0480");
    let code = with_input(&["export", "-", "--target", "c", "--name", "cart", "--jacobian"], cart);
    assert!(
        code.stdout.contains("int cart_jacobian(") && code.stdout.contains("eta_dot_p["),
        "{}",
        code.stderr
    );
}
