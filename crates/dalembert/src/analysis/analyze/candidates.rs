//! Terms of which integrals may be made, from likely to far-fetched.

use super::pfaffian::{PfaffianSystem, coordinates_in};
use dalembert_expr::{Expr, Function, Node, Pool, Rational, Symbol};

/// More terms than this are not tried at once.
pub const MAX_CANDIDATES: usize = 450;
/// Products are formed of at most this many different letters.
const MAX_LETTERS: usize = 16;

/// Stages of terms; each contains those before it.
pub(super) struct Candidates {
    stage: usize,
    /// Rows over the coordinates: (symbol, entry), named.
    forms: Vec<(Symbol, Expr)>,
    coordinates: Vec<Symbol>,
    /// Coordinates and functions of them that occur.
    letters: Vec<Expr>,
    terms: Vec<Expr>,
}

impl Candidates {
    pub fn of(setting: &mut PfaffianSystem, rows: &[usize]) -> Candidates {
        let mut forms = Vec::new();
        for &r in rows.iter().filter(|&&r| setting.rows[r].position.is_none()) {
            let Some(form) = setting.rows[r].form.clone() else { continue };
            match (&setting.frame, &setting.rates) {
                (None, _) => forms.extend(form.named.iter().map(|(p, e)| (setting.x[*p], *e))),
                (Some(_), Some(rates)) => {
                    for (p, e) in &form.named {
                        for (i, y) in &rates[*p] {
                            let product = setting.pool.mul(*e, *y);
                            forms.push((setting.x[*i], setting.pool.simplify(product)));
                        }
                    }
                }
                _ => {}
            }
            forms.push((setting.time, form.named_constant));
        }
        let exprs: Vec<Expr> = forms.iter().map(|(_, e)| *e).collect();
        let mut coordinates = coordinates_in(setting, &exprs);
        for (s, e) in &forms {
            if *e != Pool::ZERO && *s != setting.time && !coordinates.contains(s) {
                coordinates.push(*s);
            }
        }
        if setting.frame.is_some() && setting.rates.is_none() {
            coordinates = setting.x.clone();
        }
        coordinates.sort_by_key(|s| setting.x.iter().position(|x| x == s));
        if setting.lifted {
            coordinates.push(setting.time);
        }
        let mut letters: Vec<Expr> = coordinates.iter().map(|s| setting.pool.var(*s)).collect();
        letters.extend(functions(&mut setting.pool, &exprs, &coordinates));
        Candidates { stage: 0, forms, coordinates, letters, terms: Vec::new() }
    }

    /// All terms up to the next stage.
    pub(crate) fn next_stage(&mut self, setting: &mut PfaffianSystem) -> Option<Vec<Expr>> {
        let pool = &mut setting.pool;
        self.stage += 1;
        let mut new: Vec<Expr> = Vec::new();
        let letters = &self.letters;
        let few = letters.len() <= MAX_LETTERS;
        match self.stage {
            1 => {
                for (s, e) in &self.forms {
                    new.extend(antiderivatives(pool, *e, *s));
                }
                new.extend(self.coordinates.iter().map(|s| pool.var(*s)).collect::<Vec<_>>());
            }
            2 => {
                let sums = sums(pool, &self.forms);
                new.extend(sums.iter().map(|e| pool.call1(Function::Log, *e)).collect::<Vec<_>>());
                new.extend(letters.iter().map(|e| pool.call1(Function::Log, *e)).collect::<Vec<_>>());
                new.extend(letters);
                if few {
                    new.extend(monomials(pool, letters, 2));
                }
            }
            3 if few => {
                for a in letters {
                    let inverse = pool.powi(*a, -1);
                    new.push(inverse);
                    new.extend(letters.iter().map(|b| pool.mul(inverse, *b)).collect::<Vec<_>>());
                }
                new.extend(monomials(pool, letters, 3));
            }
            4 if few => {
                let inverses: Vec<Expr> = letters.iter().map(|a| pool.powi(*a, -1)).collect();
                for m in monomials(pool, letters, 2) {
                    new.extend(inverses.iter().map(|a| pool.mul(*a, m)).collect::<Vec<_>>());
                }
                new.extend(monomials(pool, letters, 4));
            }
            5 if few => {
                // Linear equations have exponentials for factors.
                let mut wide: Vec<Expr> = self.coordinates.iter().map(|s| pool.var(*s)).collect();
                for s in &self.coordinates {
                    let x = pool.var(*s);
                    let up = pool.call1(Function::Exp, x);
                    wide.extend([up, pool.powi(up, -1)]);
                }
                new.extend(wide.clone());
                new.extend(monomials(pool, &wide, 2));
                if self.terms.len() + new.len() > MAX_CANDIDATES {
                    self.terms.clear();
                }
            }
            _ => return None,
        }
        for e in new {
            if pool.as_number(e).is_none() && !self.terms.contains(&e) {
                self.terms.push(e);
            }
        }
        Some(self.terms.clone())
    }
}

