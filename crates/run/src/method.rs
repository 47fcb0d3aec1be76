//! One step of a method: explicit, implicit and variational steppers, their coefficients, step-size control.
//!
//! Knows neither events nor output times: those are the driver's ([`crate::hybrid`]).

pub(crate) mod discrete_action;
pub(crate) mod dop853;
pub(crate) mod explicit;
mod plain_step;
pub(crate) mod radau;
pub(crate) mod stages;
pub(crate) mod step_size;
pub(crate) mod stepper;
pub(crate) mod tableaux;
pub(crate) mod tolerances;
pub(crate) mod variational;
