fn drive_NAME() {
    use NAME::*;
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let s: Vec<f64> = line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
        let (x, eta) = (s[1..=NX].try_into().unwrap(), s[1 + NX..].try_into().unwrap());
        let (code, rank, values) = match evaluate(s[0], &x, &eta, &PARAMETERS) {
            Ok(r) => {
                let all: [&[f64]; 7] = [&r.x_dot, &r.eta_dot, &r.ideal, &r.nonideal, &r.control, &r.lambda, &r.u];
                (0, r.rank, all.concat())
            }
            Err(failure) => (failure as i32, 0, Vec::new()),
        };
        print!("{code} {rank}");
        values.iter().for_each(|v| print!(" {v:?}"));
        println!();
    }
}

