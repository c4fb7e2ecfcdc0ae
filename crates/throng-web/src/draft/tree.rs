//! Changes in a tree of groups, and how they are taken back.

use std::fs;
use std::path::{Path, PathBuf};

use throng::taxonomy::Taxonomy;
use throng_engine::job::{HierarchySpec, Job};

use super::{Said, said};
use crate::failure::{Answer, Failure};
use crate::folder::write_whole;
use crate::words;

/// Changes that can be taken back.
const MOST_KEPT: usize = 20;

/// One change of the groups of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A group gets another name.
    Rename { level: usize, label: String, to: String },
    /// A group becomes part of another one, which may be new: all that is in it moves there.
    Move { level: usize, label: String, to: String },
    /// A group is taken apart: what is below it takes its place.
    Split { level: usize, label: String },
}

impl Change {
    pub(super) fn from_form(change: &str, form: &Said) -> Answer<Change> {
        let text = |name: &str| said(form, name).unwrap_or_default().trim().to_owned();
        // One answer says which: the level, and behind it the label.
        let pick = said(form, "pick").and_then(|pick| pick.split_once(':'));
        let pick = pick.and_then(|(level, label)| Some((level.parse().ok()?, label.to_owned())));
        let (level, label) = pick.ok_or_else(|| Failure::bad(words::NO_SUCH_GROUP))?;
        let to = text("to");
        if matches!(change, "rename" | "move") && to.is_empty() {
            return Err(Failure::bad(words::NAME_THE_GROUP));
        }
        match change {
            "rename" => Ok(Change::Rename { level, label, to }),
            "move" => Ok(Change::Move { level, label, to }),
            "split" => Ok(Change::Split { level, label }),
            _ => Err(Failure::bad(words::NO_SUCH_CHANGE)),
        }
    }

    /// The tree after the change; it is refused if it would be none.
    pub(super) fn apply(&self, taxonomy: &Taxonomy) -> Answer<Taxonomy> {
        let rows = taxonomy.to_rows();
        let mut rows: Vec<Vec<String>> =
            rows.into_iter().map(|row| row.into_iter().map(str::to_owned).collect()).collect();
        let (level, label) = match self {
            Change::Rename { level, label, .. }
            | Change::Move { level, label, .. }
            | Change::Split { level, label } => (*level, label),
        };
        let height = rows.first().map_or(0, Vec::len).saturating_sub(1);
        if !rows.iter().any(|row| row.get(level) == Some(label)) {
            return Err(Failure::bad(words::NO_SUCH_GROUP));
        }
        let is_value = level == 0;
        match self {
            // The values are those of the table, and the top is what nothing is left of.
            Change::Rename { .. } | Change::Split { .. } if is_value || level >= height => {
                return Err(Failure::bad(words::FIXED_GROUP));
            }
            Change::Move { .. } if level + 1 >= height => return Err(Failure::bad(words::FIXED_GROUP)),
            Change::Rename { to, .. } => {
                let is_taken = rows.iter().any(|row| row[level] == *to);
                if is_taken {
                    return Err(Failure::bad(words::GROUP_EXISTS));
                }
                each(&mut rows, level, label, |row| row[level].clone_from(to));
            }
            Change::Move { to, .. } => move_to(&mut rows, level, label, to),
            Change::Split { .. } => each(&mut rows, level, label, |row| row[level] = row[level - 1].clone()),
        }
        // The reason would name values of the table.
        Taxonomy::from_rows(&rows).map_err(|_| Failure::bad(words::NOT_A_TREE))
    }
}

fn each(rows: &mut [Vec<String>], level: usize, label: &str, change: impl Fn(&mut Vec<String>)) {
    rows.iter_mut().filter(|row| row[level] == label).for_each(change);
}

/// Puts a group into another one of the level above, with all that is above that; or into a new one in its place.
fn move_to(rows: &mut [Vec<String>], level: usize, label: &str, to: &str) {
    let above = rows.iter().find(|row| row[level + 1] == to).map(|row| row[level + 1..].to_vec());
    each(rows, level, label, |row| match &above {
        Some(above) => row.splice(level + 1.., above.iter().cloned()).for_each(drop),
        None => to.clone_into(&mut row[level + 1]),
    });
}

/// A name for the files of a column, whatever the column is called.
fn stem(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let told: String = name.chars().take(24).map(safe).collect();
    format!("{told}-{:016x}", hash(name))
}

/// Tells names apart that look alike as files.
fn hash(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Where the hierarchy of a column is written.
pub(super) fn place(draft: &Path, name: &str) -> Answer<PathBuf> {
    let folder = draft.join("hierarchies");
    fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("{}.csv", stem(name))))
}

fn history(draft: &Path, name: &str) -> PathBuf {
    draft.join("history").join(stem(name))
}

