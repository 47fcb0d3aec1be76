use dalembert::{Model, Overrides, Source};
use dalembert_tape::Operand;
fn main() {
    let n = std::env::args().nth(1).unwrap_or("2".into());
    let overrides = Overrides { set: vec![("N".into(), n)], ..Overrides::default() };
    let mut model = Model::load(
        &Source::new("cart.dal", include_str!("../../models/cart_pendulum_chain.dal")),
        &overrides,
    )
    .unwrap();
    model.compiled.make_fast(&mut model.system, &model.form);
    let lanes = model.compiled.lanes().unwrap();
    let l = lanes.program().listing();
    let f = |o: &Operand| match o {
        Operand::Input(k) => format!("x{k}"),
        Operand::Constant(c) => format!("{c}"),
        Operand::Statement(k) => format!("v{k}"),
    };
    for (i, s) in l.statements.iter().enumerate() {
        println!("v{i} = {:?}({})", s.op, s.operands.iter().map(f).collect::<Vec<_>>().join(", "));
    }
    println!("{}", l.outputs.iter().map(f).collect::<Vec<_>>().join(", "));
}
