//! What every language writes: names, sizes, and the tapes as statements. No syntax here.

use super::block::{Block, Item, readable_outputs};
use super::hybrid::Hybrid;
use super::language::Language;
use super::names::Namer;
use dalembert::Workspace;
use dalembert::compile::Tapes;
use dalembert_run::{Contacts, Dynamics, Shape, State, independent_rows};
use dalembert_syntax::units::UnitInfo;
use dalembert_tape::{Lookup, Op, Operand, Program, Statement};
use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// Derivatives of the terms along a change of coordinates, speeds and parameters; those of C along a change of multipliers
/// and reactions too.
pub struct Tangents {
    pub terms: Block,
    pub nonideal: Option<Block>,
}

/// A model as all languages see it.
pub struct Outline {
    pub name: String,
    pub title: Option<String>,
    pub shape: Shape,
    pub coordinates: Vec<Item>,
    pub speeds: Vec<Item>,
    pub parameters: Vec<Item>,
    pub values: Vec<f64>,
    pub rows: Vec<Item>,
    pub requirements: Vec<Item>,
    pub inputs: Vec<Item>,
    /// Rows of each constraint.
    pub groups: Vec<Range<usize>>,
    pub has_cost: bool,
    /// x', M, Q, A, b.
    pub terms: Block,
    /// x', eta', multipliers, ideal forces and whether they can be trusted, as one tape, for a system without contacts, control
    /// and non-ideal work.
    pub whole: Option<Block>,
    /// C.
    pub nonideal: Option<Block>,
    /// A, b, S, W of C1.
    pub control: Option<Block>,
    /// Residuals of the rows at position and velocity level.
    pub residuals: Option<Block>,
    /// Rows that have a position level.
    pub position_rows: Vec<bool>,
    /// Names of the outputs, and their tape.
    pub outputs: Vec<Item>,
    pub output_block: Option<Block>,
    /// What derivatives of the motion need, where they are asked for.
    pub tangents: Option<Tangents>,
    /// Which parameters are inputs from outside.
    pub is_input: Vec<bool>,
    /// How many of the coordinates say where something is; `state` and `discrete` variables come behind them.
    pub positions: usize,
    /// What can happen to a motion besides its equations.
    pub hybrid: Hybrid,
    /// Gains by which constraints are stabilised (C2) instead of projected, in model exchange.
    pub baumgarte: Option<[f64; 2]>,
    pub operations: usize,
    /// What is looked up, and which columns of each.
    pub lookups: Vec<(Arc<Lookup>, Vec<usize>)>,
    /// Identifier of each input of the tapes.
    aliases: Vec<String>,
}

