//! Changes: of tokens and lines of a model, of words of a command line, of values in JSON, of bytes.

use crate::random::{Choose, Rng};
use serde_json::{Value, json};

/// Numbers at which arithmetic, sizes or indices are odd.
const NUMBERS: [&str; 26] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e309",
    "1e99999",
    "1e-99999",
    "1e16",
    "9007199254740993",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "0.1",
    "1e-16",
    "3.141592653589793",
    "1e5",
    "100000",
    "12345678901234567890.5",
];

/// Pieces of the language that make sense almost anywhere.
const PIECES: [&str; 40] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "=",
    "~",
    "'",
    "''",
    ".x",
    ".y",
    "+",
    "-",
    "*",
    "/",
    "^",
    "..",
    "t",
    "pi",
    "sin(",
    "sqrt(",
    "abs(",
    "norm(",
    "dot(",
    "cross(",
    "delta(",
    "sum(k in 1..3, ",
    "if x > 0 then 1 else 2",
    "min(",
    "sign(",
    "atan2(",
    "multiplier(",
    "reaction(",
    "control(",
    "friction(",
    "transpose(",
    "log(",
];

/// Statements that reach parts few models use.
const STATEMENTS: [&str; 22] = [
    "constraint extra: 1 = 1",
    "constraint extra: x = x",
    "constraint extra: 0*x' = 0",
    "force x = 0",
    "nonideal work -0.1*x'*delta(x)",
    "friction on extra: coefficient 0.3, velocity x'",
    "require r: x = 0.1*t decay 1, 1",
    "actuate x",
    "dissipation x'^2/2",
    "initial x ~ 1",
    "initial x' = 1e9",
    "event e: x falling stop",
    "event e: t - 0.01 rising stop",
    "output o = x''",
    "speed u = x' + 1",
    "coordinate extra[1..3]",
    "parameter x = 1",
    "simulate until 0.1 method radau",
    "simulate until 1e-300",
    "mass [[1]]",
    "potential 1/x",
    "kinetic x'^4",
];

/// A text in pieces: words, numbers, blanks, and single characters.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        _ if c.is_alphabetic() || c == '_' => 1,
        _ if c.is_ascii_digit() => 2,
        ' ' | '\t' => 3,
        _ => 0,
    };
    let mut out: Vec<String> = Vec::new();
    let mut last = 0;
    for c in text.chars() {
        let now = kind(c);
        let joins = now != 0 && (now == last || (last == 1 && now == 2)) || (c == '.' && last == 2);
        match out.last_mut() {
            Some(token) if joins => token.push(c),
            _ => out.push(c.to_string()),
        }
        last = if c == '.' && last == 2 {
            2
        } else if joins && last == 1 {
            1
        } else {
            now
        };
    }
    out
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// A model changed in a few places, with pieces of another one.
pub fn model(text: &str, other: &str, rng: &mut Rng) -> String {
    let mut text = text.to_owned();
    let most = if rng.once_in(4) { 8 } else { 3 };
    for _ in 0..1 + rng.below(most) {
        text =
            if rng.once_in(3) { change_lines(&text, other, rng) } else { change_tokens(&text, other, rng) };
    }
    text
}

fn change_lines(text: &str, other: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().filter(|l| !l.trim_start().starts_with('#')).collect();
    let at = rng.below(lines.len());
    match rng.below(6) {
        0 if !lines.is_empty() => drop(lines.remove(at)),
        1 if !lines.is_empty() => lines.insert(at, lines[at].clone()),
        2 if !lines.is_empty() => {
            let to = rng.below(lines.len());
            lines.swap(at, to);
        }
        3 => {
            // Several statements of another model in a row.
            let from = rng.below(others.len());
            let count = 1 + rng.below(4);
            for (k, line) in others.iter().skip(from).take(count).enumerate() {
                lines.insert((at + k).min(lines.len()), (*line).to_owned());
            }
        }
        4 => lines.push(rng.pick(&STATEMENTS).replace('x', &name_in(text, rng))),
        _ => lines.insert(at.min(lines.len()), rng.pick(&others).to_owned()),
    }
    lines.join("\n") + "\n"
}

/// A word of a text, most often one that it declares.
fn name_in(text: &str, rng: &mut Rng) -> String {
    let declared = text.lines().filter(|l| l.trim_start().starts_with("coordinate"));
    let names: Vec<String> = declared.flat_map(tokens).filter(|t| is_word(t) && t != "coordinate").collect();
    if names.is_empty() { "x".to_owned() } else { rng.pick(&names) }
}

