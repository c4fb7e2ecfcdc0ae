//! Codes: their beginnings, the rest masked.

use super::ladder::{Ladder, LeafPartition, choose};

const MASK: char = '*';

/// Longest beginning that makes a level; what follows it hardly groups anything.
const MAX_PREFIX: usize = 64;

/// The strand of codes, masked from the right.
///
/// Codes of one length keep it (`123**`); otherwise one star stands for what follows, if anything
/// (`J2*`), and a code that is shorter than the beginning stays whole until the beginning is too.
pub(super) fn mask(values: &[&str], mut known: Vec<usize>, max_levels: usize) -> Ladder {
    known.sort_unstable_by_key(|&value| values[value]);
    let codes: Vec<&str> = known.iter().map(|&value| values[value]).collect();
    let lengths: Vec<usize> = codes.iter().map(|code| code.chars().count()).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let alike = lengths.iter().all(|&length| length == longest);
    let prefixes: Vec<usize> = (1..longest.min(MAX_PREFIX + 1)).rev().collect();
    let sizes: Vec<usize> = prefixes.iter().map(|&length| count_prefixes(&codes, length)).collect();
    let levels = choose(&sizes, codes.len(), max_levels).into_iter().map(|at| {
        let shown = prefixes[at];
        let stars = if alike { longest - shown } else { 1 };
        let label = |(code, &length): (&&str, &usize)| match length < shown {
            true => (*code).to_owned(),
            false => code.chars().take(shown).chain(std::iter::repeat_n(MASK, stars)).collect(),
        };
        LeafPartition::of_labels(codes.iter().zip(&lengths).map(label).collect())
    });
    let levels = levels.collect();
    Ladder { leaves: known, levels, positions: None }
}

/// Number of different beginnings of sorted codes.
fn count_prefixes(codes: &[&str], length: usize) -> usize {
    codes.chunk_by(|a, b| prefix(a, length) == prefix(b, length)).count()
}

fn prefix(code: &str, length: usize) -> &str {
    code.char_indices().nth(length).map_or(code, |(end, _)| &code[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(codes: &[&str], max_levels: usize) -> Vec<Vec<String>> {
        let ladder = mask(codes, (0..codes.len()).collect(), max_levels);
        let level = |level: &LeafPartition| {
            level.groups.iter().map(|&group| level.labels[group as usize].clone()).collect()
        };
        ladder.levels.iter().map(level).collect()
    }

    #[test]
    fn codes_of_one_length_keep_it() {
        let levels = labels(&["00123", "00199", "00245", "10245"], 5);
        assert_eq!(levels, [["001**", "001**", "002**", "102**"], ["00***", "00***", "00***", "10***"]]);
    }

    #[test]
    fn codes_of_several_lengths_show_none() {
        let levels = labels(&["J2", "J20", "J20.1", "K1", "K"], 5);
        assert_eq!(levels.last().unwrap(), &["J*", "J*", "J*", "K*", "K*"]);
        assert_eq!(levels[0], ["J2*", "J2*", "J2*", "K", "K1*"]);
    }

    #[test]
    fn beginnings_are_characters_and_long_ones_are_cut() {
        assert_eq!(labels(&["éa", "éb", "è"], 5), [["è*", "é*", "é*"]]);
        let long: Vec<String> = (0..20).map(|i| format!("{}{i:03}", "x".repeat(300))).collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        assert!(labels(&long, 5).is_empty(), "all begin alike");
    }

    #[test]
    fn levels_are_limited() {
        let codes: Vec<String> = (0..1000).map(|i| format!("{:08}", i * 99_991)).collect();
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        assert_eq!(labels(&codes, 2).len(), 2);
    }
}
