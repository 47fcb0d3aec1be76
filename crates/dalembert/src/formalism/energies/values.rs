//! Energies and co-energies in numbers at a state, for any constitutive laws.
//!
//! ```text
//! T(p) = p f - T*,  V*(e) = e q - V        by [`Law`], on the branches through the state
//! L = T* - V,  H = y eta - L,  e = -dL/dq,  H* = e q + L,  L* = e q - H        (T* + V* and V* - T where T* has no position)
//! ```

use super::Law;
use crate::formalism::poincare::lagrangian_of;
use crate::workspace::Workspace;
use dalembert_expr::{Expr, Symbol};
use dalembert_run::State;
use dalembert_syntax::diagnostic::Diagnostic;

/// The constitutive laws of a model at a configuration: T* over the speeds, V over the coordinates it contains, L over the
/// speeds.
///
/// ```
/// use dalembert::{Model, Source, energies::Laws};
/// // T* = -m c^2 sqrt(1 - f^2/c^2): T(p) = sqrt(p^2 c^2 + m^2 c^4) at this sign of the rest energy.
/// let text = "parameter m = 1, c = 1\ncoordinate x\nkinetic -m*c^2*sqrt(1 - x'^2/c^2)\ninitial x' = 0.6";
/// let mut model = Model::load(&Source::new("fast.dal", text), &Default::default()).unwrap().workspace();
/// let start = model.start().unwrap().state;
/// let laws = Laws::at(&mut model, &start).unwrap();
/// let dual = laws.kinetic.as_ref().unwrap().dual(&[0.75], &[0.0]).unwrap();
/// assert!((dual.u[0] - 0.6).abs() < 1e-14 && (dual.value - 1.25).abs() < 1e-14);
/// ```
pub struct Laws {
    /// T*(f), positions and time held; `None` where L is given as a whole.
    pub kinetic: Option<Law>,
    /// V(q) over `inside`, time held; `None` where no potential is given.
    pub potential: Option<Law>,
    /// Which coordinates V contains.
    pub inside: Vec<usize>,
    /// L(f), positions and time held.
    pub lagrangian: Law,
    /// -L(q) over `stored`, speeds and time held; for plain coordinates.
    pub configuration: Option<Law>,
    /// Which coordinates L contains.
    pub stored: Vec<usize>,
    /// The potential of forces that is counted in V, as text.
    pub of_forces: Option<String>,
}

impl Laws {
    /// Refused where the model has no Lagrangian.
    pub fn at(model: &mut Workspace, state: &State) -> Result<Self, Box<Diagnostic>> {
        let of_forces = model.store_forces().map(|stored| model.system.pool.text(stored.potential));
        let L = lagrangian_of(model)?;
        let form = &model.form;
        let mut held: Vec<(Symbol, f64)> = vec![(form.time, state.t)];
        held.extend(form.parameters.iter().copied().zip(model.compiled.parameters().iter().copied()));
        let mut placed = held.clone();
        placed.extend(form.coordinates.iter().copied().zip(state.x.iter().copied()));
        let whole = model.system.energies.lagrangian.is_some();
        let pool = &mut model.system.pool;
        let present = model.system.energies.potential.map_or_else(Vec::new, |V| pool.symbols(&[V]));
        let inside: Vec<usize> =
            (0..form.coordinates.len()).filter(|i| present.contains(&form.coordinates[*i])).collect();
        let variables: Vec<Symbol> = inside.iter().map(|i| form.coordinates[*i]).collect();
        let contained = pool.symbols(&[L]);
        let stored: Vec<usize> =
            (0..form.coordinates.len()).filter(|i| contained.contains(&form.coordinates[*i])).collect();
        let places: Vec<Symbol> = stored.iter().map(|i| form.coordinates[*i]).collect();
        let mut moving = held.clone();
        moving.extend(form.speeds.iter().copied().zip(state.eta.iter().copied()));
        let less = pool.neg(L);
        let mut law = |F: Expr, by: &[Symbol], held: &[(Symbol, f64)]| Law::new(pool, F, by, held);
        let kinetic = model.system.energies.kinetic.filter(|_| !whole).map(|T| law(T, &form.speeds, &placed));
        let potential = model
            .system
            .energies
            .potential
            .filter(|_| !whole && !inside.is_empty())
            .map(|V| law(V, &variables, &held));
        let lagrangian = law(L, &form.speeds, &placed);
        let plain = form.frame.is_none() && !stored.is_empty();
        let configuration = plain.then(|| law(less, &places, &moving));
        Ok(Laws { kinetic, potential, inside, lagrangian, configuration, stored, of_forces })
    }
}

