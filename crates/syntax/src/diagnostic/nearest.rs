//! The nearest of some words to a misspelt one.

/// The candidate nearest to a name, if it is near enough to be meant.
///
/// Nearness counts insertions, deletions, replacements and swaps of neighbours (Damerau-Levenshtein, restricted);
/// a third of the letters may be wrong. A difference in case only always counts as near. Ties go to the first candidate.
///
/// ```
/// use dalembert_syntax::diagnostic::nearest;
///
/// assert_eq!(nearest("thta", ["phi", "theta"]), Some("theta"));
/// assert_eq!(nearest("kienetic", ["kinematics", "kinetic"]), Some("kinetic"));
/// assert_eq!(nearest("x", ["y", "z"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().collect();
    // A word this long is no slip of the pen, and the table below is quadratic.
    if wanted.len() > 64 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(score) = score(name, &wanted, candidate) else {
            continue;
        };
        if best.is_none_or(|(least, _)| score < least) {
            best = Some((score, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edits between the two, or `None` when there are too many of them.
fn score(name: &str, wanted: &[char], candidate: &str) -> Option<usize> {
    if name == candidate {
        return None;
    }
    if name.to_lowercase() == candidate.to_lowercase() {
        return Some(0);
    }
    let other: Vec<char> = candidate.chars().take(65).collect();
    let longer = wanted.len().max(other.len());
    // One letter of two: `th` for `t` is plausible, `y` for `x` is not.
    let allowed = if wanted.len().min(other.len()) < 2 { 0 } else { longer.div_ceil(3) };
    if wanted.len().abs_diff(other.len()) > allowed {
        return None;
    }
    Some(distance(wanted, &other)).filter(|&edits| edits <= allowed)
}

/// Restricted Damerau-Levenshtein distance, by rows.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
