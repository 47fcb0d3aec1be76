//! Laws over random expressions: every road gives the same value.

use dalembert_expr::{Expr, Function, Pool, Rational, Symbol, Zero};
use proptest::prelude::*;

/// A recipe for an expression in x, y, z: built step by step from earlier values.
#[derive(Clone, Debug)]
enum Step {
    Number(i64, i64),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Power(usize, i64),
    Root(usize),
    Call(usize, usize),
    Choose(usize, usize, usize),
}

/// How many functions a text may call; they come first in the table.
fn callable() -> usize {
    Function::ALL.iter().take_while(|f| Function::by_name(f.name()).is_some()).count()
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let i = 0usize..100;
    let step = prop_oneof![
        (-6i64..7, 1i64..5).prop_map(|(n, d)| Step::Number(n, d)),
        (i.clone(), i.clone()).prop_map(|(a, b)| Step::Add(a, b)),
        (i.clone(), i.clone()).prop_map(|(a, b)| Step::Sub(a, b)),
        (i.clone(), i.clone()).prop_map(|(a, b)| Step::Mul(a, b)),
        (i.clone(), i.clone()).prop_map(|(a, b)| Step::Div(a, b)),
        (i.clone(), -2i64..4).prop_map(|(a, n)| Step::Power(a, n)),
        i.clone().prop_map(Step::Root),
        (0..callable(), i.clone()).prop_map(|(f, a)| Step::Call(f, a)),
        (i.clone(), i.clone(), i).prop_map(|(a, b, c)| Step::Choose(a, b, c)),
    ];
    prop::collection::vec(step, 1..14)
}

struct Case {
    pool: Pool,
    symbols: Vec<Symbol>,
    e: Expr,
}

/// The expression, together with its value computed alongside without the pool's help; NaN where any value on the way
/// is undefined, for there the pool may extend the domain (`x/x = 1`).
fn build(steps: &[Step], at: [f64; 3]) -> (Case, f64) {
    let mut pool = Pool::new();
    let symbols: Vec<Symbol> = ["x", "y", "z"].iter().map(|n| pool.symbol(n)).collect();
    let mut values: Vec<(Expr, f64)> = symbols.iter().zip(at).map(|(s, v)| (pool.var(*s), v)).collect();
    for step in steps {
        let n = values.len();
        let get = |k: &usize| values[k % n];
        let next = match step {
            Step::Number(p, q) => (pool.number(Rational::new(*p, *q).unwrap()), *p as f64 / *q as f64),
            Step::Add(a, b) => (pool.add(get(a).0, get(b).0), get(a).1 + get(b).1),
            Step::Sub(a, b) => (pool.sub(get(a).0, get(b).0), get(a).1 - get(b).1),
            Step::Mul(a, b) => (pool.mul(get(a).0, get(b).0), get(a).1 * get(b).1),
            Step::Div(a, b) => (pool.div(get(a).0, get(b).0), get(a).1 / get(b).1),
            Step::Power(a, p) => (pool.powi(get(a).0, *p), get(a).1.powi(*p as i32)),
            Step::Root(a) => (pool.sqrt(get(a).0), get(a).1.sqrt()),
            Step::Call(f, a) => {
                let f = Function::ALL[*f];
                let args = vec![get(a).0; f.arity()];
                (pool.call(f, &args), f.op().apply(get(a).1, get(a).1, 0.0))
            }
            Step::Choose(a, b, c) => {
                // Off by an odd number: rounding must not decide between `y^2/y` and `y`.
                let offset = pool.number(Rational::new(137, 1000).unwrap());
                let shifted = pool.add(get(a).0, offset);
                let condition = pool.call(Function::Less, &[shifted, get(b).0]);
                let value = if get(a).1 + 0.137 < get(b).1 { get(b).1 } else { get(c).1 };
                (pool.select(condition, get(b).0, get(c).0), value)
            }
        };
        values.push(next);
    }
    let (e, value) = *values.last().unwrap();
    let defined = values.iter().all(|(_, v)| v.is_finite());
    (Case { pool, symbols, e }, if defined { value } else { f64::NAN })
}