/// Energies at a state; what does not exist has a reason.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EnergyValues {
    /// p = dL/df
    pub momenta: Vec<f64>,
    /// e = -dL/dq of the coordinates that L contains, in plain coordinates.
    pub efforts: Vec<f64>,
    /// T*
    pub kinetic_coenergy: Option<f64>,
    /// T
    pub kinetic_energy: Option<f64>,
    /// V; zero where the model gives none.
    pub potential: Option<f64>,
    /// V*
    pub potential_coenergy: Option<f64>,
    /// L
    pub lagrangian: f64,
    /// H
    pub hamiltonian: Option<f64>,
    /// H* = e q + L
    pub hamiltonian_star: Option<f64>,
    /// L* = e q - H
    pub lagrangian_star: Option<f64>,
    /// What does not exist, and why; forces that are counted in V.
    pub reasons: Vec<String>,
}

impl EnergyValues {
    /// All energies at a state.
    pub fn at(model: &mut Workspace, state: &State) -> Result<Self, Box<Diagnostic>> {
        let laws = Laws::at(model, state)?;
        let speeds: Vec<&str> = model.system.frame.speeds.iter().map(|s| s.name.as_str()).collect();
        let names: Vec<&str> =
            laws.inside.iter().map(|i| model.system.frame.coordinates[*i].name.as_str()).collect();
        let q: Vec<f64> = laws.inside.iter().map(|i| state.x[*i]).collect();
        let momenta = laws.lagrangian.slopes(&state.eta);
        let slopes = laws.potential.as_ref().map_or_else(Vec::new, |V| V.slopes(&q));
        let place: Vec<f64> = laws.stored.iter().map(|i| state.x[*i]).collect();
        let efforts = laws.configuration.as_ref().map_or_else(Vec::new, |L| L.slopes(&place));
        let places: Vec<&str> =
            laws.stored.iter().map(|i| model.system.frame.coordinates[*i].name.as_str()).collect();
        let counted = |V: &String| format!("forces with the potential {V} are counted in V");
        let mut reasons: Vec<String> = laws.of_forces.iter().map(counted).collect();
        let mut keep = |what: &str, found: Result<super::Dual, String>| match found {
            Ok(dual) => Some(dual.value),
            Err(reason) => {
                reasons.push(format!("{what} does not exist: {reason}"));
                None
            }
        };
        let dual = |law: &Law, v: &[f64], u: &[f64], slopes: &str, names: &[&str]| {
            law.dual(v, u).map_err(|e| e.told(slopes, names))
        };
        let hamiltonian = keep("H", dual(&laws.lagrangian, &momenta, &state.eta, "dL/d eta", &speeds));
        let kinetic_coenergy = laws.kinetic.as_ref().map(|T| T.value(&state.eta));
        let kinetic_energy = laws.kinetic.as_ref().and_then(|T| {
            let p = T.slopes(&state.eta);
            let found = dual(T, &p, &state.eta, "dT*/df", &speeds);
            if hamiltonian.is_some() { keep("T", found) } else { found.ok().map(|d| d.value) }
        });
        let potential = laws.potential.as_ref().map(|V| V.value(&q));
        let potential_coenergy = match &laws.potential {
            Some(V) => keep("V*", dual(V, &slopes, &q, "dV/dq", &names)),
            // Nothing is stored: V and V* are both zero, up to a constant that moves nothing.
            None => kinetic_coenergy.map(|_| 0.0),
        };
        let lagrangian = laws.lagrangian.value(&state.eta);
        let plain = model.form.frame.is_none()
            && model
                .system
                .energies
                .kinetic
                .is_some_and(|T| !model.system.pool.depends_on(T, &model.form.coordinates))
            && model.system.energies.lagrangian.is_none();
        // Separate energies have separate transforms; otherwise positions and speeds are transformed together.
        let (hamiltonian_star, lagrangian_star) = match (&laws.configuration, plain) {
            (_, true) => (
                kinetic_coenergy.zip(potential_coenergy).map(|(T, V)| T + V),
                potential_coenergy.zip(kinetic_energy).map(|(V, T)| V - T),
            ),
            (Some(law), false) => {
                let star = keep("H*", dual(law, &efforts, &place, "dH/dq", &places));
                let carried: f64 = efforts.iter().zip(&place).map(|(e, q)| e * q).sum();
                (star, star.and(hamiltonian).map(|H| carried - H))
            }
            (None, false) => (None, None),
        };
        Ok(EnergyValues {
            momenta,
            efforts,
            kinetic_coenergy,
            kinetic_energy,
            potential: potential.or(kinetic_coenergy.map(|_| 0.0)),
            potential_coenergy,
            lagrangian,
            hamiltonian,
            hamiltonian_star,
            lagrangian_star,
            reasons,
        })
    }

    /// Letters and values, as far as they exist.
    pub fn list(&self) -> Vec<(&'static str, f64)> {
        let all = [
            ("T*", self.kinetic_coenergy),
            ("T", self.kinetic_energy),
            ("V", self.potential),
            ("V*", self.potential_coenergy),
            ("L", Some(self.lagrangian)),
            ("H", self.hamiltonian),
            ("H*", self.hamiltonian_star),
            ("L*", self.lagrangian_star),
        ];
        all.into_iter().filter_map(|(letter, value)| value.map(|v| (letter, v))).collect()
    }
}
