//! Elimination orders for sparse factors.

/// The order of approximate minimum degree of a symmetric graph.
pub fn minimum_degree(graph: Vec<Vec<u32>>) -> Option<Vec<u32>> {
    let n = graph.len();
    let mut both: Vec<Vec<i64>> = graph
        .into_iter()
        .enumerate()
        .map(|(i, list)| list.into_iter().map(i64::from).chain([i as i64]).collect())
        .collect();
    // Entries may have been given on one side only.
    for i in 0..n {
        for k in 0..both[i].len() {
            let j = both[i][k] as usize;
            if j < i {
                both[j].push(i as i64);
            }
        }
    }
    let (mut start, mut index) = (vec![0i64], Vec::new());
    for list in &mut both {
        list.sort_unstable();
        list.dedup();
        index.extend_from_slice(list);
        start.push(index.len() as i64);
    }
    let (order, ..) = amd::order(n as i64, &start, &index, &amd::Control::default()).ok()?;
    Some(order.into_iter().map(|i| i as u32).collect())
}