/// Equal up to rounding that grew on the way; only where the value is tame.
fn close(a: f64, b: f64, scale: f64) -> bool {
    !a.is_finite() || !b.is_finite() || (a - b).abs() <= 1e-6 * (1.0 + a.abs() + b.abs() + scale)
}

fn point() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-1.9f64..1.9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn canonical_form_simplification_and_tape_keep_the_value(steps in steps(), at in point()) {
        let (Case { mut pool, symbols, e }, want) = build(&steps, at);
        let value = |s: Symbol| at[symbols.iter().position(|t| *t == s).unwrap()];
        prop_assume!(want.is_finite() && want.abs() < 1e6);
        let got = pool.evaluate(e, value);
        prop_assert!(close(got, want, 0.0), "{} gives {got}, not {want}", pool.text(e));
        let simple = pool.simplify(e);
        let simplified = pool.evaluate(simple, value);
        prop_assert!(close(simplified, want, 0.0), "{} -> {}", pool.text(e), pool.text(simple));
        let tidy = pool.tidy(e);
        let tidied = pool.evaluate(tidy, value);
        prop_assert!(tidied.is_finite() && close(tidied, want, 0.0), "{} -> {}", pool.text(e), pool.text(tidy));
        let program = pool.lower(&symbols, &[e]);
        let (mut registers, mut out) = (vec![0.0; program.register_count()], [0.0]);
        program.run(&at, &mut registers, &mut out);
        prop_assert!(close(out[0], got, 0.0));
        if pool.is_zero(e) == Zero::Yes {
            prop_assert!(want.abs() < 1e-6, "{} was called zero", pool.text(e));
        }
    }

    #[test]
    fn gradient_is_derivative_is_finite_difference(steps in steps(), at in point()) {
        let (Case { mut pool, symbols, e }, _) = build(&steps, at);
        let index = |s: Symbol| symbols.iter().position(|t| *t == s).unwrap();
        let gradient = pool.gradient(e, &symbols);
        for (k, s) in symbols.iter().enumerate() {
            let partial = pool.diff(e, *s);
            let [a, b]: [f64; 2] =
                [partial, gradient[k]].map(|d| pool.evaluate(d, |s| at[index(s)]));
            if a.is_finite() && b.is_finite() {
                prop_assert!((a - b).abs() <= 1e-7 * (1.0 + a.abs()), "{} : {a} {b}", pool.text(e));
            }
            // Two step sizes: where they disagree the function is not smooth enough to judge by.
            let central = |pool: &mut Pool, h: f64| {
                let mut ends = [0.0; 2];
                for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
                    let moved = |s: Symbol| at[index(s)] + if index(s) == k { sign * h } else { 0.0 };
                    *end = pool.evaluate(e, moved);
                }
                (ends[0] - ends[1]) / (2.0 * h)
            };
            let (coarse, fine) = (central(&mut pool, 2e-5), central(&mut pool, 1e-5));
            let judge = coarse.is_finite() && fine.is_finite() && (coarse - fine).abs() < 1e-6 * (1.0 + fine.abs());
            let value = pool.evaluate(e, |s| at[index(s)]).abs();
            if judge && a.is_finite() && value < 1e3 && fine.abs() < 1e3 {
                prop_assert!((a - fine).abs() < 1e-3 * (1.0 + a.abs()), "d {} = {a}, differences {fine}", pool.text(e));
            }
        }
    }
}

#[test]
fn roots_of_squares_are_not_forgotten() {
    let mut pool = Pool::new();
    let x = pool.named("x");
    let square = pool.powi(x, 2);
    let root = pool.sqrt(square);
    assert_ne!(root, x);
    assert_eq!(pool.evaluate(root, |_| -3.0), 3.0);
    let back = pool.powi(root, 2);
    assert_eq!(back, square);
}

