use dalembert_tape::{Builder, Op};
use std::hint::black_box;
use std::time::Instant;
fn best(mut f: impl FnMut()) -> f64 {
    let mut b = f64::INFINITY;
    for _ in 0..200 {
        let t = Instant::now();
        for _ in 0..1000 {
            f();
        }
        b = b.min(t.elapsed().as_secs_f64() * 1e6);
    }
    b
}
fn main() {
    for k in 0..5 {
        let mut t = Builder::new(4);
        let mut outs = vec![];
        for i in 0..k {
            let x = t.input(i);
            outs.push(t.push(Op::Sin, &[x]));
            outs.push(t.push(Op::Cos, &[x]));
        }
        let x = t.input(0);
        outs.push(x);
        let mut p = t.finish(&outs);
        p.compile();
        let mut r = vec![0.0; p.register_count()];
        let mut o = vec![0.0; 10];
        let i = [0.3, 0.6, 1.0, 2.0];
        println!(
            "{k} sincos: {:.2} ns, {} bytes",
            best(|| p.run(black_box(&i), &mut r, &mut o)),
            p.native_bytes()
        );
    }
    println!(
        "libm sin+cos {:.2}",
        best(|| {
            black_box(black_box(0.3f64).sin());
            black_box(black_box(0.3f64).cos());
        })
    );
}