impl Outline {
    pub fn new(model: &Workspace, name: &str) -> Self {
        let (system, Tapes { terms, nonideal, control, has_cost, groups, residuals, outputs, .. }) =
            (&model.system, model.compiled.tapes());
        let item = |name: &str, kind: &UnitInfo| Item { name: name.to_owned(), unit: unit(kind) };
        let plain = |name: &str| Item { name: name.to_owned(), unit: None };
        let coordinates: Vec<Item> =
            system.frame.coordinates.iter().map(|c| item(&c.name, &c.kind)).collect();
        let speeds: Vec<Item> = system.frame.speeds.iter().map(|s| item(&s.name, &s.kind)).collect();
        let parameters: Vec<Item> = system.parameters.iter().map(|p| item(&p.name, &p.kind)).collect();
        let rows: Vec<Item> = system.constraints.rows.iter().map(|r| plain(&r.name)).collect();
        let shape = model.compiled.shape();
        let inputs = match &system.control.actuators {
            _ if shape.n_require == 0 => Vec::new(),
            Some(list) => list.iter().map(|(name, _)| plain(name)).collect(),
            None => system.frame.speeds.iter().map(|s| plain(&s.name)).collect(),
        };
        let mut namer = Namer::new();
        let mut aliases = vec![namer.name("t")];
        for item in coordinates.iter().chain(&speeds).chain(&parameters) {
            aliases.push(namer.name(&item.name));
        }
        aliases.extend(rows.iter().map(|r| namer.name(&format!("lambda_{}", r.name))));
        aliases.extend(system.constraints.named.iter().map(|c| namer.name(&format!("reaction_{}", c.name))));
        for what in ["acceleration", "applied", "ideal", "nonideal", "control"] {
            aliases.extend(speeds.iter().map(|s| namer.name(&format!("{what}_{}", s.name))));
        }
        let friction = system.contacts.iter().zip(model.compiled.contacts());
        for (contact, place) in friction {
            aliases.extend(place.slide.clone().map(|_| namer.name(&format!("friction_{}", contact.name))));
        }
        let mut hybrid = Hybrid::of(model);
        let output_names = system.experiment.outputs.iter().map(|o| o.name.as_str());
        let mut output_items: Vec<Item> = output_names.map(plain).collect();
        if system.energies.total.is_some() {
            output_items.push(plain("energy"));
        }
        let listed = outputs.map(Program::listing).filter(|_| !system.experiment.outputs.is_empty());
        // What outputs read behind friction (Gauss's function, works) is not known to exported code.
        let mut listed = listed;
        if let Some(listing) = &mut listed {
            let readable = readable_outputs(listing, aliases.len());
            let mut keep = readable.iter().copied();
            listing.outputs.retain(|_| keep.next().unwrap_or(false));
            let mut keep = readable.iter().copied();
            output_items.retain(|item| {
                let kept = keep.next().unwrap_or(false);
                if !kept {
                    hybrid.left_out.push(item.name.clone());
                }
                kept
            });
        } else {
            hybrid.left_out.extend(system.experiment.outputs.iter().map(|o| o.name.clone()));
            output_items.clear();
        }
        let listed = listed.filter(|listing| !listing.outputs.is_empty());
        let dense = |n: usize| (0..n).map(|k| (0, k)).collect();
        let terms = Block::new(terms.0.listing(), terms.1.to_vec());
        let nonideal = nonideal.map(|p| Block::new(p.listing(), dense(p.output_count())));
        let control = control.map(|(p, places)| Block::new(p.listing(), places.to_vec()));
        let mut position_rows = vec![false; rows.len()];
        residuals.1.iter().filter(|(array, _)| *array == 0).for_each(|(_, row)| position_rows[*row] = true);
        let residuals = Block::new(residuals.0.listing(), residuals.1.to_vec());
        let residuals = (!rows.is_empty()).then_some(residuals);
        let output_block = listed.map(|listing| Block::new(listing, dense(output_items.len())));
        let blocks = [Some(&terms), nonideal.as_ref(), control.as_ref()];
        let all = blocks.iter().flatten().copied().chain(hybrid.blocks());
        let operations = all.map(|b| b.listing.statements.len()).sum();
        let mut outline = Outline {
            name: name.to_owned(),
            title: system.title.clone(),
            shape,
            coordinates,
            speeds,
            parameters,
            values: model.compiled.parameters().to_vec(),
            rows,
            requirements: system.control.rows.iter().map(|r| plain(&r.name)).collect(),
            inputs,
            groups: groups.to_vec(),
            has_cost,
            terms,
            whole: whole(model),
            nonideal,
            control,
            residuals,
            position_rows,
            outputs: output_items,
            output_block,
            tangents: None,
            is_input: system.parameters.iter().map(|p| p.is_input).collect(),
            positions: system.positions(),
            hybrid,
            baumgarte: None,
            operations,
            lookups: Vec::new(),
            aliases,
        };
        outline.lookups = outline.columns_read();
        outline
    }

    /// What the blocks look up.
    fn columns_read(&self) -> Vec<(Arc<Lookup>, Vec<usize>)> {
        let mut found: Vec<(Arc<Lookup>, Vec<usize>)> = Vec::new();
        let statements = self.all_blocks().flat_map(|b| &b.listing.statements);
        for (lookup, column) in statements.filter_map(column_of) {
            let known = found.iter().position(|(known, _)| Arc::ptr_eq(known, &lookup));
            let place = known.unwrap_or(found.len());
            if known.is_none() {
                found.push((lookup, Vec::new()));
            }
            if !found[place].1.contains(&column) {
                found[place].1.push(column);
            }
        }
        found
    }

    /// Names of the arrays of knots and of columns, with their numbers, of those that are read.
    pub fn lookup_arrays(&self, is_read: impl Fn(&str) -> bool) -> Vec<(String, Vec<f64>)> {
        let mut arrays: Vec<(String, Vec<f64>)> = Vec::new();
        for (k, (lookup, columns)) in self.lookups.iter().enumerate() {
            arrays.push((format!("knots_{k}"), lookup.knots.clone()));
            // No stretch is that of a place that is not a number.
            let column = |c: &usize| lookup.columns[*c].iter().copied().chain([f64::NAN]).collect();
            arrays.extend(columns.iter().map(|c| (format!("column_{k}_{c}"), column(c))));
        }
        arrays.retain(|(name, _)| is_read(name));
        arrays
    }

