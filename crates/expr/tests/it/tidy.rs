//! What `tidy` makes of expressions a mechanician would write by hand in one line.

use dalembert_expr::{Expr, Function, Pool, Rational, Symbol};

struct Desk {
    pool: Pool,
}

impl Desk {
    fn new() -> Self {
        Desk { pool: Pool::new() }
    }

    fn v(&mut self, name: &str) -> Expr {
        self.pool.named(name)
    }

    fn sin(&mut self, u: Expr) -> Expr {
        self.pool.call1(Function::Sin, u)
    }

    fn cos(&mut self, u: Expr) -> Expr {
        self.pool.call1(Function::Cos, u)
    }

    fn times(&mut self, list: &[Expr]) -> Expr {
        self.pool.product(list.iter().map(|e| (*e, Rational::ONE)))
    }

    fn plus(&mut self, list: &[Expr]) -> Expr {
        self.pool.total(list.iter().copied())
    }

    /// The tidied text; the value at random points must be the same.
    fn tidy(&mut self, e: Expr) -> String {
        let tidied = self.pool.tidy(e);
        for seed in 1..6u32 {
            let value =
                |s: Symbol| 0.3 + 0.41 * f64::from((s.index() as u32 * 7919 + seed * 104_729) % 31) / 7.0;
            let (a, b) = (self.pool.evaluate(e, value), self.pool.evaluate(tidied, value));
            assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{}: {a} {b}", self.pool.text(tidied));
        }
        self.pool.text(tidied)
    }
}

#[test]
fn a_mass_cancels() {
    let mut d = Desk::new();
    let (m, g, u) = (d.v("m"), d.v("g"), d.v("th"));
    let tan = d.pool.call1(Function::Tan, u);
    let square = d.pool.powi(tan, 2);
    let sloped = d.times(&[m, square]);
    let below = d.plus(&[m, sloped]);
    let part = d.pool.div(sloped, below);
    let less = d.pool.sub(part, Pool::ONE);
    let e = d.times(&[m, g, less]);
    let e = d.pool.neg(e);
    assert_eq!(d.tidy(e), "m*g*cos(th)^2");
}

#[test]
fn the_shorter_square_is_chosen() {
    let mut d = Desk::new();
    let (a, b, u) = (d.v("a"), d.v("b"), d.v("u"));
    let (s, c) = (d.sin(u), d.cos(u));
    let (ss, cc) = (d.times(&[s, s]), d.times(&[c, c]));
    // a cos^4 + a sin^2 cos^2 + b sin^2 = a cos^2 + b sin^2
    let e = [d.times(&[a, cc, cc]), d.times(&[a, ss, cc]), d.times(&[b, ss])];
    let e = d.plus(&e);
    let text = d.tidy(e);
    assert!(text.len() <= "a*cos(u)^2 + b*sin(u)^2".len() + 3, "{text}");
    // 1 - cos^2 over 1 - cos
    let one_less = d.pool.sub(Pool::ONE, c);
    let e = d.pool.sub(Pool::ONE, cc);
    let e = d.pool.div(e, one_less);
    assert_eq!(d.tidy(e), "cos(u) + 1");
}

#[test]
fn the_double_pendulum_is_one_fraction() {
    let mut d = Desk::new();
    let [m1, m2, g, l1, l2, v1, v2, u, s1, s2] =
        ["m1", "m2", "g", "l1", "l2", "v1", "v2", "u", "s1", "s2"].map(|n| d.v(n));
    let (s, c) = (d.sin(u), d.cos(u));
    let ss = d.times(&[s, s]);
    let below = d.times(&[m2, ss]);
    let below = d.plus(&[m1, below]);
    // theta2'' as elimination leaves it
    let p = [d.times(&[m2, g, s1]), d.times(&[m1, g, s1]), d.times(&[m2, l2, v2, v2, s])];
    let p = d.plus(&p);
    let p = d.times(&[c, p]);
    let p = d.pool.div(p, below);
    let q = d.times(&[c, c]);
    let q = d.pool.div(q, below);
    let inverse = d.pool.powi(m2, -1);
    let q = d.plus(&[inverse, q]);
    let r = [d.times(&[g, s2]), d.times(&[l1, v1, v1, s])];
    let r = d.pool.sub(r[0], r[1]);
    let q = d.times(&[m2, q, r]);
    let e = d.pool.sub(p, q);
    let e = d.pool.div(e, l2);
    let text = d.tidy(e);
    let best = "((m1 + m2)*(g*s1*cos(u) - g*s2 + l1*v1^2*sin(u)) + m2*l2*v2^2*sin(u)*cos(u))/(l2*(m1 + m2*sin(u)^2))";
    assert!(text.len() <= best.len() * 3 / 2, "{text}");
}

#[test]
fn roots_of_squares_are_magnitudes() {
    let mut d = Desk::new();
    let (m, g, u) = (d.v("m"), d.v("g"), d.v("u"));
    let c = d.cos(u);
    let weight = d.times(&[m, g, c]);
    let square = d.times(&[weight, weight]);
    let e = d.pool.sqrt(square);
    assert_eq!(d.tidy(e), "abs(m*g*cos(u))");
}

