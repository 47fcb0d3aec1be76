//! Functions of arguments, `let f(a, b) = E`: a call is the expression with its arguments put in, whatever they are (scalars,
//! vectors, matrices), with their units. A function sees what was declared before it and calls functions defined before it, so that
//! every call ends.

use super::bindings::Bound;
use super::scope::Binding;
use super::value::Value;
use super::{Elaborator, Fallible};
use dalembert_syntax::ast::{self, Definition, Name};
use dalembert_syntax::diagnostic::{Code, Diagnostic};
use dalembert_syntax::source::Span;
use dalembert_syntax::words::is_reserved;
use std::rc::Rc;

/// A function as it is written. Shared, so that its expressions stay where they are.
pub(super) struct UserFunction {
    name: String,
    arguments: Vec<Name>,
    body: ast::Expr,
    /// Indices of the loops around its definition: the only ones that its body knows.
    indices: Vec<String>,
}

/// The functions of a model.
#[derive(Default)]
pub(super) struct Functions {
    list: Vec<Rc<UserFunction>>,
    /// The one that is being worked out: it calls only functions before it.
    inside: Option<usize>,
    /// Its arguments, with what their names stand for outside of it.
    hidden: Vec<(String, Option<Bound>)>,
}

impl Elaborator<'_> {
    /// `let f(a, b) = E`
    pub(super) fn define_function(&mut self, d: &Definition) -> Fallible<()> {
        let name = &d.target.name.text;
        for (k, argument) in d.arguments.iter().enumerate() {
            if is_reserved(&argument.text) {
                let message =
                    format!("`{}` is a word of the language and cannot be an argument", argument.text);
                return self.error(Code::ReservedName, argument.span, &message);
            }
            if d.arguments[..k].iter().any(|other| other.text == argument.text) {
                let message = format!("the argument `{}` appears twice", argument.text);
                return self.error(Code::DeclaredTwice, argument.span, &message);
            }
        }
        self.declare(name, Binding::Function(self.functions.list.len()), d.target.span)?;
        let (arguments, body) = (d.arguments.clone(), d.value.clone());
        let indices = self.loops.indices().to_vec();
        self.functions.list.push(Rc::new(UserFunction { name: name.clone(), arguments, body, indices }));
        Ok(())
    }

    /// A call of a function of the model, if the name is one.
    pub(super) fn user_call(
        &mut self,
        name: &Name,
        args: &[ast::Expr],
        span: Span,
    ) -> Option<Fallible<Value>> {
        match self.scope.get(&name.text) {
            Some(Binding::Function(k)) => {
                let k = *k;
                Some(self.apply(k, name, args, span))
            }
            _ => None,
        }
    }

    fn apply(&mut self, k: usize, name: &Name, args: &[ast::Expr], span: Span) -> Fallible<Value> {
        let function = Rc::clone(&self.functions.list[k]);
        if self.functions.inside.is_some_and(|inside| k >= inside) {
            let message = format!("`{}` is not defined before the function that calls it", function.name);
            let d = Diagnostic::error(Code::UnknownFunction, name.span, message);
            return self.fail(d.help("a function may call those defined before it, and not itself"));
        }
        if args.len() != function.arguments.len() {
            let (wanted, given) = (function.arguments.len(), args.len());
            let message = format!("`{}` takes {wanted} argument(s), not {given}", function.name);
            return self.error(Code::WrongArity, span, &message);
        }
        let values: Vec<Fallible<Value>> = args.iter().map(|arg| self.value(arg)).collect();
        let values = values.into_iter().collect::<Fallible<Vec<_>>>()?;
        self.spend(values.iter().map(|value| value.scalars().len()).sum(), span)?;
        // A body means what it meant where it is written: it knows neither the arguments of the function around the call
        // nor the indices of the loops around it, whose names may be those of its own sums.
        let around = std::mem::take(&mut self.functions.hidden);
        let mut own: Vec<(String, Option<Bound>)> = Vec::new();
        for (name, outside) in &around {
            own.push((name.clone(), self.scope.exchange(name, outside.clone())));
        }
        for index in self.loops.indices().to_vec() {
            let is_index = matches!(self.scope.get(&index), Some(Binding::Number(_)));
            if is_index && !function.indices.contains(&index) {
                let inside = self.scope.exchange(&index, None);
                own.push((index, inside));
            }
        }
        let result = self.apply_alone(k, &function, values, span);
        own.into_iter().rev().for_each(|(name, inside)| {
            self.scope.exchange(&name, inside);
        });
        self.functions.hidden = around;
        result
    }

    /// The value of a function where no other one is being worked out.
    fn apply_alone(
        &mut self,
        k: usize,
        function: &UserFunction,
        values: Vec<Value>,
        span: Span,
    ) -> Fallible<Value> {
        let names: Vec<&str> = function.arguments.iter().map(|argument| argument.text.as_str()).collect();
        for (name, value) in names.iter().zip(values) {
            let outside = self.scope.exchange(name, Some((Binding::Value(value), span)));
            self.functions.hidden.push(((*name).to_owned(), outside));
        }
        let outer = self.functions.inside.replace(k);
        let result = self.with_varying(&names, |this| this.value(&function.body));
        self.functions.inside = outer;
        for (name, outside) in std::mem::take(&mut self.functions.hidden) {
            self.scope.exchange(&name, outside);
        }
        result
    }
}