    /// Which lookup and which of its columns a statement reads.
    fn looked_up(&self, s: &Statement) -> Option<(usize, usize)> {
        let (lookup, column) = column_of(s)?;
        Some((self.lookups.iter().position(|(known, _)| Arc::ptr_eq(known, &lookup))?, column))
    }

    /// Whether a block reads multipliers, accelerations or forces.
    pub fn reads_motion(&self, block: &Block) -> bool {
        let known = 1 + self.coordinates.len() + self.speeds.len() + self.parameters.len();
        let statements = block.listing.statements.iter().flat_map(|s| &s.operands);
        statements.chain(&block.listing.outputs).any(|o| matches!(o, Operand::Input(i) if *i >= known))
    }

    /// With what derivatives of the motion need.
    pub fn with_tangents(mut self, model: &Workspace) -> Self {
        let Tapes { terms, nonideal, .. } = model.compiled.tapes();
        let of_state = 1..1 + self.coordinates.len() + self.speeds.len() + self.parameters.len();
        let of_forces = 1..of_state.end + self.rows.len() + self.groups.len();
        let dense = |n: usize| (0..n).map(|k| (0, k)).collect();
        let tangents = Tangents {
            terms: Block::along(terms.0, terms.1.to_vec(), of_state),
            nonideal: nonideal.map(|p| Block::along(p, dense(p.output_count()), of_forces)),
        };
        let count = |b: &Block| b.listing.statements.len();
        self.operations += count(&tangents.terms) + tangents.nonideal.as_ref().map_or(0, count);
        self.tangents = Some(tangents);
        self.lookups = self.columns_read();
        self
    }

    /// Most entries of a matrix that is decomposed.
    pub fn cells(&self) -> usize {
        let s = &self.shape;
        let slide = s.n_slide.max(s.n_con + s.n_slide);
        (slide * s.n_eta.max(s.n_slide)).max(s.n_require * s.n_input).max(1)
    }

    /// Longest side of one.
    pub fn longest(&self) -> usize {
        let s = &self.shape;
        (s.n_con + s.n_slide).max(s.n_eta).max(s.n_require).max(s.n_input).max(1)
    }

    /// Bytes that a call takes of the stack, without what the compiler keeps there for itself.
    pub fn workspace(&self) -> usize {
        let Shape { n_eta: n, n_require: r, n_input: k, n_slide, n_contact, .. } = self.shape;
        let m = self.shape.n_con + n_slide;
        let cod = 2 * self.cells() + 4 * self.longest();
        let control = if r > 0 { r * n + 2 * n * k + 2 * k * k + cod } else { 0 };
        // The motion by which inputs are tried out.
        let trial = if r > 0 && self.nonideal.is_some() { 5 * n + m + k + self.coordinates.len() } else { 0 };
        // The terms at a state nearby.
        let near = if m + r > 0 {
            r * n + n * k + k * k + 4 * r + n * n + m * n + 2 * n + 2 * m + 2 * self.coordinates.len()
        } else {
            0
        };
        // Contacts: their terms, answers to unit forces, what the constraints lead, trials of modes; steps with their stages.
        let contacts = match n_contact {
            0 => 0,
            _ => {
                4 * (cod + n_slide * (2 * n + 2 * n_slide) + n_contact * (4 * n + 2 * m))
                    + 3 * (n * n + m * n)
            }
        };
        let stages = if self.hybrid.is_some() { 14 * (self.coordinates.len() + 5 * n + m) } else { 0 };
        8 * (contacts
            + stages
            + 3 * n * n
            + m * n
            + cod
            + trial
            + control
            + near
            + 12 * n
            + 11 * m
            + 3 * r
            + 2 * k)
    }

    /// How often C1 is corrected: forces that follow the multipliers need more than one turn.
    pub fn turns(&self) -> usize {
        if self.nonideal.is_some() || self.shape.n_contact > 0 { 40 } else { 2 }
    }

