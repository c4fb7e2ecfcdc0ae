//! Sets: any values of a column together, {A, B}.

use super::{ANY, Leaves, Scheme, Taxonomy, TaxonomyError, ValueId};

/// Most members of a set, where the job does not say otherwise.
pub const MOST_MEMBERS: u32 = 16;

/// Most members that a job may ask for: a label should still be read by people.
pub const MAX_MEMBERS: u32 = 1_000;

/// Leaves of which any at most `most` become a set in a local recoding; more become `*`.
///
/// Leaves are sorted by text. The empty value (missing) is a value like any other, last. A set is
/// shown as `{A, B}`; members that are empty, begin or end with a space, or contain `,`, `{`, `}`
/// or `"`, are quoted: `{"a, b", c}`. A value that itself looks like a set is refused, because
/// nobody could tell it from one.
pub fn sets<S: AsRef<str>>(values: &[S], most: u32) -> Result<Taxonomy, TaxonomyError> {
    if !(2..=MAX_MEMBERS).contains(&most) {
        let problem = format!("a set may be limited to 2 to {MAX_MEMBERS} members, not to {most}");
        return Err(TaxonomyError::Builder(problem.into()));
    }
    let looks_like_a_set = |text: &&str| text.starts_with('{') && text.ends_with('}');
    let mut leaves: Vec<&str> = values.iter().map(S::as_ref).collect();
    if let Some(index) = leaves.iter().position(looks_like_a_set) {
        let expected =
            "usable here, as it could be mistaken for a set: it begins with '{' and ends with '}'".to_owned();
        return Err(TaxonomyError::Unfit { index, expected: expected.into() });
    }
    leaves.sort_unstable_by_key(|text| (text.is_empty(), *text));
    leaves.dedup();
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let rows: Vec<[&str; 2]> = leaves.iter().map(|leaf| [*leaf, ANY]).collect();
    // Members of a set are categories, even if they are spelled as numbers.
    let flat = Taxonomy::from_rows(&rows)?.with_positions(&vec![None; leaves.len()]);
    Ok(flat.with_scheme(Scheme::Sets { most }))
}

/// The label of a set of members.
pub(super) fn spell<'a>(members: impl Iterator<Item = &'a str>) -> String {
    let mut label = String::from("{");
    for (at, member) in members.enumerate() {
        if at > 0 {
            label.push_str(", ");
        }
        label.push_str(&spell_member(member));
    }
    label.push('}');
    label
}

/// A member as labels name it: in quotes where it could be taken for several, or for something else.
pub(super) fn spell_member(member: &str) -> String {
    match must_be_quoted(member) {
        true => format!("\"{}\"", member.replace('"', "\"\"")),
        false => member.to_owned(),
    }
}

fn must_be_quoted(member: &str) -> bool {
    member.is_empty() || member.trim() != member || member.contains([',', '{', '}', '"'])
}

/// The members of a label that [`spell`] wrote.
pub(super) fn read_members(label: &str) -> Option<Vec<String>> {
    let mut rest = label.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = Vec::new();
    loop {
        let (member, after) = split_member(rest)?;
        members.push(member);
        match after.strip_prefix(", ") {
            Some(next) => rest = next,
            None if after.is_empty() => return Some(members),
            None => return None,
        }
    }
}

/// The leaves of a label that [`spell`] wrote.
pub(super) fn read(label: &str, leaf_with: impl Fn(&str) -> Option<ValueId>) -> Option<Leaves> {
    let mut members: Vec<ValueId> =
        read_members(label)?.iter().map(|member| leaf_with(member)).collect::<Option<_>>()?;
    let listed = members.len();
    members.sort_unstable();
    members.dedup();
    (members.len() == listed && listed > 1).then(|| Leaves::Set(members.into()))
}

/// The first member of a list, and what follows it.
fn split_member(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        let (member, after) = text.split_at(end);
        return Some((member.to_owned(), after));
    };
    let mut member = String::new();
    let mut rest = quoted;
    loop {
        let (part, after) = rest.split_once('"')?;
        member.push_str(part);
        match after.strip_prefix('"') {
            Some(doubled) => {
                member.push('"');
                rest = doubled;
            }
            None => return Some((member, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, made};

    #[test]
    fn leaves_become_sets_up_to_a_limit() {
        let jobs = sets(&["nurse", "cook", "", "baker", "cook"], 3).unwrap();
        assert_topped(&jobs);
        assert_eq!(leaf_labels(&jobs), ["baker", "cook", "nurse", ""]);
        assert_eq!(made(&jobs, &[1]), "cook");
        assert_eq!(made(&jobs, &[2, 0, 2]), "{baker, nurse}");
        assert_eq!(made(&jobs, &[3, 1]), "{cook, \"\"}");
        assert_eq!(made(&jobs, &[0, 1, 2]), "{baker, cook, nurse}");
        assert_eq!(made(&jobs, &[3, 1, 2, 0]), "*");
    }

    #[test]
    fn numbers_in_sets_have_no_extent() {
        let codes = sets(&["1", "20"], 2).unwrap();
        assert_eq!((codes.extent(), codes.values()[0].extent), (None, None));
    }

    #[test]
    fn what_looks_like_a_set_is_refused() {
        let error = sets(&["a", "{b, c}"], 5).unwrap_err();
        assert!(matches!(error, TaxonomyError::Unfit { index: 1, .. }));
        assert!(sets(&["{a", "b}"], 5).is_ok());
        assert_eq!(sets::<&str>(&[], 5), Err(TaxonomyError::Empty));
        for most in [0, 1, MAX_MEMBERS + 1] {
            assert!(matches!(sets(&["a"], most), Err(TaxonomyError::Builder(_))));
        }
    }

    proptest! {
        #[test]
        fn labels_tell_all_sets_apart_and_read_back(
            values in prop::collection::btree_set("[ab ,{}\"*~]{0,4}", 2..7),
            one in prop::collection::btree_set(0usize..7, 2..5),
            other in prop::collection::btree_set(0usize..7, 2..5),
        ) {
            let values: Vec<String> = values.into_iter().collect();
            let Ok(taxonomy) = sets(&values, 9) else { return Ok(()) };
            let pick = |chosen: &std::collections::BTreeSet<usize>| {
                let leaves: std::collections::BTreeSet<ValueId> =
                    chosen.iter().map(|at| (at % values.len()) as ValueId).collect();
                leaves.into_iter().collect::<Vec<_>>()
            };
            let (one, other) = (pick(&one), pick(&other));
            let find = |text: &str| {
                (0..taxonomy.leaf_total() as ValueId).find(|&leaf| taxonomy.label(leaf) == text)
            };
            let label = made(&taxonomy, &one);
            prop_assert_eq!(label == made(&taxonomy, &other), one == other);
            let closure = match label.as_str() {
                ANY => crate::taxonomy::Closure::Value(taxonomy.root()),
                _ => taxonomy.close(one.iter().copied()),
            };
            prop_assert_eq!(taxonomy.read(&label, one[0], find), Some(closure));
        }
    }
}
