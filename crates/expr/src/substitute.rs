//! Putting expressions in the place of symbols, and rebuilding in general.

use crate::pool::{Expr, Node, Pool, Symbol};
use rustc_hash::FxHashMap;

impl Pool {
    /// Replaces symbols by expressions, all at once, in each of `roots`. O(size of the roots).
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let (x, y) = (pool.symbol("x"), pool.symbol("y"));
    /// let (ex, ey) = (pool.var(x), pool.var(y));
    /// let e = pool.sub(ex, ey);
    /// let swapped = pool.substitute(&[e], &[(x, ey), (y, ex)]);
    /// assert_eq!(pool.text(swapped[0]), "y - x");
    /// ```
    pub fn substitute(&mut self, roots: &[Expr], images: &[(Symbol, Expr)]) -> Vec<Expr> {
        let images: FxHashMap<Symbol, Expr> = images.iter().copied().collect();
        let filter = Self::filter_of(images.keys().copied());
        if filter == 0 {
            return roots.to_vec();
        }
        let order = self.order(roots, filter);
        let mut done: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let image = |e: Expr| order.place(e).map_or(e, |k| done[k]);
            let new = match self.as_symbol(n) {
                Some(s) => images.get(&s).copied().unwrap_or(n),
                None => self.rebuild(n, image),
            };
            done.push(new);
        }
        let result = roots.iter().map(|&e| order.place(e).map_or(e, |k| done[k])).collect();
        self.release(order);
        result
    }

    /// Copies expressions from another pool; symbols keep their names.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let (mut one, mut other) = (Pool::new(), Pool::new());
    /// let x = one.named("x");
    /// let square = one.powi(x, 2);
    /// let copy = other.import(&mut one, &[square])[0];
    /// assert_eq!(other.text(copy), "x^2");
    /// ```
    pub fn import(&mut self, from: &mut Pool, roots: &[Expr]) -> Vec<Expr> {
        let order = from.order(roots, 0);
        let mut done: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let image = |e: Expr| order.place(e).map_or(Self::ZERO, |k| done[k]);
            let new = match from.node(n) {
                Node::Number(r) => self.number(r.clone()),
                Node::Pi => self.pi(),
                Node::Symbol(s) => self.named(from.name(*s)),
                node => self.with_children(node.clone(), image),
            };
            done.push(new);
        }
        let result = roots.iter().map(|&e| order.place(e).map_or(Self::ZERO, |k| done[k])).collect();
        from.release(order);
        result
    }

    /// The node `e` with its children replaced.
    pub(crate) fn rebuild(&mut self, e: Expr, image: impl Fn(Expr) -> Expr) -> Expr {
        match self.node(e).clone() {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => e,
            node => self.with_children(node, image),
        }
    }

    fn with_children(&mut self, node: Node, image: impl Fn(Expr) -> Expr) -> Expr {
        match node {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => self.intern(node),
            Node::Sum(constant, terms) => {
                let constant = (Self::ONE, constant);
                self.combine(terms.iter().map(|(t, c)| (image(*t), c.clone())).chain([constant]))
            }
            Node::Product(factors) => self.product(factors.iter().map(|(b, p)| (image(*b), p.clone()))),
            Node::Power(base, exponent) => self.pow(image(base), image(exponent)),
            Node::Call(f, args) => {
                let args: Vec<Expr> = args.iter().map(|a| image(*a)).collect();
                self.call(f, &args)
            }
        }
    }
}
