//! Compiler options and flags, and the classes of defaults.

use crate::algebra::Vec3;
use crate::xml::{Log, children, span, value_span};
use dalembert_syntax::diagnostic::Code;
use roxmltree::Node;
use std::collections::HashMap;

/// Where the inertia of a body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromGeoms {
    /// From geoms where there is no `inertial`.
    Auto,
    /// Always from geoms.
    Always,
    /// Never.
    Never,
}

/// What holds for the whole file.
pub struct Settings {
    /// Whether angles are in degrees.
    pub degrees: bool,
    /// Order of Euler's angles: axes, and whether they are fixed.
    pub euler: [(usize, bool); 3],
    /// Whether a range is a limit.
    pub autolimits: bool,
    /// Where inertias come from.
    pub from_geoms: FromGeoms,
    /// Least mass and inertia of a body.
    pub bounds: (f64, f64),
    /// Whether impossible inertias are balanced.
    pub balance: bool,
    /// Mass of the whole.
    pub total_mass: Option<f64>,
    /// Groups of geoms that have mass.
    pub groups: (f64, f64),
    /// Gravity.
    pub gravity: Vec3,
    /// What flags have switched off.
    disabled: Vec<String>,
}

impl Settings {
    /// Reads `compiler` and `option`.
    pub fn read(root: Node<'_, '_>, log: &mut Log) -> Settings {
        let mut settings = Settings {
            degrees: true,
            euler: [(0, false), (1, false), (2, false)],
            autolimits: true,
            from_geoms: FromGeoms::Auto,
            bounds: (0.0, 0.0),
            balance: false,
            total_mass: None,
            groups: (0.0, 5.0),
            gravity: [0.0, 0.0, -9.81],
            disabled: Vec::new(),
        };
        for node in children(root) {
            match node.tag_name().name() {
                "compiler" => settings.compiler(node, log),
                "option" => settings.option(node, log),
                _ => {}
            }
        }
        if settings.is_disabled("gravity") {
            settings.gravity = [0.0; 3];
        }
        settings
    }

    fn compiler(&mut self, node: Node<'_, '_>, log: &mut Log) {
        let on = |log: &mut Log, name: &str, old: bool| {
            log.word(node, name, &["true", "false"]).map_or(old, |word| word == "true")
        };
        self.degrees = log.word(node, "angle", &["degree", "radian"]).map_or(self.degrees, |w| w == "degree");
        self.autolimits = on(log, "autolimits", self.autolimits);
        self.balance = on(log, "balanceinertia", self.balance);
        if let Some(word) = log.word(node, "inertiafromgeom", &["auto", "true", "false"]) {
            self.from_geoms = match word {
                "true" => FromGeoms::Always,
                "false" => FromGeoms::Never,
                _ => FromGeoms::Auto,
            };
        }
        if log.word(node, "coordinate", &["local", "global"]) == Some("global") {
            let message = "global coordinates are not imported; MuJoCo itself has given them up";
            let help = "save the file again from a version of MuJoCo that converts it";
            log.advise(Code::NotImported, value_span(node, "coordinate"), message, help);
        }
        if on(log, "alignfree", false) {
            let message = "`alignfree` is not followed: the axes of free bodies are those of the file";
            log.say(Code::ImportAssumed, span(node), message);
        }
        self.bounds.0 = log.positive(node, "boundmass").unwrap_or(self.bounds.0);
        self.bounds.1 = log.positive(node, "boundinertia").unwrap_or(self.bounds.1);
        self.total_mass = log.scalar(node, "settotalmass").filter(|mass| *mass > 0.0).or(self.total_mass);
        if let Some([low, high]) = log.array::<2>(node, "inertiagrouprange") {
            self.groups = (low, high);
        }
        if let Some(order) = node.attribute("eulerseq") {
            let axis = |c: char| match c.to_ascii_lowercase() {
                'x' => Some((0, c.is_uppercase())),
                'y' => Some((1, c.is_uppercase())),
                'z' => Some((2, c.is_uppercase())),
                _ => None,
            };
            match order.chars().map(axis).collect::<Option<Vec<_>>>().as_deref() {
                Some([a, b, c]) => self.euler = [*a, *b, *c],
                _ => log.say(
                    Code::BadXmlValue,
                    value_span(node, "eulerseq"),
                    "an order of Euler's angles is three of the letters x, y, z, X, Y, Z",
                ),
            }
        }
    }

    fn option(&mut self, node: Node<'_, '_>, log: &mut Log) {
        self.gravity = log.array::<3>(node, "gravity").unwrap_or(self.gravity);
        for name in ["density", "viscosity"] {
            if log.scalar(node, name).is_some_and(|value| value != 0.0) {
                let message = format!("the {name} of a medium is left out: bodies move in a vacuum");
                log.say(Code::ImportLeftOut, value_span(node, name), message);
            }
        }
        let own = ["gravity", "density", "viscosity", "wind"];
        if node.attributes().any(|attribute| !own.contains(&attribute.name())) {
            log.say(
                Code::ImportIgnored,
                span(node),
                "options of the integrator and the solver are not imported",
            );
        }
        for flag in children(node).filter(|flag| flag.tag_name().name() == "flag") {
            let off = flag.attributes().filter(|attribute| attribute.value() == "disable");
            self.disabled.extend(off.map(|attribute| attribute.name().to_owned()));
        }
    }

