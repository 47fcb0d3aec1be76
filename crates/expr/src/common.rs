//! Names for the parts that several expressions share, for readers.
//!
//! A part is named where that makes everything together shorter: its length, written out, for every place but one is saved.
//! Parts of parts are counted once more for the definition, not for every place at which the larger part stands.

use crate::pool::{Expr, Node, Pool, Symbol};

/// Parts shorter than this stand where they are.
const SHORTEST: u64 = 4;
/// What a name must save, in operations.
const SAVING: u64 = 8;

impl Pool {
    /// The expressions with names for what they share, and the definitions of the names, each over earlier ones.
    ///
    /// `fresh` gives the symbol of the next name.
    ///
    /// ```
    /// use dalembert_expr::Pool;
    /// let mut pool = Pool::new();
    /// let [x, y, a] = ["x", "y", "a"].map(|name| pool.named(name));
    /// let (xx, yy) = (pool.powi(x, 2), pool.powi(y, 2));
    /// let r = pool.add(xx, yy);
    /// let roots: Vec<_> = [x, y, a].iter().map(|e| pool.div(*e, r)).collect();
    /// let (parts, short) = pool.name_common_parts(&roots, |pool, k| pool.symbol(&format!("z{k}")));
    /// assert_eq!(pool.text(parts[0].1), "x^2 + y^2");
    /// assert_eq!(pool.text(short[2]), "a/z1");
    /// ```
    pub fn name_common_parts(
        &mut self,
        roots: &[Expr],
        mut fresh: impl FnMut(&mut Pool, usize) -> Symbol,
    ) -> (Vec<(Symbol, Expr)>, Vec<Expr>) {
        let shared = self.shared_parts(roots);
        let order = self.order(roots, 0);
        let mut images: Vec<Expr> = Vec::with_capacity(order.nodes.len());
        let mut parts = Vec::new();
        for (k, &n) in order.nodes.iter().enumerate() {
            let rebuilt = self.rebuild(n, |c| order.place(c).map_or(c, |k| images[k]));
            images.push(match shared[k] {
                false => rebuilt,
                true => {
                    let symbol = fresh(self, parts.len() + 1);
                    parts.push((symbol, rebuilt));
                    self.var(symbol)
                }
            });
        }
        let short = roots.iter().map(|e| order.place(*e).map_or(*e, |k| images[k])).collect();
        self.release(order);
        (parts, short)
    }

    /// Which nodes below the roots, in ascending order, are worth a name.
    fn shared_parts(&mut self, roots: &[Expr]) -> Vec<bool> {
        let costs: Vec<u64> = {
            let nodes = self.order(roots, 0);
            let list = nodes.nodes.clone();
            self.release(nodes);
            list.into_iter().map(|n| self.cost(n)).collect()
        };
        let order = self.order(roots, 0);
        let mut places = vec![0u64; order.nodes.len()];
        roots.iter().filter_map(|e| order.place(*e)).for_each(|k| places[k] += 1);
        let mut shared = vec![false; order.nodes.len()];
        for k in (0..order.nodes.len()).rev() {
            let node = self.node(order.nodes[k]);
            let composed = !matches!(node, Node::Number(_) | Node::Pi | Node::Symbol(_));
            let saved = places[k].saturating_sub(1).saturating_mul(costs[k] - 1);
            shared[k] = composed && costs[k] >= SHORTEST && saved >= SAVING && !is_multiple(node);
            let times = if shared[k] { 1 } else { places[k] };
            node.for_each_child(|c| {
                if let Some(k) = order.place(c) {
                    places[k] = places[k].saturating_add(times);
                }
            });
        }
        self.release(order);
        shared
    }
}

/// A number times something: the something is what has a name.
fn is_multiple(node: &Node) -> bool {
    matches!(node, Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1)
}
