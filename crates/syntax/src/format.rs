//! Syntax tree to canonical text.
//!
//! One statement a line, blocks indented by four spaces, no comment lost, as few parentheses as keep the tree. The text
//! depends on the tree alone, so formatting twice changes nothing and reading the text gives the tree back. Line breaks
//! inside statements are not part of the tree: long statements are folded anew, comments of neighbouring lines aligned.

mod bodies;
mod expressions;

use super::ast::*;
use super::parse;
use crate::diagnostic::Diagnostic;
use crate::internal;
use crate::source::Source;
use expressions::{equation, expr, list, range, target, unit};

/// Longer statements are folded.
const MAX_WIDTH: usize = 100;
/// Comments behind longer lines are not aligned with others.
const MAX_COMMENT_COLUMN: usize = 70;

/// A unit as it is written between braces.
pub fn unit_text(of: &Unit) -> String {
    unit(of)
}

/// The canonical text of a model.
///
/// ```
/// use dalembert_syntax::{Source, format, parse};
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

/// The canonical text of a model, which was read back and says the same.
///
/// # Errors
///
/// Why the text must not take the place of the model: it cannot be read, or says something else.
pub fn reformat(ast: &Ast) -> Result<String, Box<Diagnostic>> {
    let text = format(ast);
    let source = Source::from_bytes("formatted text", text.into_bytes())?;
    let (again, said) = parse(&source);
    if let Some(error) = said.into_iter().find(Diagnostic::is_error) {
        let message = format!("the formatted text could not be read: {}", error.message);
        let d = Diagnostic::error(error.code, None, message);
        return Err(Box::new(d.help("give inner parts names with `let`; the text is left as it is")));
    }
    if again.without_spans() != ast.without_spans() {
        return Err(Box::new(internal::found("the formatter", "the formatted text says something else")));
    }
    Ok(source.text)
}

/// The canonical text of an expression.
pub fn expression_text(e: &Expr) -> String {
    expr(e)
}

fn block(out: &mut String, block: &Block, depth: usize) {
    let texts: Vec<String> = block.statements.iter().map(|item| statement(&item.kind, depth)).collect();
    for (k, item) in block.statements.iter().enumerate() {
        leading(out, &item.leading, depth);
        indent(out, depth);
        out.push_str(&texts[k]);
        if let Some(comment) = &item.trailing {
            out.extend(std::iter::repeat_n(' ', comment_gap(&block.statements, &texts, k)));
            out.push('#');
            out.push_str(comment);
        }
        out.push('\n');
    }
    leading(out, &block.end, depth);
}

