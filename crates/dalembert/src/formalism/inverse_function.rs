//! The inverse of a function of one variable that occurs once in it: operations are taken off from the outside.
//!
//! ```text
//! c + f(u) = w  ->  f(u) = w - c        c f(u) = w  ->  f(u) = w/c         exp(f) = w  ->  f = log(w), ...
//! ```
//!
//! Only operations that have one inverse where they are defined: odd powers, reciprocals, roots, exponentials, logarithms,
//! sinh, tanh, and the inverse functions of circles. Checked by `tests/it/legendre.rs`.

use dalembert_expr::{Expr, Function, Node, Pool, Rational, Symbol};

/// u with f(u) = w; `None` where u occurs twice or an operation has several inverses.
pub(crate) fn inverse_of(pool: &mut Pool, f: Expr, u: Symbol, w: Expr) -> Option<Expr> {
    let (mut f, mut w) = (f, w);
    loop {
        (f, w) = match pool.node(f).clone() {
            Node::Symbol(s) if s == u => return Some(w),
            Node::Sum(c, terms) => {
                let place = only(pool, &terms, u)?;
                let (inner, factor) = terms[place].clone();
                let mut rest = vec![(w, Rational::ONE), (Pool::ONE, -&c)];
                rest.extend(others(&terms, place).map(|(e, c)| (*e, -c)));
                let left = pool.combine(rest);
                let factor = pool.number(factor);
                (inner, pool.div(left, factor))
            }
            Node::Product(factors) => {
                let place = only(pool, &factors, u)?;
                let (base, exponent) = factors[place].clone();
                let rest: Vec<_> = others(&factors, place).map(|(e, k)| (*e, -k)).collect();
                let rest = pool.product(rest);
                let left = pool.mul(w, rest);
                (base, root(pool, left, &exponent)?)
            }
            Node::Call(function, arguments) if arguments.len() == 1 => {
                (arguments[0], pool.call1(inverse_function(function)?, w))
            }
            _ => return None,
        };
    }
}

/// The one entry that depends on u.
fn only(pool: &mut Pool, entries: &[(Expr, Rational)], u: Symbol) -> Option<usize> {
    let inside: Vec<usize> = (0..entries.len()).filter(|i| pool.depends_on(entries[*i].0, &[u])).collect();
    match inside[..] {
        [place] => Some(place),
        _ => None,
    }
}

fn others(entries: &[(Expr, Rational)], place: usize) -> impl Iterator<Item = &(Expr, Rational)> {
    entries.iter().enumerate().filter(move |(i, _)| *i != place).map(|(_, entry)| entry)
}

/// b with b^k = w: k odd, its reciprocal, or a square root, whose base is positive.
fn root(pool: &mut Pool, w: Expr, k: &Rational) -> Option<Expr> {
    let inverse = k.recip()?;
    if *k == Rational::ONE || *k == Rational::MINUS_ONE || *k == Rational::HALF || -k == Rational::HALF {
        return Some(pool.product([(w, inverse)]));
    }
    k.to_i64().filter(|n| n % 2 != 0)?;
    let (size, side) = (pool.call1(Function::Abs, w), pool.call1(Function::Sign, w));
    Some(pool.product([(size, inverse), (side, Rational::ONE)]))
}

fn inverse_function(function: Function) -> Option<Function> {
    Some(match function {
        Function::Exp => Function::Log,
        Function::Log => Function::Exp,
        Function::Sinh => Function::Asinh,
        Function::Asinh => Function::Sinh,
        Function::Tanh => Function::Atanh,
        Function::Atanh => Function::Tanh,
        Function::Atan => Function::Tan,
        Function::Asin => Function::Sin,
        Function::Acos => Function::Cos,
        Function::Acosh => Function::Cosh,
        _ => return None,
    })
}

/// `exp(log(w))` as w and its like: what putting an inverse into its function leaves behind.
pub(crate) fn undo_inverses(pool: &mut Pool, e: Expr) -> Expr {
    let mut inside = vec![e];
    let mut k = 0;
    while let Some(at) = inside.get(k).copied() {
        for child in children(pool, at) {
            if !inside.contains(&child) {
                inside.push(child);
            }
        }
        if inside.len() > MAX_NODES {
            return e;
        }
        k += 1;
    }
    // Children are older than their parents.
    inside.sort_unstable();
    let mut images: Vec<Expr> = Vec::with_capacity(inside.len());
    for at in &inside {
        let image = |e: &Expr| inside.binary_search(e).map_or(*e, |i| images[i]);
        let built = match pool.node(*at).clone() {
            Node::Sum(c, terms) => {
                let terms: Vec<_> = terms.iter().map(|(e, c)| (image(e), c.clone())).collect();
                pool.combine(terms.into_iter().chain([(Pool::ONE, c)]))
            }
            Node::Product(factors) => {
                let factors: Vec<_> = factors.iter().map(|(e, k)| (image(e), k.clone())).collect();
                pool.product(factors)
            }
            Node::Call(function, arguments) => {
                let arguments: Vec<Expr> = arguments.iter().map(image).collect();
                undone(pool, function, &arguments).unwrap_or_else(|| pool.call(function, &arguments))
            }
            _ => *at,
        };
        images.push(built);
    }
    inside.binary_search(&e).map_or(e, |i| images[i])
}

/// Larger expressions are left as they are.
const MAX_NODES: usize = 400;

fn children(pool: &Pool, e: Expr) -> Vec<Expr> {
    match pool.node(e) {
        Node::Sum(_, parts) | Node::Product(parts) => parts.iter().map(|(e, _)| *e).collect(),
        Node::Call(_, arguments) => arguments.to_vec(),
        _ => Vec::new(),
    }
}

/// A function of its inverse; cosh of asinh is a root.
fn undone(pool: &mut Pool, function: Function, arguments: &[Expr]) -> Option<Expr> {
    let &[argument] = arguments else { return None };
    let Node::Call(inner, of) = pool.node(argument).clone() else { return None };
    let &[w] = &of[..] else { return None };
    if (function, inner) == (Function::Cosh, Function::Asinh) {
        let square = pool.powi(w, 2);
        let sum = pool.add(square, Pool::ONE);
        return Some(pool.sqrt(sum));
    }
    let one_to_one = matches!(
        (function, inner),
        (Function::Exp, Function::Log)
            | (Function::Log, Function::Exp)
            | (Function::Sinh, Function::Asinh)
            | (Function::Asinh, Function::Sinh)
            | (Function::Tanh, Function::Atanh)
            | (Function::Atanh, Function::Tanh)
            | (Function::Tan, Function::Atan)
            | (Function::Sin, Function::Asin)
            | (Function::Cos, Function::Acos)
            | (Function::Cosh, Function::Acosh)
    );
    one_to_one.then_some(w)
}
