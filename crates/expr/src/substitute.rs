//! Putting expressions in the place of symbols, and rebuilding in general.

use crate::function::Function;
use crate::pool::wanted::Wanted;
use crate::pool::{Expr, Node, Pool, Symbol, Weighted};

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
        if images.is_empty() {
            return roots.to_vec();
        }
        let symbols: Vec<Symbol> = images.iter().map(|image| image.0).collect();
        let (filter, wanted) = (Self::filter_of(symbols.iter().copied()), Wanted::new(&symbols));
        let order = self.order(roots, filter);
        let mut done: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        for &n in &order.nodes {
            let image = |e: Expr| order.place(e).map_or(e, |k| done[k]);
            let new = match self.as_symbol(n) {
                Some(s) => wanted.place(s).map_or(n, |k| images[k].1),
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
                node => {
                    let mut list = self.list();
                    let new = Image::of(node, image, &mut list).map(|new| self.make(new, &mut list));
                    self.keep(list);
                    new.unwrap_or(Self::ZERO)
                }
            };
            done.push(new);
        }
        let result = roots.iter().map(|&e| order.place(e).map_or(Self::ZERO, |k| done[k])).collect();
        from.release(order);
        result
    }

    /// The node `e` with its children replaced.
    pub(crate) fn rebuild(&mut self, e: Expr, image: impl Fn(Expr) -> Expr) -> Expr {
        let mut list = self.list();
        let made = match Image::of(self.node(e), image, &mut list) {
            Some(new) => self.make(new, &mut list),
            None => e,
        };
        self.keep(list);
        made
    }

    fn make(&mut self, new: Image, list: &mut Vec<Weighted>) -> Expr {
        match new {
            Image::Sum => self.combine(list.drain(..)),
            Image::Product => self.product(list.drain(..)),
            Image::Power(base, exponent) => self.pow(base, exponent),
            Image::Call(f, args) => self.call(f, &args[..f.arity()]),
        }
    }
}

/// A node whose children have been replaced; those of a sum or product are in a list beside it.
enum Image {
    Sum,
    Product,
    Power(Expr, Expr),
    Call(Function, [Expr; 3]),
}

impl Image {
    /// `None` if the node has no children.
    fn of(node: &Node, image: impl Fn(Expr) -> Expr, list: &mut Vec<Weighted>) -> Option<Self> {
        let images = |inner: &[Weighted], list: &mut Vec<Weighted>| {
            list.extend(inner.iter().map(|(e, c)| (image(*e), c.clone())));
        };
        Some(match node {
            Node::Number(_) | Node::Pi | Node::Symbol(_) => return None,
            Node::Sum(constant, terms) => {
                images(terms, list);
                list.push((Pool::ONE, constant.clone()));
                Image::Sum
            }
            Node::Product(factors) => {
                images(factors, list);
                Image::Product
            }
            Node::Power(base, exponent) => Image::Power(image(*base), image(*exponent)),
            Node::Call(f, args) => {
                let mut all = [Pool::ZERO; 3];
                all.iter_mut().zip(args).for_each(|(new, a)| *new = image(*a));
                Image::Call(*f, all)
            }
        })
    }
}
