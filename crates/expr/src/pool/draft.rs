//! A node on its way into the pool: its lists are lent, so that finding an expression that is there already allocates
//! nothing.

use crate::function::Function;
use crate::pool::{Expr, Node, Symbol, Weighted};
use crate::rational::Rational;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// As [`Node`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Draft<'a> {
    Number(&'a Rational),
    Pi,
    Symbol(Symbol),
    Sum(&'a Rational, &'a [Weighted]),
    Product(&'a [Weighted]),
    Power(Expr, Expr),
    Call(Function, &'a [Expr]),
}

impl Draft<'_> {
    /// 32 bits that are kept with the node: a table that grows need not look at the nodes again.
    pub fn hash(self) -> u32 {
        let hash = FxBuildHasher.hash_one(self);
        (hash ^ hash >> 32) as u32
    }

    /// With lists of its own, no longer than they must be.
    pub fn to_node(self) -> Node {
        match self {
            Draft::Number(r) => Node::Number(r.clone()),
            Draft::Pi => Node::Pi,
            Draft::Symbol(s) => Node::Symbol(s),
            Draft::Sum(constant, terms) => Node::Sum(constant.clone(), terms.into()),
            Draft::Product(factors) => Node::Product(factors.into()),
            Draft::Power(base, exponent) => Node::Power(base, exponent),
            Draft::Call(f, args) => Node::Call(f, args.into()),
        }
    }
}

impl Node {
    pub(crate) fn draft(&self) -> Draft<'_> {
        match self {
            Node::Number(r) => Draft::Number(r),
            Node::Pi => Draft::Pi,
            Node::Symbol(s) => Draft::Symbol(*s),
            Node::Sum(constant, terms) => Draft::Sum(constant, terms),
            Node::Product(factors) => Draft::Product(factors),
            Node::Power(base, exponent) => Draft::Power(*base, *exponent),
            Node::Call(f, args) => Draft::Call(*f, args),
        }
    }
}

/// The 64 bits a table wants, of 32: its low bits choose a place, its high bits tell neighbours apart.
pub(crate) fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}