    /// The array and index of an input of the tapes, among `t, x, eta, p, lambda, reaction`.
    fn source(&self, input: usize) -> (usize, usize) {
        let n = self.speeds.len();
        let [nx, np, m, groups] =
            [self.coordinates.len(), self.parameters.len(), self.rows.len(), self.groups.len()];
        let sizes = [1, nx, n, np, m, groups, n, n, n, n, n, self.shape.n_slide];
        let mut index = input;
        for (array, size) in sizes.into_iter().enumerate() {
            if index < size {
                return (array, index);
            }
            index -= size;
        }
        (sizes.len(), index)
    }

    fn all_blocks(&self) -> impl Iterator<Item = &Block> {
        let blocks = [
            Some(&self.terms),
            self.whole.as_ref(),
            self.nonideal.as_ref(),
            self.control.as_ref(),
            self.residuals.as_ref(),
            self.output_block.as_ref(),
            self.tangents.as_ref().map(|t| &t.terms),
            self.tangents.as_ref().and_then(|t| t.nonideal.as_ref()),
        ];
        blocks.into_iter().flatten().chain(self.hybrid.blocks())
    }

    /// The operators that occur.
    pub fn uses(&self, op: Op) -> bool {
        self.all_blocks().any(|b| b.listing.statements.iter().any(|s| s.op == op))
    }

    /// A block in a language, one statement a line. `sources` name the arrays of inputs after the time, `arrays` those
    /// of outputs.
    pub fn statements(&self, block: &Block, language: &dyn Language, arrays: &[&str]) -> String {
        const SOURCES: [&str; 12] = [
            "t_",
            "x_",
            "eta_",
            "p_",
            "lambda_",
            "reaction_",
            "eta_dot_",
            "Q_",
            "ideal_",
            "nonideal_",
            "control_",
            "friction_",
        ];
        let mut out = String::new();
        let mut line = |text: String| {
            writeln!(out, "    {text}").expect("a string takes all");
        };
        let needed = block.needed();
        let (base, changes) = (block.changes.0.min(self.aliases.len()), &block.changes.1);
        let mut used = vec![false; base.max(self.aliases.len()) + changes.len()];
        let statements = block.listing.statements.iter().enumerate().filter(|(k, _)| needed[*k]);
        let operands = statements.flat_map(|(_, s)| &s.operands).chain(&block.listing.outputs);
        operands.for_each(|o| {
            if let Operand::Input(i) = o {
                used[*i] = true;
            }
        });
        // Names of the model do not end in `_`.
        let changing = |i: usize| changes.get(i.wrapping_sub(base)).copied();
        let alias = |i: usize| match changing(i) {
            None => self.aliases[i].clone(),
            Some(of) => format!("{}_d_", self.aliases[of]),
        };
        let read = |i: usize| {
            let (array, index) = self.source(changing(i).unwrap_or(i));
            let value = match (array, changing(i)) {
                (0, _) => SOURCES[0].to_owned(),
                (_, None) => language.entry(SOURCES[array], index),
                (_, Some(_)) => language.entry(&format!("d{}", SOURCES[array]), index),
            };
            language.bind(&alias(i), &value)
        };
        if !block.late {
            (0..used.len()).filter(|i| used[*i]).for_each(|i| line(read(i)));
        }
        // Inputs that have not been read yet.
        let mut late: Vec<bool> = if block.late { used } else { vec![false; used.len()] };
        let mut reading = |o: &Operand, line: &mut dyn FnMut(String)| {
            if let Operand::Input(i) = o
                && std::mem::take(&mut late[*i])
            {
                line(read(*i));
            }
        };
        let spell = |o: &Operand| match o {
            Operand::Input(i) => alias(*i),
            Operand::Constant(c) => language.number(*c),
            Operand::Statement(k) => format!("v{k}"),
        };
        // Sine and cosine of each angle seen so far.
        let mut turns: HashMap<String, [String; 2]> = HashMap::new();
        // Stretches of lookups found so far.
        let mut stretches: HashMap<(usize, String), String> = HashMap::new();
        // A value is stored where it is made: compilers are slow with thousands of values in waiting.
        let mut stores: Vec<Vec<(usize, usize)>> = vec![Vec::new(); block.listing.statements.len()];
        for (place, o) in block.places.iter().zip(&block.listing.outputs) {
            match o {
                Operand::Statement(k) => stores[*k].push(*place),
                // Alone a constant needs no brackets.
                o => {
                    reading(o, &mut line);
                    line(language.store(arrays[place.0], place.1, spell(o).trim_matches(['(', ')'])));
                }
            }
        }
        for (k, s) in block.listing.statements.iter().enumerate().filter(|(k, _)| needed[*k]) {
            s.operands.iter().for_each(|o| reading(o, &mut line));
            let (value, operands) = (format!("v{k}"), s.operands.iter().map(spell).collect::<Vec<_>>());
            let part = [Op::Sin, Op::Cos].iter().position(|op| *op == s.op);
            let known = part.and_then(|part| Some((part, turns.get(&operands[0])?)));
            let made = match (known, part) {
                (Some((part, parts)), _) => Some(parts[part].clone()),
                (None, Some(part)) => {
                    language.turn(&format!("turn{k}_"), &operands[0]).map(|(text, parts)| {
                        line(text);
                        let own = parts[part].clone();
                        turns.insert(operands[0].clone(), parts);
                        own
                    })
                }
                (None, None) => None,
            };
            let made = made.or_else(|| {
                let (lookup, column) = self.looked_up(s)?;
                let place = operands.last()?;
                let name = stretches.entry((lookup, place.clone())).or_insert_with(|| {
                    let name = format!("stretch{k}_");
                    let count = self.lookups[lookup].0.knots.len();
                    line(language.stretch(&name, &format!("knots_{lookup}"), count, place));
                    name
                });
                Some(language.on_stretch(&format!("column_{lookup}_{column}"), name))
            });
            line(language.bind(&value, &made.unwrap_or_else(|| language.apply(s.op, &operands))));
            for (array, index) in &stores[k] {
                line(language.store(arrays[*array], *index, &value));
            }
        }
        out
    }

