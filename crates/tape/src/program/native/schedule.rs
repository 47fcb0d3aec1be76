//! The order of the operations: each value shortly before it is needed, the longer way first, so that few registers hold
//! values that wait (Sethi and Ullman, on a graph). O(operations).

use super::expand::Expanded;
use super::graph::{Graph, Id, Node};

/// Reorders a program and drops what no output needs.
pub(super) fn schedule(program: Expanded) -> Expanded {
    let nodes = &program.graph.nodes;
    let depth = depths(nodes);
    let mut place: Vec<Option<Id>> = vec![None; nodes.len()];
    let mut graph = Graph::default();
    // (value, whether its operands have been put before it)
    let mut open: Vec<(Id, bool)> = Vec::new();
    for root in program.outputs.iter().chain(&program.guard) {
        open.push((*root, false));
        while let Some((v, ready)) = open.pop() {
            if place[v as usize].is_some() {
                continue;
            }
            let node = nodes[v as usize];
            if ready {
                place[v as usize] = Some(graph.add(moved(node, &place)));
                continue;
            }
            open.push((v, true));
            let mut operands: Vec<Id> = node.operands().collect();
            // The last one pushed is computed first.
            operands.sort_by_key(|o| depth[*o as usize]);
            open.extend(operands.into_iter().map(|o| (o, false)));
        }
    }
    let of = |v: &Id| place[*v as usize].unwrap_or(0);
    Expanded {
        outputs: program.outputs.iter().map(of).collect(),
        guard: program.guard.as_ref().map(of),
        graph,
    }
}

/// The longest way from an input to each value.
fn depths(nodes: &[Node]) -> Vec<u32> {
    let mut depth = vec![0; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        depth[i] = node.operands().map(|o| depth[o as usize] + 1).max().unwrap_or(0);
    }
    depth
}

/// A node whose operands stand elsewhere.
fn moved(node: Node, place: &[Option<Id>]) -> Node {
    let at = |v: Id| place[v as usize].unwrap_or(0);
    match node {
        Node::Input(_) | Node::Constant(_) => node,
        Node::Two(op, a, b) => Node::Two(op, at(a), at(b)),
        Node::Sqrt(a) => Node::Sqrt(at(a)),
        Node::Shift(a, bits) => Node::Shift(at(a), bits),
        Node::Blend { mask, no, yes } => Node::Blend { mask: at(mask), no: at(no), yes: at(yes) },
        Node::Fused { minus, a, b, c } => Node::Fused { minus, a: at(a), b: at(b), c: at(c) },
        Node::Call(op, a, b) => Node::Call(op, at(a), at(b)),
        Node::Pair(a, b) => Node::Pair(at(a), at(b)),
        Node::Second(a) => Node::Second(at(a)),
    }
}
