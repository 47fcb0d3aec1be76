//! Lines, vectors and matrices of equations in the three formats.

use crate::system::System;
use crate::system::notation::{Notation, bold};
use dalembert_expr::{Expr, Format, Node, Pool, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// How equations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The language.
    pub format: Format,
    /// Whether parts that equations share have names of their own. Text and LaTeX with an equation longer than
    /// [`MAX_UNNAMED`] have them anyway.
    pub names: bool,
}

/// Characters of the longest expression that is printed without names for its parts: half a page.
const MAX_UNNAMED: usize = 1_500;

impl From<Format> for Style {
    fn from(format: Format) -> Self {
        Style { format, names: false }
    }
}

/// Collects equations; [`Writer::finish`] gives the text.
pub(super) struct Writer {
    format: Format,
    /// Whether shared parts are to have names, however short the equations are.
    names: bool,
    /// What is printed, once all of it is known: then it is decided whether shared parts have names.
    waiting: Vec<Expr>,
    title: Option<String>,
    lines: Vec<String>,
    /// Everything printed, so that Python can declare its symbols.
    printed: Vec<Symbol>,
    /// Other names of the model that occur.
    named: Vec<String>,
    /// Words of the script itself, which no name of the model may take.
    words: Vec<String>,
    /// Letters of the general equations that were given a value.
    letters: Vec<String>,
    /// How long everything printed so far is, before it is made shorter.
    length: u64,
    balances: usize,
}

/// What is printed beyond this length is left as it was derived: nobody reads it, and it would take minutes.
const MAX_TIDIED: u64 = 40_000;

/// Longer expressions are not collected by accelerations.
const MAX_COLLECTED: u64 = 4_000;

/// Expressions longer than this are compared with zero before they are printed.
const LONG: u64 = 100;

/// Around a name of the model in a line, until [`Writer::finish`] knows all of them and spells it.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';
/// Around the number of an expression in a line that is printed at the end.
const WAITING: char = '\u{3}';
const PRINTED: char = '\u{4}';

/// An expression linear in accelerations with one term for each of them, where it is written otherwise and that is not much
/// longer: `(m1 + m2) l1^2 theta1'' + m2 l1 l2 theta2'' cos(theta1 - theta2) + ...`.
fn by_accelerations(pool: &mut Pool, accelerations: &[Symbol], e: Expr) -> Expr {
    if pool.cost(e) > MAX_COLLECTED || begins_with_accelerations(pool, accelerations, e) {
        return e;
    }
    let Some(linear) = pool.linear(e, accelerations) else { return e };
    let mut parts = Vec::with_capacity(accelerations.len() + 1);
    for (coefficient, acceleration) in linear.coefficients.into_iter().zip(accelerations) {
        let coefficient = pool.tidy(coefficient);
        let acceleration = pool.var(*acceleration);
        parts.push(pool.mul(coefficient, acceleration));
    }
    parts.push(pool.tidy(linear.constant));
    let collected = pool.total(parts);
    let (long, short) = (pool.text(collected).len(), pool.text(e).len());
    if 3 * long <= 4 * short + 60 { collected } else { e }
}

/// Whether an expression is a sum, perhaps with a factor in front, in which each acceleration is in one term, as a factor of
/// it, and the first of these terms is not subtracted.
fn begins_with_accelerations(pool: &mut Pool, accelerations: &[Symbol], e: Expr) -> bool {
    let mut sum = e;
    if let Node::Product(factors) = pool.node(e).clone() {
        match factors.iter().find(|f| pool.depends_on(f.0, accelerations)) {
            Some((base, power)) if power.is_one() => sum = *base,
            inside => return inside.is_none(),
        }
    }
    let Node::Sum(_, terms) = pool.node(sum).clone() else { return true };
    if let [(only, c)] = &*terms
        && pool.depends_on(*only, accelerations)
        && matches!(pool.node(*only), Node::Product(_))
    {
        return !c.is_negative() && begins_with_accelerations(pool, accelerations, *only);
    }
    let mut seen = Vec::new();
    for (term, c) in &*terms {
        let present: Vec<Symbol> =
            pool.symbols(&[*term]).into_iter().filter(|s| accelerations.contains(s)).collect();
        let [only] = present[..] else {
            if present.is_empty() {
                continue;
            }
            return false;
        };
        let factor = pool.var(only);
        let alone = match pool.node(*term) {
            Node::Product(factors) => factors.iter().any(|f| f.0 == factor),
            _ => *term == factor,
        };
        if !alone || seen.contains(&only) || (seen.is_empty() && c.is_negative()) {
            return false;
        }
        seen.push(only);
    }
    true
}

