//! Numbers that are not finite, and values that are given twice: said, or refused, never passed over.

use crate::support::{load, run, until};
use dalembert::diagnostic::{Code, Severity};
use dalembert::run::Flow;
use dalembert::{Overrides, Request, Source, Workspace};

const PASSES_ZERO: &str = "parameter m = 1, p[1..3] = 1\ncoordinate x, q[1..3]\n\
    kinetic m*x'^2/2 + sum(i in 1..3, p[i]*q[i]'^2/2)\n\
    initial x = 0, x' = 1\noutput pole = 1/x, root = sqrt(x - 0.7), fine = x^2\n";

#[test]
fn outputs_that_are_not_finite_are_named_with_their_times_and_counts() {
    let request = Request { until: Some(2.0), every: Some(0.5), ..Request::default() };
    let motion = run(&mut load(PASSES_ZERO), &request);
    let said: Vec<&str> = motion.warnings.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(motion.warnings.iter().all(|d| d.code == Code::OutputNotFinite && d.span.is_some()));
    assert!(motion.warnings.iter().all(|d| d.severity == Severity::Warning));
    assert_eq!(said[0], "`pole` is not a finite number in 1 of 5 rows, first at t = 0");
    assert_eq!(said[1], "`root` is not a finite number in 2 of 5 rows, first at t = 0");
    let calm = run(&mut load(&PASSES_ZERO.replace("pole = 1/x, root = sqrt(x - 0.7), ", "")), &until(2.0));
    assert!(calm.warnings.is_empty());
}

#[test]
fn a_state_that_is_not_finite_is_an_error() {
    let text = "coordinate x\nmass [[1]]\nforce [2*x^3]\ninitial x = 1, x' = 1\n";
    for method in ["dop853", "rk4", "tsit5"] {
        let request = Request { until: Some(3.0), method: Some(method.into()), ..Request::default() };
        let motion = load(text).simulate(&request, |_| Flow::Continue).expect("it starts");
        assert!(motion.failure.is_some(), "{method}");
        let states = motion.table.rows().all(|row| row.iter().all(|v| v.is_finite()));
        assert!(states, "{method}: what is in the table is a motion");
    }
}

fn refused(set: &[(&str, &str)], initial: &[&str]) -> Option<String> {
    let overrides = Overrides {
        set: set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        initial: initial.iter().map(|text| (*text).to_owned()).collect(),
    };
    let said = Workspace::load(&Source::new("model.dal", PASSES_ZERO), &overrides).err()?;
    Some(said[0].message.clone())
}

#[test]
fn a_value_given_twice_is_refused_with_both() {
    let twice = refused(&[("m", "2"), ("p", "1"), ("m", "3")], &[]).expect("refused");
    assert_eq!(twice, "`m` is given twice: `--set m=2` and `--set m=3`");
    let twice = refused(&[], &["x=2", "q[1]=0", "x~3"]).expect("refused");
    assert_eq!(twice, "`x` is given twice: `--initial x=2` and `--initial x~3`");
    assert!(refused(&[], &["x'=2", "x'=2"]).is_some(), "equal values too");
    assert!(refused(&[], &["x=1, x=2"]).is_some(), "in one option too");
    assert!(refused(&[], &["q[2]=1", "q[1..3]=0"]).is_some(), "the family would undo its member");
}

#[test]
fn a_member_may_differ_from_its_family() {
    assert_eq!(refused(&[("p", "2"), ("p[2]", "3")], &[]), None);
    assert_eq!(refused(&[("p[2]", "3"), ("p", "2")], &[]), None);
    assert_eq!(refused(&[], &["q[1..3]=0", "q[2]=1"]), None);
    assert_eq!(refused(&[], &["x=1", "x'=1"]), None);
}
