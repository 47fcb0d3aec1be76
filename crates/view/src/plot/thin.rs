//! Long lines for small pictures: where many rows fall on one pixel column, only first, least, greatest and last are
//! drawn, which look the same as all of them. Gaps split a line in pieces.

type P = (f64, f64);

/// Columns a logical unit that are told apart.
const FINENESS: f64 = 2.0;

/// The pieces of a line between points that are not finite, thinned.
pub(super) fn pieces(points: &[P]) -> Vec<Vec<P>> {
    points
        .split(|(x, y)| !(x.is_finite() && y.is_finite()))
        .filter(|piece| piece.len() > 1)
        .map(thinned)
        .collect()
}

fn thinned(points: &[P]) -> Vec<P> {
    let column = |p: &P| (p.0 * FINENESS).floor();
    let mut out = Vec::new();
    for bucket in points.chunk_by(|a, b| column(a) == column(b)) {
        if bucket.len() <= 4 {
            out.extend_from_slice(bucket);
            continue;
        }
        let least = (0..bucket.len()).min_by(|a, b| bucket[*a].1.total_cmp(&bucket[*b].1)).unwrap_or(0);
        let most = (0..bucket.len()).max_by(|a, b| bucket[*a].1.total_cmp(&bucket[*b].1)).unwrap_or(0);
        let mut kept = [0, least, most, bucket.len() - 1];
        kept.sort_unstable();
        out.extend(kept.into_iter().map(|k| bucket[k]));
    }
    out
}

/// Of rows in ascending order of `x` those that show the same as all of them: in each of so many buckets the first and the
/// last, and of every column the least, the greatest and one gap.
pub(super) fn rows(rows: &[usize], x: &[f64], columns: &[Vec<f64>], buckets: usize) -> Vec<usize> {
    let ends = rows.first().zip(rows.last()).map(|(a, b)| (x[*a], x[*b]));
    let (low, high) = ends.unwrap_or_default();
    let bucket = |k: &usize| ((x[*k] - low) / (high - low) * buckets as f64).floor();
    let mut out = Vec::new();
    for together in rows.chunk_by(|a, b| bucket(a) == bucket(b)) {
        let mut kept = vec![together[0], together[together.len() - 1]];
        for column in columns {
            let finite = || together.iter().filter(|k| column[**k].is_finite());
            kept.extend(finite().min_by(|a, b| column[**a].total_cmp(&column[**b])));
            kept.extend(finite().max_by(|a, b| column[**a].total_cmp(&column[**b])));
            kept.extend(together.iter().find(|k| !column[**k].is_finite()));
        }
        // In the order in which they were given, each once.
        let mut chosen: Vec<usize> = together.iter().copied().filter(|k| kept.contains(k)).collect();
        out.append(&mut chosen);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_split_and_extremes_stay() {
        let nan = f64::NAN;
        assert_eq!(pieces(&[(0.0, 1.0), (1.0, 2.0), (2.0, nan), (3.0, 1.0)]), [[(0.0, 1.0), (1.0, 2.0)]]);
        let many: Vec<P> =
            (0..10_000).map(|k| (k as f64 * 0.01, if k == 5005 { 9.0 } else { 0.0 })).collect();
        let thin = &pieces(&many)[0];
        assert!(thin.len() < 900 && thin.iter().any(|p| p.1 == 9.0));
    }
}
