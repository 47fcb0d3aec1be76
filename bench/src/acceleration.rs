//! One acceleration of the n-link pendulum on a cart: one state at a time, and 256 states in lanes.

use dalembert_bench::cart::{Cart, Many, ready};
use dalembert_bench::timing::fastest;

fn main() {
    for n in [1, 2, 5, 10, 20] {
        let ms = fastest(5, || drop(ready(n))) * 1e3;
        let mut cart = Cart::new(n);
        println!("n = {n}: {:.1} ns; ready {ms:.2} ms; {:?}", cart.ns(), cart.model.compiled.speed());
        if let Some(mut many) = Many::new(n) {
            println!("   lanes: {:.1} ns a state", many.ns());
        }
    }
}
