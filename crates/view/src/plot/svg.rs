//! The canvas as SVG text.

use super::canvas::{Anchor, Canvas, Color};
use crate::markup::escaped;
use std::fmt::Write;

pub(super) struct Svg {
    text: String,
}

impl Svg {
    pub(super) fn new((width, height): (f64, f64)) -> Svg {
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"DejaVu Sans, Verdana, Helvetica, Arial, sans-serif\">\n"
        );
        Svg { text }
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }

    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.text.write_fmt(arguments).expect("strings take everything");
    }
}

impl Canvas for Svg {
    fn fill(&mut self, [left, top, right, bottom]: [f64; 4], color: Color) {
        let (width, height) = (round(right - left), round(bottom - top));
        let (x, y) = (round(left), round(top));
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
            hex(color)
        ));
    }

    fn line(&mut self, points: &[(f64, f64)], color: Color, width: f64) {
        self.text.push_str("<polyline points=\"");
        for (k, (x, y)) in points.iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            self.put(format_args!("{gap}{},{}", round(*x), round(*y)));
        }
        self.put(format_args!(
            "\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>\n",
            hex(color)
        ));
    }

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, color: Color) {
        let (x, y) = (round(x), round(y));
        self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{}\"/>\n", hex(color)));
    }

    fn polygon(&mut self, corners: &[(f64, f64)], color: Color) {
        self.text.push_str("<polygon points=\"");
        for (k, (x, y)) in corners.iter().enumerate() {
            let gap = if k == 0 { "" } else { " " };
            self.put(format_args!("{gap}{},{}", round(*x), round(*y)));
        }
        self.put(format_args!("\" fill=\"{}\"/>\n", hex(color)));
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, size: f64, color: Color, text: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Left => "start",
            Anchor::Middle => "middle",
            Anchor::Right => "end",
        };
        let (x, y, color, text) = (round(x), round(y), hex(color), escaped(text));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{color}\">{text}</text>\n"
        ));
    }
}

/// A hundredth of a unit is finer than any screen.
fn round(v: f64) -> f64 {
    (v * 100.0).round() / 100.0
}

fn hex(Color(r, g, b): Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
