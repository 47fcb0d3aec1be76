//! Syntax tree to canonical text.
//!
//! One statement a line, blocks indented by four spaces, no comment lost, as few parentheses as keep the tree. The text
//! depends on the tree alone, so formatting twice changes nothing and reading the text gives the tree back. Line breaks
//! inside statements are not part of the tree: long lines stay long.

mod expressions;

use super::ast::*;
use expressions::{equation, expr, list, range, target, unit};

/// The canonical text of a model.
///
/// ```
/// use dalembert::{source::Source, syntax::{format, parse}};
///
/// let text = "for i in 1..N {initial x[ i ]=i*l,y[i]~(0)}";
/// let (ast, _) = parse(&Source::new("chain.dal", text));
/// assert_eq!(format(&ast), "for i in 1..N {\n    initial x[i] = i*l, y[i] ~ 0\n}\n");
/// ```
pub fn format(ast: &Ast) -> String {
    let mut out = String::new();
    block(&mut out, &ast.body, 0);
    out
}

fn block(out: &mut String, block: &Block, depth: usize) {
    for item in &block.statements {
        leading(out, &item.leading, depth);
        indent(out, depth);
        statement(out, &item.kind, depth);
        if let Some(comment) = &item.trailing {
            out.push_str(" #");
            out.push_str(comment);
        }
        out.push('\n');
    }
    leading(out, &block.end, depth);
}

fn leading(out: &mut String, lines: &[Leading], depth: usize) {
    for line in lines {
        if let Leading::Comment(comment) = line {
            indent(out, depth);
            out.push('#');
            out.push_str(comment);
        }
        out.push('\n');
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("    ", depth));
}

fn statement(out: &mut String, kind: &StatementKind, depth: usize) {
    use StatementKind::*;
    if let For { index, range: over, body } = kind {
        return for_block(out, index, over, body, depth);
    }
    let text = match kind {
        System(title) => format!("system {}", quoted(title)),
        Const(items) => format!("const {}", list(items, definition)),
        Parameter(items) => format!("parameter {}", list(items, definition)),
        Coordinate(items) => format!("coordinate {}", list(items, declared)),
        Speed(items) => format!("speed {}", list(items, speed)),
        Kinematics { coordinate, rate } => format!("kinematics {}' = {}", target(coordinate), expr(rate)),
        Let(items) => format!("let {}", list(items, definition)),
        Kinetic(value) => format!("kinetic {}", expr(value)),
        Potential(value) => format!("potential {}", expr(value)),
        Lagrangian(value) => format!("lagrangian {}", expr(value)),
        Mass(value) => format!("mass {}", expr(value)),
        ForceVector(value) => format!("force {}", expr(value)),
        ForceOn { target: on, value } => format!("force {} = {}", target(on), expr(value)),
        ForceAt { force, point } => format!("force {} at {}", expr(force), expr(point)),
        Work(value) => format!("work {}", expr(value)),
        NonidealWork(value) => format!("nonideal work {}", expr(value)),
        Dissipation(value) => format!("dissipation {}", expr(value)),
        Constraint(sides) => format!("constraint {}", equation(sides)),
        Friction { on, coefficient, velocity, r#static } => {
            friction(on, coefficient, velocity, r#static.as_ref())
        }
        Require { equation: sides, decay } if decay.is_empty() => format!("require {}", equation(sides)),
        Require { equation: sides, decay } => {
            format!("require {} decay {}", equation(sides), list(decay, expr))
        }
        Actuate(items) => format!("actuate {}", list(items, target)),
        Weight(value) => format!("weight {}", expr(value)),
        Initial(items) => format!("initial {}", list(items, initial)),
        Simulate(parts) => simulate(parts),
        Output(items) => format!("output {}", list(items, definition)),
        Event { name, value, direction, stop } => event(name, value, *direction, *stop),
        CompleteIntegral { constants, action } => {
            format!("complete_integral ({}) = {}", list(constants, target), expr(action))
        }
        Draw(shape) => draw(shape),
        Reserved { keyword, text } if text.is_empty() => keyword.text.clone(),
        Reserved { keyword, text } => format!("{} {text}", keyword.text),
        For { .. } => String::new(),
    };
    out.push_str(&text);
}

fn for_block(out: &mut String, index: &Name, over: &Range, body: &Block, depth: usize) {
    out.push_str(&format!("for {} in {} {{\n", index.text, range(over)));
    block(out, body, depth + 1);
    indent(out, depth);
    out.push('}');
}

fn quoted(title: &str) -> String {
    format!("\"{}\"", title.replace('\\', "\\\\").replace('"', "\\\""))
}

fn with_unit(text: String, of: Option<&Unit>) -> String {
    match of {
        Some(of) => format!("{text} {{{}}}", unit(of)),
        None => text,
    }
}

fn definition(item: &Definition) -> String {
    with_unit(format!("{} = {}", target(&item.target), expr(&item.value)), item.unit.as_ref())
}

fn declared(item: &Declared) -> String {
    with_unit(target(&item.target), item.unit.as_ref())
}

fn speed(item: &Speed) -> String {
    let name = with_unit(target(&item.target), item.unit.as_ref());
    match &item.definition {
        Some(value) => format!("{name} = {}", expr(value)),
        None => name,
    }
}

fn initial(item: &Initial) -> String {
    let primes = "'".repeat(item.order as usize);
    let sign = if item.fixed { '=' } else { '~' };
    format!("{}{primes} {sign} {}", target(&item.target), expr(&item.value))
}

fn friction(on: &Target, coefficient: &Expr, velocity: &Expr, r#static: Option<&Expr>) -> String {
    let r#static = r#static.map_or(String::new(), |value| format!(", static {}", expr(value)));
    format!(
        "friction on {}: coefficient {}, velocity {}{}",
        target(on),
        expr(coefficient),
        expr(velocity),
        r#static
    )
}

fn simulate(parts: &Simulate) -> String {
    let mut text = format!("simulate until {}", expr(&parts.until));
    if let Some(every) = &parts.every {
        text.push_str(&format!(" every {}", expr(every)));
    }
    if let Some(method) = &parts.method {
        text.push_str(&format!(" method {}", method.text));
    }
    if let Some(tolerance) = &parts.tolerance {
        text.push_str(&format!(" tolerance {}", expr(tolerance)));
    }
    text
}

fn event(name: &Target, value: &Expr, direction: Option<Direction>, stop: bool) -> String {
    let direction = match direction {
        Some(Direction::Rising) => " rising",
        Some(Direction::Falling) => " falling",
        None => "",
    };
    let stop = if stop { " stop" } else { "" };
    format!("event {}: {}{direction}{stop}", target(name), expr(value))
}

fn draw(shape: &Shape) -> String {
    match shape {
        Shape::Point(at) => format!("draw point {}", expr(at)),
        Shape::Line(from, to) => format!("draw line {}, {}", expr(from), expr(to)),
        Shape::Circle(centre, radius) => format!("draw circle {}, {}", expr(centre), expr(radius)),
        Shape::Trace(of) => format!("draw trace {}", expr(of)),
    }
}
