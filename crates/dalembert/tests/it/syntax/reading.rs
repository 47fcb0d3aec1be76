//! What texts mean.

use dalembert::diagnostic::{Code, nearest};
use dalembert::syntax::ast::*;
use dalembert::syntax::{KEYWORDS, format};

use super::{models, problems, read};

/// The expression of `potential E`, in canonical text.
fn canonical(expression: &str) -> String {
    let text = format(&read(&format!("potential {expression}")));
    text.trim_start_matches("potential ").trim_end().to_string()
}

/// Whether two expressions are the same tree.
fn same(a: &str, b: &str) -> bool {
    read(&format!("potential {a}")).without_spans() == read(&format!("potential {b}")).without_spans()
}

#[test]
fn the_examples_of_the_language_are_read() {
    for text in models::ALL {
        assert!(!read(text).body.statements.is_empty());
    }
}

#[test]
fn operators_bind_as_on_paper() {
    assert!(same("-x^2", "-(x^2)"));
    assert!(same("2^3^2", "2^(3^2)"));
    assert!(same("2^-x^2", "2^(-(x^2))"));
    assert!(same("a/b*c", "(a)/(b)*(c)"));
    assert!(!same("a/b*c", "a/(b*c)"));
    assert!(!same("a - b + c", "a - (b + c)"));
    assert!(same("-a*b", "(-a)*b"));
    assert!(same("a*-b", "a*(-b)"));
    assert!(same("x'^2", "(x')^2"));
    assert!(same("x''", "(x')'"));
    assert!(same("not a < b and c > d or e == f", "((not (a < b)) and (c > d)) or (e == f)"));
    assert!(same("if a < b then c else d + 1", "if a < b then c else (d + 1)"));
    assert!(same("1 + 2*3", "1 + (2*3)"));
    assert!(same("q[i]'.x", "((q[i])').x"));
}

#[test]
fn parentheses_are_written_only_where_needed() {
    assert_eq!(canonical("((a)+(b*c))-((d))"), "a + b*c - d");
    assert_eq!(canonical("a-(b-c)"), "a - (b - c)");
    assert_eq!(canonical("(a*b)/(c*d)"), "a*b/(c*d)");
    assert_eq!(canonical("(-x)^2"), "(-x)^2");
    assert_eq!(canonical("(x + y)'"), "(x + y)'");
    assert_eq!(canonical("x[i - 1]+[a,b].x"), "x[i-1] + [a, b].x");
    assert_eq!(canonical("1 + (if a<b then c else d)"), "1 + (if a < b then c else d)");
}

#[test]
fn keywords_are_names_elsewhere() {
    let ast = read("parameter mass = 1, force = mass\nkinetic mass/2*let'^2 + for + sum\nforce force = in");
    assert_eq!(ast.body.statements.len(), 3);
}

#[test]
fn every_keyword_begins_a_statement() {
    for keyword in KEYWORDS {
        let unknown = problems(keyword).iter().any(|said| said.code == Code::UnknownStatement);
        assert!(!unknown, "{keyword}");
    }
}

#[test]
fn numbers_keep_their_text() {
    let ast = read("potential 0.10e-3");
    let StatementKind::Potential(value) = &ast.body.statements[0].kind else { panic!("not a potential") };
    assert_eq!(value.kind, ExprKind::Number("0.10e-3".to_string()));
}

#[test]
fn units_belong_to_the_name_before() {
    let ast = read("coordinate x, y {m}");
    let StatementKind::Coordinate(names) = &ast.body.statements[0].kind else { panic!("not coordinates") };
    assert_eq!((names[0].unit.is_some(), names[1].unit.is_some()), (false, true));
}

#[test]
fn spans_point_at_their_text() {
    let text = "let θ = 1\nconstraint c: (a + θ')*2 = b";
    let ast = read(text);
    let StatementKind::Constraint(sides) = &ast.body.statements[1].kind else { panic!("not a constraint") };
    assert_eq!(&text[sides.left.span.range()], "(a + θ')*2");
    assert_eq!(&text[ast.body.statements[1].span.range()], "constraint c: (a + θ')*2 = b");
}

