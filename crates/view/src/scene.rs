//! What an animation of a model shows: its `draw` statements, or what can be read off the model without them.
//!
//! Nothing here knows a motion or a screen; [`crate::animation`] puts a motion and a scene together.

mod links;
mod points;

use dalembert::Workspace;
use dalembert::body_figures::body_figures;
use dalembert::system::{DrawnPoint, Figure};
use points::Points;

/// Things that one picture shows at most.
pub const MAX_FIGURES: usize = 5000;
/// Points that are drawn by default at most, and coordinates on scales of their own.
const MAX_POINTS: usize = 400;
const MAX_GAUGES: usize = 12;
/// Points drawn by default whose paths are drawn too.
const MAX_TRACES: usize = 6;
/// Names that a remark spells out.
const MAX_NAMED: usize = 6;

/// The things drawn, in the order in which they are drawn.
///
/// ```
/// use dalembert::{Model, Source};
/// use dalembert_view::{scene::Scene};
/// let text = "
///     parameter l = 0.5
///     coordinate theta
///     let P = [l*sin(theta), -l*cos(theta)]
///     kinetic dot(P', P')/2
///     potential 9.81*P.y
/// ";
/// let model = Model::load(&Source::new("pendulum.dal", text), &Default::default()).unwrap();
/// let scene = Scene::new(&mut model.workspace());
/// assert_eq!(scene.figures.len(), 3); // the rod, the point, its trace
/// assert!(scene.remarks[0].starts_with("drawn by default: point P; rod O-P"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// What is drawn.
    pub figures: Vec<Figure>,
    /// What was chosen, and what was left out.
    pub remarks: Vec<String>,
}

impl Scene {
    /// The `draw` statements of a model, or a choice made for it.
    pub fn new(model: &mut Workspace) -> Scene {
        let is_drawn = !model.system.drawing.figures.is_empty();
        let solids = body_figures(&mut model.system, !is_drawn);
        let mut scene = match is_drawn {
            true => Scene { figures: model.system.drawing.figures.clone(), remarks: Vec::new() },
            false if solids.is_empty() => by_default(model),
            false => bodies_by_default(model),
        };
        // Bodies are shown by their solids, whatever is drawn besides.
        scene.figures.splice(0..0, solids);
        if scene.figures.len() > MAX_FIGURES {
            let left = scene.figures.len() - MAX_FIGURES;
            scene.figures.truncate(MAX_FIGURES);
            scene.remarks.push(format!("{left} more things are not drawn: {MAX_FIGURES} are shown at most"));
        }
        scene
    }

    /// Every point of the model: what is drawn, named vectors that are no directions, right-angled coordinates.
    pub fn places(&self, model: &mut Workspace) -> Vec<DrawnPoint> {
        let figures =
            self.figures.iter().filter(|f| !matches!(f, Figure::Solid { .. } | Figure::Joint { .. }));
        let mut places: Vec<DrawnPoint> = figures.flat_map(|figure| figure.places()).cloned().collect();
        let Points { places: moving, fixed } = Points::of(model);
        places.extend(moving.into_iter().chain(fixed));
        places
    }

    /// Two or three: as many components as its points have.
    pub fn dimension(&self) -> usize {
        let flat = |figure: &Figure| match figure {
            Figure::Circle { normal: Some(_), .. } => false,
            _ => figure.places().iter().all(|place| place.at.len() == 2),
        };
        if self.figures.iter().all(flat) { 2 } else { 3 }
    }
}

/// Points of a model whose bodies are drawn: their paths, where they are few.
fn bodies_by_default(model: &mut Workspace) -> Scene {
    let Points { places, .. } = Points::of(model);
    let remarks = vec!["drawn by default: the bodies; write `draw` statements for more".to_owned()];
    let few = if places.len() <= MAX_TRACES { places } else { Vec::new() };
    let figures = few.into_iter().flat_map(|place| [Figure::Trace(place.clone()), Figure::Point(place)]);
    Scene { figures: figures.collect(), remarks }
}

/// Points that have names, particles in right-angled coordinates, rods between them; otherwise the coordinates.
fn by_default(model: &mut Workspace) -> Scene {
    let Points { mut places, fixed } = Points::of(model);
    if places.is_empty() {
        return gauges(model);
    }
    let all = places.len();
    places.truncate(MAX_POINTS);
    let rods = links::rods(model, &places, &fixed);
    let mut words = vec![named("point", places.iter().map(|p| p.name.clone()))];
    if !rods.is_empty() {
        let name = |rod: &[DrawnPoint; 2]| format!("{}-{}", rod[0].name, rod[1].name);
        words.push(named("rod", rods.iter().map(name)));
    }
    let traced = if places.len() <= MAX_TRACES { places.len() } else { 1 };
    let traces: Vec<DrawnPoint> = places[places.len() - traced..].to_vec();
    words.push(named("trace", traces.iter().map(|p| p.name.clone())));
    let mut figures: Vec<Figure> = traces.into_iter().map(Figure::Trace).collect();
    figures.extend(rods.into_iter().map(|rod| Figure::Line(rod.to_vec())));
    figures.extend(places.into_iter().map(Figure::Point));
    let mut remarks =
        vec![format!("drawn by default: {}; write `draw` statements to choose", words.join("; "))];
    if all > MAX_POINTS {
        remarks.push(format!("{} more points are not drawn by default", all - MAX_POINTS));
    }
    Scene { figures, remarks }
}

/// `points A, B, C and 4 more`
fn named(what: &str, names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{what}{plural} {}{more}", names[..names.len().min(MAX_NAMED)].join(", "))
}

/// The coordinates, each on a scale of its own: any model shows something.
fn gauges(model: &mut Workspace) -> Scene {
    let shown: Vec<_> = model.system.frame.coordinates.iter().take(MAX_GAUGES).cloned().collect();
    let left = model.system.frame.coordinates.len() - shown.len();
    let mut remark =
        format!("drawn by default: {} on scales", named("coordinate", shown.iter().map(|c| c.name.clone())));
    if left > 0 {
        remark.push_str(&format!(", {left} left out"));
    }
    remark.push_str("; write `draw` statements to choose");
    let gauge = |c: dalembert::system::Coordinate| {
        let value = model.system.pool.var(c.symbol);
        Figure::Gauge { name: c.name, value }
    };
    Scene { figures: shown.into_iter().map(gauge).collect(), remarks: vec![remark] }
}
