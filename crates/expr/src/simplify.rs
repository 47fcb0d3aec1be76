//! Simplification as a reader does it: like terms, powers, common factors, and the two families of
//! trigonometric identities
//!
//! ```text
//! sin^2 u + cos^2 u = 1,   1 - sin^2 u = cos^2 u,   1 - cos^2 u = sin^2 u
//! cos u cos v +- sin u sin v = cos(u -+ v),   sin u cos v +- cos u sin v = sin(u +- v)
//! ```
//!
//! Each rule is an identity, and a rewriting is kept only where it makes the printed expression shorter.

use crate::function::Function;
use crate::pool::{Expr, Node, Pool, Weighted};
use crate::rational::Rational;
use rustc_hash::FxHashMap;

/// Products are multiplied out up to this many terms.
const MAX_TERMS: usize = 600;
/// Sums longer than this are not searched for identities.
const MAX_COLLECT: usize = 400;
/// Expressions that are longer than this when written out are left as they are: nobody reads them.
const MAX_SIMPLIFIED: u64 = 3000;
/// What one simplification may add to the pool; when it is spent the rest stays as it is.
const ALLOWANCE: usize = 200_000;
/// How often multiplying out may uncover something to multiply out.
const MAX_ROUNDS: usize = 50;

impl Pool {
    /// A simpler expression of the same value, within the limits above; beyond them the expression itself.
    ///
    /// ```
    /// use dalembert_expr::{Function, Pool};
    /// let mut pool = Pool::new();
    /// let (a, b, l) = (pool.named("a"), pool.named("b"), pool.named("l"));
    /// let sincos = |pool: &mut Pool, u| [Function::Cos, Function::Sin].map(|f| pool.call1(f, u));
    /// let ([ca, sa], [cb, sb]) = (sincos(&mut pool, a), sincos(&mut pool, b));
    /// let (cc, ss) = (pool.mul(ca, cb), pool.mul(sa, sb));
    /// let (x, y) = (pool.mul(l, cc), pool.mul(l, ss));
    /// let e = pool.add(x, y);
    /// let e = pool.simplify(e);
    /// assert_eq!(pool.text(e), "l*cos(a - b)");
    /// ```
    pub fn simplify(&mut self, e: Expr) -> Expr {
        if self.tired() || self.cost(e) > MAX_SIMPLIFIED {
            return e;
        }
        let limit = self.weight() + ALLOWANCE;
        let order = self.order(&[e], 0);
        let mut done: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let rebuilt = self.rebuild(n, |c| order.place(c).map_or(c, |k| done[k]));
            done.push(if self.weight() < limit { self.simplify_node(rebuilt) } else { rebuilt });
        }
        let result = order.place(e).map_or(e, |k| done[k]);
        self.release(order);
        result
    }

    /// A node with simplified children: a function of the node alone, so it is remembered.
    fn simplify_node(&mut self, e: Expr) -> Expr {
        if !matches!(self.node(e), Node::Sum(..) | Node::Product(_)) {
            return e;
        }
        if let Some(known) = self.simplified.get(&e) {
            return *known;
        }
        let simple = self.shortest_rewriting(e);
        self.simplified.insert(e, simple);
        simple
    }

    fn shortest_rewriting(&mut self, e: Expr) -> Expr {
        let mut best = (self.cost(e), e);
        let mut candidates = vec![self.collect_trig(e)];
        if let Some(expanded) = self.expand(e, MAX_TERMS) {
            candidates.push(self.collect_trig(expanded));
        }
        for c in candidates {
            let factored = self.common_factor(c);
            for e in [c, factored] {
                let cost = self.cost(e);
                if cost < best.0 {
                    best = (cost, e);
                }
            }
        }
        best.1
    }

    /// How long `e` is when written out as a tree, saturating.
    pub fn cost(&mut self, e: Expr) -> u64 {
        let order = self.order(&[e], 0);
        let mut costs: Vec<u64> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let of = |e: &Expr| order.place(*e).map_or(1, |k| costs[k]);
            let list = |list: &[Weighted]| {
                list.iter().fold(0u64, |sum, (e, c)| {
                    sum.saturating_add(of(e)).saturating_add(u64::from(!c.is_one()))
                })
            };
            let cost = match self.node(n) {
                Node::Number(_) | Node::Pi | Node::Symbol(_) => 1,
                Node::Sum(c, terms) => list(terms).saturating_add(u64::from(!c.is_zero())),
                Node::Product(factors) => list(factors),
                Node::Power(b, x) => of(b).saturating_add(of(x)),
                Node::Call(_, args) => args.iter().fold(1u64, |sum, a| sum.saturating_add(of(a))),
            };
            costs.push(cost.saturating_add(1));
        }
        let cost = order.place(e).map_or(1, |k| costs[k]);
        self.release(order);
        cost
    }

    /// Products of sums and whole powers of sums multiplied out, at the top of `e` only; `None` where
    /// there is nothing to multiply or more than `limit` terms would come of it.
    pub fn expand(&mut self, e: Expr, limit: usize) -> Option<Expr> {
        let mut result = self.expand_once(e, limit)?;
        // Multiplying out may uncover further products of sums (powers of powers).
        for _ in 0..MAX_ROUNDS {
            match self.expand_once(result, limit) {
                Some(further) => result = further,
                None => break,
            }
        }
        Some(result)
    }

    fn expand_once(&mut self, e: Expr, limit: usize) -> Option<Expr> {
        let terms: Vec<Weighted> = match self.node(e) {
            Node::Sum(c, terms) => terms.iter().cloned().chain([(Self::ONE, c.clone())]).collect(),
            _ => vec![(e, Rational::ONE)],
        };
        let mut changed = false;
        let mut result: Vec<Weighted> = Vec::new();
        for (t, c) in terms {
            match self.expand_product(t, limit)? {
                Some(expanded) => {
                    changed = true;
                    result.push((expanded, c));
                }
                None => result.push((t, c)),
            }
        }
        changed.then(|| self.combine(result))
    }

    /// `Some(None)`: nothing to multiply; `None`: too long.
    fn expand_product(&mut self, e: Expr, limit: usize) -> Option<Option<Expr>> {
        let Node::Product(factors) = self.node(e).clone() else { return Some(None) };
        let mut rest: Vec<Weighted> = Vec::new();
        let mut sums: Vec<Expr> = Vec::new();
        for (b, p) in factors {
            let whole = p.to_i64().filter(|n| (1..=8).contains(n));
            match (self.node(b), whole) {
                (Node::Sum(..), Some(n)) => sums.extend(std::iter::repeat_n(b, n as usize)),
                _ => rest.push((b, p)),
            }
        }
        if sums.is_empty() {
            return Some(None);
        }
        let mut acc = self.product(rest);
        for s in sums {
            let (left, right) = (self.terms_of(acc), self.terms_of(s));
            if left.len() * right.len() > limit {
                return None;
            }
            let mut parts = Vec::with_capacity(left.len() * right.len());
            for (a, ca) in &left {
                for (b, cb) in &right {
                    parts.push((self.mul(*a, *b), ca * cb));
                }
            }
            acc = self.combine(parts);
        }
        Some((acc != e).then_some(acc))
    }

    fn terms_of(&self, e: Expr) -> Vec<Weighted> {
        match self.node(e) {
            Node::Sum(c, terms) => {
                let constant = (!c.is_zero()).then(|| (Self::ONE, c.clone()));
                terms.iter().cloned().chain(constant).collect()
            }
            _ => vec![(e, Rational::ONE)],
        }
    }

    /// `a*b + a*c = a*(b + c)`, where every term has the factor.
    pub(crate) fn common_factor(&mut self, e: Expr) -> Expr {
        let Node::Sum(constant, terms) = self.node(e).clone() else { return e };
        if !constant.is_zero() || terms.len() < 2 {
            return e;
        }
        let mut common = self.factors_of(terms[0].0);
        for (t, _) in &terms[1..] {
            let factors: FxHashMap<Expr, Rational> = self.factors_of(*t).into_iter().collect();
            common.retain_mut(|(b, p)| match factors.get(b) {
                Some(q) if q.is_negative() == p.is_negative() => {
                    if q.abs() < p.abs() {
                        *p = q.clone();
                    }
                    true
                }
                _ => false,
            });
        }
        if common.is_empty() {
            return e;
        }
        let mut rest = Vec::new();
        for (t, c) in terms {
            let inverse = common.iter().map(|(b, p)| (*b, -p));
            let quotient = self.product(inverse.chain([(t, Rational::ONE)]).collect::<Vec<_>>());
            rest.push((quotient, c));
        }
        let rest = self.combine(rest);
        self.product(common.into_iter().chain([(rest, Rational::ONE)]))
    }

    fn factors_of(&self, e: Expr) -> Vec<Weighted> {
        match self.node(e) {
            Node::Product(factors) => factors.to_vec(),
            Node::Number(_) => Vec::new(),
            _ => vec![(e, Rational::ONE)],
        }
    }

    /// Applies the identities above to the terms of a sum until none fits. Each one shortens the sum.
    pub(crate) fn collect_trig(&mut self, e: Expr) -> Expr {
        let Node::Sum(..) = self.node(e) else { return e };
        let mut current = e;
        loop {
            let terms = self.terms_of(current);
            if terms.len() > MAX_COLLECT {
                return current;
            }
            let coefficients: FxHashMap<Expr, Rational> = terms.iter().cloned().collect();
            let step = terms.iter().find_map(|(t, c)| self.trig_step(*t, c, &coefficients));
            let Some(changes) = step else { return current };
            current = self.combine([(current, Rational::ONE)].into_iter().chain(changes));
        }
    }

    /// A rewriting that involves the term `c * t`: what to add to the sum.
    fn trig_step(&mut self, t: Expr, c: &Rational, all: &FxHashMap<Expr, Rational>) -> Option<Vec<Weighted>> {
        let trig: Vec<(Function, Expr, Rational)> = self
            .factors_of(t)
            .into_iter()
            .filter_map(|(b, p)| match self.node(b) {
                Node::Call(f @ (Function::Sin | Function::Cos), args) if p >= Rational::ONE => {
                    Some((*f, args[0], p))
                }
                _ => None,
            })
            .collect();
        for (f, u, p) in &trig {
            if *p >= 2.into()
                && let Some(changes) = self.pythagoras(t, c, *f, *u, all)
            {
                return Some(changes);
            }
        }
        for (i, (f, u, _)) in trig.iter().enumerate() {
            for (g, v, _) in &trig[i + 1..] {
                if u != v
                    && let Some(changes) = self.addition_theorem(t, c, (*f, *u), (*g, *v), all)
                {
                    return Some(changes);
                }
            }
        }
        None
    }

    fn pythagoras(
        &mut self,
        t: Expr,
        c: &Rational,
        f: Function,
        u: Expr,
        all: &FxHashMap<Expr, Rational>,
    ) -> Option<Vec<Weighted>> {
        let (this, other) = (self.call1(f, u), self.call1(conjugate(f), u));
        let rest = self.product([(t, Rational::ONE), (this, (-2).into())]);
        let partner = self.product([(rest, Rational::ONE), (other, 2.into())]);
        if all.get(&partner) == Some(c) {
            return Some(vec![(t, -c), (partner, -c), (rest, c.clone())]);
        }
        if all.get(&rest) == Some(&-c) {
            return Some(vec![(t, -c), (rest, c.clone()), (partner, -c)]);
        }
        None
    }

    fn addition_theorem(
        &mut self,
        t: Expr,
        c: &Rational,
        (f, u): (Function, Expr),
        (g, v): (Function, Expr),
        all: &FxHashMap<Expr, Rational>,
    ) -> Option<Vec<Weighted>> {
        let (fu, gv) = (self.call1(f, u), self.call1(g, v));
        let rest = self.product([(t, Rational::ONE), (fu, Rational::MINUS_ONE), (gv, Rational::MINUS_ONE)]);
        let (fu, gv) = (self.call1(conjugate(f), u), self.call1(conjugate(g), v));
        let partner = self.product([(rest, Rational::ONE), (fu, Rational::ONE), (gv, Rational::ONE)]);
        let d = all.get(&partner)?;
        let same = d == c;
        if !same && *d != -c {
            return None;
        }
        // cos u cos v +- sin u sin v = cos(u -+ v);  sin u cos v +- cos u sin v = sin(u +- v);
        // written from the other side: sin u sin v +- cos u cos v = +-cos(u -+ v), and so on.
        let (h, minus, sign) = match (f, g) {
            (Function::Cos, Function::Cos) => (Function::Cos, same, Rational::ONE),
            (Function::Sin, Function::Sin) => (Function::Cos, same, signed(same)),
            (Function::Sin, _) => (Function::Sin, !same, Rational::ONE),
            _ => (Function::Sin, !same, signed(same)),
        };
        let angle = if minus { self.sub(u, v) } else { self.add(u, v) };
        let h = self.call1(h, angle);
        let whole = self.mul(rest, h);
        Some(vec![(t, -c), (partner, -d), (whole, c * &sign)])
    }
}

fn conjugate(f: Function) -> Function {
    if f == Function::Sin { Function::Cos } else { Function::Sin }
}

fn signed(positive: bool) -> Rational {
    if positive { Rational::ONE } else { Rational::MINUS_ONE }
}
