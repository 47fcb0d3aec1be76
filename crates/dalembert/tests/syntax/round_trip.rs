//! Text to tree and back.

use dalembert::source::Source;
use dalembert::syntax::{format, parse};
use proptest::prelude::*;

use crate::generate::model;
use crate::{models, read};

#[test]
fn models_survive_formatting() {
    for text in models::ALL {
        let ast = read(text);
        let formatted = format(&ast);
        assert_eq!(ast.without_spans(), read(&formatted).without_spans());
        assert_eq!(formatted, format(&read(&formatted)));
        let comments = |text: &str| text.matches('#').count();
        assert_eq!(comments(text), comments(&formatted), "no comment is lost");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn every_tree_is_read_back(ast in model()) {
        let text = format(&ast);
        let (again, problems) = parse(&Source::new("model.dal", text.as_str()));
        prop_assert!(problems.is_empty(), "{problems:?}\n{text}");
        prop_assert_eq!(&ast.without_spans(), &again.without_spans(), "{}", text);
        prop_assert_eq!(format(&again), text);
    }
}
