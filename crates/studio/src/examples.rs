//! The gallery: models of this repository, inside the program.

use serde_json::{Value, json};

macro_rules! models {
    ($($kind:literal: $($name:literal),+;)+) => {
        &[$($(($kind, concat!($name, ".dal"), include_str!(concat!("../models/", $name, ".dal")))),+),+]
    };
}

/// Kind, file name, text; the kinds in the order they are shown.
const GALLERY: &[(&str, &str, &str)] = models! {
    "Pendulums": "pendulum", "double_pendulum", "double_pendulum_cartesian", "spherical_pendulum", "pendulum_chain",
        "cart_pendulum_chain", "foucault", "units_pendulum";
    "Rolling": "rolling_disk", "rolling_disk_lean", "rolling_torus", "ball_turntable", "chaplygin_sleigh",
        "cart_two_wheels", "bicycle";
    "Rigid bodies": "rigid_body_dzhanibekov", "heavy_top", "lagrange_top", "suslov";
    "Mechanisms": "four_bar_bodies", "double_pendulum_bodies", "slider_crank", "andrews_squeezer", "bricard", "n_four_bar";
    "Friction": "rough_incline", "bowling_ball", "stick_slip_belt", "stacked_blocks", "rough_puck";
    "Control": "double_pendulum_tip", "satellite_circle", "spacecraft_formation", "particle_circle";
    "Particles and fields": "kepler", "bead_hoop", "appell_hamel", "relativistic_particle", "hj_kepler";
    "Oscillations": "oscillator_chain", "vibration_absorber", "ziegler_column", "one_sided_spring";
};

/// All of them as JSON: `[{kind, name, title, about, text}]`.
pub fn all() -> Value {
    let entry = |(kind, name, text): &(&str, &str, &str)| json!({ "kind": kind, "name": name, "title": title(text), "about": about(text), "text": text });
    GALLERY.iter().map(entry).collect()
}

/// What stands in quotes behind `system`.
fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix("system \""));
    line.and_then(|rest| rest.split('"').next()).unwrap_or("Model")
}

/// The first sentence of the header.
fn about(text: &str) -> &str {
    let line = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_has_a_title_and_a_line() {
        for example in super::all().as_array().unwrap() {
            assert_ne!(example["title"], "Model", "{example}");
            assert!(example["about"].as_str().unwrap().len() > 10, "{example}");
        }
    }
}
