//! Motion in momenta: the kernels of Hamilton's and of Suslov's form, for `simulate --form` and for `verify`.
//!
//! Each wraps the compiled system and replaces the speeds by momenta; everything below the kernel form serves unchanged.

mod branch;
mod momenta;
mod small;
mod suslov_kernel;

pub use momenta::Momenta;
pub use suslov_kernel::SuslovKernel;
