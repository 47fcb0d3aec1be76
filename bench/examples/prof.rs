use dalembert::{Model, Overrides, Source};
use std::time::Instant;
fn main() {
    let n = std::env::args().nth(1).unwrap_or("10".into());
    let overrides = Overrides { set: vec![("N".into(), n)], ..Overrides::default() };
    let (mut a, mut b) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..60 {
        let t = Instant::now();
        let mut model = Model::load(
            &Source::new("cart.dal", include_str!("../../models/cart_pendulum_chain.dal")),
            &overrides,
        )
        .unwrap();
        a = a.min(t.elapsed().as_secs_f64() * 1e3);
        let t = Instant::now();
        model.compiled.make_fast(&mut model.system, &model.form);
        b = b.min(t.elapsed().as_secs_f64() * 1e3);
    }
    println!("load {a:.3} ms, fast {b:.3} ms");
}
