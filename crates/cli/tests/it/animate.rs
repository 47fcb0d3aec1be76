//! `--animate`: pages, videos, and what the pages do in a browser where one is found.

use crate::support::browser::{Browser, attribute, found, text};
use crate::support::{command, dalembert, model, scratch, with_input};
use std::path::PathBuf;

const SWING: &str = "system \"Swing </script> & <b>\"\nparameter l = 0.5, g = 9.81\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n\
                     potential g*y\nconstraint rod: x^2 + y^2 = l^2\ninitial x = 0.4, y ~ -1\nsimulate until 1 every 0.02\n";

#[test]
fn a_page_stands_alone() {
    let dir = scratch("animate_page");
    let page = dir.join("swing.html");
    let answer = with_input(&["simulate", "-", "--animate", text(&page)], SWING);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("drawn by default: point [x, y]; rod O-[x, y]; trace [x, y]; write `draw`")
    );
    assert!(answer.stdout.contains(&format!("wrote {}", text(&page))));
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("<title>Swing &lt;/script&gt; &amp; &lt;b&gt;</title>"));
    assert_eq!(html.matches("</script>").count(), 3, "the film cannot end its script");
    for foreign in ["http://", "https://", "src=", "\nimport ", "@import", "url("] {
        assert!(!html.contains(foreign), "the page asks for nothing: {foreign}");
    }
    let said = with_input(&["simulate", "-", "--json", "--animate", text(&page)], SWING).json();
    assert_eq!((&said["film"]["frames"], &said["files"][0]), (&51.into(), &text(&page).into()));
}

#[test]
fn wrong_names_and_places_are_found_before_the_run() {
    assert_eq!(with_input(&["simulate", "-", "--animate", "film.avi"], SWING).code, 2);
    let page = scratch("animate_twice").join("page.html");
    let twice = with_input(&["simulate", "-", "--plot", text(&page), "--animate", text(&page)], SWING);
    assert_eq!(twice.code, 2, "{}", twice.stderr);
    assert!(twice.stderr.contains("would be written twice") && !page.exists(), "{}", twice.stderr);
    let answer = with_input(&["simulate", "-", "--animate", "no/such/place.html"], SWING);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("the directory `no/such` does not exist"), "{}", answer.stderr);
}

#[test]
fn a_failed_run_has_its_film() {
    let page = scratch("animate_failed").join("film.html");
    let model =
        "coordinate x, y\nmass [[1, 0], [0, 1]]\nforce [2*x^3, 0]\ninitial x = 1, x' = 1\nsimulate until 2\n";
    let answer = with_input(&["simulate", "-", "--animate", text(&page)], model);
    assert_eq!(answer.code, 1, "{}", answer.stdout);
    assert!(std::fs::read_to_string(&page).unwrap().contains("\"frames\":2"), "what was computed is shown");
}

