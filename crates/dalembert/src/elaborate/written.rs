//! Energies as the model writes them, for readers: the texts of its `kinetic` and `potential` statements, those in loops as
//! sums, and the definitions of the names in them that `let` gives. Reads the tree alone; values are not its business.

use crate::system::WrittenEnergy;
use dalembert_syntax::ast::{
    Ast, Block, Definition, Expr, ExprKind, Name, Range, StatementKind as S, Subscript, SumOver,
};
use dalembert_syntax::expression_text;

/// `for i in 1..N` around a statement.
type Loop<'a> = (&'a Name, &'a Range);

#[derive(Default)]
struct Statements {
    terms: [Vec<String>; 2],
    /// Names that `let` gives, with what they are.
    definitions: Vec<(String, String)>,
}

/// The kinetic and the potential energy, each as the sum of its statements.
pub(super) fn energies(ast: &Ast) -> [WrittenEnergy; 2] {
    let mut found = Statements::default();
    found.read(&ast.body, &[]);
    found.terms.map(|terms| {
        let text = joined(&terms);
        let definitions = used(&text, &found.definitions);
        WrittenEnergy { text, definitions }
    })
}

impl Statements {
    fn read(&mut self, block: &Block, loops: &[Loop<'_>]) {
        for statement in &block.statements {
            match &statement.kind {
                S::Kinetic(e) => self.terms[0].push(summed(e, loops)),
                S::Potential(e) => self.terms[1].push(summed(e, loops)),
                S::Let(list) => {
                    let named = |d: &Definition| (d.target.name.text.clone(), definition(d, loops));
                    self.definitions.extend(list.iter().map(named));
                }
                S::For { index, range, body } => {
                    let inner: Vec<Loop<'_>> = loops.iter().copied().chain([(index, range)]).collect();
                    self.read(body, &inner);
                }
                _ => {}
            }
        }
    }
}

/// `sum(i in 1..N, E)` for a statement in a loop.
fn summed(e: &Expr, loops: &[Loop<'_>]) -> String {
    let within = |body: Expr, (index, range): &Loop<'_>| {
        let sum = SumOver { index: (*index).clone(), range: (*range).clone(), body };
        Expr { span: e.span, kind: ExprKind::SumOver(Box::new(sum)) }
    };
    expression_text(&loops.iter().rev().fold(e.clone(), within))
}

/// `P[i] = [x[i], y[i]] for i in 1..N`
fn definition(d: &Definition, loops: &[Loop<'_>]) -> String {
    let subscript = |s: &Subscript| match s {
        Subscript::At(e) => expression_text(e),
        Subscript::Over(range) => range_text(range),
    };
    let bracketed = |open: char, list: Vec<String>, close: char| match list.is_empty() {
        true => String::new(),
        false => format!("{open}{}{close}", list.join(", ")),
    };
    let subscripts = bracketed('[', d.target.subscripts.iter().map(subscript).collect(), ']');
    let arguments = bracketed('(', d.arguments.iter().map(|name| name.text.clone()).collect(), ')');
    let repeated = loops.iter().map(|(index, range)| format!(" for {} in {}", index.text, range_text(range)));
    let (name, value) = (&d.target.name.text, expression_text(&d.value));
    format!("{name}{subscripts}{arguments} = {value}{}", repeated.collect::<String>())
}

fn range_text(range: &Range) -> String {
    format!("{}..{}", expression_text(&range.first), expression_text(&range.last))
}

/// A sum of texts. What ends in `else` would take what follows into its last branch.
fn joined(terms: &[String]) -> String {
    let mut text = String::new();
    for term in terms {
        let conditional = terms.len() > 1 && term.contains(" else ");
        let term = if conditional { format!("({term})") } else { term.clone() };
        text = match (text.is_empty(), term.strip_prefix('-')) {
            (true, _) => term,
            (false, Some(rest)) => format!("{text} - {rest}"),
            (false, None) => format!("{text} + {term}"),
        };
    }
    text
}

/// Definitions of the names in a text, and of the names in those, in the order of the model.
fn used(text: &str, all: &[(String, String)]) -> Vec<String> {
    let names = |text: &str, name: &str| {
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| word == name)
    };
    let mut wanted = vec![false; all.len()];
    // A name is defined before it is used: one pass from the end meets every use first.
    for k in (0..all.len()).rev() {
        let later = all.iter().zip(&wanted).skip(k + 1).filter(|(_, wanted)| **wanted);
        let mut texts = later.map(|((_, definition), _)| definition.as_str()).chain([text]);
        wanted[k] = texts.any(|text| names(text, &all[k].0));
    }
    all.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|((_, text), _)| text.clone()).collect()
}