/// Sums that stand alone or as factors in the forms, with a coordinate in them.
fn sums(pool: &mut Pool, forms: &[(Symbol, Expr)]) -> Vec<Expr> {
    let mut found: Vec<Expr> = Vec::new();
    for (_, e) in forms {
        let e = pool.simplify(*e);
        let bases = match pool.node(e) {
            Node::Product(factors) => factors.iter().map(|(b, _)| *b).collect(),
            _ => vec![e],
        };
        for b in bases {
            let several = matches!(pool.node(b), Node::Sum(c, terms) if terms.len() > 1 || !c.is_zero());
            if several && !found.contains(&b) && found.len() < MAX_LETTERS {
                found.push(b);
            }
        }
    }
    found
}

/// Products of exactly `degree` letters.
fn monomials(pool: &mut Pool, letters: &[Expr], degree: usize) -> Vec<Expr> {
    let mut current: Vec<(usize, Expr)> = vec![(0, Pool::ONE)];
    for _ in 0..degree {
        let mut next = Vec::new();
        for (from, m) in &current {
            for k in *from..letters.len() {
                next.push((k, pool.mul(*m, letters[k])));
            }
        }
        current = next;
        if current.len() > 4 * MAX_CANDIDATES {
            return Vec::new();
        }
    }
    current.into_iter().map(|(_, m)| m).collect()
}

/// Sines, cosines, exponentials and other functions of coordinates in some expressions; sines with their cosines.
fn functions(pool: &mut Pool, exprs: &[Expr], coordinates: &[Symbol]) -> Vec<Expr> {
    let (mut stack, mut seen, mut found) = (exprs.to_vec(), Vec::new(), Vec::new());
    while let Some(e) = stack.pop() {
        if seen.contains(&e) || seen.len() > 2000 {
            continue;
        }
        seen.push(e);
        pool.node(e).for_each_child(|c| stack.push(c));
        if let Node::Call(f, args) = pool.node(e).clone()
            && args.len() == 1
            && pool.depends_on(e, coordinates)
        {
            let list = match f {
                Function::Sin | Function::Cos | Function::Tan => {
                    [Function::Sin, Function::Cos].map(|f| pool.call1(f, args[0])).to_vec()
                }
                _ => vec![e],
            };
            for e in list {
                if !found.contains(&e) {
                    found.push(e);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

/// Terms whose derivatives by `s` are, up to numbers, terms of `e`.
fn antiderivatives(pool: &mut Pool, e: Expr, s: Symbol) -> Vec<Expr> {
    let e = pool.simplify(e);
    let e = pool.expand(e, 200).unwrap_or(e);
    let terms: Vec<Expr> = match pool.node(e) {
        Node::Sum(c, terms) => {
            terms.iter().map(|(t, _)| *t).chain((!c.is_zero()).then_some(Pool::ONE)).collect()
        }
        _ if e == Pool::ZERO => Vec::new(),
        _ if pool.as_number(e).is_some() => vec![Pool::ONE],
        _ => vec![e],
    };
    terms.into_iter().flat_map(|t| of_term(pool, t, s)).collect()
}

fn of_term(pool: &mut Pool, term: Expr, s: Symbol) -> Vec<Expr> {
    let x = pool.var(s);
    let factors: Vec<(Expr, Rational)> = match pool.node(term) {
        Node::Product(factors) => factors.to_vec(),
        _ => vec![(term, Rational::ONE)],
    };
    let (with, without): (Vec<_>, Vec<_>) = factors.into_iter().partition(|(b, _)| pool.depends_on(*b, &[s]));
    let rest = pool.product(without);
    let mut power = Rational::ZERO;
    let mut functions = Vec::new();
    for (b, p) in with {
        match pool.node(b).clone() {
            Node::Symbol(_) => power = p,
            Node::Call(f, args) if p.is_one() => functions.push((f, args[0])),
            _ => return Vec::new(),
        }
    }
    let raised = &power + &Rational::ONE;
    match functions.as_slice() {
        [] if raised.is_zero() => {
            let log = pool.call1(Function::Log, x);
            vec![pool.mul(rest, log)]
        }
        [] => vec![pool.product([(rest, Rational::ONE), (x, raised)])],
        [(Function::Sin | Function::Cos, u)] => {
            let both = [Function::Sin, Function::Cos].map(|f| pool.call1(f, *u));
            let lower = &power - &Rational::ONE;
            let mut list = Vec::new();
            for p in [power, lower].into_iter().filter(|p| !p.is_negative()) {
                list.extend(
                    both.map(|g| pool.product([(rest, Rational::ONE), (x, p.clone()), (g, Rational::ONE)])),
                );
            }
            list
        }
        [(Function::Exp, u)] => {
            let g = pool.call1(Function::Exp, *u);
            vec![pool.product([(rest, Rational::ONE), (x, power), (g, Rational::ONE)])]
        }
        _ => Vec::new(),
    }
}
