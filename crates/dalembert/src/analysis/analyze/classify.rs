//! Constraints classified, one by one and as a set (section 7 of the theory).

use super::curvature::curved;
use super::distribution::{Closure, closure};
use super::forms::alone;
use super::integrals::integrals;
use super::pfaffian::PfaffianSystem;
use super::{Certainty, ConstraintSet, Integral, RowKind, RowReport, Singular, Verdict};
use crate::constraint::constraint_kind;
use crate::kernel_form::Places;
use crate::system::notation::Notation;
use crate::workspace::Workspace;
use dalembert_expr::echelon::{Echelon, dot};
use dalembert_expr::{Expr, Pool, Residue, Symbol};

/// Rows whose own integrals are sought; those of larger models are left out.
const MAX_SEARCHED: usize = 40;
/// Subsets of coordinates at zero are looked at for models up to this size.
const MAX_SINGULAR: usize = 12;

/// Classifies the rows and the set; gives the integrals that were found, in the model's pool, besides.
pub(super) fn classify(model: &mut Workspace) -> (Vec<RowReport>, ConstraintSet, Vec<Expr>) {
    let mut setting = PfaffianSystem::of(model);
    let rows = setting.linear_rows();
    let mut remarks = Vec::new();
    let (closure, undecided) = match closure(&mut setting, &rows) {
        Ok(closure) => (Some(closure), None),
        Err(undecided) => (None, Some(undecided.reason())),
    };
    let rank = rank(model, &mut setting);
    let linear_rank = closure.as_ref().map_or(0, |c| c.at.rank);
    let mut reports = Vec::new();
    let mut own: Vec<Option<Expr>> = Vec::new();
    for k in 0..setting.rows.len() {
        let (report, integral) = row(model, &mut setting, k, closure.as_ref());
        reports.push(report);
        own.push(integral);
    }
    let disguised = disguised(model, &setting);
    for k in &disguised {
        (reports[*k].kind, reports[*k].integrable_alone) = (RowKind::Undecided, None);
    }
    let nonlinear = rows.len() < setting.rows.len();
    let bent = nonlinear && disguised.len() < setting.rows.len() - rows.len();
    let total = setting.total();
    let dimension = closure.as_ref().map(|c| c.span.len());
    let integrable = dimension.map(|d| total - d);
    let verdict = match integrable {
        _ if setting.rows.is_empty() => Verdict::Free,
        None => Verdict::Undecided,
        Some(h) if h == linear_rank && !nonlinear => Verdict::Holonomic,
        Some(h) if h == linear_rank && !bent => Verdict::Undecided,
        Some(0) => Verdict::Nonholonomic,
        Some(_) => Verdict::Mixed,
    };
    let wanted = integrable.unwrap_or_else(|| setting.rows.iter().filter(|r| r.position.is_some()).count());
    let known: Vec<Expr> = own.iter().flatten().copied().collect();
    let found = match rows.len() {
        0 => Vec::new(),
        m if m > MAX_SEARCHED => known.into_iter().take(wanted).collect(),
        _ => integrals(&mut setting, &rows, wanted, &known),
    };
    if !setting.on_surface {
        remarks.push(
            "position constraints that cannot be solved for a coordinate are looked at as a family f = const"
                .into(),
        );
    }
    setting.exact &= !nonlinear;
    let known_rows = disguised.is_empty();
    let undecided = undecided.or_else(|| said_to_be_open(model, &setting, &disguised));
    let notation = Notation::of(&model.system);
    let mut set = ConstraintSet {
        verdict,
        rank,
        rank_at_start: None,
        degrees_of_freedom: setting.n - rank.min(setting.n),
        space: space(&setting),
        growth: closure.as_ref().map(|c| c.growth.clone()).filter(|_| known_rows),
        closure: dimension.filter(|_| known_rows),
        integrable_combinations: integrable.filter(|_| known_rows),
        nonholonomic: (verdict != Verdict::Undecided)
            .then_some(matches!(verdict, Verdict::Mixed | Verdict::Nonholonomic)),
        integrals: found.iter().map(|e| written(&notation, &mut setting.pool, *e)).collect(),
        integrals_not_found: integrable.map_or(0, |h| h.saturating_sub(found.len())),
        singular: singular(&mut setting, &rows, linear_rank),
        certainty: if setting.exact { Certainty::Exact } else { Certainty::Generic },
        undecided,
        remarks,
    };
    compare_with_start(model, &mut set);
    let positions: Vec<Expr> = setting.rows.iter().filter_map(|row| row.position).collect();
    let new: Vec<Expr> = found.into_iter().filter(|e| !positions.contains(e)).collect();
    let new = model.system.pool.import(&mut setting.pool, &new);
    (reports, set, new)
}