    /// The parts of a text of ours that a model needs. Lines `@if WORD` to `@end` (behind the comment sign) are kept if
    /// the model has that; `NAME_` becomes its name.
    pub fn fit(&self, text: &str, comment: &str) -> String {
        let has = |word: &str| match word {
            "rows" => self.shape.n_con + self.shape.n_contact > 0,
            "measured" => self.shape.n_con + self.shape.n_contact > 0 || self.control.is_some(),
            "free" => self.control.is_none(),
            "nonideal" => self.nonideal.is_some(),
            "whole" => self.whole.is_some(),
            "control" => self.control.is_some(),
            "weight" => self.has_cost,
            "outputs" => self.output_block.is_some(),
            "free_motion" => self.shape.n_con + self.shape.n_contact == 0,
            "contacts" => self.shape.n_contact > 0,
            "untouched" => self.shape.n_contact == 0,
            "answering" => self.nonideal.is_some() || self.shape.n_contact > 0,
            "onset" => self.hybrid.has_directions(),
            "hybrid" => self.hybrid.is_some(),
            "plain" => !self.hybrid.is_some(),
            "events" => !self.hybrid.events.is_empty(),
            "informed" => self.hybrid.event_functions.as_ref().is_some_and(|b| self.reads_motion(b)),
            "uninformed" => !self.hybrid.event_functions.as_ref().is_some_and(|b| self.reads_motion(b)),
            "told" => {
                !self.hybrid.actions.is_empty()
                    || self.hybrid.event_functions.as_ref().is_some_and(|b| self.reads_motion(b))
            }
            "actions" => !self.hybrid.actions.is_empty(),
            "kinks" => self.hybrid.kinks.is_some(),
            "instants" => self.hybrid.instants.is_some(),
            "returning" => self.baumgarte.is_none() || self.shape.n_con == 0,
            "settling" => self.baumgarte.is_some() && self.shape.n_con > 0,
            "timeless" => self.hybrid.instants.is_none(),
            _ => unreachable!("no text of ours asks for `{word}`"),
        };
        let mut open: Vec<bool> = Vec::new();
        let mut out = String::with_capacity(text.len());
        for line in text.lines() {
            let mark = line.trim_start().strip_prefix(comment).and_then(|rest| rest.strip_prefix('@'));
            match mark.map(|m| m.split_once(' ').unwrap_or((m, ""))) {
                Some(("if", word)) => open.push(has(word)),
                Some(_) => drop(open.pop()),
                None if open.iter().all(|kept| *kept) => {
                    out.push_str(&line.replace("NAME_", &format!("{}_", self.name)));
                    out.push('\n');
                }
                None => {}
            }
        }
        out
    }

