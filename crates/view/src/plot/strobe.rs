//! A motion in one picture that can be printed: what a film shows at some instants, from pale to dark, over its traces.

use super::camera::Camera;
use super::canvas::{Anchor, Canvas, Color};
use super::figures::{DOT, Figures, Instant};
use super::svg::Svg;
use super::{BLACK, GREY, TEXT_SIZE, WHITE};
use crate::animation::Animation;

/// Instants that are shown, the last one in full.
const SHOWN: usize = 12;
const SIZE: (f64, f64) = (900.0, 420.0);
/// Figures that are drawn in all, traces that are: more would be no clearer, and a page must stay small.
const MAX_DRAWN: usize = 2_400;
const MAX_TRACES: usize = 24;
/// How much of the ink the first instant has.
const PALE: f64 = 0.12;

/// A stroboscopic picture of a film as SVG text; none where the film shows no places, but scales alone.
///
/// ```
/// # use dalembert::{Model, Request, Source, run::Flow};
/// # use dalembert_view::{Animation, self as export};
/// # let text = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ninitial x' = 1\nsimulate until 1";
/// # let model = Model::load(&Source::new("fall.dal", text), &Default::default()).unwrap();
/// let motion = model.simulate(&Request::default(), |_| Flow::Continue).unwrap();
/// let picture = export::strobe(&Animation::new(&model, &motion).unwrap()).unwrap();
/// assert_eq!(picture.matches("<circle").count(), 2 * 12); // a point at each instant: ring and inside
/// ```
pub fn strobe(film: &Animation) -> Option<String> {
    if film.times.is_empty() || film.shapes.iter().all(|shape| shape.value.is_some()) {
        return None;
    }
    let mut canvas = Svg::new(SIZE);
    canvas.fill([0.0, 0.0, SIZE.0, SIZE.1], WHITE);
    let camera = Camera::new(film, [0.0, 0.0, SIZE.0, SIZE.1 - 20.0]);
    let mut figures = Figures::new(film, &camera);
    let (traces, others) = figures.count();
    // Of many bodies fewer instants are shown, of very many not all bodies.
    let shown = SHOWN.min(MAX_DRAWN / others.max(1)).max(2);
    figures.leave(MAX_TRACES, MAX_DRAWN / shown);
    let frames = chosen(film.times.len(), shown);
    figures.traces(&mut canvas, &Instant::at_frame(film.times.len() - 1));
    for (k, frame) in frames.iter().enumerate() {
        let part = (k + 1) as f64 / frames.len() as f64;
        let share = PALE + (1.0 - PALE) * part * part;
        figures.bodies(&mut canvas, &Instant::at_frame(*frame), faded(BLACK, share), faded(DOT, share));
    }
    let (first, last) = (film.times[0], film.times[film.times.len() - 1]);
    let mut words = format!("t = {first:.3} to {last:.3}, {} instants, from pale to dark", frames.len());
    let (traces_shown, others_shown) = figures.count();
    for (shown, all, what) in [(others_shown, others, "figures"), (traces_shown, traces, "traces")] {
        if shown < all {
            words.push_str(&format!("; {shown} of {all} {what}"));
        }
    }
    canvas.text((0.5 * SIZE.0, SIZE.1 - 10.0), Anchor::Middle, TEXT_SIZE, GREY, &words);
    Some(canvas.finish())
}

/// Frames at equal distances, first and last among them.
fn chosen(frames: usize, shown: usize) -> Vec<usize> {
    let count = shown.min(frames);
    (0..count).map(|k| (frames - 1) * k / (count - 1).max(1)).collect()
}

/// A colour mixed with the white of the paper.
fn faded(Color(r, g, b): Color, share: f64) -> Color {
    let mix = |c: u8| (255.0 + share * (f64::from(c) - 255.0)).round() as u8;
    Color(mix(r), mix(g), mix(b))
}
