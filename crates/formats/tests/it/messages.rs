//! What is wrong with a file is said at its place, and nothing that is written makes the importer fail otherwise.

use dalembert_formats::{Options, import, include};
use dalembert_syntax::Source;
use dalembert_syntax::diagnostic::{Code, Style, render};

/// The codes of the errors of a file, and everything that is shown.
fn refused(text: &str) -> (Vec<Code>, String) {
    let source = Source::new("robot.xml", text);
    let errors = import(&source, &Options::default()).err().unwrap_or_else(|| panic!("imported: {text}"));
    (errors.iter().map(|d| d.code).collect(), render(&errors, &source, Style::Plain))
}

#[test]
fn errors_point_into_the_file() {
    let link = "<link name='world'/><link name='a'/>";
    let joint =
        |inner: &str| format!("<robot>\n{link}\n<joint name='j' type='revolute'>{inner}</joint>\n</robot>");
    let ends = "<parent link='world'/><child link='a'/>";
    for (text, code, shown) in [
        ("<sdf/>".to_owned(), Code::UnknownFormat, "neither"),
        (joint("<parent link='world'/>"), Code::MissingInXml, "no `<child>`"),
        (joint("<parent link='wrld'/><child link='a'/>"), Code::UnknownInXml, "did you mean `world`?"),
        (joint(&format!("{ends}<axis xyz='0 0'/>")), Code::BadXmlValue, "3 numbers, not 2"),
        (joint(&format!("{ends}<axis xyz='0 0 0'/>")), Code::BadXmlValue, "length zero"),
        (joint(&format!("{ends}<axis xyz='${{x}} 0 0'/>")), Code::BadXmlValue, "xacro"),
        (joint(ends).replace("revolute", "hinge"), Code::BadXmlValue, "robot.xml:3:23"),
        (joint(ends).replace("'a'", "'world'"), Code::XmlNameTwice, "two links are called `world`"),
        (format!("<robot>{link}</robot>"), Code::NotATree, "both the child of no joint"),
        ("<robot/>".to_owned(), Code::MissingInXml, "no link"),
    ] {
        let (codes, said) = refused(&text);
        assert!(codes.contains(&code) && said.contains(shown), "{code:?} in {codes:?}\n{said}");
    }
}

#[test]
fn files_of_mujoco_are_refused_where_masses_would_be_guessed() {
    let body = |inner: &str| format!("<mujoco><worldbody><body name='b'>{inner}</body></worldbody></mujoco>");
    for (text, code, shown) in [
        (body("<joint/><geom type='mesh' mesh='m'/>"), Code::NotImported, "give the body its `<inertial>`"),
        (body("<joint/><geom/>"), Code::BadXmlValue, "positive sizes"),
        (body("<joint class='x'/>"), Code::UnknownInXml, "class of defaults"),
        (body("<replicate count='3'/>"), Code::NotImported, "mj_saveLastXML"),
        (
            "<mujoco><include file='/etc/passwd'/><worldbody/></mujoco>".to_owned(),
            Code::NotImported,
            "not read",
        ),
        ("<mujoco><compiler coordinate='global'/></mujoco>".to_owned(), Code::NotImported, "global"),
        (body("<inertial mass='-1' diaginertia='1 1 1' pos='0 0 0'/>"), Code::BadXmlValue, "negative"),
        (body("<body name='c'><freejoint/></body>"), Code::BadXmlValue, "only joint"),
    ] {
        let (codes, said) = refused(&text);
        assert!(codes.contains(&code) && said.contains(shown), "{code:?} in {codes:?}\n{said}");
    }
}

/// Pieces of good files, cut and put together at random: an error or a text that the grammar reads, never a panic.
#[test]
fn broken_files_end_in_a_message() {
    let files = [
        include_str!("cases/fingers.urdf"),
        include_str!("cases/floating_arm.xml"),
        include_str!("cases/actuators.xml"),
        include_str!("cases/two_floating.xml"),
        include_str!("cases/loops.xml"),
    ];
    let mut state = 1u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n.max(1)
    };
    for _ in 0..1500 {
        let (text, other) = (files[random(files.len())], files[random(files.len())]);
        let mut words: Vec<&str> = text.split_inclusive(['"', '<', ' ']).collect();
        let others: Vec<&str> = other.split_inclusive(['"', '<', ' ']).collect();
        for _ in 0..1 + random(3) {
            let at = random(words.len());
            match random(3) {
                0 => words[at] = others[random(others.len())],
                1 => drop(words.remove(at)),
                _ => words.insert(at, ["0\"", "-1\"", "1e40 ", "nan ", "x", "body\""][random(6)]),
            }
        }
        let _ = import(&Source::new("robot.xml", words.concat()), &Options::default());
    }
}

#[test]
fn deep_trees_and_many_bodies_are_read_in_bounded_time() {
    let deep = format!(
        "<mujoco><worldbody>{}{}</worldbody></mujoco>",
        "<body><joint/><geom size='1'/>".repeat(300),
        "</body>".repeat(300)
    );
    assert_eq!(import(&Source::new("", deep), &Options::default()).expect("a chain").bodies, 300);
    let wide = format!(
        "<mujoco><worldbody>{}</worldbody></mujoco>",
        "<body><joint/><geom size='1'/></body>".repeat(2000)
    );
    assert_eq!(import(&Source::new("", wide), &Options::default()).expect("many").bodies, 2000);
}

#[test]
fn included_files_take_the_place_of_their_names() {
    let main = Source::new(
        "scene.xml",
        "<mujoco>\n<include file='./parts/arm.xml'/>\n<worldbody><body><joint/><include file='mass.xml'/></body></worldbody></mujoco>",
    );
    let files = |path: &str| match path {
        "./parts/arm.xml" => Ok("<mujoco model='arm'><include file='deeper.xml'/></mujoco>".to_owned()),
        "deeper.xml" => {
            Ok("<?xml version='1.0'?><mujocoinclude><option gravity='0 0 -1'/></mujocoinclude>".to_owned())
        }
        "mass.xml" => Ok("<mujocoinclude><geom size='1' mass='3'/></mujocoinclude>".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let whole = include(&main, files).expect("three files");
    let made = import(&whole, &Options::default()).expect("a pendulum");
    assert_eq!(made.total_mass, 3.0);
    assert!(made.text.contains("g = 1"), "{}", made.text);
}

#[test]
fn included_files_stay_in_the_folder_and_end() {
    let one = |path: &str| format!("<mujoco>\n<include file='{path}'/></mujoco>");
    for (text, shown) in [
        (one("/etc/passwd"), "not a file in the folder"),
        (one("../other.xml"), "not a file in the folder"),
        (one(""), "not a file in the folder"),
        (one("missing.xml"), "no such file"),
        (one("broken.xml"), "in `broken.xml`: this is not well-formed XML"),
        (one("self.xml"), "a second time"),
        (one("next0.xml"), "nested more than"),
    ] {
        let read = |path: &str| match path {
            "self.xml" => Ok(one("self.xml")),
            "broken.xml" => Ok("<mujoco>".to_owned()),
            path if path.starts_with("next") => Ok(one(&path.replace(".xml", "0.xml"))),
            _ => Err("no such file".to_owned()),
        };
        let source = Source::new("scene.xml", text);
        let refused = include(&source, read).expect_err(shown);
        assert!(refused[0].message.contains(shown), "{}", refused[0].message);
    }
}
