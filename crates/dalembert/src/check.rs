//! Whether to trust what was computed: equations against a second derivation, and constraints as they are written.

mod residual_check;
mod self_check;