/// Comments at the ends of neighbouring lines stand in one column.
fn comment_gap(statements: &[Statement], texts: &[String], k: usize) -> usize {
    let width = |i: usize| texts[i].chars().count();
    let aligned = |i: usize| {
        statements[i].trailing.is_some() && !texts[i].contains('\n') && width(i) <= MAX_COMMENT_COLUMN
    };
    if !aligned(k) {
        return 1;
    }
    let mut first = k;
    while first > 0 && statements[first].leading.is_empty() && aligned(first - 1) {
        first -= 1;
    }
    let mut last = k;
    while last + 1 < texts.len() && statements[last + 1].leading.is_empty() && aligned(last + 1) {
        last += 1;
    }
    (first..=last).map(width).max().unwrap_or(0) - width(k) + 1
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

fn statement(kind: &StatementKind, depth: usize) -> String {
    use StatementKind::*;
    let text = match kind {
        For { index, range: over, body } => return for_block(index, over, body, depth),
        System(_) | Reserved { .. } => return verbatim(kind),
        other => plain_statement(other),
    };
    folded(&text, depth)
}

/// A long statement goes on over lines: each but the last ends in a comma or an operator, broken as far outside of
/// brackets as the width allows.
fn folded(text: &str, depth: usize) -> String {
    let room = MAX_WIDTH.saturating_sub(4 * depth).max(40);
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let pieces = pieces(text);
    let (mut out, mut begin) = (String::new(), 0);
    while begin < pieces.len() {
        let end = line_end(&pieces, begin, room);
        if begin > 0 {
            out.push('\n');
            indent(&mut out, depth + 1);
        }
        let line: Vec<&str> = pieces[begin..end].iter().map(|piece| piece.text).collect();
        out.push_str(&line.join(" "));
        begin = end;
    }
    out
}

/// What stands between two places where a line may be broken.
struct Piece<'t> {
    text: &'t str,
    /// How bad it is to break behind it: brackets open there, and whether an equation would be torn.
    badness: (usize, bool),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut begin, mut nesting) = (Vec::new(), 0, 0usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => nesting += 1,
            ')' | ']' | '}' => nesting = nesting.saturating_sub(1),
            ' ' if [",", " +", " -", " ="].iter().any(|end| text[begin..at].ends_with(end)) => {
                let torn = text[begin..at].ends_with('=');
                pieces.push(Piece { text: &text[begin..at], badness: (nesting, torn) });
                begin = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(Piece { text: &text[begin..], badness: (0, false) });
    pieces
}

/// How many pieces go on the line that starts with piece `begin`: the last of the least bad breaks that leave it
/// neither too long nor too short.
fn line_end(pieces: &[Piece<'_>], begin: usize, room: usize) -> usize {
    let (mut width, mut best) = (0, None);
    for (k, piece) in pieces.iter().enumerate().skip(begin) {
        width += piece.text.chars().count() + usize::from(k > begin);
        if width > room && best.is_some() {
            break;
        }
        let Some(next) = pieces.get(k + 1) else { return pieces.len() };
        let usable = width > room / 3 && !begins_statement(next.text);
        if usable && best.is_none_or(|(badness, _)| piece.badness <= badness) {
            best = Some((piece.badness, k + 1));
        }
    }
    best.map_or(pieces.len(), |(_, end)| end)
}

/// A line that begins with a keyword would be taken for a new statement.
fn begins_statement(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    crate::words::KEYWORDS.contains(&word)
}

fn verbatim(kind: &StatementKind) -> String {
    match kind {
        StatementKind::System(title) => format!("system {}", quoted(title)),
        StatementKind::Reserved { keyword, text } if text.is_empty() => keyword.text.clone(),
        StatementKind::Reserved { keyword, text } => format!("{} {text}", keyword.text),
        _ => String::new(),
    }
}

fn plain_statement(kind: &StatementKind) -> String {
    use StatementKind::*;
    match kind {
        Const(items) => format!("const {}", list(items, definition)),
        Parameter(items) => format!("parameter {}", list(items, definition_with_unit)),
        Coordinate(items) => format!("coordinate {}", list(items, declared)),
        Speed(items) => format!("speed {}", list(items, speed)),
        Kinematics { coordinate, rate } => format!("kinematics {}' = {}", target(coordinate), expr(rate)),
        State(items) => format!("state {}", list(items, state)),
        Discrete(items) => format!("discrete {}", list(items, definition_with_unit)),
        Input(items) => format!("input {}", list(items, definition_with_unit)),
        Table(item) => table(item),
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
        Friction { on, coefficient, velocity, r#static, normal } => {
            let sliding = friction(on, coefficient, velocity);
            let part = |word: &str, value: &Option<Expr>| {
                value.as_ref().map_or(String::new(), |value| format!(", {word} {}", expr(value)))
            };
            sliding + &part("static", r#static) + &part("normal", normal)
        }
        Require { equation: sides, decay } if decay.is_empty() => format!("require {}", equation(sides)),
        Require { equation: sides, decay } => {
            format!("require {} decay {}", equation(sides), list(decay, expr))
        }
        FrictionIn { target: of, limit, r#static } => {
            let still = r#static.as_ref().map_or(String::new(), |e| format!(", static {}", expr(e)));
            format!("friction in {}: limit {}{still}", target(of), expr(limit))
        }
        Actuate(items) => format!("actuate {}", list(items, actuator)),
        Weight(value) => format!("weight {}", expr(value)),
        Initial(items) => format!("initial {}", list(items, initial)),
        Simulate(parts) => simulate(parts),
        Output(items) => format!("output {}", list(items, definition)),
        Event { name, value, direction, stop, actions } => {
            let changes = match actions.is_empty() {
                true => String::new(),
                false => format!(" do {}", list(actions, assignment)),
            };
            event(name, value, *direction, *stop) + &changes
        }
        CompleteIntegral { constants, action } => {
            format!("complete_integral ({}) = {}", list(constants, target), expr(action))
        }
        Draw(shape) => draw(shape),
        Gravity(field) => format!("gravity {}", expr(field)),
        Body(body) => bodies::body(body),
        Frame { name, place } => format!("frame {}: {}", target(name), bodies::place(place)),
        Joint(joint) => bodies::joint(joint),
        Element(element) => bodies::element(element),
        Torque { torque, on, from } => {
            let from = from.as_ref().map_or(String::new(), |from| format!(" from {}", target(from)));
            format!("torque {} on {}{from}", expr(torque), target(on))
        }
        System(_) | Reserved { .. } | For { .. } => String::new(),
    }
}

fn for_block(index: &Name, over: &Range, body: &Block, depth: usize) -> String {
    let mut out = format!("for {} in {} {{\n", index.text, range(over));
    block(&mut out, body, depth + 1);
    indent(&mut out, depth);
    out.push('}');
    out
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
    let arguments = match item.arguments.is_empty() {
        true => String::new(),
        false => format!("({})", list(&item.arguments, |name| name.text.clone())),
    };
    format!("{}{arguments} = {}", target(&item.target), expr(&item.value))
}

/// `NAME = E {unit}`
fn definition_with_unit(item: &Definition) -> String {
    with_unit(format!("{} = {}", target(&item.target), item_value(&item.value)), item.unit.as_ref())
}

/// `NAME' = E {unit}`
fn state(item: &Definition) -> String {
    with_unit(format!("{}' = {}", target(&item.target), item_value(&item.value)), item.unit.as_ref())
}

fn table(item: &Table) -> String {
    let points = match &item.source {
        TableSource::Points(e) => format!("= {}", expr(e)),
        TableSource::File { path, columns } => {
            format!("from {} columns {}", quoted(path), list(columns, |name| name.text.clone()))
        }
    };
    let interpolation = item.interpolation.as_ref().map_or(String::new(), |word| format!(" {}", word.text));
    format!("table {} {points}{interpolation}", target(&item.name))
}

/// The value of an item that takes a unit: a unit at its end would be taken for that of the item.
fn item_value(value: &Expr) -> String {
    let text = expr(value);
    if text.ends_with('}') { format!("({text})") } else { text }
}

fn declared(item: &Declared) -> String {
    with_unit(target(&item.target), item.unit.as_ref())
}

fn speed(item: &Speed) -> String {
    let name = with_unit(target(&item.target), item.unit.as_ref());
    match &item.definition {
        Some(value) => format!("{name} = {}", item_value(value)),
        None => name,
    }
}

fn initial(item: &Initial) -> String {
    let primes = "'".repeat(item.order as usize);
    let sign = if item.fixed { '=' } else { '~' };
    format!("{}{primes} {sign} {}", target(&item.target), expr(&item.value))
}

fn friction(on: &Target, coefficient: &Expr, velocity: &Expr) -> String {
    format!("friction on {}: coefficient {}, velocity {}", target(on), expr(coefficient), expr(velocity))
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

fn assignment(item: &Assignment) -> String {
    format!("{}{} = {}", target(&item.target), "'".repeat(item.order as usize), expr(&item.value))
}

fn actuator(item: &Actuator) -> String {
    let force = match &item.kind {
        ActuatorKind::On(on) => target(on),
        ActuatorKind::At { force, point } => format!("{} at {}", expr(force), expr(point)),
    };
    item.bounds.as_ref().map_or(force.clone(), |bounds| format!("{force} in {}", range(bounds)))
}

fn draw(shape: &Shape) -> String {
    match shape {
        Shape::Point(at) => format!("draw point {}", expr(at)),
        Shape::Line(points) => {
            let points: Vec<String> = points.iter().map(expr).collect();
            format!("draw line {}", points.join(", "))
        }
        Shape::Circle { centre, radius, normal } => {
            let parts: Vec<String> = [centre, radius].into_iter().chain(normal).map(expr).collect();
            format!("draw circle {}", parts.join(", "))
        }
        Shape::Trace(of) => format!("draw trace {}", expr(of)),
    }
}
