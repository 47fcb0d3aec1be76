//! Where names are kept: plain ones by name, members of families by their indices, so that a member is found without
//! spelling it.

use super::value::Value;
use dalembert_expr::Rational;
use dalembert_syntax::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a name stands for.
#[derive(Clone, Debug)]
pub(in crate::elaborate) enum Binding {
    /// A `const` or a loop index.
    Number(Rational),
    /// A parameter, by index.
    Parameter(usize),
    /// A coordinate, by index.
    Coordinate(usize),
    /// A declared speed, by index.
    Speed(usize),
    /// An auxiliary variable, by index.
    Auxiliary(usize),
    /// A `let` (or an output used further on).
    Value(Value),
    /// A function of arguments, by index.
    Function(usize),
    /// A function by its points, by index.
    Table(usize),
    /// A body, by index.
    Body(usize),
    /// A frame, by index.
    Frame(usize),
    /// A joint of several freedoms or none.
    Joint,
    /// A freedom of a joint that closes a loop.
    Freedom(usize, usize),
    /// A speed of a ball or free joint that closes a loop.
    FreedomSpeed(usize, usize),
    /// Its declaration was wrong; what uses it says nothing more.
    Poisoned,
}

impl Binding {
    pub fn word(&self) -> &'static str {
        match self {
            Binding::Number(_) => "a constant or an index",
            Binding::Parameter(_) => "a parameter",
            Binding::Coordinate(_) => "a coordinate",
            Binding::Speed(_) => "a speed",
            Binding::Auxiliary(_) => "a state variable",
            Binding::Value(_) => "a name for an expression",
            Binding::Function(_) => "a function",
            Binding::Table(_) => "a table",
            Binding::Body(_) => "a body",
            Binding::Frame(_) => "a frame",
            Binding::Joint => "a joint",
            Binding::Freedom(..) => "a freedom of a joint that closes a loop",
            Binding::FreedomSpeed(..) => "a speed of a joint that closes a loop",
            Binding::Poisoned => "declared already",
        }
    }
}

/// With the place of its declaration.
pub(in crate::elaborate) type Bound = (Binding, Span);

/// All names of a model. Members are spelt `q[3]`; families have the plain name.
#[derive(Default)]
pub(in crate::elaborate) struct Scope {
    plain: FxHashMap<String, Bound>,
    families: FxHashMap<String, Family>,
    /// Families some member of which could not be declared.
    broken: FxHashSet<String>,
}

/// The members of a family.
#[derive(Default)]
struct Family {
    subscripts: usize,
    /// Members with one subscript, declared one after the other from `first` on: nearly all there are.
    first: i64,
    run: Vec<Bound>,
    /// All others.
    more: FxHashMap<Vec<i64>, Bound>,
}

impl Family {
    fn get(&self, indices: &[i64]) -> Option<&Bound> {
        let in_run = |i: i64| self.run.get(usize::try_from(i.checked_sub(self.first)?).ok()?);
        match indices {
            [i] => in_run(*i).or_else(|| self.more.get(indices)),
            _ => self.more.get(indices),
        }
    }

    fn insert(&mut self, indices: Vec<i64>, bound: Bound) {
        self.subscripts = indices.len();
        match indices[..] {
            [i] if self.run.is_empty() && self.more.is_empty() => {
                self.first = i;
                self.run.push(bound);
            }
            [i] if !self.run.is_empty() && i.checked_sub(self.first) == Some(self.run.len() as i64) => {
                self.run.push(bound);
            }
            _ => {
                self.more.insert(indices, bound);
            }
        }
    }

    /// The indices of every member, in no particular order.
    fn members(&self) -> impl Iterator<Item = Vec<i64>> {
        let run = (0..self.run.len() as i64).map(|k| vec![self.first + k]);
        run.chain(self.more.keys().cloned())
    }
}

/// `q[1,2]` as name and indices.
fn split(name: &str) -> Option<(&str, Vec<i64>)> {
    let (plain, indices) = name.strip_suffix(']')?.split_once('[')?;
    Some((plain, indices.split(',').map(|i| i.parse().ok()).collect::<Option<_>>()?))
}

impl Scope {
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.bound(name).map(|(binding, _)| binding)
    }

    /// With the place of its declaration.
    pub fn bound(&self, name: &str) -> Option<&Bound> {
        match split(name) {
            Some((plain, indices)) => self.families.get(plain)?.get(&indices),
            None => self.plain.get(name),
        }
    }

    /// A member of a family.
    pub fn member(&self, family: &str, indices: &[i64]) -> Option<&Binding> {
        self.families.get(family)?.get(indices).map(|(binding, _)| binding)
    }

    /// Whether `name` is a family, and with how many subscripts.
    pub fn family(&self, name: &str) -> Option<usize> {
        self.families.get(name).map(|family| family.subscripts)
    }

    /// First and last member of a family with one subscript.
    pub fn extent(&self, family: &str) -> Option<(i64, i64)> {
        let single = |indices: Vec<i64>| if let [i] = indices[..] { Some(i) } else { None };
        let members = || self.families.get(family).into_iter().flat_map(Family::members).filter_map(single);
        Some((members().min()?, members().max()?))
    }

    /// Binds a name that is free.
    pub fn bind(&mut self, name: &str, binding: Binding, span: Span) {
        let Some((plain, indices)) = split(name) else {
            self.plain.insert(name.to_owned(), (binding, span));
            return;
        };
        if !self.families.contains_key(plain) {
            self.families.insert(plain.to_owned(), Family::default());
        }
        if let Some(family) = self.families.get_mut(plain) {
            family.insert(indices, (binding, span));
        }
    }

    /// Gives a plain name that is bound another meaning: an index its next value.
    pub(crate) fn rebind(&mut self, name: &str, binding: Binding) {
        if let Some(bound) = self.plain.get_mut(name) {
            bound.0 = binding;
        }
    }

    /// Frees a plain name.
    pub(crate) fn unbind(&mut self, name: &str) {
        self.plain.remove(name);
    }

    /// Gives a plain name another meaning, or none, and returns the one it had.
    pub fn exchange(&mut self, name: &str, meaning: Option<Bound>) -> Option<Bound> {
        match meaning {
            Some(bound) => self.plain.insert(name.to_owned(), bound),
            None => self.plain.remove(name),
        }
    }

    /// Lets uses of a name whose declaration failed pass in silence.
    pub fn poison(&mut self, name: &str, span: Span) {
        self.broken.insert(name.to_owned());
        if !self.plain.contains_key(name) && !self.families.contains_key(name) {
            self.plain.insert(name.to_owned(), (Binding::Poisoned, span));
        }
    }

    /// Whether some member of a family could not be declared.
    pub(crate) fn is_broken(&self, family: &str) -> bool {
        self.broken.contains(family)
    }

    /// Every name with its subscripts, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let spell = |plain: &String, indices: Vec<i64>| {
            let indices: Vec<String> = indices.iter().map(i64::to_string).collect();
            format!("{plain}[{}]", indices.join(","))
        };
        let members = self
            .families
            .iter()
            .flat_map(move |(plain, family)| family.members().map(move |indices| spell(plain, indices)));
        self.plain.keys().cloned().chain(members)
    }

    /// Plain names and names of families, sorted, for messages.
    pub(crate) fn plain_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.plain.keys().chain(self.families.keys()).map(String::as_str).collect();
        names.sort_unstable(); // messages must not depend on hashing
        names
    }
}
