//! The distributions and permissible subsets of the paper's artificial data.

/// Of each attribute the shares of its values, in percent.
pub(super) fn shares() -> [Vec<u64>; 6] {
    [
        vec![70, 30],
        vec![30, 30, 20, 20],
        vec![25, 25, 40, 10],
        [[7; 6].as_slice(), &[4; 10], &[2; 9]].concat(),
        vec![10; 10],
        vec![5, 5, 50, 30, 10],
    ]
}

/// Of each attribute the first and last value of the permissible subsets, finer ones first.
pub(super) const SUBSETS: [&[&[(usize, usize)]]; 6] = [
    &[],
    &[&[(1, 2), (3, 4)]],
    &[&[(1, 2), (3, 4)]],
    &[&[(1, 6), (7, 12), (13, 18), (19, 25)], &[(1, 12), (13, 25)]],
    &[&[(1, 2), (3, 4), (6, 7), (8, 9)], &[(1, 5), (6, 10)]],
    &[&[(1, 2), (4, 5)], &[(1, 2), (3, 5)]],
];
