//! `dalembert simulate`: the motion, its tables and plots.

use crate::animate::AnimationTarget;
use crate::args::{MotionFormName, SimulateArgs};
use crate::failure::Failure;
use crate::files::{About, TableTarget, probe_all};
use crate::input::{Loaded, Remarks, load};
use crate::limit;
use crate::output::{complain, headline, print, print_json, report_failure, show};
use crate::progress::RunProgress;
use crate::summary;
use crate::text_table::split_names;
use dalembert::diagnostic::{self, Code, Diagnostic, nearest};
use dalembert::run::Stop;
use dalembert::{Model, Motion, MotionForm, Request, Source, Table};
use dalembert_view::Animation;
use dalembert_view::Plot;
use dalembert_view::documents::last_time;
use serde_json::json;
use std::io::Write;
use std::time::{Duration, Instant};

pub fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let to_stdout = args.out.contains(&TableTarget::Standard);
    if to_stdout && args.common.json {
        let message = "`--json` and `--out -` both claim standard output";
        clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, format!("{message}\n")).exit();
    }
    let Loaded { source, model } = load(&args.common, Remarks::Warnings)?;
    let columns = chosen_columns(args, &model).map_err(|d| Failure::of(*d, &source))?;
    let paths = args.out.iter().filter_map(TableTarget::path).chain(args.plot.iter().map(|p| p.path()));
    let paths = paths.chain(args.animate.iter().map(|a| a.path()));
    let files: Vec<String> = paths.map(str::to_owned).collect();
    probe_all(&files, &args.common.model)?;
    args.animate.iter().try_for_each(|target| target.check())?;
    if args.live && !args.animate.iter().any(AnimationTarget::is_page) {
        return Err(Failure::plain("`--live` makes a page: `--animate FILE.html`"));
    }

    let began = Instant::now();
    let mut watch = RunProgress::new(args.stepping.until.or_else(|| model.end_time()), !args.common.quiet);
    let request = request(args).map_err(|d| Failure::of(*d, &source))?;
    let motion = model.simulate(&request, |t| watch.at(t)).map_err(|d| Failure::of(*d, &source));
    watch.done();
    let (motion, wall) = (motion?, began.elapsed());
    let mut run = Run { motion, wall, columns, film: None, files };
    run.write(args, &model)?;
    if !args.animate.is_empty() {
        let film = Animation::new(&model, &run.motion).map_err(|d| Failure::of(*d, &source))?;
        for target in &args.animate {
            if args.live && target.is_page() {
                let page = dalembert_view::live_page(&mut model.workspace(), &run.motion);
                let page = page.map_err(|d| Failure::of(*d, &source))?;
                crate::files::put(target.path(), |out| out.write_all(page.as_bytes()))?;
            } else {
                target.write(&film, !args.common.quiet)?;
            }
        }
        run.film = Some(film);
    }
    run.tell(args, &model, &source, to_stdout)
}

fn request(args: &SimulateArgs) -> Result<Request, Box<Diagnostic>> {
    Ok(Request {
        multipliers: args.multiplier.clone(),
        plant: dalembert::assignments::assignments(&args.plant.join(", "))?,
        hold: args.hold,
        balance: args.balance.then_some(true),
        form: motion_form(args.form),
        every: args.every,
        action: args.action,
        interpret: args.interpret,
        fold: args.fold,
        baumgarte: args.baumgarte,
        forces: !args.animate.is_empty(),
        sensitivity: args.sensitivity.as_deref().map(split_names).unwrap_or_default(),
        ..args.stepping.request()
    })
}

fn motion_form(name: MotionFormName) -> MotionForm {
    match name {
        MotionFormName::Explicit => MotionForm::Explicit,
        MotionFormName::Hamilton => MotionForm::Hamilton,
        MotionFormName::Suslov => MotionForm::Suslov,
        MotionFormName::HamiltonJacobi => MotionForm::HamiltonJacobi,
    }
}

/// The columns `--columns` names, as indices of the table to come.
fn chosen_columns(args: &SimulateArgs, model: &Model) -> Result<Option<Vec<usize>>, Box<Diagnostic>> {
    let Some(text) = &args.columns else { return Ok(None) };
    let outputs = model.system.experiment.outputs.iter().map(|o| o.name.as_str());
    let added = model.form_columns(motion_form(args.form));
    let added = added.iter().map(String::as_str);
    let known: Vec<&str> =
        ["t"].into_iter().chain(model.system.table_names()).chain(added).chain(outputs).collect();
    let find = |name: &String| {
        let all = components(name, &known);
        Some(all).filter(|all| !all.is_empty()).ok_or_else(|| {
            let d = Diagnostic::error(Code::BadOption, None, format!("there is no column `{name}`"));
            Box::new(match nearest(name, known.iter().copied()) {
                Some(near) => d.help(format!("did you mean `{near}`?")),
                None => d.help(format!("the columns are {}", known.join(", "))),
            })
        })
    };
    let found = split_names(text).iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok(Some(found.concat()))
}

