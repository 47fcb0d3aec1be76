//! Tapes of friction, control and balance.

use super::{Compiled, Inputs, Scattered, dense, matrix, run_into};
use crate::energy_balance;
use crate::kernel_form::KernelForm;
use crate::system::{Power, System};
use dalembert_expr::{Expr, Pool};
use dalembert_run::{Contact, Point};

impl Compiled {
    /// The contacts of the kernel form, with what presses at them.
    pub(crate) fn set_contacts(&mut self, system: &mut System, form: &KernelForm) {
        if form.contacts.is_empty() {
            return;
        }
        let m = self.shape.n_con;
        let (mut slide, mut normal) = (0, 0);
        let mut contacts = Vec::new();
        let mut arrays: [Vec<(usize, Expr)>; 6] = Default::default();
        for (k, contact) in form.contacts.iter().enumerate() {
            let (components, n) = (contact.velocity.len(), form.speeds.len());
            for c in 0..components {
                arrays[0].push((slide + c, contact.velocity[c]));
                let row = contact.matrix[c].iter().enumerate();
                arrays[1].extend(row.map(|(p, e)| ((slide + c) * n + p, *e)));
                arrays[2].push((slide + c, contact.right[c]));
            }
            arrays[3].push((k, contact.coefficient));
            arrays[4].push((k, contact.r#static));
            for (c, row) in contact.normal.iter().enumerate() {
                let entries = contact.rows.clone().zip(row);
                arrays[5].extend(entries.map(|(r, e)| ((normal + c) * m + r, *e)));
            }
            contacts.push(Contact {
                rows: contact.rows.clone(),
                slide: slide..slide + components,
                normal: normal..normal + contact.normal.len(),
            });
            slide += components;
            normal += contact.normal.len();
        }
        (self.shape.n_contact, self.shape.n_slide, self.shape.n_normal) = (contacts.len(), slide, normal);
        self.contacts = contacts;
        self.tangents = None;
        let inputs = Inputs::of(system, form);
        self.programs.contact_terms = Some(Scattered::new(&mut system.pool, &inputs.state, &arrays));
        self.size_scratch();
    }

    /// Requirements and inputs.
    pub(super) fn set_control(&mut self, system: &mut System, form: &KernelForm) {
        if form.requirement_matrix.is_empty() {
            return;
        }
        let (n, count) = (form.speeds.len(), form.inputs.len());
        let mut A = Vec::new();
        for (r, row) in form.requirement_matrix.iter().enumerate() {
            A.extend(row.iter().map(|(p, e)| (r * n + p, *e)));
        }
        let mut S = Vec::new();
        for (j, column) in form.inputs.iter().enumerate() {
            S.extend(column.iter().enumerate().map(|(p, e)| (p * count + j, *e)));
        }
        self.control.requirement_lengths.clear();
        let W = form.cost.as_deref().map_or_else(Vec::new, matrix);
        self.control.has_cost = form.cost.is_some();
        self.control.bounded = system.control.bounds.iter().map(Option::is_some).collect();
        (self.shape.n_require, self.shape.n_input) = (form.requirement_matrix.len(), count);
        let inputs = Inputs::of(system, form);
        let bounds: Vec<Expr> = system.control.bounds.iter().flatten().flatten().copied().collect();
        self.programs.control_bounds =
            (!bounds.is_empty()).then(|| system.pool.lower(&inputs.state, &bounds));
        let arrays = [A, dense(&form.requirement_right), S, W];
        self.programs.control_terms = Some(Scattered::new(&mut system.pool, &inputs.state, &arrays));
        let mut errors = Vec::new();
        for (row, rates) in system.control.rows.iter().zip(&form.requirement_rates) {
            errors.push(if row.on_accelerations { Pool::ZERO } else { row.residual });
            errors.extend(rates);
            self.control.requirement_lengths.push(1 + rates.len());
        }
        self.programs.requirements = Some(system.pool.lower(&inputs.state, &errors));
    }

    /// What is integrated along with the motion: the power of every class of forces, then `others` (the Lagrangian, and y eta for the
    /// abbreviated action).
    pub(crate) fn with_quadratures(
        &mut self,
        system: &mut System,
        form: &KernelForm,
        balance: bool,
        others: &[Expr],
    ) {
        if self.quadratures.0 == balance && self.quadratures.1 == others {
            return;
        }
        self.quadratures = (balance, others.to_vec());
        self.tangents = None;
        let mut rates = Vec::new();
        if balance {
            rates = energy_balance::powers(system);
            let explicit = energy_balance::explicit_power(system, form, rates[1]).unwrap_or(Pool::ZERO);
            rates.push(explicit);
        }
        rates.extend(others);
        let inputs = Inputs::of(system, form);
        self.programs.balance = (!rates.is_empty()).then(|| system.pool.lower(&inputs.results, &rates));
        self.shape.n_quadrature = rates.len();
        self.size_scratch();
    }

    /// Whether outputs ask for work.
    pub(crate) fn outputs_need_work(system: &mut System) -> bool {
        let (pool, works) = (&mut system.pool, &system.observables.works);
        system.experiment.outputs.iter().any(|o| pool.depends_on(o.value, works))
    }

    /// How far each requirement is from being met: its residual, and the derivatives of it that must vanish too.
    pub fn requirement_errors(&self, at: Point<'_>) -> Vec<Vec<f64>> {
        let Some(program) = &self.programs.requirements else { return Vec::new() };
        let (mut scratch, mut out) = (vec![0.0; self.scratch_len], vec![0.0; program.output_count()]);
        let inputs = self.load(at.t, at.x, at.eta, &mut scratch);
        run_into(program, inputs, &mut scratch, &mut out);
        self.control.requirement_lengths.iter().map(|count| out.drain(..count).collect()).collect()
    }
}

const _: () = assert!(Power::ALL.len() == 5, "the balance knows these classes");
