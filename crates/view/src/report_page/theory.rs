//! The equations of the theory that the page rests on, a sentence each, and where they are from. The tags are those of
//! the manual (docs/theory.md).

use super::formula;
use super::html::{self, Cell};

/// An equation, or a matter that has no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tag {
    K1,
    K2,
    K3,
    K4,
    U1,
    U2,
    U3,
    C1,
    L1,
    L2,
    H1,
    H3,
    H8,
    Friction,
    Brackets,
    Noether,
    Balance,
}

const UDWADIA_KALABA: &str = "F. E. Udwadia, R. E. Kalaba: A new perspective on constrained motion. Proceedings of the Royal Society of London A 439 (1992).";
const UDWADIA: &str = "F. E. Udwadia: New general principle of mechanics and its application to general nonideal systems. Journal of Guidance, Control, and Dynamics 28 (2005).";
const POINCARE: &str = "H. Poincaré: Sur une forme nouvelle des équations de la mécanique. Comptes rendus de l'Académie des sciences 132 (1901).";
const GHORI: &str = "Q. K. Ghori: Poincaré–Chetaev variables with constraint multipliers (1976).";
const JACOBI: &str = "C. G. J. Jacobi: Vorlesungen über Dynamik. Berlin (1866).";
const NOETHER: &str = "E. Noether: Invariante Variationsprobleme. Nachrichten von der Gesellschaft der Wissenschaften zu Göttingen (1918).";

impl Tag {
    /// Its name, a formula if it has a short one, a sentence, and the source.
    fn entry(self) -> (&'static str, &'static str, &'static str, Option<&'static str>) {
        match self {
            Tag::K1 => (
                "K1",
                r"\dot{\mathbf{x}} = \mathbf{X}_0 + \mathbf{X} \, \boldsymbol{\eta}",
                "Kinematics: rates of the coordinates by the speeds.",
                Some(POINCARE),
            ),
            Tag::K2 => (
                "K2",
                r"\mathbf{M} \, \dot{\boldsymbol{\eta}} = \mathbf{Q}",
                "The system without its constraints.",
                None,
            ),
            Tag::K3 => (
                "K3",
                r"\mathbf{A} \, \dot{\boldsymbol{\eta}} = \mathbf{b}",
                "Constraints, differentiated to accelerations; rows of any rank.",
                None,
            ),
            Tag::K4 => (
                "K4",
                r"W = \mathbf{v}^{T} \mathbf{C}, \; \mathbf{A} \, \mathbf{v} = 0",
                "Work of non-ideal constraint forces in virtual displacements **v**.",
                Some(UDWADIA),
            ),
            Tag::U1 => (
                "U1",
                r"\dot{\boldsymbol{\eta}} = \mathbf{a} + \mathbf{M}^{-1/2} \mathbf{B}^{+} (\mathbf{b} - \mathbf{A} \, \mathbf{a}) + \mathbf{M}^{-1/2} (\mathbf{I} - \mathbf{B}^{+} \mathbf{B}) \mathbf{M}^{-1/2} \mathbf{C}",
                "The explicit equation of motion, with **a** = **M**⁻¹ **Q** and **B** = **A** **M**^(−1/2).",
                Some(UDWADIA_KALABA),
            ),
            Tag::U2 => (
                "U2",
                r"\mathbf{Q}_i = \mathbf{M}^{1/2} \mathbf{B}^{+} (\mathbf{b} - \mathbf{A} \, \mathbf{a}) = \mathbf{A}^{T} \boldsymbol{\lambda}",
                "Ideal constraint forces; multipliers are those of least norm.",
                Some(UDWADIA_KALABA),
            ),
            Tag::U3 => (
                "U3",
                r"\mathbf{Q}_{ni} = \mathbf{M}^{1/2} (\mathbf{I} - \mathbf{B}^{+} \mathbf{B}) \mathbf{M}^{-1/2} \mathbf{C}",
                "Non-ideal constraint forces.",
                Some(UDWADIA),
            ),
            Tag::C1 => (
                "C1",
                r"\mathbf{A}_c \, \dot{\boldsymbol{\eta}} = \mathbf{b}_c",
                "Control: the inputs of least cost that meet the requirements.",
                None,
            ),
            Tag::L1 => (
                "L1",
                r"[X_q, X_p] = C_{qpr} X_r",
                "Structure coefficients of the frame in which speeds are measured.",
                Some(POINCARE),
            ),
            Tag::L2 => (
                "L2",
                r"\frac{d}{dt} \frac{\partial L}{\partial \eta_p} = X_p L + \ldots + Q_p + \lambda_a A_{ap}",
                "Lagrange's equations; the dots are terms of quasi-velocities.",
                Some(POINCARE),
            ),
            Tag::H1 => {
                ("H1", r"H = y_p \eta_p - L", "Hamilton's canonical equations with multipliers.", None)
            }
            Tag::H3 => (
                "H3",
                r"y_p = \frac{\partial L}{\partial \eta_p} + M_a A_{ap}",
                "Momenta with multipliers in them (Suslov).",
                Some(GHORI),
            ),
            Tag::H8 => (
                "H8",
                r"X_0 S + H(x, X_p S, t) = 0",
                "The Hamilton–Jacobi equation on the constraints.",
                Some(JACOBI),
            ),
            Tag::Friction => (
                "friction",
                r"|F| \le \mu N",
                "Coulomb's law: a contact that sticks is a constraint, one that slides a force against its velocity.",
                None,
            ),
            Tag::Brackets => (
                "classification",
                r"[X, Y] \in \Delta",
                "Constraints are integrable as far as the Lie brackets of what they leave free close.",
                None,
            ),
            Tag::Noether => (
                "symmetry",
                r"J = p \cdot w - \tau H - K",
                "A symmetry of the action that the constraints permit gives a constant.",
                Some(NOETHER),
            ),
            Tag::Balance => (
                "balance",
                r"\dot{E} = \sum_k P_k",
                "The energy changes by the power of each class of forces.",
                None,
            ),
        }
    }
}

