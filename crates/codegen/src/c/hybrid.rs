//! Contacts with friction, events and switches in C: what a motion is between events, and what happens at them.

use super::{C, LEAST, function_of_motion, room};
use crate::outline::Outline;
use dalembert_run::tolerance;
use std::fmt::Write;

const CONTACTS: &str = include_str!("../../assets/code/contacts.c");
const MODES: &str = include_str!("../../assets/code/modes.c");
const ONSET: &str = include_str!("../../assets/code/onset.c");
const HYBRID: &str = include_str!("../../assets/code/hybrid.c");

/// What happens at an event, by number.
const HAPPENINGS: [(u8, &str); 4] = [
    (7, "the normal forces of sliding contacts have no solution, or several (Painleve)"),
    (8, "no contact modes fit the state"),
    (9, "events without end at one instant"),
    (10, "an event ended the motion: the state is the one there"),
];

/// The type of the modes and the functions that use it.
pub fn declare(outline: &Outline, step: bool, out: &mut String) {
    let (s, h) = (&outline.shape, &outline.hybrid);
    let watched = room(s.n_contact + s.n_event + s.n_switch);
    let _ = writeln!(
        out,
        "\n/* contacts, components of their sliding velocities, events, functions that are watched */\n\
         enum {{ NAME_NC = {}, NAME_NS = {}, NAME_NE = {}, NAME_WATCHED = {watched} }};",
        s.n_contact, s.n_slide, s.n_event
    );
    for (list, names) in [
        ("contact_names", h.contacts.iter().map(|c| &c.0.name).collect::<Vec<_>>()),
        ("event_names", h.events.iter().map(|e| &e.0.name).collect()),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "extern const char *const NAME_{list}[{}];", names.len());
        }
    }
    out.push_str("\n/* What a motion is in between events. */\ntypedef struct {\n");
    if s.n_contact > 0 {
        out.push_str(
            "    int sticks[NAME_NC]; /* whether each contact sticks */\n    double direction[NAME_NS]; /* in which the others slide, where it is held */\n\
             \x20   int held[NAME_NC], open[NAME_NC];\n    double turning[NAME_NS], strength[NAME_NC], until[NAME_NC], since, rest;\n",
        );
    }
    if s.n_event > 0 {
        out.push_str("    int count[NAME_NE]; /* how often each event has happened */\n");
    }
    out.push_str(
        "    int event; /* the last that happened, or -1 */\n    int side[NAME_WATCHED], chain;\n    double last, after, before, behind, seen, top_speed, h;\n} NAME_modes;\n",
    );
    if s.n_contact > 0 {
        out.push_str(
            "\n/* Which contacts stick at a state: those with V = 0 whose friction can hold them. NAME_evaluate takes these modes. */\n\
             int NAME_find_modes(double t, const double *x, const double *eta, const double *p, NAME_modes *modes);\n\
             int NAME_evaluate_in(double t, const double *x, const double *eta, const double *p, const NAME_modes *modes, NAME_result *out);\n",
        );
    }
    if step {
        out.push_str("\n/* Motions begin with NAME_start. Codes as above, and\n     6  no step is small enough for the tolerance\n");
        for (code, meaning) in HAPPENINGS {
            let _ = writeln!(out, "    {code:>2}  {meaning}");
        }
        out.push_str(
            "*/\nint NAME_start(double t, double *x, double *eta, const double *p, NAME_modes *modes);\n\
             /* Returns a state to the constraints and to V = 0 of contacts that stick: by the least motion, measured by the mass. */\n\
             int NAME_project(double t, double *x, double *eta, const double *p, const NAME_modes *modes);\n\
             /* A step of order 5, cut where something happens: events are located, and the motion goes on behind them. */\n\
             int NAME_step(double *t, double *x, double *eta, const double *p, double dt, NAME_modes *modes);\n\
             /* Steps with error control up to a time. */\n\
             int NAME_advance(double *t, double *x, double *eta, const double *p, double until, double tolerance, NAME_modes *modes);\n",
        );
    }
}