#[test]
fn statements_go_on_over_line_ends() {
    for text in [
        "kinetic a +\n\n # why\n b",
        "parameter a = 1,\n b =\n 2",
        "let P = [1,\n2\n,3\n]",
        "constraint c:\n a = b",
        "let a = if x > 0 then\n 1 else\n 2",
        "initial x ~\n 1",
    ] {
        assert_eq!(read(text).body.statements.len(), 1, "{text}");
    }
    assert_eq!(problems("kinetic a\n+ b").len(), 1);
}

#[test]
fn comments_stay_with_their_statements() {
    let text = "# head\n\n\n# second\nconst N = 1 # tail\n\n\nlet a = (1 + # inside\n 2) # end\nfor i in 1..N { # in\n}\n\n# last\n";
    let expected = "# head\n\n# second\nconst N = 1 # tail\n\n# inside\nlet a = 1 + 2 # end\nfor i in 1..N {\n    # in\n}\n\n# last\n";
    assert_eq!(format(&read(text)), expected);
}

#[test]
fn all_errors_of_a_file_are_reported() {
    let text = "coordinate x,\nkinetic (a + b\npotential 2x\nfor i im 1..2 {\n let a[i] = \n}\nwork @\nsimulat until 1\noutput ) = 1\n}\n";
    let codes: Vec<Code> = problems(text).iter().map(|said| said.code).collect();
    use Code::*;
    assert_eq!(
        codes,
        [
            StatementNotFinished,
            MissingBracket,
            ImplicitMultiplication,
            UnexpectedToken,
            StatementNotFinished,
            BadCharacter,
            UnknownStatement,
            StrayBracket,
            StrayBracket,
        ]
    );
}

#[test]
fn the_catalogue_keeps_its_word() {
    for &code in Code::ALL {
        assert_eq!(Code::from_id(code.id()), Some(code), "ids are unique");
        assert!(code.explain().len() > 80);
        let grammar = code.id().starts_with("E01") || code.id().starts_with("E02") || code == Code::BadUnit;
        let found: Vec<Code> = problems(code.wrong()).iter().map(|said| said.code).collect();
        let expected: &[Code] = if grammar && !code.wrong().is_empty() { &[code] } else { &[] };
        assert_eq!(found, expected, "wrong example of {}", code.id());
        assert!(problems(code.right()).is_empty(), "right example of {}", code.id());
    }
}

#[test]
fn replacements_mend_the_text() {
    for text in [
        "potential 2x",
        "potential 2 (x + 1)",
        "potential (a)(b)",
        "potential x**2",
        "potential x'²",
        "potential 3·x − 2",
        "parameter a = .5",
        "parameter a = 2.",
        "constraint x == 1",
        "kinetik x'^2",
        "a = 3",
        "let f = if 0 < x < 1 then 1 else 0",
        "let f = if x = 1 then 1 else 0",
        "let f = if a && b then 1 else 0",
        "kinematics x = 1",
        "simulate untl 10",
        "simulate until 10 evry 1",
        "potential x)",
    ] {
        let mut mended = text.to_string();
        for _ in 0..3 {
            if let Some((span, replacement)) = problems(&mended).into_iter().find_map(|said| said.suggestion)
            {
                mended.replace_range(span.range(), &replacement);
            }
        }
        assert_ne!(mended, text);
        assert!(problems(&mended).is_empty(), "{text} -> {mended}");
    }
}

#[test]
fn near_words_are_found() {
    assert_eq!(nearest("Theta", ["theta", "beta"]), Some("theta"));
    assert_eq!(nearest("coordiante", KEYWORDS), Some("coordinate"));
    assert_eq!(nearest("phi", ["psi", "rho"]), Some("psi"));
    assert_eq!(nearest("m", ["g", "l"]), None);
    assert_eq!(nearest("banana", KEYWORDS), None);
}