#[test]
fn exact_numbers_stay_exact() {
    let mut pool = Pool::new();
    let eight = pool.int(8);
    let root = pool.sqrt(eight);
    assert_eq!(pool.text(root), "2*sqrt(2)");
    let product = pool.mul(root, root);
    assert_eq!(product, eight);
    let pi = pool.pi();
    let third = pool.scale(pi, Rational::new(1, 3).unwrap());
    let cosine = pool.call1(Function::Cos, third);
    assert_eq!(pool.text(cosine), "0.5");
}

#[test]
fn a_deep_chain_needs_no_stack() {
    let mut pool = Pool::new();
    let x = pool.symbol("x");
    let mut e = pool.var(x);
    for _ in 0..200_000 {
        let s = pool.call1(Function::Sin, e);
        e = pool.add(s, Pool::ONE);
    }
    let d = pool.diff(e, x);
    assert!(pool.evaluate(d, |_| 0.3).is_finite());
    assert!(pool.print(e, dalembert_expr::Format::Text).contains("operations"));
}

#[test]
fn division_by_zero_stays_visible() {
    let mut pool = Pool::new();
    let x = pool.named("x");
    let e = pool.div(x, Pool::ZERO);
    assert!(!pool.evaluate(e, |_| 1.0).is_finite());
    let product = pool.mul(e, Pool::ZERO);
    assert!(!pool.evaluate(product, |_| 1.0).is_finite());
}

#[test]
fn inverses_of_rotations_are_short() {
    let mut pool = Pool::new();
    let th = pool.named("th");
    let (c, s) = (pool.call1(Function::Cos, th), pool.call1(Function::Sin, th));
    let minus = pool.neg(s);
    let inverse = pool.inverse(&[vec![c, s], vec![minus, c]]).unwrap();
    let printed: Vec<String> = inverse.iter().flatten().map(|e| pool.text(*e)).collect();
    assert_eq!(printed, ["cos(th)", "-sin(th)", "sin(th)", "cos(th)"]);
    assert!(pool.inverse(&[vec![c, s], vec![c, s]]).is_none());
}

/// Bodies on a chain that turn about alternate axes, as one writes them by hand: each line is one operation on earlier ones.
#[test]
fn recursions_cost_what_was_written() {
    let mut pool = Pool::new();
    let mut inputs = Vec::new();
    let mut input = |pool: &mut Pool, name: String| {
        inputs.push(pool.symbol(&name));
        pool.named(&name)
    };
    let mut written = 0;
    let mut line = |pool: &mut Pool, operator: fn(&mut Pool, Expr, Expr) -> Expr, a: Expr, b: Expr| {
        written += 1;
        operator(pool, a, b)
    };
    let mut turn: Vec<Expr> = (0..3).map(|k| input(&mut pool, format!("w{k}"))).collect();
    let mut outputs = Vec::new();
    for joint in 0..6 {
        let [c, s, rate, mass] = ["c", "s", "q", "m"].map(|name| input(&mut pool, format!("{name}{joint}")));
        let (i, j, k) = (joint % 3, (joint + 1) % 3, (joint + 2) % 3);
        let (ca, sb) = (line(&mut pool, Pool::mul, c, turn[i]), line(&mut pool, Pool::mul, s, turn[j]));
        let (sa, cb) = (line(&mut pool, Pool::mul, s, turn[i]), line(&mut pool, Pool::mul, c, turn[j]));
        turn[i] = line(&mut pool, Pool::add, ca, sb);
        turn[j] = line(&mut pool, Pool::sub, cb, sa);
        turn[k] = line(&mut pool, Pool::add, turn[k], rate);
        let pull = line(&mut pool, Pool::mul, mass, turn[k]);
        outputs.extend([i, j].map(|axis| line(&mut pool, Pool::mul, pull, turn[axis])));
    }
    let program = pool.lower(&inputs, &outputs);
    let operations = program.counts().total();
    // The sign of a product is taken after it.
    assert!(operations <= written + outputs.len() / 2, "{operations} operations for {written} lines");
}