    /// What the text computes and in which order its arrays are, in words; a line each.
    pub fn preface(&self) -> Vec<String> {
        let title = self.title.as_deref().unwrap_or(&self.name);
        let one_line: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut lines = vec![
            one_line,
            String::new(),
            "Accelerations, constraint forces and control forces at a state, by the explicit equation of motion".into(),
            "  U1  eta' = a + L^-T B^+ (b - A a) + L^-T (I - B^+ B) L^-1 C,   a = M^-1 Q,  B = A L^-T,  L L^T = M".into(),
            "  U2  ideal = L B^+ (b - A a) = A^T lambda,   lambda of minimum norm where rows are redundant".into(),
            "  U3  nonideal = L (I - B^+ B) L^-1 C".into(),
            "  U9  where M is singular: the motion that constraints and the mass on ker A decide together".into(),
        ];
        if self.control.is_some() {
            lines.push("  C1  control = S u,   u = W^-1/2 (A_c P S W^-1/2)^+ (b_c - A_c eta'),  P = L^-T (I - B^+ B) L^-1".into());
        }
        lines.push("from x' (K1), M, Q (K2), A, b (K3) and C (K4) of the model, written out below. The rank of the rows is".into());
        lines.push("decided at every call (rows of unit length, 1e-11); no memory is allocated.".into());
        let list = |what: &str, items: &[Item], lines: &mut Vec<String>| {
            if items.is_empty() {
                return;
            }
            lines.push(String::new());
            lines.push(what.to_owned());
            for (k, item) in items.iter().enumerate() {
                let unit = item.unit.as_ref().map_or_else(String::new, |u| format!("  {{{u}}}"));
                lines.push(format!("  {k:>3}  {}{unit}", item.name));
            }
        };
        list("x, x_dot (coordinates, their rates):", &self.coordinates, &mut lines);
        list("eta, eta_dot, ideal, nonideal, control (speeds):", &self.speeds, &mut lines);
        list(
            "p (parameters; one defined from others is a value of its own here):",
            &self.parameters,
            &mut lines,
        );
        list("lambda (constraint rows):", &self.rows, &mut lines);
        list("u (control inputs):", &self.inputs, &mut lines);
        list("requirement rows:", &self.requirements, &mut lines);
        lines
    }
}

/// What each code means.
pub const CODES: [(u8, &str, &str); 6] = [
    (0, "Done", "done"),
    (1, "NotFinite", "a term or the result is not finite"),
    (2, "MassSingular", "no inertia in a direction that the constraints leave free (U9)"),
    (3, "Contradiction", "the constraints contradict each other at this state (U6)"),
    (4, "Unreachable", "the inputs cannot meet the requirements at this state (C1)"),
    (5, "CostNotPositive", "the cost of the inputs is not positive definite (C1)"),
];

/// The acceleration with its solve written out, the operations of native code: where nothing but masses, forces and
/// constraints decides it.
fn whole(model: &Workspace) -> Option<Block> {
    let Shape { n_x, n_eta: n, n_con: m, n_contact, n_require, .. } = model.compiled.shape();
    if n_contact + n_require > 0 || model.compiled.tapes().nonideal.is_some() {
        return None;
    }
    let mut model = model.clone();
    // Rows that depend on each other everywhere would never pass.
    let independent = |s: &State| independent_rows(&model.compiled, s.point()).is_some_and(|r| r.len() == m);
    if m > 0 && !model.clone().sample_states().iter().any(independent) {
        return None;
    }
    let program = model.compiled.whole_program(&mut model.system, &model.form)?;
    let sizes = [n_x, n, m, n, 1];
    let places = sizes.iter().enumerate().flat_map(|(array, size)| (0..*size).map(move |k| (array, k)));
    Some(Block::new(program.listing(), places.collect()).ordered())
}

/// What a statement looks up.
fn column_of(s: &Statement) -> Option<(Arc<Lookup>, usize)> {
    match s.operands.first() {
        Some(Operand::Constant(column)) if s.op == Op::Lookup => Lookup::of_column(*column),
        _ => None,
    }
}

fn unit(kind: &UnitInfo) -> Option<String> {
    match kind {
        UnitInfo::Known(dimension) => Some(dimension.to_string()),
        UnitInfo::Missing | UnitInfo::Number => None,
    }
}