    /// Whether a flag switches something off. `constraint` is all of equalities, limits, dry friction and contact.
    pub fn is_disabled(&self, flag: &str) -> bool {
        let has = |name: &str| self.disabled.iter().any(|known| known == name);
        let constraint =
            ["equality", "limit", "frictionloss", "contact"].contains(&flag) && has("constraint");
        let passive = ["spring", "damper"].contains(&flag) && has("passive");
        has(flag) || constraint || passive
    }
}

/// The `default` elements of each class, the class itself first and `main` last.
pub struct Defaults<'a, 'i> {
    classes: HashMap<&'a str, Vec<Node<'a, 'i>>>,
}

impl<'a, 'i> Defaults<'a, 'i> {
    /// Reads all classes.
    pub fn read(root: Node<'a, 'i>, log: &mut Log) -> Defaults<'a, 'i> {
        let mut classes: HashMap<&'a str, Vec<Node<'a, 'i>>> = HashMap::new();
        let tops = children(root).filter(|node| node.tag_name().name() == "default");
        let mut ahead: Vec<(Node<'a, 'i>, Vec<Node<'a, 'i>>)> = tops.map(|node| (node, Vec::new())).collect();
        ahead.reverse();
        let main: Vec<Node<'a, 'i>> = ahead.iter().map(|(node, _)| *node).collect();
        classes.insert("main", main.clone());
        while let Some((node, above)) = ahead.pop() {
            let mut chain = vec![node];
            chain.extend(above.iter().copied());
            let inner = children(node).filter(|node| node.tag_name().name() == "default");
            if above.is_empty() {
                chain = main.clone();
                if let Some(name) = node.attribute("class") {
                    classes.insert(name, chain.clone());
                }
            } else if let Some(name) = log.needed(node, "class")
                && classes.insert(name, chain.clone()).is_some()
            {
                log.say(Code::XmlNameTwice, span(node), format!("two classes are called `{name}`"));
            }
            ahead.extend(inner.map(|node| (node, chain.clone())).collect::<Vec<_>>().into_iter().rev());
        }
        Defaults { classes }
    }

    /// An element with the defaults of its class behind it.
    pub fn element(
        &self,
        node: Node<'a, 'i>,
        childclass: Option<&str>,
        tags: &[&str],
        log: &mut Log,
    ) -> Element<'a, 'i> {
        let mut nodes = vec![node];
        let class = node.attribute("class").or(childclass).unwrap_or("main");
        match self.classes.get(class) {
            Some(chain) => {
                let of_tag = |node: &Node<'a, 'i>| tags.contains(&node.tag_name().name());
                nodes.extend(chain.iter().flat_map(|default| children(*default).filter(of_tag)));
            }
            None => {
                let known = self.classes.keys().copied();
                crate::urdf::unknown(log, value_span(node, "class"), "class of defaults", class, known);
            }
        }
        Element { nodes }
    }
}

/// An element and the defaults behind it.
pub struct Element<'a, 'i> {
    /// The element first, then its defaults, the nearest first.
    pub nodes: Vec<Node<'a, 'i>>,
}

impl<'a, 'i> Element<'a, 'i> {
    /// The element itself.
    pub fn node(&self) -> Node<'a, 'i> {
        self.nodes[0]
    }

    /// The node that says what an attribute is.
    pub fn with(&self, name: &str) -> Node<'a, 'i> {
        self.with_any(&[name])
    }

    /// The first node with one of some attributes that exclude each other; the element if none has.
    pub fn with_any(&self, names: &[&str]) -> Node<'a, 'i> {
        let has = |node: &&Node<'a, 'i>| names.iter().any(|name| node.attribute(*name).is_some());
        self.nodes.iter().find(has).copied().unwrap_or(self.nodes[0])
    }

    /// The text of an attribute.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.with(name).attribute(name)
    }

    /// One number.
    pub fn scalar(&self, name: &str, log: &mut Log) -> Option<f64> {
        log.scalar(self.with(name), name)
    }

    /// A bounded quantity: its range, where it is one by `limited` or by `autolimits`.
    pub fn range(&self, range: &str, limited: &str, auto: bool, log: &mut Log) -> Option<(f64, f64)> {
        let [low, high] = log.array::<2>(self.with(range), range)?;
        let word = log.word(self.with(limited), limited, &["true", "false", "auto"]).unwrap_or("auto");
        let on = word == "true" || (word == "auto" && auto);
        if on && low > high {
            let message = format!("the range {low} to {high} is in the wrong order");
            log.say(Code::BadXmlValue, value_span(self.with(range), range), message);
            return None;
        }
        on.then_some((low, high))
    }
}
