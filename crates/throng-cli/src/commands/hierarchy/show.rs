//! `throng hierarchy show`: the levels of a hierarchy and its tree.

use std::path::{Path, PathBuf};

use indicatif::HumanCount;

use throng::taxonomy::{Taxonomy, ValueId};
use throng_engine::error::{EngineError, Result};
use throng_engine::job::HierarchySpec;

use crate::aligned::align;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;

/// Values of a level that are shown beside it.
const EXAMPLES: usize = 3;

/// Checks a hierarchy file and shows its levels and its tree
#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    /// The hierarchy: one line per value, 'leaf;level1;…;top'
    file: PathBuf,

    /// Lines of the tree to show
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    lines: usize,
}

/// Reads the file, which checks it, and shows it.
pub(super) fn run(args: &ShowArgs, console: &Console) -> Result<Exit> {
    let taxonomy = read(&args.file)?;
    console.out(format_args!(
        "{}: {} values, {} levels above them\n\n{}\n\n{}\n\n{}",
        args.file.display(),
        HumanCount(taxonomy.leaf_total() as u64),
        taxonomy.height(),
        section("Levels", &levels(&taxonomy)),
        section("Tree", &tree(&taxonomy, args.lines)),
        section("Checks", &checks(&taxonomy)),
    ));
    for warning in HierarchySpec::File(args.file.clone().into()).warnings(&taxonomy)? {
        console.note(format_args!("warning: {warning}"));
    }
    Ok(Exit::Done)
}

fn read(path: &Path) -> Result<Taxonomy> {
    if !path.exists() {
        return Err(EngineError::not_found(path, "there is no such file"));
    }
    Ok(HierarchySpec::File(path.to_owned().into()).build::<&str>("", &[])?)
}

fn levels(taxonomy: &Taxonomy) -> String {
    let rows: Vec<[String; 3]> = (0..=taxonomy.height())
        .map(|level| {
            let size = taxonomy.level_size(level);
            let values = format!("{} value{}", HumanCount(size as u64), if size == 1 { "" } else { "s" });
            [format!("level {level}"), values, examples(taxonomy, level, size)]
        })
        .collect();
    align(&rows)
}

fn examples(taxonomy: &Taxonomy, level: usize, size: usize) -> String {
    let mut ids: Vec<ValueId> = Vec::new();
    for &id in taxonomy.level_values(level) {
        if ids.len() < EXAMPLES && !ids.contains(&id) {
            ids.push(id);
        }
    }
    let labels: Vec<String> = ids.iter().map(|&id| printable(taxonomy.label(id))).collect();
    labels.join(", ") + if size > EXAMPLES { ", …" } else { "" }
}

/// The first lines of the tree, from the root down.
fn tree(taxonomy: &Taxonomy, lines: usize) -> String {
    let children = children(taxonomy);
    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut open = vec![(taxonomy.root(), 0)];
    while let Some((id, depth)) = open.pop() {
        if rows.len() == lines {
            let left = HumanCount((taxonomy.values().len() - lines) as u64);
            return format!("{}  … and {left} more (--lines shows them)", align(&rows));
        }
        let value = &taxonomy.values()[id as usize];
        let size = if children[id as usize].is_empty() {
            String::new()
        } else {
            HumanCount(value.leaf_count.into()).to_string()
        };
        rows.push([format!("{}{}", "  ".repeat(depth), printable(&value.label)), size]);
        open.extend(children[id as usize].iter().rev().map(|&child| (child, depth + 1)));
    }
    align(&rows)
}

/// The values right below each value, in the order of their first leaves.
fn children(taxonomy: &Taxonomy) -> Vec<Vec<ValueId>> {
    let values = taxonomy.values();
    let mut children: Vec<Vec<ValueId>> = vec![Vec::new(); values.len()];
    let mut placed = vec![false; values.len()];
    for leaf in 0..taxonomy.leaf_total() as ValueId {
        let mut id = leaf;
        while id != taxonomy.root() && !placed[id as usize] {
            placed[id as usize] = true;
            let parent = values[id as usize].parent;
            children[parent as usize].push(id);
            id = parent;
        }
    }
    children
}

fn checks(taxonomy: &Taxonomy) -> String {
    let mut lines = vec![
        "every line has the same number of levels".to_owned(),
        "every value has one line".to_owned(),
        "every level coarsens the one below".to_owned(),
    ];
    lines.extend(line(taxonomy));
    match taxonomy.level_size(taxonomy.height()) {
        1 => lines.push("the last level has a single value for everything".to_owned()),
        several => lines.push(format!(
            "the last level has {} values: not every k can be reached without suppression",
            HumanCount(several as u64)
        )),
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// The least and the greatest value, if all are numbers or all are dates.
fn line(taxonomy: &Taxonomy) -> Option<String> {
    let extent = taxonomy.extent()?;
    let mut leaves = taxonomy.values()[..taxonomy.leaf_total()].iter();
    let at = |position: f64| leaves.clone().find(|leaf| leaf.extent.is_some_and(|e| e.min == position));
    let (first, last) = (at(extent.min)?, at(extent.max)?);
    let are_numbers = leaves.all(|leaf| leaf.extent.is_none() || leaf.label.trim().parse::<f64>().is_ok());
    let what = if are_numbers { "numbers" } else { "dates" };
    Some(format!("the values are {what} from {} to {}", printable(&first.label), printable(&last.label)))
}

/// A label on one line.
fn printable(label: &str) -> String {
    if label.is_empty() {
        return "(empty)".to_owned();
    }
    let spell = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    label.chars().map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taxonomy() -> Taxonomy {
        Taxonomy::from_rows(&[["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"], ["", "y", "*"]]).unwrap()
    }

    #[test]
    fn the_tree_is_shown_from_its_root() {
        let expected = "  *            4\n    x          2\n      a\n      c\n    y          2\n      b\n      (empty)\n";
        assert_eq!(tree(&taxonomy(), 20), expected);
        assert_eq!(tree(&taxonomy(), 2), "  *    4\n    x  2\n  … and 5 more (--lines shows them)");
        assert_eq!(tree(&taxonomy(), 7), expected);
    }

    #[test]
    fn levels_have_examples() {
        let text = levels(&taxonomy());
        assert_eq!(
            text,
            "  level 0  4 values  a, b, c, …\n  level 1  2 values  x, y\n  level 2  1 value   *\n"
        );
    }

    #[test]
    fn an_open_end_is_pointed_out() {
        let open = Taxonomy::from_rows(&[["a", "x"], ["b", "y"]]).unwrap();
        assert!(checks(&open).contains("the last level has 2 values"));
        assert!(checks(&taxonomy()).contains("one value for all"));
        assert_eq!(tree(&open, 20).lines().next(), Some("  *      2"));
    }

    #[test]
    fn numbers_and_dates_are_told() {
        let checks = |leaves: &[&str]| checks(&Taxonomy::flat(leaves).unwrap());
        assert!(
            checks(&["31", "9007199254740993", "-2.50", ""])
                .contains("numbers from -2.50 to 9007199254740993")
        );
        assert!(checks(&["2020-01-05", "2019-12-31"]).contains("dates from 2019-12-31 to 2020-01-05"));
        assert!(!checks(&["01067", "22301"]).contains("the values are"));
    }

    #[test]
    fn labels_stay_on_their_line() {
        assert_eq!(printable("a\nb"), "a\\nb");
        assert_eq!(printable("é \"x\""), "é \"x\"");
    }
}
