//! Names of the model language, spelt in every dialect: what comes out is a name there, and different names differ.

use dalembert_expr::Format;
use proptest::prelude::*;

/// A name with indices, components and primes, as rows of vector constraints in families have.
#[derive(Clone, Debug, PartialEq)]
struct Name {
    stem: String,
    indices: Vec<i64>,
    components: Vec<&'static str>,
    primes: usize,
}

impl Name {
    fn text(&self) -> String {
        let indices: Vec<String> = self.indices.iter().map(i64::to_string).collect();
        let brackets = if indices.is_empty() { String::new() } else { format!("[{}]", indices.join(",")) };
        let components: String = self.components.iter().map(|c| format!(".{c}")).collect();
        format!("{}{brackets}{components}{}", self.stem, "'".repeat(self.primes))
    }
}

fn names() -> impl Strategy<Value = Name> {
    let stems =
        ["q", "theta", "lambda_pin", "θ", "lambda", "x_1", "L2", "for", "Matrix", "_", "größe", "P_rod_3"];
    let components = prop::collection::vec(prop::sample::select(vec!["x", "y", "z", "4", "12"]), 0..3);
    let indices = prop::collection::vec(-12i64..40, 0..4);
    (prop::sample::select(stems.to_vec()), indices, components, 0usize..4).prop_map(
        |(stem, indices, components, primes)| Name { stem: stem.to_owned(), indices, components, primes },
    )
}

/// Whether Python takes it for one name.
fn is_identifier(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    first && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether brackets and braces of LaTeX close where they must, and nothing of the model language is left over.
fn is_latex(text: &str) -> bool {
    let mut depth = 0i32;
    let closed = text.chars().all(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth >= 0
    });
    closed && depth == 0 && !text.contains(['[', ']', '\'', '.'])
}

proptest! {
    #[test]
    fn every_name_is_a_name_in_every_dialect(name in names()) {
        let text = name.text();
        prop_assert_eq!(&Format::Text.name(&text), &text);
        let python = Format::Python.name(&text);
        prop_assert!(is_identifier(&python), "{} -> {}", text, python);
        prop_assert!(!["for", "lambda", "Matrix"].contains(&python.as_str()), "{}", python);
        let latex = Format::Latex.name(&text);
        prop_assert!(is_latex(&latex), "{} -> {}", text, latex);
        let displaced = format!("delta({text})");
        prop_assert!(is_identifier(&Format::Python.name(&displaced)), "{}", displaced);
        prop_assert!(is_latex(&Format::Latex.name(&displaced)), "{}", displaced);
    }

    /// Members, components and rates of one family are told apart, in as many subscripts.
    #[test]
    fn no_two_parts_of_a_family_are_spelt_alike(a in names(), b in names()) {
        let b = Name { stem: a.stem.clone(), ..b };
        let parts = |name: &Name| {
            let indices = name.indices.iter().map(i64::to_string);
            let all = indices.chain(name.components.iter().map(|c| (*c).to_owned()));
            (all.collect::<Vec<_>>(), name.primes)
        };
        // `q[1,4]` and `q[1].4` have the same subscripts: who prints both tells them apart.
        prop_assume!(parts(&a) != parts(&b));
        for format in [Format::Text, Format::Python, Format::Latex] {
            prop_assert_ne!(format.name(&a.text()), format.name(&b.text()));
        }
    }
}

#[test]
fn a_row_of_a_vector_constraint_in_a_family_has_three_subscripts() {
    assert_eq!(Format::Python.name("lambda_pin[1].x"), "lambda_pin_1_x");
    assert_eq!(Format::Latex.name("lambda_pin[1].x"), r"\lambda_{\mathrm{pin},1,x}");
    assert_eq!(Format::Python.name("delta(q[2])"), "delta_q_2");
    assert_eq!(Format::Python.name("q[-1,2]''"), "q_m1_2_ddot");
}
