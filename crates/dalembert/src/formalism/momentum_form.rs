//! Motion in momenta: the kernels of Hamilton's and of Suslov's form, for `simulate --form` and for `verify`.
//!
//! Each wraps the compiled system and replaces the speeds by momenta; everything below the kernel form serves unchanged.

mod branch;
mod momenta;
mod suslov_kernel;

pub use momenta::Momenta;
pub use suslov_kernel::SuslovKernel;

/// The larger absolute value; NaN wins.
fn largest(m: f64, v: f64) -> f64 {
    if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) }
}