/// Rows nonlinear in the rates that may be linear in disguise, as x'^2 = y'^2 is.
fn disguised(model: &mut Workspace, setting: &PfaffianSystem) -> Vec<usize> {
    let nonlinear: Vec<usize> = (0..setting.rows.len()).filter(|k| setting.rows[*k].form.is_none()).collect();
    if nonlinear.is_empty() {
        return nonlinear;
    }
    let states = model.sample_states();
    nonlinear.into_iter().filter(|k| !curved(model, setting.rows[*k].index, &states)).collect()
}

fn said_to_be_open(model: &Workspace, setting: &PfaffianSystem, rows: &[usize]) -> Option<String> {
    let name = |k: &usize| format!("`{}`", model.system.constraints.rows[setting.rows[*k].index].name);
    let names: Vec<String> = rows.iter().map(name).collect();
    (!names.is_empty())
        .then(|| format!("{}: nonlinear in the rates, and may say the same as linear rows", names.join(", ")))
}

/// A function that is kept constant, in both spellings.
fn written(notation: &Notation, pool: &mut Pool, e: Expr) -> Integral {
    Integral { expression: pool.text(e), latex: notation.print(pool, e) }
}

fn space(setting: &PfaffianSystem) -> Vec<String> {
    // The components are along speeds; where these are rates the names of the coordinates say more.
    let time = setting.lifted.then(|| setting.pool.name(setting.time).to_owned());
    setting.x.iter().map(|s| setting.pool.name(*s).to_owned()).chain(time).collect()
}

/// Generic rank of all rows; those nonlinear in the speeds at random speeds.
fn rank(model: &mut Workspace, setting: &mut PfaffianSystem) -> usize {
    let mut entries: Vec<Vec<(usize, Expr)>> = Vec::new();
    for k in 0..setting.rows.len() {
        entries.push(match &setting.rows[k].form {
            Some(form) => form.entries.clone(),
            None => {
                let row = &model.form.constraint_matrix[setting.rows[k].index];
                let exprs: Vec<Expr> = row.iter().map(|(_, e)| *e).collect();
                let named = setting.pool.import(&mut model.system.pool, &exprs);
                let closed = setting.pool.substitute(&named, &setting.parameters);
                row.iter().map(|(p, _)| *p).zip(closed).collect()
            }
        });
    }
    let wanted: Vec<Expr> = entries.iter().flatten().map(|(_, e)| *e).collect();
    let mut best = 0;
    for k in 0..2 {
        let Some(mut sample) = setting.point(k, 5, &wanted) else { continue };
        let mut echelon = Echelon::new(sample.field(), setting.n);
        for row in &entries {
            let mut dense = vec![Residue::ZERO; setting.n];
            for (p, e) in row {
                dense[*p] = sample.values(&setting.pool, &[*e]).map_or(Residue::ZERO, |v| v[0]);
            }
            echelon.add(dense);
        }
        best = best.max(echelon.rank());
    }
    best
}

fn row(
    model: &mut Workspace,
    setting: &mut PfaffianSystem,
    k: usize,
    closure: Option<&Closure>,
) -> (RowReport, Option<Expr>) {
    let (index, position) = (setting.rows[k].index, setting.rows[k].position);
    let alone = alone(setting, k);
    let linear = setting.rows[k].form.is_some();
    let kind = match (linear, alone, closure) {
        (false, ..) => RowKind::NonlinearNonholonomic,
        (_, Some(alone), _) if alone.integrable => RowKind::Holonomic,
        (_, _, Some(closure)) if annihilates(setting, closure, k) => RowKind::Holonomic,
        (_, _, Some(_)) => RowKind::Nonholonomic,
        (_, _, None) => RowKind::Undecided,
    };
    let integral = match position {
        Some(f) => Some(f),
        None if alone.is_some_and(|a| a.integrable) && k < MAX_SEARCHED => {
            integrals(setting, &[k], 1, &[]).first().copied()
        }
        None => None,
    };
    let system = &model.system;
    let constraint = system.constraints.named[system.constraints.rows[index].constraint].name.clone();
    let name = system.constraints.rows[index].name.clone();
    let report = RowReport {
        name,
        constraint,
        position: position.is_some(),
        kind,
        exact: alone.map(|a| a.exact),
        integrable_alone: alone.map(|a| a.integrable).or((!linear).then_some(false)),
        scleronomic: !constraint_kind::timed(model, index),
        catastatic: constraint_kind::keeps_rest(model, &Places::new(&model.form.speeds), index),
        linear: linear && !setting.rows[k].factored,
        factored: setting.rows[k].factored,
        integral: integral.map(|e| written(&Notation::of(&model.system), &mut setting.pool, e)),
    };
    (report, integral)
}