#[test]
fn connected_motions_have_films_too() {
    let page = scratch("animate_connect").join("film.html");
    let double = model("double_pendulum");
    let to = ["--to", "theta1=0.3, theta2=-0.2", "--until", "0.6", "--animate", text(&page)];
    let answer = dalembert(&[&["connect", double.as_str()][..], &to].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(page.is_file());
}

#[test]
fn without_ffmpeg_nothing_is_run() {
    let dir = scratch("animate_without");
    let (gif, csv, swing) = (dir.join("swing.gif"), dir.join("swing.csv"), dir.join("swing.dal"));
    std::fs::write(&swing, SWING).unwrap();
    let args = ["simulate", text(&swing), "--animate", text(&gif), "--out", text(&csv)];
    let output = command(&args).env("PATH", &dir).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is encoded by ffmpeg, which was not found"), "{said}");
    assert!(said.contains("--animate FILE.html"), "{said}");
    assert!(!csv.exists() && !gif.exists(), "nothing was computed");
}

#[cfg(unix)]
#[test]
fn what_ffmpeg_says_is_shown() {
    use std::os::unix::fs::PermissionsExt;
    let dir = scratch("animate_fake");
    let (mp4, swing, fake) = (dir.join("swing.mp4"), dir.join("swing.dal"), dir.join("ffmpeg"));
    std::fs::write(&swing, SWING).unwrap();
    let run = |script: &str| {
        std::fs::write(&fake, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let args = ["simulate", text(&swing), "--animate", text(&mp4), "--quiet"];
        let output = command(&args).env("PATH", &dir).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run("echo ' V..... gif'");
    assert_eq!(code, Some(1));
    assert!(said.contains("it has none of libx264"), "{said}");
    let (code, said) =
        run("case \"$*\" in *encoders*) echo ' V..... libx264';; *) echo 'disk on fire' >&2; exit 3;; esac");
    assert_eq!(code, Some(1));
    assert!(said.contains("ffmpeg could not write") && said.contains("disk on fire"), "{said}");
}

#[test]
fn videos_are_encoded() {
    if found(&["ffmpeg"]).is_none() {
        return;
    }
    let dir = scratch("animate_video");
    let (gif, mp4) = (dir.join("swing.gif"), dir.join("swing.mp4"));
    let answer = with_input(&["simulate", "-", "--animate", text(&gif), "--animate", text(&mp4)], SWING);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let (gif, mp4) = (std::fs::read(gif).unwrap(), std::fs::read(mp4).unwrap());
    // Size 640 by 480, and as many frames as a second has, told apart by their graphic control blocks.
    assert_eq!((&gif[..6], &gif[6..10]), (&b"GIF89a"[..], &[0x80, 2, 0xe0, 1][..]));
    let frames = gif.windows(3).filter(|w| *w == [0x21, 0xf9, 4]).count();
    assert!((20..=26).contains(&frames), "{frames} frames");
    assert_eq!(&mp4[4..8], b"ftyp");
}

#[test]
fn pages_play_in_a_browser() {
    let Some(browser) = Browser::find("animate_browser") else { return };
    for (name, dimension) in
        [("double_pendulum_cartesian", "2"), ("rolling_disk_lean", "3"), ("oscillator_chain", "2")]
    {
        let page = browser.page(name);
        // A busy machine may show a page before its second picture.
        let moves = |dom: &String| attribute(dom, "t").parse::<f64>().is_ok_and(|t| t > 0.0);
        let mut looks = (0..5).map(|_| browser.dom(&page, "", 1280));
        let dom = looks.find(moves).unwrap_or_else(|| panic!("{name} does not move on"));
        let ask = |key: &str| attribute(&dom, key);
        assert_eq!((ask("errors"), ask("wide"), ask("dimension")), ("0", "false", dimension), "{name}");
        assert!(ask("frames").parse::<usize>().unwrap() > 100, "{name}");
        assert_eq!(ask("playing"), "true", "{name} plays of itself");
        for label in ["aria-label=\"time\"", "aria-label=\"speed\"", "Energy"] {
            assert!(dom.contains(label), "{name}: {label}");
        }
        let still = browser.dom(&page, "#t=0.75", 390);
        assert_eq!((attribute(&still, "t"), attribute(&still, "playing")), ("0.75", "false"), "{name}");
        assert_eq!(
            (attribute(&still, "errors"), attribute(&still, "wide")),
            ("0", "false"),
            "{name} on a phone"
        );
    }
}

/// What a page that embeds the player does with it. Failures throw, and are counted.
const EMBEDDED: &str = r#"
const check = (what, holds) => { if (!holds) throw new Error(what); };
const film = JSON.parse(document.getElementById('film').textContent);
const host = document.getElementById('player');
const player = mount(host, film, { autoplay: false });
const root = host.querySelector('.dal-player');
const canvas = root.querySelector('.dal-stage canvas');
const state = (name) => root.getAttribute(`data-${name}`);
const pixels = () => canvas.toDataURL();
const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
check('it waits', state('playing') === 'false' && state('t') === '0');
const first = pixels();
player.seek(0.5);
check('it goes to a time', state('t') === '0.5' && pixels() !== first);
player.seek(1e9);
check('it stays within the film', Number(state('t')) === readFilm(film).end);
player.seek(0.5);
const before = pixels();
press('+');
check('keys zoom', pixels() !== before);
press('ArrowLeft');
press('f');
check('all is shown again', pixels() === before);
press('.');
check('it steps', Math.abs(Number(state('t')) - 0.52) < 1e-9);
press(' ');
check('space plays', state('playing') === 'true');
player.pause();
check('it pauses', state('playing') === 'false');
const boxes = [...root.querySelectorAll('.dal-switches input[type=checkbox]')];
const shown = pixels();
boxes.forEach((box) => box.click());
check('traces and arrows can be hidden', boxes.length === 3 && pixels() !== shown);
player.seek(0.7);
root.querySelector('select').value = '2';
player.replace({ ...film, title: 'Another', remarks: ['other'] });
check('time and switches are kept', state('t') === '0.7' && root.querySelector('select').value === '2'
  && [...root.querySelectorAll('.dal-switches input[type=checkbox]')].every((box) => !box.checked));
check('the film is another', root.textContent.includes('other'));
const plot = root.querySelector('.dal-plots canvas');
const area = plot.getBoundingClientRect();
plot.setPointerCapture = () => {};
plot.dispatchEvent(new PointerEvent('pointerdown', { clientX: area.right, clientY: area.top, pointerId: 1 }));
check('a click into a plot goes there', Number(state('t')) === readFilm(film).end);
player.destroy();
check('it leaves nothing behind', host.childElementCount === 0);
document.documentElement.dataset.done = 'true';
"#;

#[test]
fn the_player_answers_whoever_embeds_it() {
    let Some(browser) = Browser::find("animate_embedded") else { return };
    let page = browser.dir.join("swing.html");
    assert_eq!(with_input(&["simulate", "-", "--animate", text(&page)], SWING).code, 0);
    let html = std::fs::read_to_string(&page).unwrap();
    let start = html.find("const asked =").expect("where the page starts its player");
    std::fs::write(&page, format!("{}{EMBEDDED}</script></body></html>", &html[..start])).unwrap();
    let dom = browser.dom(&page, "", 1280);
    assert_eq!((attribute(&dom, "errors"), attribute(&dom, "done")), ("0", "true"));
}

/// Every shape in space, and every joint with a symbol of its own.
const SHAPES: &str = "system \"Shapes\"
gravity [0, 0, -9.81]
body arm: cylinder 1 radius 0.06 from [0, 0, 0] to [0.8, 0, 0]
body fore: box 1 size [0.6, 0.15, 0.1] at [0.3, 0, 0]
body head: ball 0.5 radius 0.12
body wheel: disk 0.5 radius 0.25 axis [0, 1, 0]
body ring: hoop 0.5 radius 0.3 axis [0, 0, 1]
body pole: rod 0.3 from [0, 0, 0] to [0, 0, -0.5] + point 0.1 at [0, 0, -0.5]
joint a: pin ground to arm, axis [0, 1, 0]
joint b: universal arm at [0.8, 0, 0] to fore, axes [0, 1, 0], [0, 0, 1]
joint c: ball fore at [0.6, 0, 0] to head
joint d: pin arm at [0.4, 0.12, 0] to wheel, axis [0, 1, 0]
joint s: slider ground at [0, 0.7, 0] to ring, axis [1, 0, 0]
joint e: pin ring to pole, axis [1, 0, 0]
initial a = 0.5, e = 0.4, d' = 3, s' = 0.2
simulate until 1 every 0.02
";

#[test]
fn bodies_are_solids_and_joints_are_symbols() {
    let page = scratch("animate_solids").join("shapes.html");
    let answer = with_input(&["simulate", "-", "--animate", text(&page)], SHAPES);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.contains("drawn by default: the bodies"), "{}", answer.stdout);
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    let film = html.split("id=\"film\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let film: serde_json::Value = serde_json::from_str(film).unwrap();
    let forms = |kind: &str| -> Vec<String> {
        let shapes = film["shapes"].as_array().unwrap().iter().filter(|s| s["kind"] == kind);
        shapes.map(|s| s["form"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(forms("solid"), ["cylinder", "box", "ball", "disk", "hoop", "rod", "point"]);
    assert_eq!(forms("joint"), ["pin", "universal", "ball", "pin", "slider", "pin"]);
    // The ring slides by 0.2 along x in a second, as nothing holds it; the box is around all of it.
    let high = film["box"]["high"].as_array().unwrap();
    assert!(high[1].as_f64().unwrap() > 0.99, "the hoop reaches beyond its centre: {high:?}");
}

/// Solids change many pixels, light makes more than one shade of a colour, and the camera goes along.
const SOLID: &str = r#"
const check = (what, holds) => { if (!holds) throw new Error(what); };
const film = JSON.parse(document.getElementById('film').textContent);
const host = document.getElementById('player');
const player = mount(host, { ...film, arrows: [], couples: [] }, { autoplay: false, plots: false });
const canvas = host.querySelector('.dal-stage canvas');
const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const colours = () => {
  [copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
  copy.drawImage(canvas, 0, 0);
  const data = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Map();
  for (let k = 0; k < data.length; k += 4) {
    const [r, g, b, a] = data.slice(k, k + 4);
    if (a > 250 && Math.max(r, g, b) - Math.min(r, g, b) > 30) seen.set((r << 16) | (g << 8) | b, 1 + (seen.get((r << 16) | (g << 8) | b) ?? 0));
  }
  return seen;
};
const count = (seen) => [...seen.values()].reduce((a, b) => a + b, 0);
player.seek(0.5);
const solid = colours();
check(`solids are seen: ${count(solid)} pixels`, count(solid) > 3000);
check(`light makes shades: ${solid.size}`, solid.size > 200);
const still = canvas.toDataURL();
const follow = [...host.querySelectorAll('.dal-controls label')].find((label) => label.textContent === 'follow').querySelector('input');
follow.click();
check('the camera goes along', canvas.toDataURL() !== still);
follow.click();
check('and back', canvas.toDataURL() === still);
player.replace({ ...film, arrows: [], couples: [], shapes: film.shapes.filter((s) => s.kind !== 'solid') });
check(`without solids there is less: ${count(colours())}`, count(colours()) < 0.2 * count(solid));
document.documentElement.dataset.done = 'true';
"#;

#[test]
fn solids_are_drawn_with_light() {
    let Some(browser) = Browser::find("animate_solids_drawn") else { return };
    let page = browser.dir.join("shapes.html");
    assert_eq!(with_input(&["simulate", "-", "--animate", text(&page)], SHAPES).code, 0);
    let html = std::fs::read_to_string(&page).unwrap();
    let start = html.find("const asked =").expect("where the page starts its player");
    std::fs::write(&page, format!("{}{SOLID}</script></body></html>", &html[..start])).unwrap();
    let dom = browser.dom(&page, "", 1280);
    assert_eq!((attribute(&dom, "errors"), attribute(&dom, "done")), ("0", "true"));
}

/// Pictures of the manual, taken anew where `DALEMBERT_SCREENSHOTS` is set.
#[test]
fn pages_have_their_pictures_taken() {
    let Some(browser) = Browser::find("animate_pictures") else { return };
    let images = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images"));
    for (name, at, size, image) in [
        ("rolling_disk", "#t=7", (700, 440), "animation_disk.png"),
        ("rolling_disk_lean", "#t=3.4", (1280, 600), "animation_space.png"),
        ("four_bar_bodies", "#t=1", (1280, 600), "animation_bodies.png"),
    ] {
        let page = browser.page(name);
        let taken = browser.picture(&page, at, size, image);
        browser.picture(&page, at, (390, 1400), "narrow.png");
        if std::env::var_os("DALEMBERT_SCREENSHOTS").is_some() {
            std::fs::copy(taken, images.join(image)).expect("the picture is kept");
        }
        assert!(images.join(image).is_file(), "the manual shows {image}");
    }
}

/// Sixty boxes in a chain, moving all over the place.
#[test]
fn a_page_of_sixty_bodies_is_below_a_megabyte() {
    let mut text = String::from("gravity [0, 0, -9.81]\n");
    for i in 0..60 {
        let on = if i == 0 { "ground".to_owned() } else { format!("b{} at [0, 0, -0.2]", i - 1) };
        let axis = ["[1, 0, 0]", "[0, 1, 0]"][i % 2];
        text += &format!(
            "body b{i}: box 1 size [0.05, 0.05, 0.2] at [0, 0, -0.1]\njoint j{i}: pin {on} to b{i}, axis {axis}\n"
        );
    }
    text += "initial j0 = 1.2, j1 = 0.4, j30 = 0.5\nsimulate until 2\n";
    let page = scratch("animate_sixty").join("film.html");
    let answer = with_input(&["simulate", "-", "--animate", crate::support::browser::text(&page)], &text);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let bytes = std::fs::metadata(&page).unwrap().len();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}