/// V, J, b, mu, mu_static and P as a function, and where the numbers of each contact are.
pub fn contact_terms(outline: &Outline, out: &mut String) {
    let s = &outline.shape;
    let Some(block) = &outline.hybrid.contact_terms else { return };
    let (ns, nc, nn, m) = (s.n_slide, s.n_contact, s.n_normal, s.n_con);
    let _ = writeln!(
        out,
        "enum {{ NAME_NN = {nn}, NAME_PRESSED = {} }};\n#define NAME_DETERMINED {:e}\n#define NAME_FORCED {:e}",
        room(nn * m),
        tolerance::DETERMINED_SLIDING,
        tolerance::FORCED_SLIDING
    );
    let contacts = || outline.hybrid.contacts.iter();
    let slides: Vec<String> =
        contacts().map(|(_, c)| format!("{{{}, {}}}", c.slide.start, c.slide.end)).collect();
    let presses: Vec<String> =
        contacts().map(|(_, c)| format!("{{{}, {}}}", c.normal.start, c.normal.end)).collect();
    let names: Vec<String> = contacts().map(|(item, _)| format!("\"{}\"", item.name)).collect();
    let _ = write!(
        out,
        "const char *const NAME_contact_names[{nc}] = {{{}}};\n\
         /* components of V of each contact, and of its normal force: from, to */\n\
         static const int NAME_slide[{nc}][2] = {{{}}}, NAME_press_rows[{nc}][2] = {{{}}};\n\n\
         /* V, its derivative J by the speeds, b of V' = J eta' - b, coefficients, and P: the normal force is |P lambda| */\n\
         static void NAME_contact_terms(double t_, const double *x_, const double *eta_, const double *p_,\n\
         \x20   double *V_, double *J_, double *b_, double *mu_, double *mu_static_, double *P_)\n{{\n",
        names.join(", "),
        slides.join(", "),
        presses.join(", "),
    );
    super::clear(
        &[("V_", ns), ("J_", ns * s.n_eta), ("b_", ns), ("mu_", nc), ("mu_static_", nc), ("P_", nn * m)],
        out,
    );
    out.push_str("    (void)t_; (void)x_; (void)eta_; (void)p_; (void)P_;\n");
    let language = C { name: &outline.name };
    let arrays = ["V_", "J_", "b_", "mu_", "mu_static_", "P_"];
    out.push_str(&outline.statements(block, &language, &arrays));
    out.push_str("}\n\n");
}

/// Friction, before the motion that it is part of.
pub fn before_motion(outline: &Outline, out: &mut String) {
    if outline.shape.n_contact > 0 {
        out.push_str(CONTACTS);
    }
}

/// The search for modes.
pub fn behind_motion(outline: &Outline, out: &mut String) {
    if outline.shape.n_contact > 0 {
        out.push_str(MODES);
    }
}

/// Functions that are watched, and steps that end where they pass through zero.
pub fn steps(outline: &Outline, out: &mut String) {
    let (s, h) = (&outline.shape, &outline.hybrid);
    if !h.is_some() {
        return;
    }
    let language = C { name: &outline.name };
    let _ = writeln!(
        out,
        "\nenum {{ NAME_NC_ALL = {}, NAME_NK = {}, NAME_NT = {}, NAME_EVENTS = {}, NAME_ACTIONS = {} }};",
        s.n_contact,
        s.n_switch,
        room(s.n_time_switch),
        room(s.n_event),
        room(h.actions.len())
    );
    if let Some(block) = &h.event_functions {
        let names: Vec<String> = h.events.iter().map(|e| format!("\"{}\"", e.0.name)).collect();
        let _ =
            writeln!(out, "const char *const NAME_event_names[{}] = {{{}}};", names.len(), names.join(", "));
        out.push_str("\n/* What passes through zero at each event */\n");
        function_of_motion(outline, block, "static void NAME_event_functions", out);
    }
    if let Some(block) = &h.action_values {
        out.push_str("/* What events assign */\n");
        function_of_motion(outline, block, "static void NAME_action_values", out);
    }
    if let Some(block) = &h.kinks {
        out.push_str(
            "/* What passes through zero where constraint rows have kinks */\n\
             static void NAME_kinks(double t_, const double *x_, const double *eta_, const double *p_, double *y_)\n{\n\
             \x20   (void)t_; (void)x_; (void)eta_; (void)p_;\n",
        );
        out.push_str(&outline.statements(block, &language, &["y_"]));
        out.push_str("}\n\n");
    }
    if let Some(block) = &h.instants {
        let _ = write!(
            out,
            "/* The sides of comparisons that time alone decides, as differences */\n\
             static void NAME_instants(double t_, const double *p_, double *y_)\n{{\n    double side_[{}];\n    int i_;\n    (void)p_;\n",
            2 * s.n_time_switch
        );
        out.push_str(&outline.statements(block, &language, &["side_"]));
        let count = s.n_time_switch;
        let _ = write!(
            out,
            "    for (i_ = 0; i_ < {count}; i_++)\n        y_[i_] = side_[i_] - side_[{count} + i_];\n}}\n\n"
        );
    }
    if h.has_directions() && outline.control.is_none() {
        out.push_str(LEAST);
    }
    let list = |values: Vec<String>| {
        let text = if values.is_empty() { "0".to_owned() } else { values.join(", ") };
        format!("{{{text}}}")
    };
    let text = HYBRID
        .replace("ONSET\n", ONSET)
        .replace("EVENT_SIDES", &list(h.events.iter().map(|e| e.1.to_string()).collect()))
        .replace("EVENT_STOPS", &list(h.events.iter().map(|e| u8::from(e.2).to_string()).collect()))
        .replace("ACTION_EVENTS", &list(h.actions.iter().map(|a| a.event.to_string()).collect()))
        .replace("ACTION_VARIABLES", &list(h.actions.iter().map(|a| a.variable.to_string()).collect()));
    out.push_str(&text);
}
