//! What the names of a plan mean in a model.

use super::Plan;
use crate::parameters::Target;
use crate::system::InitialTarget;
use crate::workspace::Workspace;
use dalembert_syntax::diagnostic::{Code, Diagnostic, nearest};

/// Where the values of a run go, in their order.
pub(super) struct Targets {
    list: Vec<(String, Target)>,
    /// What one in the file's unit of each parameter is in SI.
    sizes: Vec<f64>,
}

impl Targets {
    pub fn new(model: &Workspace, plan: &Plan) -> Result<Self, Box<Diagnostic>> {
        let mut list: Vec<(String, Target)> = Vec::new();
        for name in plan.names() {
            let target = model.target(name).ok_or_else(|| Box::new(unknown(model, name)))?;
            if let Some((other, _)) = list.iter().find(|(_, known)| known.overlaps(&target)) {
                let message = if other == name {
                    format!("`{name}` is given twice")
                } else {
                    format!("`{other}` and `{name}` say the same thing twice")
                };
                return Err(Box::new(Diagnostic::error(Code::BadOption, None, message)));
            }
            list.push((name.clone(), target));
        }
        let sizes = model.system.parameters.iter().map(|p| p.unit_size).collect();
        Ok(Targets { list, sizes })
    }

    /// Parameters by name, starting values as `x(0)`.
    pub fn columns(&self) -> impl Iterator<Item = String> {
        self.list.iter().map(|(name, target)| match target {
            Target::Parameters(_) => name.clone(),
            Target::Start(_) => format!("{name}(0)"),
        })
    }

    pub(crate) fn change_parameters(&self) -> bool {
        self.list.iter().any(|(_, target)| matches!(target, Target::Parameters(_)))
    }

    /// The parameters that are given, in SI.
    pub fn parameters(&self, values: &[f64]) -> Vec<Option<f64>> {
        let mut given = vec![None; self.sizes.len()];
        for ((_, target), value) in self.list.iter().zip(values) {
            if let Target::Parameters(places) = target {
                places.iter().for_each(|k| given[*k] = Some(value * self.sizes[*k]));
            }
        }
        given
    }

    /// The starting values that are given.
    pub fn starts(&self, values: &[f64]) -> Vec<(InitialTarget, f64)> {
        let pairs = self.list.iter().zip(values);
        pairs
            .filter_map(|((_, target), value)| match target {
                Target::Start(target) => Some((*target, *value)),
                Target::Parameters(_) => None,
            })
            .collect()
    }
}

impl Plan {
    /// What changes from run to run.
    fn names(&self) -> impl Iterator<Item = &String> {
        self.vary.iter().map(|a| &a.name).chain(self.sample.iter().map(|s| &s.name))
    }

    /// Refuses a plan that varies what is given one value elsewhere: the same name, a member of a varied family, or the
    /// family of a varied member. Names as in `k[2]` and `x'`.
    pub fn refuse_given<'n>(&self, given: impl IntoIterator<Item = &'n str>) -> Result<(), Box<Diagnostic>> {
        let clash = given.into_iter().find_map(|name| Some((name, self.names().find(|v| meet(name, v))?)));
        let Some((name, varied)) = clash else { return Ok(()) };
        let (name, varied) = (plain(name), plain(varied));
        let message = if name == varied {
            format!("`{name}` is given one value and varied")
        } else {
            format!("`{name}` is given one value and varied with `{varied}`")
        };
        let d = Diagnostic::error(Code::BadOption, None, message);
        Err(Box::new(d.help("leave it out of `--set` and `--initial`, or out of `--vary` and `--sample`")))
    }
}

fn plain(name: &str) -> String {
    name.split_whitespace().collect()
}

/// Whether two names are one, or a family and its member.
fn meet(a: &str, b: &str) -> bool {
    let (a, b) = (plain(a), plain(b));
    let parts = |name: &str| -> (String, String, usize) {
        let stem = name.trim_end_matches('\'');
        let at = stem.find('[').unwrap_or(stem.len());
        (stem[..at].to_owned(), stem[at..].to_owned(), name.len() - stem.len())
    };
    let ((family, member, order), (other_family, other_member, other_order)) = (parts(&a), parts(&b));
    let some = member.is_empty() || other_member.is_empty() || member == other_member;
    family == other_family && order == other_order && some
}

impl Target {
    fn overlaps(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Parameters(a), Target::Parameters(b)) => a.iter().any(|k| b.contains(k)),
            (Target::Start(a), Target::Start(b)) => a == b,
            _ => false,
        }
    }
}

fn unknown(model: &Workspace, name: &str) -> Diagnostic {
    if model.system.constants.iter().any(|constant| constant == name) {
        let message =
            format!("`{name}` is a `const`, which changes the equations: it cannot vary from run to run");
        return Diagnostic::error(Code::BadOption, None, message).help(format!(
            "make it a `parameter` if it is not an index, or sweep once for each `--set {name}=...`"
        ));
    }
    let parameters = model.system.parameters.iter().map(|p| p.name.as_str());
    let names: Vec<&str> = parameters.chain(model.state_names()).collect();
    let message = format!("`{name}` is not a parameter, coordinate or rate of this model");
    let d = Diagnostic::error(Code::BadOption, None, message);
    match nearest(name, names.iter().copied()) {
        Some(near) => d.help(format!("did you mean `{near}`?")),
        None => d.help(format!("known are {}", names.join(", "))),
    }
}
