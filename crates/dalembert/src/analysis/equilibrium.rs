//! Positions of rest by virtual work, and steady motions.
//!
//! ```text
//! v^T (Q + C) = 0 for every v with A v = 0,   f = 0      (rest: eta = 0)
//! ```
//!
//! That is the same as: the accelerations of the independent speeds vanish. So one Newton iteration serves for rest and for
//! steady motions (constant rates of ignorable coordinates): the rates of all states that are not ignorable are brought
//! to zero, with the exact derivative that linearisation gives, on the constraints. Where the forces have a potential, the
//! model's own start is also followed down to the bottom of its valley (`descend`). Starts are the model's own and points
//! spread evenly around it; what is found is what these lead to, not a proof that there is nothing else.

mod family;
mod landscape;
mod lasting;
mod search;
mod settle;

pub use landscape::{Landscape, landscape};
pub use search::{DEFAULT_STARTS, Equilibria, Equilibrium, EquilibriumSearch};
