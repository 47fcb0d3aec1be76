//! A family means its members: a model with families, loops and sums is the model in which every member is written out by
//! hand, in its names, its equations, its figures and its mistakes.

use crate::support::load;
use dalembert::elaborate::read;
use dalembert::system::Figure;
use dalembert::{Overrides, Source, Workspace};

/// `turn` with its `@` as the members of a loop, and as a loop.
fn both(turn: &str, first: usize, last: usize) -> [String; 2] {
    let members: String = (first..=last).map(|i| turn.replace('@', &i.to_string()) + "\n").collect();
    [format!("for i in {first}..{last} {{\n{}\n}}\n", turn.replace('@', "i")), members]
}

/// The same for a sum.
fn both_sums(term: &str, first: usize, last: usize) -> [String; 2] {
    let terms: Vec<String> = (first..=last).map(|i| term.replace('@', &i.to_string())).collect();
    [format!("sum(i in {first}..{last}, {})", term.replace('@', "i")), format!("({})", terms.join(" + "))]
}

fn declared(what: &str, names: &[&str], n: usize) -> [String; 2] {
    let families: Vec<String> = names.iter().map(|name| format!("{name}[1..{n}]")).collect();
    let members: Vec<String> =
        names.iter().flat_map(|name| (1..=n).map(move |i| format!("{name}[{i}]"))).collect();
    [format!("{what} {}\n", families.join(", ")), format!("{what} {}\n", members.join(", "))]
}

fn same(text: &str) -> [String; 2] {
    [text.to_owned(), text.to_owned()]
}

/// Everything a model says, in words.
fn told(text: &str) -> Vec<String> {
    let Workspace { mut system, form, .. } = load(text);
    let mut told = Vec::new();
    let pool = &mut system.pool;
    let mut tell = |what: &str, name: &str, e| told.push(format!("{what} {name}: {}", pool.text(e)));
    for ((c, rate), s) in system.frame.coordinates.iter().zip(&form.x_dot).zip(&system.frame.speeds) {
        tell("rate", &format!("{} {}", c.name, s.name), *rate);
    }
    form.mass_matrix.entries().for_each(|(p, q, e)| tell("M", &format!("{p} {q}"), e));
    form.force.iter().enumerate().for_each(|(p, e)| tell("Q", &p.to_string(), *e));
    for (r, row) in system.constraints.rows.iter().enumerate() {
        tell(
            "residual",
            &format!("{} {}", row.name, system.constraints.named[row.constraint].name),
            row.residual,
        );
        form.constraint_matrix[r].iter().for_each(|(p, e)| tell("A", &p.to_string(), *e));
        tell("b", &row.name, form.constraint_right[r]);
        tell("psi", &row.name, form.velocity_residuals[r]);
    }
    system.experiment.outputs.iter().for_each(|o| tell("output", &o.name, o.value));
    system
        .experiment
        .initial
        .iter()
        .for_each(|i| tell("initial", &format!("{:?} {}", i.target, i.fixed), i.value));
    for figure in &system.drawing.figures {
        if let Figure::Line(points) = figure {
            points.iter().flat_map(|p| &p.at).for_each(|e| tell("drawn", "", *e));
        }
    }
    told
}

#[test]
fn a_family_is_its_members() {
    let n = 5;
    let parts = [
        same("parameter m = 1, J = 0.01, l = 0.2, g = 9.81, k = 3\n"),
        declared("coordinate", &["x", "y", "th"], n),
        same("let P[0] = [0, 0], half = l/2\n"),
        both(
            "let d[@] = half*[cos(th[@]), sin(th[@])]
             let P[@] = P[@-1] + 2*d[@]
             initial x[@] = (@ - 0.5)*l, y[@] = 0, th[@] ~ 0*@",
            1,
            n,
        ),
        both(
            "constraint joint[@]: [x[@], y[@]] - d[@] = if @ == 1 then [0, 0] else P[@-1]
             constraint turn[@]: 2*l*k/3*th[@]' - (@ + 1)^2*l*sin(th[@]) = k*l*th[1]'*th[@-1+1]' + sqrt(2)*@
             draw line P[@-1], [x[@] + d[@].x, l*k*(y[@] + 2*@)]
             output tip[@] = norm(P[@] - P[0])^2/(2*l*@) + 2*m*g*th[@]",
            1,
            n,
        ),
        same("kinetic "),
        both_sums("m/2*(x[@]'^2 + y[@]'^2) + J/2*th[@]'^2", 1, n),
        same("\npotential "),
        both_sums("m*g*y[@] + l*k/2*(th[@] - th[2*@ - @])^2 + sum(j in 1..3, k*l/2*j*x[@]^2)", 1, n),
    ];
    let written = |k: usize| parts.iter().map(|part| part[k].as_str()).collect::<String>();
    let (family, members) = (written(0), written(1));
    let (family, members) = (told(&family), told(&members));
    assert!(family.len() > 100, "{}", family.len());
    assert_eq!(family, members);
}

/// The last line of what is said, and the text it points at.
fn refused(text: &str) -> (String, String) {
    let source = Source::new("family.dal", text);
    let (system, said) = read(&source, &Overrides::default());
    assert!(system.is_none(), "{text}");
    let d = said.last().expect("something is wrong");
    (format!("{} {}", d.code.id(), d.message), d.span.map_or("", |span| source.slice(span)).to_owned())
}

/// Values that do not change from turn to turn are recalled: at the same price, and with the same complaints.
#[test]
fn mistakes_in_a_later_turn_are_found_at_their_place() {
    let head = "parameter m = 1 {kg}, l = 2 {m}\ncoordinate q[1..4] {m}\nkinetic m/2*q[1]'^2\n";
    let told = |body: &str| refused(&format!("{head}{body}\n"));
    let (said, at) = told("potential sum(i in 1..5, 2*l*m*q[i])");
    assert!(said.contains("there is no `q[5]`") && at == "q[i]", "{said} at {at}");
    let (said, at) =
        told("for i in 1..4 {\nlet s[i] = 2*l*(if i < 3 then l else m)\nlet w[i] = l + s[i]/l\n}");
    assert!(said.contains("units differ") && at == "s[i]/l", "{said} at {at}");
    // As many expressions as before, however few of them are worked out.
    let (said, _) = told("potential sum(i in 1..3000, sum(j in 1..3000, 2*l*m))");
    assert!(said.contains("grows beyond 4000000"), "{said}");
    let (said, at) = told("for i in 1..4 {\nconstraint c[1]: 2*l*q[i] = l*l\n}");
    assert!(said.contains("a constraint called `c[1]` exists already"), "{said} at {at}");
}

/// Rows of one shape are derived once and copied; a copy is the derivative that it would have been (K5, K6).
#[test]
fn copied_rows_are_the_derivatives_of_their_residuals() {
    for name in ["link_chain", "net", "n_four_bar", "rolling_disk"] {
        let Workspace { mut system, form, .. } = crate::support::load_file(name);
        let symbols: Vec<_> = system.frame.coordinates.iter().map(|c| c.symbol).collect();
        let speeds: Vec<_> = system.frame.speeds.iter().map(|s| s.symbol).collect();
        for (r, row) in system.constraints.rows.iter().enumerate() {
            let by = if row.holonomic { &symbols } else { &speeds };
            let gradient = system.pool.gradient(row.residual, by);
            let derived: Vec<_> =
                gradient.into_iter().enumerate().filter(|(_, e)| *e != dalembert_expr::Pool::ZERO).collect();
            assert_eq!(form.constraint_matrix[r], derived, "{name}: {}", row.name);
        }
    }
}
