//! The forest for models that look at what is in a class: a tree grows until it may be released, and is
//! split where both parts may be.

use super::split::descend;
use super::{ASK, LinkedTrees};
use crate::algorithm::local::admissible::{Admissibility, Contents};
use crate::algorithm::local::neighbours::Neighbours;
use crate::problem::Problem;
use crate::run::{Run, Stop};

/// The classes of a forest; if not even all rows together are ripe, one that is not.
pub(super) fn ripen(
    problem: &Problem,
    admissibility: &Admissibility,
    index: &Neighbours<'_>,
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    let weights = problem.table().weights();
    let of = |(tuple, &rows): (u32, &u32)| admissibility.contents(problem.table(), tuple, rows);
    let contents: Vec<Contents> = (0..).zip(weights).map(of).collect();
    let edges = grow(weights, contents.clone(), admissibility, index, run)?;
    split(contents, &edges, admissibility, run)
}

/// The edges of trees that are ripe, each from a tuple to one that is near.
fn grow(
    weights: &[u32],
    mut contents: Vec<Contents>,
    admissibility: &Admissibility,
    index: &Neighbours<'_>,
    run: &Run<'_>,
) -> Result<Vec<(u32, u32)>, Stop> {
    let mut trees = LinkedTrees::new(weights);
    let mut edges = Vec::new();
    for tuple in 0..weights.len() as u32 {
        loop {
            run.go_on()?;
            let tree = trees.find_root(tuple);
            if admissibility.is_ripe(&contents[tree as usize]) {
                break;
            }
            let from = trees.open[tree as usize];
            let Some(to) = index.nearest(from, |other| trees.root(other) != tree) else { break };
            edges.push((from, to));
            let grown = std::mem::take(&mut contents[tree as usize]);
            trees.join(tree, to);
            contents[trees.find_root(to) as usize].add(&grown);
        }
        run.advance(1);
    }
    Ok(edges)
}

/// From the leaves of each tree up, what is ripe becomes a class; what is left at the root joins the last.
fn split(
    mut contents: Vec<Contents>,
    edges: &[(u32, u32)],
    admissibility: &Admissibility,
    run: &Run<'_>,
) -> Result<Vec<Vec<u32>>, Stop> {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); contents.len()];
    for &(a, b) in edges {
        around[a as usize].push(b);
        around[b as usize].push(a);
    }
    let mut parents = vec![u32::MAX; contents.len()];
    let mut held: Vec<Vec<u32>> = (0..contents.len() as u32).map(|vertex| vec![vertex]).collect();
    let mut classes: Vec<Vec<u32>> = Vec::new();
    for root in 0..contents.len() as u32 {
        if root.is_multiple_of(ASK) {
            run.go_on()?;
        }
        if parents[root as usize] != u32::MAX {
            continue;
        }
        parents[root as usize] = root;
        let before = classes.len();
        for vertex in descend(root, &mut around, &mut parents).into_iter().rev() {
            let (class, of_class) =
                (std::mem::take(&mut held[vertex as usize]), std::mem::take(&mut contents[vertex as usize]));
            if admissibility.is_ripe(&of_class) || (vertex == root && classes.len() == before) {
                classes.push(class);
            } else if vertex == root {
                classes.last_mut().expect("there is one").extend(class);
            } else {
                held[parents[vertex as usize] as usize].extend(class);
                contents[parents[vertex as usize] as usize].add(&of_class);
            }
        }
    }
    Ok(classes)
}
