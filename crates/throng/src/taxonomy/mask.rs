//! Masks: 12345 → 1234* → 123** → … → *.

use std::str::FromStr;

use super::{ANY, Taxonomy, TaxonomyError, TreeBuilder};

const MASK: char = '*';

/// The longest value that may be masked: there is a level per character.
const MAX_LENGTH: usize = 256;

/// The end that is masked first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskSide {
    /// Masks the first characters first: `*2345`.
    Left,
    /// Masks the last characters first: `1234*`.
    Right,
}

impl MaskSide {
    /// Both sides.
    pub const ALL: [MaskSide; 2] = [MaskSide::Left, MaskSide::Right];

    /// The name in a job.
    pub fn name(self) -> &'static str {
        match self {
            MaskSide::Left => "left",
            MaskSide::Right => "right",
        }
    }
}

impl FromStr for MaskSide {
    type Err = TaxonomyError;

    fn from_str(name: &str) -> Result<MaskSide, TaxonomyError> {
        let side = MaskSide::ALL.into_iter().find(|side| side.name() == name);
        side.ok_or_else(|| TaxonomyError::Builder("a mask starts from 'left' or 'right'".into()))
    }
}

/// Masks one more character per level, up to `*` for everything.
///
/// Values are aligned at the end that is masked last: shorter ones are filled up with `*` on
/// the masked side from level 1 on, so that with a longest value of 5 characters level 1 of `12`
/// is `12***`. Leaves are sorted by text; the empty value (missing) is last, and by itself below
/// the top, as is `*`, which says nothing already. What is masked is a code: its leaves have no extents,
/// even where they are spelled as numbers.
pub fn mask<S: AsRef<str>>(values: &[S], side: MaskSide) -> Result<Taxonomy, TaxonomyError> {
    let longest = values.iter().map(|text| text.as_ref().chars().count()).max();
    mask_to(values, side, longest.unwrap_or(0))
}

/// The same for values of which the longest might have `length` characters, as if there were one.
///
/// # Errors
/// Also if a value is longer.
pub fn mask_to<S: AsRef<str>>(
    values: &[S],
    side: MaskSide,
    length: usize,
) -> Result<Taxonomy, TaxonomyError> {
    if length > MAX_LENGTH {
        return Err(TaxonomyError::Builder(
            (
                format!("a mask has a level per character, and some value has {length} characters"),
                format!("at most {MAX_LENGTH} are allowed"),
            )
                .into(),
        ));
    }
    if let Some(index) = values.iter().position(|text| text.as_ref().chars().count() > length) {
        let expected = format!("a code of at most {length} characters");
        return Err(TaxonomyError::Unfit { index, expected: expected.into() });
    }
    let mut leaves: Vec<&str> = values.iter().map(S::as_ref).collect();
    leaves.sort_unstable_by_key(|text| (text.is_empty(), *text));
    leaves.dedup();
    if leaves.is_empty() {
        return Err(TaxonomyError::Empty);
    }
    let mut tree = TreeBuilder::leaves(leaves.iter().copied());
    for level in 1..length {
        let labels: Vec<String> = leaves.iter().map(|text| masked(text, level, length, side)).collect();
        tree.push_level(labels.iter().map(String::as_str))?;
    }
    tree.push_top();
    Ok(tree.finish().with_positions(&vec![None; leaves.len()]))
}

/// What codes have in common from their first character on: 22370 and 22410 become 22***.
///
/// The tree is that of a [`mask`] from the right.
pub fn prefixes<S: AsRef<str>>(values: &[S]) -> Result<Taxonomy, TaxonomyError> {
    mask(values, MaskSide::Right)
}