fn change_tokens(text: &str, other: &str, rng: &mut Rng) -> String {
    let (mut list, others) = (tokens(text), tokens(other));
    if list.is_empty() {
        return rng.pick(&others);
    }
    let places = |list: &[String], which: fn(&str) -> bool| -> Vec<usize> {
        (0..list.len()).filter(|k| which(&list[*k])).collect()
    };
    let at = rng.below(list.len());
    match rng.below(10) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[at].clone()),
        2 => {
            let to = rng.below(list.len());
            list.swap(at, to);
        }
        // One name for another, the change that most often still means something.
        3 | 4 => {
            let words = places(&list, is_word);
            let (a, b) = (rng.pick(&words), rng.pick(&words));
            list[a] = list[b].clone();
        }
        5 | 6 => {
            let numbers = places(&list, is_number);
            if !numbers.is_empty() {
                list[rng.pick(&numbers)] = rng.pick(&NUMBERS).to_owned();
            }
        }
        7 => list.insert(at, rng.pick(&PIECES).to_owned()),
        8 => list[at] = rng.pick(&others),
        _ => {
            // A piece of another model.
            let (from, count) = (rng.below(others.len()), 1 + rng.below(12));
            let piece: String = others.iter().skip(from).take(count).cloned().collect();
            list.insert(at, piece);
        }
    }
    list.concat()
}

/// A command line changed in a few places, with words of another one.
pub fn words(mut words: Vec<String>, other: &[String], rng: &mut Rng) -> Vec<String> {
    const ODD: [&str; 24] = [
        "--set",
        "x=",
        "=",
        "m=1e400",
        "--initial",
        "x~",
        "x'=1",
        "--at",
        "--until",
        "-1",
        "nan",
        "inf",
        "--every",
        "0",
        "1e-400",
        "--vary",
        "m=1..2:0",
        "m=0..1e308:99999999999",
        "--sample",
        "m~normal(0,",
        "x~uniform(1,2)",
        "--",
        "-",
        "\u{0}",
    ];
    for _ in 0..1 + rng.below(4) {
        let at = 1 + rng.below(words.len().saturating_sub(1));
        match rng.below(6) {
            0 if at < words.len() => drop(words.remove(at)),
            1 if at < words.len() => words.insert(at, words[at].clone()),
            2 if at < words.len() => words[at] = rng.pick(other),
            3 => words.insert(at.min(words.len()), rng.pick(&ODD).to_owned()),
            4 => words.insert(at.min(words.len()), rng.pick(&NUMBERS).to_owned()),
            _ if at < words.len() => words[at] = change_tokens(&words[at], &other.join(" "), rng),
            _ => words.push(rng.pick(other)),
        }
    }
    words
}

/// One value inside a document becomes another one.
pub fn value(document: &mut Value, rng: &mut Rng) {
    let mut count = 0;
    visit(document, &mut |_| count += 1);
    let (chosen, mut now) = (rng.below(count), 0);
    let odd = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(1e308),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
        json!([[[]]]),
        json!("\u{0}\u{FFFF}"),
        json!(4_294_967_296_u64),
    ];
    let other = rng.pick(&odd);
    visit(document, &mut |value| {
        if now == chosen {
            *value = other.clone();
        }
        now += 1;
    });
}

fn visit(value: &mut Value, each: &mut impl FnMut(&mut Value)) {
    each(value);
    match value {
        Value::Array(list) => list.iter_mut().for_each(|inner| visit(inner, each)),
        Value::Object(map) => map.values_mut().for_each(|inner| visit(inner, each)),
        _ => {}
    }
}

/// Bytes changed in a few places.
pub fn bytes(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.insert(at, rng.next_u64() as u8),
            2 => bytes.truncate(at),
            3 if !bytes.is_empty() => {
                let end = (at + 1 + rng.below(20)).min(bytes.len());
                let piece: Vec<u8> = bytes.drain(at..end).collect();
                if rng.once_in(2) {
                    let to = rng.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
            4 => drop(bytes.splice(at..at, rng.pick(&NUMBERS).bytes())),
            _ => drop(bytes.splice(at..at, [0xE2, 0x88, 0x82].into_iter().take(1 + rng.below(3)))),
        }
    }
    bytes
}
