//! A film as a page that stands alone: the player, its style and the film in one file, for any browser, offline.

use super::markup::escaped;
use crate::animation::Animation;

/// The modules of the player, in the order in which they need each other.
pub(crate) const MODULES: [&str; 6] = [
    include_str!("../assets/player/film.js"),
    include_str!("../assets/player/gestures.js"),
    include_str!("../assets/player/solids.js"),
    include_str!("../assets/player/view.js"),
    include_str!("../assets/player/plots.js"),
    include_str!("../assets/player/player.js"),
];
pub(crate) const PAGE_STYLE: &str = include_str!("../assets/player/page.css");
/// The style of the player.
pub(crate) const PLAYER_STYLE: &str = include_str!("../assets/player/player.css");

/// Counts what goes wrong, so that a page can be asked; so can whether it is wider than its window.
pub(crate) const WATCH: &str = "const mark = document.documentElement.dataset; mark.errors = 0;
addEventListener('error', () => mark.errors++); addEventListener('unhandledrejection', () => mark.errors++);";

/// Starts the player; `#t=1.5` at the end of the address shows that instant.
const START: &str = "const asked = new URLSearchParams(location.hash.slice(1)).get('t');
mount(document.getElementById('player'), JSON.parse(document.getElementById('film').textContent),
  { keys: document.body, ...(asked === null ? {} : { time: Number(asked) }) });
mark.wide = document.documentElement.scrollWidth > innerWidth;";

/// Nothing is loaded from anywhere.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

/// The page that plays a film.
///
/// ```
/// # use dalembert::{Model, Request, Source, run::Flow};
/// # use dalembert_view::{Animation, self as export};
/// # let text = "system \"Fall </script>\"\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nsimulate until 1";
/// # let model = Model::load(&Source::new("fall.dal", text), &Default::default()).unwrap();
/// let motion = model.simulate(&Request { forces: true, ..Request::default() }, |_| Flow::Continue).unwrap();
/// let page = export::animation_page(&Animation::new(&model, &motion).unwrap());
/// assert!(page.contains("<title>Fall &lt;/script&gt;</title>"));
/// assert_eq!(page.matches("</script>").count(), 3); // those of the page itself
/// ```
pub fn animation_page(film: &Animation) -> String {
    let title = escaped(if film.title.is_empty() { "Motion" } else { &film.title });
    let player = player(film);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<style>\n{PAGE_STYLE}{PLAYER_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         {player}</body>\n</html>\n"
    )
}

/// The player with its film, for any page that has its style.
pub(crate) fn player(film: &Animation) -> String {
    let film = film.to_compact_json().to_string().replace('<', "\\u003c");
    let modules: String = MODULES.iter().map(|text| inlined(text)).collect();
    format!(
        "<script>{WATCH}</script>\n<div id=\"player\"></div>\n\
         <script type=\"application/json\" id=\"film\">{film}</script>\n\
         <script type=\"module\">\n{modules}{START}\n</script>\n"
    )
}

/// A module as a part of a larger one: it imports nothing and exports nothing.
pub(crate) fn inlined(module: &str) -> String {
    let kept = module.lines().filter(|line| !line.starts_with("import "));
    kept.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}
