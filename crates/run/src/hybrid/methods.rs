//! The methods of a run, each with its step size: the one that was asked for, and the bridge over losses of rank.
//!
//! Methods of low order or with an implicit step cannot pass a loss of rank in one stride, as
//! [`singular`](crate::constraint::singular) asks; DOP853 takes over close to one and hands back behind it.

use super::Method;
use crate::Dynamics;
use crate::constraint::singular::{BRIDGE, Watch};
use crate::method::explicit::Explicit;
use crate::method::radau::Radau;
use crate::method::stages::Kind;
use crate::method::step_size::StepSizeControl;
use crate::method::stepper::Stepper;
use crate::method::variational::Variational;

/// The methods of a run.
pub(super) struct Methods {
    /// The one that was asked for, its step-size control and its next step.
    pub asked: Box<dyn Stepper>,
    control: StepSizeControl,
    pub h: f64,
    bridge: Option<Bridge>,
    /// Whether the bridge is at work.
    bridging: bool,
    /// First step from a degenerate start, taken by the bridge where there is one.
    pub first_bridge: Option<f64>,
}

/// The long-stepping method for passing a loss of rank.
struct Bridge {
    method: Explicit,
    control: StepSizeControl,
    h: f64,
    /// It has turned out to be no help here (a stiff system).
    off: bool,
}

impl Methods {
    /// For a state of `dim` components.
    pub fn new(method: Method, kernel: &dyn Dynamics, dim: usize) -> Self {
        let asked: Box<dyn Stepper> = match method {
            Method::Dop853 => Box::new(Explicit::new(Kind::Dop853, dim)),
            Method::Tsit5 => Box::new(Explicit::new(Kind::Tsit5, dim)),
            Method::Rk4 => Box::new(Explicit::new(Kind::Rk4, dim)),
            Method::Radau => Box::new(Radau::new(dim)),
            Method::Variational2 => Box::new(Variational::new(2, kernel)),
            Method::Variational4 => Box::new(Variational::new(3, kernel)),
            Method::Variational6 => Box::new(Variational::new(4, kernel)),
        };
        let bridge = matches!(method, Method::Tsit5 | Method::Radau).then(|| Bridge {
            method: Explicit::new(Kind::Dop853, dim),
            control: StepSizeControl::new(8.0, 1.0),
            h: 0.0,
            off: false,
        });
        let control = StepSizeControl::new(asked.exponent(), asked.least_growth());
        Self { asked, control, h: 0.0, bridge, bridging: false, first_bridge: None }
    }

    /// Whether steps are of fixed size.
    pub fn fixed(&self) -> bool {
        self.asked.fixed()
    }

    /// The method that takes the step.
    pub fn at_work(&mut self) -> &mut dyn Stepper {
        match &mut self.bridge {
            Some(bridge) if self.bridging => &mut bridge.method,
            _ => self.asked.as_mut(),
        }
    }

    /// The method that takes the step, to be asked.
    pub fn at_work_ref(&self) -> &dyn Stepper {
        match &self.bridge {
            Some(bridge) if self.bridging => &bridge.method,
            _ => self.asked.as_ref(),
        }
    }

    /// Hands over to the bridge close to a loss of rank, and back; returns the step that the method at work would take.
    pub fn choose(&mut self, near: bool, margin: f64, watch: &Watch, t: f64) -> f64 {
        let Some(bridge) = &mut self.bridge else { return self.h };
        let limit = if self.bridging { 1.5 * BRIDGE } else { BRIDGE };
        let close = near && margin < limit * watch.reference;
        if !close {
            bridge.off = false;
        }
        let wanted = close && !bridge.off;
        if wanted && !self.bridging {
            // As far beyond the rank loss as it is away, if that is known.
            let over = watch.ahead(t).map(|ahead| ahead / bridge.method.gaps()[0].middle);
            bridge.h = self.first_bridge.take().or(over).unwrap_or(4.0 * self.h);
            bridge.control = StepSizeControl::new(bridge.method.exponent(), 1.0);
        }
        if self.bridging && !wanted {
            self.asked.interrupted();
        }
        self.bridging = wanted;
        if wanted { bridge.h } else { self.h }
    }

    /// If the bridge is at work: it goes on with this step, and gives up where the method itself steps further. Whether it
    /// is.
    pub fn shorten_bridge(&mut self, h: f64) -> bool {
        match &mut self.bridge {
            Some(bridge) if self.bridging => {
                bridge.h = h;
                bridge.off = h.abs() < self.h.abs();
                true
            }
            _ => false,
        }
    }

    /// The step after a rejected one. Whether it is the bridge's.
    pub fn rejected(&mut self, h: f64, error: f64) -> bool {
        match &mut self.bridge {
            Some(bridge) if self.bridging => {
                let factor = bridge.control.rejected(error);
                self.shorten_bridge(h * factor)
            }
            _ => {
                self.h = h * self.control.rejected(error);
                false
            }
        }
    }

    /// The step after an accepted one.
    pub fn accepted(&mut self, h: f64, error: f64) {
        match &mut self.bridge {
            Some(bridge) if self.bridging => bridge.h = h * bridge.control.accepted(error),
            _ if self.asked.fixed() => {}
            _ => self.h = h * self.control.accepted(error),
        }
    }

    /// The steps that follow have nothing to do with those before.
    pub fn restart(&mut self) {
        self.control = StepSizeControl::new(self.asked.exponent(), self.asked.least_growth());
    }
}