/// The numbers of what is kept, the newest last.
fn kept(draft: &Path, name: &str) -> Vec<usize> {
    let Ok(entries) = fs::read_dir(history(draft, name)) else { return Vec::new() };
    let number = |entry: fs::DirEntry| entry.path().file_stem()?.to_str()?.parse().ok();
    let mut numbers: Vec<usize> = entries.flatten().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether a change of a column can be taken back.
pub(crate) fn can_undo(draft: &Path, name: &str) -> bool {
    !kept(draft, name).is_empty()
}

/// Keeps what is about to be changed: the text of a file, or the words of a job for all else.
pub(super) fn remember(draft: &Path, name: &str, spec: Option<&HierarchySpec>) -> Answer<()> {
    let folder = history(draft, name);
    fs::create_dir_all(&folder)?;
    let numbers = kept(draft, name);
    let next = numbers.last().map_or(1, |last| last + 1);
    match spec {
        Some(HierarchySpec::File(file)) => {
            write_whole(&folder.join(format!("{next}.csv")), &fs::read(&**file)?)?
        }
        other => write_whole(&folder.join(format!("{next}.toml")), spelled(other)?.as_bytes())?,
    }
    for old in numbers.iter().take((numbers.len() + 1).saturating_sub(MOST_KEPT)) {
        forget(&folder, *old);
    }
    Ok(())
}

fn forget(folder: &Path, number: usize) {
    for end in ["csv", "toml"] {
        let _ = fs::remove_file(folder.join(format!("{number}.{end}")));
    }
}

/// A job of one column, as the spelling of what is no file.
fn spelled(spec: Option<&HierarchySpec>) -> Answer<String> {
    let mut job = Job::parse(
        "input = 'a'\noutput = 'b.csv'\n[privacy]\nk = 2\n[columns]\nx = { role = 'quasi' }",
        Path::new(""),
    )?;
    let mut column = job.columns.get("x").cloned().ok_or_else(|| Failure::bad(words::NO_SUCH_COLUMN))?;
    column.hierarchy = spec.cloned();
    job.columns.set("x", column);
    Ok(job.to_toml()?)
}

/// What was there before the last change.
pub(super) fn undo(draft: &Path, name: &str) -> Answer<Option<HierarchySpec>> {
    let folder = history(draft, name);
    let last = *kept(draft, name).last().ok_or_else(|| Failure::bad(words::NOTHING_TO_UNDO))?;
    let text = folder.join(format!("{last}.csv"));
    let spec = if text.exists() {
        let file = place(draft, name)?;
        write_whole(&file, &fs::read(&text)?)?;
        Some(HierarchySpec::File(file.into()))
    } else {
        let job = Job::read(&folder.join(format!("{last}.toml")))?;
        job.columns.get("x").and_then(|column| column.hierarchy.clone())
    };
    forget(&folder, last);
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Taxonomy {
        let rows = [
            ["nurse", "health", "services", "*"],
            ["doctor", "health", "services", "*"],
            ["teacher", "school", "services", "*"],
            ["smith", "craft", "making", "*"],
        ];
        Taxonomy::from_rows(&rows).unwrap()
    }

    fn after(change: &Change) -> Vec<String> {
        let changed = change.apply(&jobs()).unwrap();
        changed.to_rows().iter().map(|row| row.join(";")).collect()
    }

    fn text(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn groups_are_renamed_and_moved_and_taken_apart() {
        let rename = Change::Rename { level: 1, label: text("health"), to: text("care") };
        assert_eq!(after(&rename)[..2], ["nurse;care;services;*", "doctor;care;services;*"]);
        let join = Change::Move { level: 0, label: text("teacher"), to: text("health") };
        assert_eq!(after(&join)[2], "teacher;health;services;*");
        let across = Change::Move { level: 0, label: text("smith"), to: text("school") };
        assert_eq!(after(&across)[3], "smith;school;services;*");
        let new = Change::Move { level: 0, label: text("doctor"), to: text("medicine") };
        assert_eq!(after(&new)[1], "doctor;medicine;services;*");
        let split = Change::Split { level: 1, label: text("health") };
        assert_eq!(after(&split)[..2], ["nurse;nurse;services;*", "doctor;doctor;services;*"]);
    }

    #[test]
    fn values_and_the_top_stay() {
        let all = [
            Change::Rename { level: 0, label: text("nurse"), to: text("x") },
            Change::Rename { level: 3, label: text("*"), to: text("x") },
            Change::Rename { level: 1, label: text("health"), to: text("school") },
            Change::Rename { level: 1, label: text("nobody"), to: text("x") },
            Change::Move { level: 2, label: text("making"), to: text("x") },
            Change::Split { level: 0, label: text("nurse") },
        ];
        for change in all {
            assert!(change.apply(&jobs()).is_err(), "{change:?}");
        }
    }

    #[test]
    fn changes_are_taken_back_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = place(dir.path(), "job/title").unwrap();
        assert!(undo(dir.path(), "job/title").is_err());
        remember(dir.path(), "job/title", None).unwrap();
        write_whole(&file, b"nurse;*\n").unwrap();
        remember(dir.path(), "job/title", Some(&HierarchySpec::File(file.clone().into()))).unwrap();
        write_whole(&file, b"nurse;health;*\n").unwrap();
        assert!(matches!(undo(dir.path(), "job/title").unwrap(), Some(HierarchySpec::File(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), "nurse;*\n");
        assert_eq!(undo(dir.path(), "job/title").unwrap(), None);
        assert!(!can_undo(dir.path(), "job/title"));
    }
}
