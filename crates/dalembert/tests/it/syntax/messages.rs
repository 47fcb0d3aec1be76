//! How problems look.

use dalembert::diagnostic::{Code, Diagnostic, MAX_SHOWN, Style, json, render};
use dalembert::source::{Source, Span};
use insta::assert_snapshot;

use super::shown;

#[test]
fn implicit_multiplication() {
    assert_snapshot!(shown("coordinate θ\nkinetic 1/2m*θ'^2\n"), @"
    error[E0206]: a product needs its sign `*`
     --> model.dal:2:11
      |
    2 | kinetic 1/2m*θ'^2
      |           ^^
      |
    help: put `*` between the factors
      |
    2 | kinetic 1/2*m*θ'^2
      |            +
    ");
}

#[test]
fn unknown_statement() {
    assert_snapshot!(shown("kinetik m/2*x'^2\n"), @"
    error[E0203]: no statement begins with `kinetik`
     --> model.dal:1:1
      |
    1 | kinetik m/2*x'^2
      | ^^^^^^^
      |
    help: did you mean `kinetic`?
      |
    1 - kinetik m/2*x'^2
    1 + kinetic m/2*x'^2
      |
    ");
}

#[test]
fn assignment_without_keyword() {
    assert_snapshot!(shown("coordinate x\nv = x'\n"), @"
    error[E0203]: no statement begins with `v`
     --> model.dal:2:1
      |
    2 | v = x'
      | ^
      |
    help: `let` names an expression
      |
    2 | let v = x'
      | +++
    ");
}

#[test]
fn missing_bracket() {
    assert_snapshot!(shown("kinetic m/2*(x'^2 +\n    y'^2\npotential m*g*y\n"), @"
    error[E0202]: this `(` is not closed
     --> model.dal:1:13
      |
    1 | kinetic m/2*(x'^2 +
      |             ^
    2 |     y'^2
      |         - `)` is missing, perhaps here
    ");
}

#[test]
fn wrong_bracket() {
    assert_snapshot!(shown("let P = [x, (y + 1]\n"), @"
    error[E0204]: `]` closes no bracket
     --> model.dal:1:19
      |
    1 | let P = [x, (y + 1]
      |             -     ^
      |             |
      |             this `(` waits for `)`
    ");
}

#[test]
fn chained_comparison() {
    assert_snapshot!(shown("let f = if 0 < x <= 1 then 1 else 0\n"), @"
    error[E0207]: comparisons cannot be chained
     --> model.dal:1:18
      |
    1 | let f = if 0 < x <= 1 then 1 else 0
      |                  ^^
      |
    help: join two comparisons with `and`
      |
    1 | let f = if 0 < x and x <= 1 then 1 else 0
      |                  +++++
    ");
}

#[test]
fn foreign_minus() {
    assert_snapshot!(shown("potential −m*g*y\n"), @"
    error[E0101]: `−` is not used in models
     --> model.dal:1:11
      |
    1 | potential −m*g*y
      |           ^
      |
    help: write `-`
      |
    1 - potential −m*g*y
    1 + potential -m*g*y
      |
    ");
}

#[test]
fn unfinished_statement() {
    assert_snapshot!(shown("parameter m = 1, k =\n\ncoordinate x\n"), @"
    error[E0205]: the statement stops where an expression is expected
     --> model.dal:1:21
      |
    1 | parameter m = 1, k =
      |                     ^
    ");
}

#[test]
fn power_with_stars() {
    assert_snapshot!(shown("kinetic x'**2\n"), @"
    error[E0209]: a power is written `^`
     --> model.dal:1:11
      |
    1 | kinetic x'**2
      |           ^^
      |
    help: like this
      |
    1 - kinetic x'**2
    1 + kinetic x'^2
      |
    ");
}

#[test]
fn number_out_of_range() {
    assert_snapshot!(shown("parameter k = 1e400\n"), @"
    error[E0103]: this number is too large for double precision
     --> model.dal:1:15
      |
    1 | parameter k = 1e400
      |               ^^^^^
    ");
}

#[test]
fn unterminated_string() {
    assert_snapshot!(shown("system \"Disk\ncoordinate x\n"), @r#"
    error[E0104]: this string has no closing quote
     --> model.dal:1:8
      |
    1 | system "Disk
      |        ^^^^^
      |
      = help: close it with `"` on the same line
    "#);
}

#[test]
fn misspelt_part() {
    assert_snapshot!(shown("simulate until 10 evry 0.1\n"), @"
    error[E0201]: `evry` is not expected here
     --> model.dal:1:19
      |
    1 | simulate until 10 evry 0.1
      |                   ^^^^
      |
    help: did you mean `every`?
      |
    1 | simulate until 10 every 0.1
      |                     +
    ");
}

#[test]
fn bad_unit() {
    assert_snapshot!(shown("parameter g = 9.81 {m s^-2}\n"), @"
    error[E0604]: expected `*`, `/`, `^` or `}` in this unit, found `s`
     --> model.dal:1:23
      |
    1 | parameter g = 9.81 {m s^-2}
      |                       ^
      |
      = help: units are written like `{kg*m^2/s}`, `{1/s}` or `{m^(1/2)}`
    ");
}

#[test]
fn range_in_an_expression() {
    assert_snapshot!(shown("potential k*q[2, 1..3]^2\n"), @"
    error[E0210]: a range must be alone between its brackets
     --> model.dal:1:18
      |
    1 | potential k*q[2, 1..3]^2
      |                  ^--^
      |                   |
      |                   one member is wanted
      |
      = help: repeat with `sum(i in 1..N, ...)` or a `for` block
    ");
}

#[test]
fn labels_and_help() {
    let source = Source::new("pendulum.dal", "parameter m = 1\nlet l = 2\nlet m = 3\n");
    let said = Diagnostic::error(Code::DeclaredTwice, Span::new(30, 31), "`m` is declared twice")
        .label(Span::new(30, 31), "again here")
        .label(Span::new(10, 11), "first here")
        .help("choose another name");
    assert_snapshot!(render(&[said], &source, Style::Plain), @"
    error[E0302]: `m` is declared twice
     --> pendulum.dal:3:5
      |
    1 | parameter m = 1
      |           - first here
    2 | let l = 2
    3 | let m = 3
      |     ^ again here
      |
      = help: choose another name
    ");
}

#[test]
fn no_place() {
    let source = Source::new("pendulum.dal", "");
    let said = Diagnostic::note(Code::RedundantConstraints, None, "3 constraints of rank 2");
    assert_snapshot!(render(&[said], &source, Style::Plain), @"note[N0501]: 3 constraints of rank 2");
}

#[test]
fn many_are_counted() {
    let source = Source::new("many.dal", "x");
    let said = vec![Diagnostic::new(Code::AlwaysTrue, Span::new(0, 1), "`x` holds always"); MAX_SHOWN + 7];
    let text = render(&said, &source, Style::Plain);
    assert_eq!(text.matches("warning[W0501]").count(), MAX_SHOWN);
    assert!(text.ends_with("\nand 7 more\n"));
}

#[test]
fn far_labels_and_endless_lines_are_told_in_words() {
    let text = format!("let a = 1\n{}let a = 2\n", "# nothing of interest\n".repeat(2000));
    let end = text.len() as u32;
    let said = Diagnostic::error(Code::DeclaredTwice, Span::new(end - 6, end - 5), "`a` is declared twice")
        .label(Span::new(4, 5), "first declared here");
    assert_snapshot!(render(&[said], &Source::new("far.dal", text), Style::Plain), @"
    error[E0302]: `a` is declared twice
        --> far.dal:2002:5
         |
    2002 | let a = 2
         |     ^
         |
         = note: line 1: first declared here
    ");
    let text = format!("let a = {}b c\n", "x + ".repeat(10_000));
    assert_snapshot!(shown(&text), @"
    error[E0206]: a product needs its sign `*`
    --> model.dal:1:40009
     = help: put `*` between the factors
    ");
}

#[test]
fn for_programs() {
    let source = Source::new("model.dal", "coordinate θ\nkinetic 2θ'^2\n");
    let (_, said) = dalembert::syntax::parse(&source);
    assert_snapshot!(serde_json::to_string_pretty(&json(&said, &source)).unwrap_or_default(), @r#"
    [
      {
        "code": "E0206",
        "severity": "error",
        "message": "a product needs its sign `*`",
        "line": 2,
        "column": 9,
        "end": {
          "line": 2,
          "column": 11
        },
        "help": "put `*` between the factors",
        "labels": [],
        "suggestion": {
          "replacement": "*",
          "line": 2,
          "column": 10,
          "end": {
            "line": 2,
            "column": 10
          }
        }
      }
    ]
    "#);
}
