//! What the programs of comparison share: the works that are measured, how time is taken, and the peers.

pub mod cart;
pub mod chain;
pub mod peers;
pub mod pendulums;
pub mod table;
pub mod timing;
pub mod whole;