/// The column of this name, or those of all components of a vector or members of a family.
fn components(name: &str, known: &[&str]) -> Vec<usize> {
    if let Some(k) = known.iter().position(|k| *k == name) {
        return vec![k];
    }
    let (stem, primes) = name.split_at(name.trim_end_matches('\'').len());
    let part = |column: &str| {
        let rest = column.strip_prefix(stem)?.strip_suffix(primes)?;
        let member = rest.starts_with('[') && rest.ends_with(']');
        (member || matches!(rest, ".x" | ".y" | ".z")).then_some(())
    };
    (0..known.len()).filter(|k| part(known[*k]).is_some()).collect()
}

/// A finished run and what is to be made of it.
struct Run {
    motion: Motion,
    wall: Duration,
    columns: Option<Vec<usize>>,
    film: Option<Animation>,
    files: Vec<String>,
}

impl Run {
    /// Writes tables and plots.
    fn write(&self, args: &SimulateArgs, model: &Model) -> Result<(), Failure> {
        let table: &Table = &self.motion.table;
        let about = About::new(model, table, args.units_row);
        for target in &args.out {
            match target.write(table, &about) {
                // Whoever read the table has gone; files are still wanted.
                Err(Failure::ReaderGone) if !self.files.is_empty() => {}
                other => other?,
            }
        }
        if args.plot.is_empty() {
            return Ok(());
        }
        let plot = match &self.columns {
            Some(columns) => Plot::of_columns(model, table, columns),
            None => Plot::of_motion(model, table),
        };
        let facts = summary::facts(model, &self.motion, self.wall);
        let failures: Vec<String> = self.motion.failure.iter().map(|d| d.message.clone()).collect();
        args.plot.iter().try_for_each(|target| target.write_of(&plot, &facts, &failures))
    }

    /// What to say if the time limit has ended the run.
    fn out_of_time(&self) -> Option<Failure> {
        let cancelled = self.motion.outcome.stop == Stop::Cancelled;
        let kept = format!("the run ended at t = {} and keeps its table", last_time(&self.motion));
        limit::ended(&kept).filter(|_| cancelled)
    }

    /// Says how it went.
    fn tell(
        &self,
        args: &SimulateArgs,
        model: &Model,
        source: &Source,
        to_stdout: bool,
    ) -> Result<(), Failure> {
        let failure = self.motion.failure.as_slice();
        let complete = failure.is_empty() && self.motion.outcome.stop != Stop::Cancelled;
        if args.common.json {
            let mut document = dalembert_view::documents::motion(model, &self.motion, self.wall, &self.files);
            let warnings = &self.motion.warnings;
            let all: Vec<Diagnostic> =
                model.diagnostics.iter().chain(warnings).chain(failure).cloned().collect();
            if let Some(film) = &self.film {
                document["film"] = json!({ "frames": film.times.len(), "remarks": film.remarks });
            }
            document["diagnostics"] = diagnostic::json(&all, source);
            if !complete {
                document["error"] = json!(match (failure, self.out_of_time()) {
                    ([], Some(Failure::Plain { message, .. })) => message,
                    ([], _) => format!("interrupted at t = {}", last_time(&self.motion)),
                    (failure, _) => headline(failure),
                });
            }
            print_json(&document)?;
        } else {
            // What went wrong comes first.
            show(failure, source, args.common.quiet);
            self.out_of_time().iter().for_each(|ended| report_failure(ended, false));
            if !args.common.quiet {
                let mut words = summary::text(&summary::facts(model, &self.motion, self.wall));
                for remark in self.film.iter().flat_map(|film| &film.remarks) {
                    words.push_str(&format!("{remark}\n"));
                }
                self.files.iter().for_each(|file| words.push_str(&format!("wrote {file}\n")));
                if to_stdout { complain(&words) } else { print(&words)? }
            }
            show(&self.motion.warnings, source, args.common.quiet);
        }
        if complete { Ok(()) } else { Err(Failure::Reported) }
    }
}
