//! Number literals with exponents beyond every range: read or refused, in debug builds too.

use dalembert::diagnostic::{Code, any_error};
use dalembert::source::Source;
use dalembert::syntax::parse;

#[test]
fn exponents_at_the_ends_of_every_integer_type_are_refused_without_overflow() {
    let ends =
        ["2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "18446744073709551616"];
    for mantissa in ["0", "0.0", "1", "1.5"] {
        for sign in ["", "+", "-"] {
            for end in ends {
                let text = format!("parameter p = {mantissa}e{sign}{end}\n");
                let (_, said) = parse(&Source::new("m", &text));
                assert!(said.iter().any(|d| d.code == Code::NumberOutOfRange), "{text}");
            }
        }
    }
}

#[test]
fn exponents_within_the_range_are_read() {
    for text in ["0e1000", "0e-1000", "1e308", "2.3e-308", "0.0000e-5"] {
        let (_, said) = parse(&Source::new("m", format!("parameter p = {text}\n")));
        assert!(!any_error(&said), "{text}");
    }
}