/// Does the row vanish on the whole closure? Then it is a combination of differentials.
fn annihilates(setting: &PfaffianSystem, closure: &Closure, k: usize) -> bool {
    let rows = setting.linear_rows();
    let Some(place) = rows.iter().position(|r| *r == k) else { return false };
    let f = closure.at.sample.field();
    let mut form = closure.at.A[place].clone();
    form.extend(setting.lifted.then_some(closure.at.A0[place]));
    closure.span.iter().all(|v| dot(f, &form, v).is_zero())
}

/// Where coordinates at zero lower the rank of velocity constraints.
fn singular(setting: &mut PfaffianSystem, rows: &[usize], rank: usize) -> Vec<Singular> {
    let only_velocities = setting.rows.iter().all(|row| row.position.is_none());
    if !only_velocities || rows.is_empty() || setting.x.len() > MAX_SINGULAR {
        return Vec::new();
    }
    let entries: Vec<Expr> = setting.forms().flat_map(|f| f.entries.iter().map(|(_, e)| *e)).collect();
    let present = super::pfaffian::coordinates_in(setting, &entries);
    let mut found: Vec<(Vec<Symbol>, usize)> = Vec::new();
    let singles = present.iter().map(|s| vec![*s]);
    let pairs = present.iter().enumerate().flat_map(|(i, a)| present[..i].iter().map(move |b| vec![*b, *a]));
    for subset in singles.chain(pairs).collect::<Vec<_>>() {
        if found.iter().any(|(known, _)| known.iter().all(|s| subset.contains(s))) {
            continue;
        }
        let Some(mut sample) = setting.anywhere(0, 17, &[]) else { continue };
        sample.set(subset.iter().map(|s| (*s, Residue::ZERO)));
        if let Some(at) = setting.around(sample, rows).filter(|at| at.rank < rank) {
            found.push((subset, at.rank));
        }
    }
    let name = |s: &Symbol| format!("{} = 0", setting.pool.name(*s));
    let place = |subset: &[Symbol]| subset.iter().map(name).collect::<Vec<_>>().join(", ");
    found.iter().map(|(subset, rank)| Singular { place: place(subset), rank: *rank }).collect()
}

/// The rank at the model's own start beside the generic one.
fn compare_with_start(model: &mut Workspace, set: &mut ConstraintSet) {
    if model.system.constraints.rows.is_empty() {
        return;
    }
    let Ok(start) = model.start() else {
        set.remarks.push("no consistent start was found; the rank there is not known".into());
        return;
    };
    let freedom = constraint_kind::Freedom::at(model, &start);
    set.rank_at_start = Some(freedom.rank);
    let positions = model.system.constraints.rows.iter().filter(|row| row.holonomic).count();
    if freedom.rank_nearby < set.rank && positions == model.system.constraints.rows.len() {
        // Rows that depend on each other on their surface only, as in an overclosed linkage that moves all the same.
        set.remarks.push(format!(
            "the rows have rank {} on their surface and {} beside it: found by rounded numbers at consistent states",
            freedom.rank_nearby, set.rank
        ));
        let lifted = set.closure.map_or(0, |d| d + set.rank - model.form.speeds.len());
        set.rank = freedom.rank_nearby;
        set.degrees_of_freedom = model.form.speeds.len() - set.rank;
        set.closure = Some(set.degrees_of_freedom + lifted);
        set.growth = set.closure.map(|d| vec![d]);
        set.integrable_combinations = Some(set.rank);
        set.integrals.truncate(set.rank);
        set.integrals_not_found = set.rank - set.integrals.len();
        set.certainty = Certainty::Numerical;
    } else if freedom.rank_nearby < set.rank && positions > 0 {
        set.remarks.push(format!(
            "around the start the rows have rank {}, below the generic {}: what is said of the set holds elsewhere",
            freedom.rank_nearby, set.rank
        ));
    }
    if freedom.rank < set.rank {
        set.remarks.push(format!(
            "the model starts at a singular point: rank {} there, {} at general configurations",
            freedom.rank, set.rank
        ));
    }
}