/// A sum over an angle expanded too far comes back.
#[test]
fn likes_are_collected() {
    let mut d = Desk::new();
    let [a, b, c, x, y] = ["a", "b", "c", "x", "y"].map(|n| d.v(n));
    let left = d.plus(&[a, b, c]);
    let right = d.plus(&[x, y]);
    let e = d.times(&[left, right]);
    let e = d.pool.expand(e, 100).unwrap();
    let text = d.tidy(e);
    assert!(text.len() <= "(a + b + c)*(x + y)".len() + 2, "{text}");
}

/// Work is bounded: an expression that would explode comes back as it is, soon.
#[test]
fn work_is_bounded() {
    let mut d = Desk::new();
    let sums: Vec<Expr> = (0..12)
        .map(|k| {
            let parts: Vec<Expr> = (0..5).map(|j| d.v(&format!("x{k}_{j}"))).collect();
            d.plus(&parts)
        })
        .collect();
    let e = d.times(&sums);
    let e = d.pool.add(e, Pool::ONE);
    assert_eq!(d.pool.tidy(e), e);
}

/// A divisor that is common to numerator and denominator although neither divides the other.
#[test]
fn common_divisors_cancel() {
    let mut d = Desk::new();
    let [m, inertia, j, r, b, p, q] = ["m", "I", "J", "R", "b", "p", "q"].map(|n| d.v(n));
    let (rr, bb, jb) = (d.times(&[r, r]), d.times(&[b, b]), d.times(&[j, b, b]));
    // (I R^2 + 2 J b^2) (p cos + q), multiplied out in part
    let angle = d.v("psi");
    let cos = d.cos(angle);
    let turned = d.times(&[p, cos]);
    let sum = d.plus(&[turned, q]);
    let (first, second) = (d.times(&[inertia, rr, sum]), d.times(&[jb, sum]));
    let second = d.pool.scale(second, 2.into());
    let above = d.plus(&[first, second]);
    // m I R^4 + 2 J (2 J b^2 + R^2 (I + m b^2)) = (I R^2 + 2 J b^2) (m R^2 + 2 J)
    let (mb, lead) = (d.times(&[m, bb]), d.times(&[m, inertia, rr, rr]));
    let inner = d.plus(&[inertia, mb]);
    let inner = d.times(&[rr, inner]);
    let twice = d.pool.scale(jb, 2.into());
    let inner = d.plus(&[twice, inner]);
    let inner = d.times(&[j, inner]);
    let inner = d.pool.scale(inner, 2.into());
    let below = d.plus(&[lead, inner]);
    let e = d.pool.div(above, below);
    assert_eq!(d.tidy(e), "(q + p*cos(psi))/(2*J + m*R^2)");
}

/// `A g^2 + B g + C` without discriminant, sines and cosines in it.
#[test]
fn squares_are_seen() {
    let mut d = Desk::new();
    let [a, p, x, y, u] = ["a", "p", "x", "y", "th"].map(|n| d.v(n));
    let (s, c) = (d.sin(u), d.cos(u));
    let (left, right) = (d.times(&[a, s, x]), d.times(&[a, c, y]));
    let right = d.pool.neg(right);
    let root = d.plus(&[p, left, right]);
    let square = d.times(&[root, root]);
    let square = d.pool.expand(square, 100).expect("six terms");
    assert_eq!(d.tidy(square), "(p + a*x*sin(th) - a*y*cos(th))^2");
}

/// ... of even powers: the norm of a quaternion.
#[test]
fn squares_of_sums_of_squares_are_seen() {
    let mut d = Desk::new();
    let parts = ["e0", "e1", "e2", "e3"].map(|n| {
        let e = d.v(n);
        d.times(&[e, e])
    });
    let norm = d.plus(&parts);
    let square = d.times(&[norm, norm]);
    let square = d.pool.expand(square, 100).expect("ten terms");
    assert_eq!(d.tidy(square), "(e0^2 + e1^2 + e2^2 + e3^2)^2");
}

/// ... with coefficients that are squares themselves: no quotient of what may vanish.
#[test]
fn squares_of_products_are_seen() {
    let mut d = Desk::new();
    let [m, x, y, p, q] = ["m", "x", "y", "p", "q"].map(|n| d.v(n));
    let (left, right) = (d.times(&[x, q]), d.times(&[y, p]));
    let right = d.pool.neg(right);
    let root = d.plus(&[left, right]);
    let square = d.times(&[m, root, root]);
    let square = d.pool.expand(square, 100).expect("three terms");
    assert_eq!(d.tidy(square), "m*(x*q - y*p)^2");
}

/// `cos(a + c) cos(b) - cos(a) cos(b + c)` is one product.
#[test]
fn products_of_cosines_go_together() {
    let mut d = Desk::new();
    let [a, b, c] = ["a", "b", "c"].map(|n| d.v(n));
    let (ac, bc) = (d.plus(&[a, c]), d.plus(&[b, c]));
    for (f, g) in [
        (Function::Cos, Function::Cos),
        (Function::Sin, Function::Sin),
        (Function::Cos, Function::Sin),
        (Function::Sin, Function::Cos),
    ] {
        let mut product = |f: Function, u: Expr, g: Function, v: Expr| {
            let list = [d.pool.call1(f, u), d.pool.call1(g, v)];
            d.pool.mul(list[0], list[1])
        };
        let (first, second) = (product(f, ac, g, b), product(f, a, g, bc));
        let e = d.pool.sub(first, second);
        let tidied = d.tidy(e);
        assert_eq!(tidied.matches('*').count(), 1, "{tidied}");
        assert!(tidied.contains("sin(c)"), "{tidied}");
    }
}