impl Tag {
    /// The entry for a system without constraints, which has no multipliers; `None` where nothing is left.
    fn free(self) -> Option<(&'static str, &'static str, &'static str, Option<&'static str>)> {
        let (name, latex, words, source) = self.entry();
        match self {
            Tag::K2 => Some((name, latex, "The equations of motion.", source)),
            Tag::K3 | Tag::U2 => None,
            Tag::U1 => Some((
                name,
                r"\dot{\boldsymbol{\eta}} = \mathbf{M}^{-1} \mathbf{Q}",
                "The explicit equation of motion.",
                source,
            )),
            Tag::L2 => Some((
                name,
                r"\frac{d}{dt} \frac{\partial L}{\partial \eta_p} = X_p L + \ldots + Q_p",
                words,
                source,
            )),
            Tag::H1 => Some((name, latex, "Hamilton's canonical equations.", source)),
            Tag::Noether => Some((name, latex, "A symmetry of the action gives a constant.", source)),
            _ => Some((name, latex, words, source)),
        }
    }
}

/// What the page rests on.
pub(super) fn section(tags: &[Tag], constrained: bool) -> String {
    let mut tags = tags.to_vec();
    tags.sort_unstable();
    tags.dedup();
    let entry = |tag: Tag| if constrained { Some(tag.entry()) } else { tag.free() };
    let mut sources: Vec<&str> = Vec::new();
    let mut rows = Vec::new();
    for (name, latex, words, source) in tags.into_iter().filter_map(entry) {
        let number = source.map(|source| match sources.iter().position(|known| *known == source) {
            Some(at) => at + 1,
            None => {
                sources.push(source);
                sources.len()
            }
        });
        rows.push(vec![
            Cell::text(name),
            Cell::Html(formula::inline(latex)),
            Cell::Html(html::words(words)),
            Cell::text(number.map_or(String::new(), |n| format!("[{n}]"))),
        ]);
    }
    let mut body = html::table(&["", "equation", "what it says", "source"], &rows);
    if !sources.is_empty() {
        let items: String =
            sources.iter().map(|s| format!("<li>{}</li>\n", crate::markup::escaped(s))).collect();
        body.push_str(&html::heading("References"));
        body.push_str(&format!("<ol class=\"references\">\n{items}</ol>\n"));
    }
    html::section("theory", "What it rests on", &body)
}
