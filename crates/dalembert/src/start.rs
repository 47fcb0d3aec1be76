//! Where a motion starts: bodies assembled, guesses moved onto the constraints, conserved quantities as given.

mod assembly;
mod initial_state;
mod invariant_start;
mod own_cuts;
