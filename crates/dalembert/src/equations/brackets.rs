//! Brackets, written out: the lines of `dalembert brackets`, and each expression by itself.

use super::write::Writer;
use crate::formalism::brackets::BracketAnswer;
use crate::system::notation::Notation;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Format};
use dalembert_syntax::diagnostic::Diagnostic;

/// Brackets of two functions in a format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WrittenBrackets {
    /// {f, g}
    pub bracket: String,
    /// Dirac's bracket of f and g, where there is one.
    pub dirac_bracket: Option<String>,
    /// f'
    pub evolution: Option<String>,
    /// lambda of each constraint row, by the name of the row.
    pub multipliers: Vec<(String, String)>,
    /// H
    pub hamiltonian: Option<String>,
    /// What is missing, and why.
    pub remarks: Vec<String>,
    /// All of it as lines of equations.
    pub lines: String,
}

/// Writes the bracket of two functions and the rate of the first ([`Workspace::brackets`]).
pub fn brackets(
    model: &mut Workspace,
    [f, g]: [&str; 2],
    format: Format,
) -> Result<WrittenBrackets, Box<Diagnostic>> {
    model.require_dense("the bracket")?;
    let answer = model.brackets(f, g)?;
    let lines = lines(model, [f, g], &answer, format);
    let notation = Notation::of(&model.system);
    let pool = &mut model.system.pool;
    let mut print = |e: Expr| {
        let e = pool.tidy(e);
        match format {
            Format::Latex => notation.print(pool, e),
            _ => pool.print(e, format),
        }
    };
    Ok(WrittenBrackets {
        bracket: print(answer.bracket),
        dirac_bracket: answer.dirac_bracket.map(&mut print),
        evolution: answer.evolution.map(&mut print),
        multipliers: answer.multipliers.iter().map(|(name, e)| (name.clone(), print(*e))).collect(),
        hamiltonian: answer.hamiltonian.map(&mut print),
        remarks: answer.remarks,
        lines,
    })
}

fn lines(model: &mut Workspace, [f, g]: [&str; 2], answer: &BracketAnswer, format: Format) -> String {
    let pool = &mut model.system.pool;
    let mut w = Writer::new(format, model.system.title.as_deref());
    if let Some(H) = answer.hamiltonian {
        w.function(pool, "H", H);
    }
    w.note(&format!("Poisson bracket of {f} and {g}, with the bracket of x and p_x equal to 1"));
    w.own(pool, "bracket", answer.bracket);
    if let Some(e) = answer.dirac_bracket {
        w.note("H7: Dirac's bracket, on the constraints");
        w.own(pool, "dirac_bracket", e);
    }
    if let Some(e) = answer.evolution {
        w.note(&format!("rate of {f} along the motion"));
        w.own(pool, "evolution", e);
    }
    if !answer.multipliers.is_empty() {
        w.note("multipliers of the constraints");
    }
    for (name, e) in &answer.multipliers {
        w.equation(pool, &format!("lambda_{name}"), *e);
    }
    answer.remarks.iter().for_each(|remark| w.note(remark));
    w.finish(&mut model.system)
}
