//! What constraints are and do: their kinds and ranks, what is left free to move, and what presses at a contact.

pub mod constraint_kind;
pub mod mobility;
mod normal_force;