/// The value filled up to `longest` characters, with `level` of them masked.
///
/// Each level is a function of the text of the one below, hence a coarsening of it.
fn masked(text: &str, level: usize, longest: usize, side: MaskSide) -> String {
    if text.is_empty() || text == ANY {
        return text.to_owned();
    }
    let shown = (longest - level).min(text.chars().count());
    let fill = std::iter::repeat_n(MASK, longest - shown);
    match side {
        MaskSide::Right => text.chars().take(shown).chain(fill).collect(),
        MaskSide::Left => fill.chain(text.chars().skip(text.chars().count() - shown)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::taxonomy::tests::{assert_topped, leaf_labels, level_labels};

    #[test]
    fn masks_from_the_right() {
        let zip = mask(&["12345", "12399", "12"], MaskSide::Right).unwrap();
        assert_topped(&zip);
        assert_eq!(zip.height(), 5);
        assert_eq!(leaf_labels(&zip), ["12", "12345", "12399"]);
        assert_eq!(level_labels(&zip, 1), ["12***", "1234*", "1239*"]);
        assert_eq!(level_labels(&zip, 2), ["12***", "123**", "123**"]);
        assert_eq!(level_labels(&zip, 3), ["12***"; 3]);
        assert_eq!(level_labels(&zip, 4), ["1****"; 3]);
        assert_eq!(level_labels(&zip, 5), ["*"; 3]);
    }

    #[test]
    fn levels_stay_where_the_longest_is_gone() {
        let zip = mask_to(&["123", "129"], MaskSide::Right, 5).unwrap();
        assert_eq!((zip.height(), level_labels(&zip, 3)), (5, vec!["12***"; 2]));
        assert!(matches!(
            mask_to(&["1", "123456"], MaskSide::Right, 5),
            Err(TaxonomyError::Unfit { index: 1, .. })
        ));
    }

    #[test]
    fn codes_with_a_common_prefix_go_together_and_are_no_numbers() {
        let zip = prefixes(&["22370", "22410", "00410"]).unwrap();
        let join = |a, b| zip.label(zip.lowest_common_ancestor(a, b));
        assert_eq!(leaf_labels(&zip), ["00410", "22370", "22410"]);
        assert_eq!((join(1, 2), join(0, 1)), ("22***", "*"));
        assert!(zip.values().iter().all(|value| value.extent.is_none()));
    }

    #[test]
    fn masks_from_the_left() {
        let code = mask(&["abc", "xbc", "c"], MaskSide::Left).unwrap();
        assert_topped(&code);
        assert_eq!(leaf_labels(&code), ["abc", "c", "xbc"]);
        assert_eq!(level_labels(&code, 1), ["*bc", "**c", "*bc"]);
        assert_eq!(level_labels(&code, 2), ["**c"; 3]);
    }

    #[test]
    fn counts_characters_not_bytes() {
        let names = mask(&["Zoë", "Zoé"], MaskSide::Right).unwrap();
        assert_eq!((names.height(), level_labels(&names, 1)), (3, vec!["Zo*", "Zo*"]));
    }

    #[test]
    fn stars_in_the_data_split_nothing() {
        let odd = mask(&["12", "12***", "12*4*", "*"], MaskSide::Right).unwrap();
        assert_topped(&odd);
        assert_eq!(level_labels(&odd, 1), ["*", "12***", "12***", "12*4*"]);
        assert_eq!(level_labels(&odd, 4), ["*", "1****", "1****", "1****"]);
    }

    #[test]
    fn missing_is_last_and_alone_below_the_top() {
        let zip = mask(&["", "12", "1"], MaskSide::Right).unwrap();
        assert_topped(&zip);
        assert_eq!((zip.missing(), level_labels(&zip, 1)), (Some(2), vec!["1*", "1*", ""]));
        let empty = mask(&[""], MaskSide::Left).unwrap();
        assert_topped(&empty);
        assert_eq!(empty.height(), 1);
    }

    #[test]
    fn refuses_no_values_and_very_long_ones() {
        assert_eq!(mask::<&str>(&[], MaskSide::Left), Err(TaxonomyError::Empty));
        let long = "s".repeat(MAX_LENGTH + 1);
        let error = mask(&[&long], MaskSide::Left).unwrap_err();
        assert!(matches!(error, TaxonomyError::Builder(_)) && !error.to_string().contains("ss"));
        assert!(mask(&[&long[1..]], MaskSide::Left).is_ok());
    }

    #[test]
    fn sides_are_named() {
        for side in MaskSide::ALL {
            assert_eq!(side.name().parse(), Ok(side));
        }
        assert!("Up".parse::<MaskSide>().is_err());
    }

    proptest! {
        #[test]
        fn every_level_masks_one_more(
            values in proptest::collection::vec("[ab*é]{0,6}", 1..20),
            left in any::<bool>(),
        ) {
            let side = if left { MaskSide::Left } else { MaskSide::Right };
            let taxonomy = mask(&values, side).unwrap();
            assert_topped(&taxonomy);
            let longest = values.iter().map(|v| v.chars().count()).max().unwrap();
            prop_assert_eq!(taxonomy.height(), longest.max(1));
            for level in 1..taxonomy.height() {
                let labels = level_labels(&taxonomy, level);
                for label in labels.into_iter().filter(|label| !label.is_empty() && *label != ANY) {
                    let chars: Vec<char> = label.chars().collect();
                    prop_assert_eq!(chars.len(), longest);
                    let hidden = if left { &chars[..level] } else { &chars[longest - level..] };
                    prop_assert!(hidden.iter().all(|&c| c == '*'));
                }
            }
        }
    }
}
