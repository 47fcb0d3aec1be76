//! Printing: text in the model language, LaTeX, and Python that SymPy reads.
//!
//! One walk makes the structure (signs, fractions, roots, precedence); a dialect spells the pieces. Strings
//! are built child by child in the pool's order, so depth is no danger; expressions that would print longer
//! than [`MAX_PRINTED`] pieces are named by their size instead.

mod dialect;

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};
use crate::rational::Rational;
use dialect::Dialect;
pub use dialect::Format;

/// Longer expressions are not written out.
pub const MAX_PRINTED: u64 = 200_000;

/// How tightly the top operator of a printed piece binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Bind {
    Choice,
    Compare,
    Sum,
    Product,
    Power,
    Atom,
}

#[derive(Clone)]
struct Piece {
    text: String,
    bind: Bind,
    /// Printed with a leading minus, which a sum may turn into a subtraction.
    negative: bool,
}

impl Pool {
    /// `e` in the model language.
    pub fn text(&mut self, e: Expr) -> String {
        self.print(e, Format::Text)
    }

    /// `e` in the given format.
    ///
    /// ```
    /// use dalembert_expr::{Format, Pool};
    /// let mut pool = Pool::new();
    /// let (v, l) = (pool.named("theta'"), pool.named("l[2]"));
    /// let square = pool.powi(v, 2);
    /// let e = pool.div(square, l);
    /// assert_eq!(pool.print(e, Format::Text), "theta'^2/l[2]");
    /// assert_eq!(pool.print(e, Format::Latex), r"\frac{\dot{\theta}^{2}}{l_{2}}");
    /// assert_eq!(pool.print(e, Format::Python), "theta_dot**2/l_2");
    /// ```
    pub fn print(&mut self, e: Expr, format: Format) -> String {
        self.print_with(e, format, &|name| format.name(name))
    }

    /// The expression in a format, with names spelt by the caller: formats with fewer characters than the model language may merge names.
    pub fn print_with(&mut self, e: Expr, format: Format, spell: &dyn Fn(&str) -> String) -> String {
        let cost = self.cost(e);
        if cost > MAX_PRINTED {
            return format!("<{cost} operations>");
        }
        let order = self.order(&[e], 0);
        let mut pieces: Vec<Piece> = Vec::with_capacity(order.nodes.len());
        let mut leads: Vec<bool> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let acceleration = |s: Symbol| self.is_leading(s) || self.name(s).ends_with("''");
            let mut lead = matches!(self.node(n), Node::Symbol(s) if acceleration(*s));
            self.node(n).for_each_child(|c| lead |= order.place(c).is_some_and(|k| leads[k]));
            leads.push(lead);
            let leads = |e: Expr| order.place(e).is_some_and(|k| leads[k]);
            let of = |e: Expr| &pieces[order.place(e).expect("children come first")];
            pieces.push(Printer { pool: self, d: format.dialect(), spell, leads: &leads }.node(n, of));
        }
        let text = order.place(e).map(|k| pieces[k].text.clone()).unwrap_or_default();
        self.release(order);
        text
    }
}

impl Format {
    /// A name of the model language, spelt in this format: `q[3]'` becomes `\dot{q}_{3}` or `q_3_dot`.
    ///
    /// ```
    /// use dalembert_expr::Format;
    /// assert_eq!(Format::Python.name("q[3]''"), "q_3_ddot");
    /// assert_eq!(Format::Latex.name("theta1"), r"\theta_{1}");
    /// ```
    #[must_use]
    pub fn name(self, name: &str) -> String {
        self.dialect().name(name)
    }

    /// A number, spelt in this format.
    #[must_use]
    pub fn number(self, value: &Rational) -> String {
        self.dialect().number(value).0
    }
}

struct Printer<'a> {
    pool: &'a Pool,
    d: &'static dyn Dialect,
    spell: &'a dyn Fn(&str) -> String,
    /// Terms that stand first in a sum: those with accelerations.
    leads: &'a dyn Fn(Expr) -> bool,
}

