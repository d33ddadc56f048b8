//! What kept its order, and so what moved.

/// The indices of a longest increasing subsequence. The values are all different.
pub fn longest_increasing(values: &[usize]) -> Vec<usize> {
    // For each length, where the subsequence of that length with the smallest end ends.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; values.len()];
    for (index, value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| values[*end] < *value);
        previous[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut sequence = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        sequence.push(index);
        next = previous[index];
    }
    sequence.reverse();
    sequence
}
