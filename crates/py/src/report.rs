//! A model on one page.

use crate::convert::object;
use crate::simulate::RunRequest;
use crate::system::System;
use crate::watch::SignalWatch;
use dalembert::Overrides;
use dalembert::diagnostic;
use dalembert::equations::Form;
use dalembert::run::Flow;
use dalembert_view::report_page::{self, Wanted};
use pyo3::prelude::*;

/// What the page has: forms of the equations, or the usual ones; the motion; a player; the verification.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PageRequest {
    forms: Vec<String>,
    motion: bool,
    player: bool,
    verify: bool,
    set: Vec<(String, String)>,
    initial: Vec<String>,
}

type Page<'py> = (String, bool, Bound<'py, PyAny>);

/// The page, whether it has all that was asked for, and what is missing on it.
#[pyfunction]
pub fn report<'py>(
    py: Python<'py>,
    system: &System,
    wish: RunRequest,
    page: PageRequest,
) -> PyResult<Page<'py>> {
    let mut watch = SignalWatch::new(None);
    let source = &system.source;
    let made = system.ask(py, |model| {
        let forms = page.forms.iter().map(|form| form.parse::<Form>()).collect::<Result<Vec<_>, _>>()?;
        let wanted = Wanted {
            request: wish.request()?,
            forms: (!forms.is_empty()).then_some(forms),
            motion: page.motion,
            player: page.player,
            verify: page.verify,
            overrides: Overrides { set: page.set, initial: page.initial, ..Overrides::default() },
        };
        let mut flow = |_| if watch.stop(|_| Ok(())) { Flow::Cancel } else { Flow::Continue };
        Ok(report_page::write(model, source, &wanted, &mut flow))
    })?;
    if let Some(raised) = watch.raised() {
        return Err(raised);
    }
    Ok((made.html, !made.failed, object(py, &diagnostic::json(&made.troubles, source))?))
}