fn marked(name: &str) -> String {
    format!("{OPEN}{name}{CLOSE}")
}

impl Writer {
    pub fn new(style: impl Into<Style>, title: Option<&str>) -> Self {
        let Style { format, names } = style.into();
        Writer {
            format,
            names,
            waiting: Vec::new(),
            title: title.map(str::to_owned),
            lines: Vec::new(),
            printed: Vec::new(),
            named: Vec::new(),
            words: Vec::new(),
            letters: Vec::new(),
            length: 0,
            balances: 0,
        }
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn print(&mut self, pool: &mut Pool, e: Expr) -> String {
        let e = self.shortened(pool, e);
        self.wait(pool, e)
    }

    fn shortened(&mut self, pool: &mut Pool, e: Expr) -> Expr {
        self.length = self.length.saturating_add(pool.cost(e));
        let e = if self.length <= MAX_TIDIED { pool.tidy(e) } else { e };
        // What is left long may be zero all the same: entries of matrices that cancel.
        if pool.cost(e) > LONG && pool.vanishes_at_samples(e) { Pool::ZERO } else { e }
    }

    fn wait(&mut self, pool: &mut Pool, e: Expr) -> String {
        self.printed.extend(pool.symbols(&[e]));
        self.waiting.push(e);
        format!("{WAITING}{}{PRINTED}", self.waiting.len() - 1)
    }

    /// Prints what waits; where it is long, or names are asked for, with the definitions of what it shares in front.
    fn print_expressions(&mut self, system: &mut System) {
        let waiting = std::mem::take(&mut self.waiting);
        let texts: Vec<String> =
            waiting.iter().map(|e| system.pool.print_with(*e, self.format, &marked)).collect();
        // A script is read by a program, which has no use for names; what is too long to be printed has none either.
        let reader = self.format != Format::Python && !texts.iter().any(|text| text.contains(" operations>"));
        let long = reader && waiting.iter().any(|e| system.pool.text(*e).len() > MAX_UNNAMED);
        if !self.names && !long {
            self.lines.iter_mut().for_each(|line| *line = filled(line, &texts));
            return;
        }
        if !self.names {
            self.note("z1, z2, ... are parts that long equations share");
            self.lines.rotate_right(1);
        }
        let taken: FxHashSet<String> = self
            .named
            .iter()
            .cloned()
            .chain(self.printed.iter().map(|s| system.pool.name(*s).to_owned()))
            .collect();
        let fresh = |pool: &mut Pool, k: usize| {
            let mut name = format!("z{k}");
            while taken.contains(&name) {
                name.push('_');
            }
            pool.symbol(&name)
        };
        let pool = &mut system.pool;
        let (parts, short) = pool.name_common_parts(&waiting, fresh);
        let texts: Vec<String> = short.iter().map(|e| pool.print_with(*e, self.format, &marked)).collect();
        self.lines.iter_mut().for_each(|line| *line = filled(line, &texts));
        let equals = if self.format == Format::Latex { "&=" } else { "=" };
        let mut definitions = Vec::with_capacity(parts.len());
        for (symbol, part) in parts {
            let name = self.name(pool.name(symbol));
            definitions.push(format!("{name} {equals} {}", pool.print_with(part, self.format, &marked)));
        }
        let at = usize::from(!self.names);
        self.lines.splice(at..at, definitions);
    }

    /// A name of the model, to be spelt at the end.
    fn name(&mut self, name: &str) -> String {
        self.named.push(name.to_owned());
        marked(name)
    }

    /// A word of the script, with an underscore if it has such a word already.
    fn word(&mut self, mut word: String) -> String {
        if self.format == Format::Python {
            while self.words.contains(&word) {
                word.push('_');
            }
            self.words.push(word.clone());
        }
        word
    }

    /// `letter = e`, where a program gets a word for the letter.
    pub fn function(&mut self, pool: &mut Pool, letter: &str, e: Expr) {
        self.letters.push(letter.to_owned());
        let name = self.assigned(letter);
        let (name, value) = (self.word(name), self.print(pool, e));
        self.lines.push(match self.format {
            Format::Latex => format!("{} &= {value}", name.replace('*', "^{*}")),
            _ => format!("{name} = {value}"),
        });
    }

    /// `letter = e` with e as it was written, not made shorter.
    pub(crate) fn function_as_written(&mut self, pool: &mut Pool, letter: &str, e: Expr) {
        let length = std::mem::replace(&mut self.length, MAX_TIDIED + 1);
        self.function(pool, letter, e);
        self.length = length;
    }

    /// `letter = e`, where a program gets the word given.
    pub(crate) fn function_as(&mut self, pool: &mut Pool, letter: &str, word: &str, e: Expr) {
        let name = if self.format == Format::Python { word } else { letter };
        let (name, value) = (self.word(name.to_owned()), self.print(pool, e));
        self.lines.push(match self.format {
            Format::Latex => format!("{} &= {value}", self.format.name(&name)),
            _ => format!("{name} = {value}"),
        });
    }

    /// `symbol = e` for a symbol that later lines use: a program must not overwrite it.
    pub fn definition(&mut self, pool: &mut Pool, symbol: Symbol, e: Expr) {
        match self.format {
            Format::Python => {
                let left = pool.var(symbol);
                self.balance(pool, left, e);
            }
            _ => {
                let name = pool.name(symbol).to_owned();
                self.equation(pool, &name, e);
            }
        }
    }

    /// `name = e`
    pub fn equation(&mut self, pool: &mut Pool, name: &str, e: Expr) {
        let (name, value) = (self.name(name), self.print(pool, e));
        self.lines.push(match self.format {
            Format::Latex => format!("{name} &= {value}"),
            _ => format!("{name} = {value}"),
        });
    }

    /// `name = e` for a name that is not the model's.
    pub fn own(&mut self, pool: &mut Pool, name: &str, e: Expr) {
        let (name, value) = (self.format.name(name), self.print(pool, e));
        let name = self.word(name);
        self.lines.push(match self.format {
            Format::Latex => format!("{name} &= {value}"),
            _ => format!("{name} = {value}"),
        });
    }

    /// `base[i,j] = e`: `base_{i j}` in LaTeX, `base_i_j` in Python.
    pub(crate) fn indexed(&mut self, pool: &mut Pool, base: &str, indices: &[&str], e: Expr) {
        let symbol = self.format.name(base);
        self.entry(pool, (base, symbol), indices, e);
    }

    /// Writes an entry of a vector of the general equations.
    pub fn component(&mut self, pool: &mut Pool, letter: &str, index: &str, e: Expr) {
        self.entry(pool, (letter, bold(letter)), &[index], e);
    }

    fn entry(&mut self, pool: &mut Pool, (base, symbol): (&str, String), indices: &[&str], e: Expr) {
        let value = self.print(pool, e);
        let names: Vec<String> = match self.format {
            Format::Latex => indices.iter().map(|i| self.name(i)).collect(),
            format => indices.iter().map(|i| format.name(i)).collect(),
        };
        let line = match self.format {
            Format::Text => format!("{base}[{}] = {value}", names.join(",")),
            Format::Latex => format!("{} &= {value}", subscripted(&symbol, &names.join(" "))),
            Format::Python => {
                let word = self.format.name(&format!("{base}_{}", names.join("_")));
                format!("{} = {value}", self.word(word))
            }
        };
        self.lines.push(line);
    }

    /// A line as it is.
    pub fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// A remark between equations.
    pub fn note(&mut self, text: &str) {
        self.lines.push(match self.format {
            Format::Latex => format!("&\\text{{{}}}", text.replace('_', "\\_").replace('^', "\\^{}")),
            _ => format!("# {text}"),
        });
    }

    /// An equation of motion: the accelerations of the left side first, each with one coefficient.
    pub fn equation_of_motion(&mut self, pool: &mut Pool, accelerations: &[Symbol], left: Expr, right: Expr) {
        let short = self.shortened(pool, left);
        let left =
            if self.length <= MAX_TIDIED { by_accelerations(pool, accelerations, short) } else { short };
        let (left, right) = (self.wait(pool, left), self.print(pool, right));
        self.push_balance(&left, &right);
    }

    /// `left = right`
    pub fn balance(&mut self, pool: &mut Pool, left: Expr, right: Expr) {
        let (left, right) = (self.print(pool, left), self.print(pool, right));
        self.push_balance(&left, &right);
    }

    fn push_balance(&mut self, left: &str, right: &str) {
        let line = match self.format {
            Format::Text => format!("{left} = {right}"),
            Format::Latex => format!("{left} &= {right}"),
            Format::Python => {
                self.balances += 1;
                let word = self.word(format!("equation_{}", self.balances));
                format!("{word} = Eq({left}, {right}, evaluate=False)")
            }
        };
        self.lines.push(line);
    }

    /// A column of names, such as the accelerations a matrix acts on.
    pub(crate) fn vector_of_names(&mut self, name: &str, names: &[String]) {
        let names: Vec<String> = names.iter().map(|n| self.name(n)).collect();
        match self.format {
            Format::Text => self.lines.push(format!("{name} = [{}]", names.join(", "))),
            Format::Latex => self.lines.push(format!(
                "\\dot{{\\boldsymbol{{\\eta}}}} &= {}",
                bmatrix(&names.iter().map(|n| vec![n.clone()]).collect::<Vec<_>>())
            )),
            Format::Python => self
                .lines
                .push(format!("# mass_matrix*eta_dot = impressed_force, constraint_matrix*eta_dot = constraint_rhs, eta_dot = [{}]", names.join(", "))),
        }
    }

    /// In a program the letters of the equations may be parameters of the model: there words stand for them.
    pub fn assigned(&self, letter: &str) -> String {
        let word = match letter {
            "M" => "mass_matrix",
            "Q" => "impressed_force",
            "A" => "constraint_matrix",
            "b" => "constraint_rhs",
            "C" => "nonideal_term",
            "F" => "friction_force",
            "U" | "Q_c" => "control_force",
            "a" => "unconstrained_acceleration",
            "B" => "constraint_scaled",
            "B^+" => "constraint_scaled_pinv",
            "e" => "error_signal",
            "K" => "gain",
            "a_ni" => "nonideal_acceleration",
            "Q_i" => "ideal_force",
            "Q_ni" => "nonideal_force",
            "F*" => "inertia_force",
            "A_c" => "requirement_matrix",
            "b_c" => "requirement_rhs",
            "H" => "hamiltonian",
            "L" => "lagrangian",
            "T*" => "kinetic_coenergy",
            "T" => "kinetic_energy",
            "V" => "potential_energy",
            "V*" => "potential_coenergy",
            "H*" => "hamiltonian_star",
            "L*" => "lagrangian_star",
            other => other,
        };
        if self.format == Format::Python { word.to_owned() } else { letter.to_owned() }
    }

    pub fn vector(&mut self, pool: &mut Pool, name: &str, entries: &[Expr]) {
        let word = self.assigned(name);
        self.vector_as(pool, name, &word, entries);
    }

    /// A vector, where a program gets the word given.
    pub(crate) fn vector_as(&mut self, pool: &mut Pool, name: &str, word: &str, entries: &[Expr]) {
        self.letters.push(name.to_owned());
        let letter = bold(name);
        let name = if self.format == Format::Python { word } else { name };
        let name = self.word(self.format.name(name));
        let texts: Vec<String> = entries.iter().map(|e| self.print(pool, *e)).collect();
        let line = match self.format {
            Format::Text => format!("{name} = [{}]", texts.join(", ")),
            Format::Latex => {
                format!("{letter} &= {}", bmatrix(&texts.iter().map(|t| vec![t.clone()]).collect::<Vec<_>>()))
            }
            Format::Python => format!("{name} = Matrix([{}])", texts.join(", ")),
        };
        self.lines.push(line);
    }

    pub fn matrix(&mut self, pool: &mut Pool, name: &str, rows: &[Vec<Expr>]) {
        let word = self.assigned(name);
        self.matrix_as(pool, name, &word, rows);
    }

    /// A matrix, where a program gets the word given.
    pub(crate) fn matrix_as(&mut self, pool: &mut Pool, name: &str, word: &str, rows: &[Vec<Expr>]) {
        self.letters.push(name.to_owned());
        let letter = bold(name);
        let name = if self.format == Format::Python { word } else { name };
        let name = self.word(name.to_owned());
        let texts: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|e| self.print(pool, *e)).collect()).collect();
        let brackets = |row: &Vec<String>| format!("[{}]", row.join(", "));
        let lines: Vec<String> = texts.iter().map(brackets).collect();
        let line = match self.format {
            Format::Text => format!("{name} = [{}]", lines.join(",\n     ")),
            Format::Latex => format!("{letter} &= {}", bmatrix(&texts)),
            Format::Python => format!("{name} = Matrix([{}])", lines.join(", ")),
        };
        self.lines.push(line);
    }

    pub fn finish(mut self, system: &mut System) -> String {
        self.print_expressions(system);
        self.note_letters(&system.pool);
        let (spelt, renamed) = self.spellings(system);
        self.declare_symbols(&system.pool, &renamed);
        let lines: Vec<String> = self.lines.iter().map(|line| unmarked(line, &spelt)).collect();
        match self.format {
            Format::Latex => {
                let comments = self.title.iter().chain(&renamed).map(|line| format!("% {line}\n"));
                let comments: String = comments.collect();
                format!("{comments}\\begin{{aligned}}\n{}\n\\end{{aligned}}\n", lines.join(" \\\\\n"))
            }
            _ => lines.join("\n") + "\n",
        }
    }

    /// In text a letter of the general equations may be a name of the model too: then a remark tells them apart.
    fn note_letters(&mut self, pool: &Pool) {
        let of_model = |letter: &String| self.printed.iter().any(|s| pool.name(*s) == letter);
        let both: Vec<String> = self.letters.iter().filter(|letter| of_model(letter)).cloned().collect();
        if self.format == Format::Text && !both.is_empty() {
            let remark =
                "is given a value here as a letter of the form; within expressions it is that of the model";
            self.lines.insert(0, format!("# {} {remark}", both.join(", ")));
        }
    }

    /// How each name of the model is spelt, no two alike, and a remark for each that had to give way.
    fn spellings(&mut self, system: &System) -> (FxHashMap<String, String>, Vec<String>) {
        self.printed.sort();
        self.printed.dedup();
        let names = self.printed.iter().map(|s| system.pool.name(*s).to_owned()).chain(self.named.drain(..));
        let names: Vec<String> = names.collect();
        let mut notation = (self.format == Format::Latex).then(|| Notation::of(system));
        let wanted: FxHashSet<String> = names.iter().map(|name| self.format.name(name)).collect();
        let mut taken: FxHashSet<String> = self.words.iter().cloned().collect();
        let (mut spelt, mut renamed) = (FxHashMap::default(), Vec::new());
        for name in names {
            if spelt.contains_key(&name) {
                continue;
            }
            let own = self.format.name(&name);
            let mut spelling = notation.as_mut().map_or(own.clone(), |notation| notation.spell(&name));
            if taken.contains(&spelling) {
                spelling.push('_');
                while taken.contains(&spelling) || wanted.contains(&spelling) {
                    spelling.push('_');
                }
            }
            if spelling != own {
                renamed.push(format!(
                    "`{name}` of the model is written `{spelling}`: its own spelling is taken"
                ));
            }
            taken.insert(spelling.clone());
            spelt.insert(name, spelling);
        }
        (spelt, renamed)
    }

    /// Python needs its symbols declared, by the names they are printed under.
    fn declare_symbols(&mut self, pool: &Pool, renamed: &[String]) {
        if self.format != Format::Python {
            return;
        }
        let mut head: Vec<String> =
            self.title.iter().chain(renamed).map(|line| format!("# {line}")).collect();
        head.push("from sympy import *".to_owned());
        let names = self.printed.iter().map(|s| marked(pool.name(*s)));
        head.extend(names.map(|name| format!("{name} = Symbol(\"{name}\")")));
        self.lines.splice(0..0, head);
    }
}

/// A line with what waited in it printed.
fn filled(line: &str, texts: &[String]) -> String {
    let mut parts = line.split(WAITING);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once(PRINTED).unwrap_or((part, ""));
        text.push_str(number.parse().ok().and_then(|k: usize| texts.get(k)).map_or("", String::as_str));
        text.push_str(rest);
    }
    text
}

/// A line with its names spelt.
fn unmarked(line: &str, spelt: &FxHashMap<String, String>) -> String {
    let mut parts = line.split(OPEN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(CLOSE).unwrap_or((part, ""));
        text.push_str(spelt.get(name).map_or(name, String::as_str));
        text.push_str(rest);
    }
    text
}

/// A subscript added to a symbol that may have one already: two in a row are no LaTeX.
fn subscripted(symbol: &str, more: &str) -> String {
    match symbol.strip_suffix('}').filter(|_| symbol.contains("_{")) {
        Some(open) => format!("{open}; \\, {more}}}"),
        None => format!("{symbol}_{{{more}}}"),
    }
}

fn bmatrix(rows: &[Vec<String>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| row.join(" & ")).collect();
    format!("\\begin{{bmatrix}} {} \\end{{bmatrix}}", rows.join(" \\\\ "))
}