impl Printer<'_> {
    fn node<'p>(&self, e: Expr, of: impl Fn(Expr) -> &'p Piece + Copy) -> Piece {
        match self.pool.node(e) {
            Node::Number(r) => self.number(r),
            Node::Pi => atom(self.d.pi()),
            Node::Symbol(s) => atom((self.spell)(self.pool.name(*s))),
            Node::Sum(constant, terms) => self.sum(constant, terms, of),
            Node::Product(factors) => self.product(&Rational::ONE, factors, of),
            Node::Power(base, exponent) => {
                let text = self.d.power(&wrap(self.d, of(*base), Bind::Atom), &of(*exponent).text, false);
                Piece { text, bind: Bind::Power, negative: false }
            }
            Node::Call(f, args) => self.call(*f, args, of),
        }
    }

    fn number(&self, r: &Rational) -> Piece {
        let (text, fraction) = self.d.number(r);
        let bind = match (r.is_negative(), fraction) {
            (true, _) => Bind::Sum,
            (false, true) => Bind::Product,
            (false, false) => Bind::Atom,
        };
        Piece { text, bind, negative: r.is_negative() }
    }

    fn sum<'p>(
        &self,
        constant: &Rational,
        terms: &[Weighted],
        of: impl Fn(Expr) -> &'p Piece + Copy,
    ) -> Piece {
        let (first, rest): (Vec<&Weighted>, Vec<&Weighted>) = terms.iter().partition(|t| (self.leads)(t.0));
        let terms = first.into_iter().chain(rest);
        let mut pieces: Vec<Piece> = terms.map(|(e, c)| self.term(*e, c, of)).collect();
        if !constant.is_zero() {
            pieces.push(self.number(constant));
        }
        if pieces.len() == 1 {
            return pieces.swap_remove(0);
        }
        // `if` takes all that follows it: between terms it stands in brackets.
        for p in pieces.iter_mut().filter(|p| p.bind < Bind::Sum) {
            *p = Piece { text: self.d.brackets(&p.text), bind: Bind::Atom, negative: false };
        }
        // A sum reads better when it does not start with a minus.
        let first = pieces.iter().position(|p| !p.negative).unwrap_or(0);
        pieces[..=first].rotate_right(1);
        let mut text = pieces[0].text.clone();
        for p in &pieces[1..] {
            let negative = p.negative;
            text.push_str(if negative { " - " } else { " + " });
            text.push_str(if negative { p.text[1..].trim_start() } else { &p.text });
        }
        Piece { negative: text.starts_with('-'), text, bind: Bind::Sum }
    }

    /// `c * e` as a term of a sum.
    fn term<'p>(&self, e: Expr, c: &Rational, of: impl Fn(Expr) -> &'p Piece + Copy) -> Piece {
        match self.pool.node(e) {
            Node::Product(factors) => self.product(c, factors, of),
            _ if c.is_one() => of(e).clone(),
            _ => self.product(c, &[(e, Rational::ONE)], of),
        }
    }

    /// A coefficient and factors, those with negative exponents below the line.
    fn product<'p>(
        &self,
        c: &Rational,
        factors: &[Weighted],
        of: impl Fn(Expr) -> &'p Piece + Copy,
    ) -> Piece {
        let (mut above, mut below) = (Vec::new(), Vec::new());
        let size = c.abs();
        let (n, d) = self.d.split_coefficient(&size);
        above.extend(n.map(atom));
        below.extend(d.map(atom));
        // Parameters first, wherever the model declares them: `m*x''`, not `x''*m`.
        let constant = |b: Expr| match self.pool.node(b) {
            Node::Symbol(s) => self.pool.is_constant(*s),
            _ => false,
        };
        let (first, rest): (Vec<&Weighted>, Vec<&Weighted>) = factors.iter().partition(|f| constant(f.0));
        for (b, p) in first.into_iter().chain(rest) {
            let side = if p.is_negative() { &mut below } else { &mut above };
            side.push(self.power(of(*b), &p.abs()));
        }
        let whole = below.is_empty() && !c.is_negative();
        let apart = self.d.line_separates() && !below.is_empty();
        let (above_text, below_text) = (self.join(&above, whole || apart), self.join(&below, apart));
        let mut text = self.d.fraction(&above_text, &below_text, below.len());
        if c.is_negative() {
            text.insert(0, '-');
        }
        let alone = above.len() == 1 && below.is_empty() && !c.is_negative();
        let bind = match (c.is_negative(), alone) {
            (true, _) => Bind::Sum,
            (_, true) => above[0].bind,
            _ => Bind::Product,
        };
        Piece { text, bind, negative: c.is_negative() }
    }

    /// Factors side by side. A lone factor above nothing needs no brackets: it is the whole.
    fn join(&self, pieces: &[Piece], whole: bool) -> String {
        if let ([only], true) = (pieces, whole) {
            return only.text.clone();
        }
        let texts: Vec<String> = pieces.iter().map(|p| wrap(self.d, p, Bind::Power)).collect();
        texts.join(self.d.times())
    }

    /// `piece ^ p` for positive `p`.
    fn power(&self, base: &Piece, p: &Rational) -> Piece {
        if p.is_one() {
            return base.clone();
        }
        if *p == Rational::HALF {
            return atom(self.d.root(&base.text));
        }
        let (exponent, fraction) = self.d.number(p);
        if base.bind == Bind::Atom
            && let Some(text) = self.d.function_power(&base.text, &exponent)
        {
            return Piece { text, bind: Bind::Power, negative: false };
        }
        let text = self.d.power(&wrap(self.d, base, Bind::Atom), &exponent, !fraction);
        Piece { text, bind: Bind::Power, negative: false }
    }

    fn call<'p>(&self, f: Function, args: &[Expr], of: impl Fn(Expr) -> &'p Piece + Copy) -> Piece {
        let texts: Vec<String> = match f {
            Function::Select => args.iter().map(|a| of(*a).text.clone()).collect(),
            Function::Less | Function::LessEqual | Function::Equal => {
                args.iter().map(|a| wrap(self.d, of(*a), Bind::Sum)).collect()
            }
            Function::And | Function::Or | Function::Not => {
                args.iter().map(|a| wrap(self.d, of(*a), Bind::Atom)).collect()
            }
            _ => args.iter().map(|a| of(*a).text.clone()).collect(),
        };
        let (text, bind) = self.d.call(f, &texts);
        Piece { text, bind, negative: false }
    }
}

fn atom(text: String) -> Piece {
    Piece { text, bind: Bind::Atom, negative: false }
}

/// The text of a piece, in brackets if it binds less tightly than `least`.
fn wrap(d: &dyn Dialect, piece: &Piece, least: Bind) -> String {
    if piece.bind < least { d.brackets(&piece.text) } else { piece.text.clone() }
}
