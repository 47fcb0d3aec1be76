//! Names of a model as identifiers of programming languages.

use rustc_hash::FxHashSet;

/// Words that C, C++, Rust or Python keep for themselves or their mathematics, and those of our own texts.
const RESERVED: &str = "
    alignas alignof and and_eq as asm assert async atomic auto await bitand bitor bool break case catch char class compl
    complex const const_cast constexpr continue crate decltype def default del delete div do double dyn dynamic_cast elif
    else enum except explicit export extern false final finally float fn for friend from global goto if impl import in
    inline int is lambda let lambda_ long loop macro main match math mod move mut mutable namespace new noexcept nonlocal
    not not_eq nullptr operator or or_eq override pass priv private protected pub public raise ref register
    reinterpret_cast restrict return self short signed sizeof static static_assert static_cast struct super switch
    template this throw trait true try type typedef typeid typename typeof union unsafe unsigned unsized use using
    virtual void volatile wchar_t where while with xor xor_eq yield box become abstract gen macro_rules None True False Self
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh floor exp log pow sqrt fabs hypot abs min max sign smaller larger truth
    choose NAN INFINITY HUGE_VAL EOF NULL DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS linux unix errno
    NX N M NP NU NR CELLS LONGEST PARAMETERS COORDINATES SPEEDS ROWS INPUTS REQUIREMENTS Motion Failure Work Cod
    RANK_TOLERANCE MASS_TOLERANCE REFINE CONSISTENCY COUPLING REACH MET TURNS TRIAL GAINED IMPROVED NUDGE NUDGES SHORT GRAIN CODES COORDINATE_NAMES SPEED_NAMES
    PARAMETER_NAMES ROW_NAMES INPUT_NAMES cut sum repr tuple set str object print
    reaction dict list range len float zip evaluate terms nonideal control_terms";

/// Greek letters by their names.
const GREEK: &[(&str, &str)] = &[
    ("αβγδεζηθικλμ", "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu"),
    ("νξοπρστυφχψω", "nu xi omicron pi rho sigma tau upsilon phi chi psi omega"),
    ("ΓΔΘΛΞΠΣΥΦΨΩ", "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"),
];

/// A text as an identifier: `q[1,2]'` is `q_1_2_dot`; letters beyond ASCII are spelt out.
///
/// ```
/// use dalembert_codegen::identifier;
/// assert_eq!(identifier("θ[2]'"), "theta_2_dot");
/// assert_eq!(identifier("3 bars, linked"), "n3_bars_linked");
/// ```
pub fn identifier(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let greek = GREEK.iter().find_map(|(letters, names)| {
            letters.chars().position(|l| l == c).and_then(|k| names.split(' ').nth(k))
        });
        match (c, greek) {
            (_, Some(name)) => out.push_str(name),
            ('\'', _) => {
                out.truncate(out.trim_end_matches('_').len());
                out.push_str("_dot");
            }
            ('_' | '0'..='9' | 'a'..='z' | 'A'..='Z', _) => out.push(c),
            _ if c.is_alphanumeric() => out.push_str(&format!("u{:x}", c as u32)),
            _ if out.ends_with('_') => {}
            _ => out.push('_'),
        }
    }
    let out = out.trim_end_matches('_');
    match out.chars().next() {
        None => "model".to_owned(),
        Some('0'..='9' | '_') => format!("n{out}"),
        Some(_) => out.to_owned(),
    }
}

/// Gives each text an identifier of its own that no language reserves.
pub(super) struct Namer {
    taken: FxHashSet<String>,
}

impl Namer {
    pub fn new() -> Self {
        Namer { taken: RESERVED.split_whitespace().map(str::to_owned).collect() }
    }

    pub fn name(&mut self, text: &str) -> String {
        let stem = identifier(text);
        // `v12` are our own values, `M_PI` and the like macros of C.
        let ours = stem.strip_prefix('v').is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()));
        let clash = ours || stem.starts_with("M_");
        let mut name = if clash { format!("{stem}_1") } else { stem.clone() };
        let mut k = 1;
        while !self.taken.insert(name.clone()) {
            k += 1;
            name = format!("{stem}_{k}");
        }
        name
    }
}
