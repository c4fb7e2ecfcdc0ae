//! Recoding files as they are read, and the job that one is to a delivery.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use throng::taxonomy::Scheme;
use throng::wording::{quoted, quoted_list};

use super::digest::digest;
use super::labels::shown_values;
use super::{Decided, FORMAT, SavedColumn, SavedRecoding, VERSION};
use crate::address::Address;
use crate::error::{EngineError, Result};
use crate::input::source::Source;
use crate::input::whole;
use crate::job::{Column, Columns, EngineSpec, HierarchySpec, Job, JobFlags, KeptHierarchy, Output};
use crate::wording::guess;

/// More levels than any hierarchy has that was built from data.
const MAX_HEIGHT: usize = 1_000;

/// What a recoding is applied to, and where its hierarchies are now.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// The table, the release, and what is said in the place of what the recoding says.
    pub flags: JobFlags,
    /// Hierarchy files that are not where they were, by column.
    pub hierarchies: Vec<(String, PathBuf)>,
    /// The job that the recoding was made by, for what it lists.
    pub job: Option<Job>,
}

impl SavedRecoding {
    /// Reads a recoding that `throng anonymize --save` wrote.
    ///
    /// # Errors
    /// A file that cannot be read, is no recoding, or is one of a later version.
    pub fn read(path: &Path) -> Result<SavedRecoding> {
        let bytes = whole::read(path, whole::MOST_MADE, "cannot read the recoding", "no such recoding")?;
        SavedRecoding::parse(&bytes).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a recoding file.
    ///
    /// # Errors
    /// What is no recoding, or one of a later version. No message shows what the file says.
    pub fn parse(text: &[u8]) -> Result<SavedRecoding> {
        let none =
            || EngineError::bad(("this is not a recoding", "`throng anonymize JOB --save FILE` makes one"));
        let document: Value = serde_json::from_slice(text).map_err(|error| match error.is_eof() {
            true if !text.iter().all(u8::is_ascii_whitespace) => {
                EngineError::bad("the file ends in the middle of a recoding: it is incomplete")
                    .at_line(error.line() as u64)
            }
            _ => none(),
        })?;
        if document.get("format").and_then(Value::as_str) != Some(FORMAT) {
            return Err(none());
        }
        match document.get("version").and_then(Value::as_u64) {
            Some(version) if version > VERSION => {
                return Err(EngineError::bad(format!(
                    "this recoding has version {version} of the format, but this throng only knows \
                     versions up to {VERSION}: apply it with the later throng that made it"
                )));
            }
            Some(VERSION) => {}
            _ => return Err(none()),
        }
        let saved: SavedRecoding = serde_json::from_value(document).map_err(|_| damaged())?;
        let mut seen = BTreeSet::new();
        let is_once = saved.columns.iter().all(|column| seen.insert(column.name.as_str()));
        let is_high = |column: &SavedColumn| matches!(column.built, Some(KeptHierarchy::Labels { height, .. }) if height > MAX_HEIGHT);
        if is_once && !saved.columns.iter().any(is_high) { Ok(saved) } else { Err(damaged()) }
    }

    /// The job that the recoding is to a delivery; `path` is where the recoding is, which its files are named from.
    ///
    /// # Errors
    /// Hierarchies that are not those of the recoding, or that it needs its job for.
    pub fn job(&self, path: &Path, delivery: Delivery) -> Result<Job> {
        let Delivery { flags, hierarchies, job: made_by } = delivery;
        let named: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        if let Some((name, _)) = hierarchies.iter().find(|(name, _)| !named.contains(&name.as_str())) {
            let near = guess(name, named.iter().copied());
            return Err(EngineError::bad(format!("the recoding has no column {}{near}", quoted(name))));
        }
        let lacks = |what: &str| EngineError::bad(format!("{what} is missing"));
        let mut job = Job {
            input: flags.input.clone().map(Address::from_path).ok_or_else(|| lacks("the input"))?,
            output: Output::new(flags.output.clone().ok_or_else(|| lacks("the output"))?),
            csv: self.csv.clone(),
            policy: None,
            columns: Columns::default(),
            privacy: self.privacy.clone(),
            search: self.search.clone(),
            frontier: Default::default(),
            engine: EngineSpec { cluster: flags.cluster.clone(), tls: flags.cluster_tls.clone() },
            release: Default::default(),
            comments: Default::default(),
            kept: self.kept(),
            tables: Default::default(),
        };
        (job.output.suppressed, job.output.order) = (self.suppressed, self.order);
        job.output.encoding.clone_from(&self.encoding);
        for saved in &self.columns {
            job.columns.set(&saved.name, saved.column.clone());
        }
        job.rebase_read(path.parent().unwrap_or(Path::new("")));
        for saved in &self.columns {
            let mut column = job.columns.get(&saved.name).cloned().unwrap_or_else(|| saved.column.clone());
            if let Some(of_job) = made_by.as_ref().and_then(|job| job.columns.get(&saved.name)) {
                take_lists(&mut column, of_job);
            }
            if let Some((_, file)) = hierarchies.iter().find(|(name, _)| *name == saved.name) {
                if !matches!(saved.column.hierarchy, Some(HierarchySpec::File(_))) {
                    let problem = "the recoding was made without a hierarchy file for this column, so you \
                        cannot name one";
                    return Err(EngineError::bad(problem).in_column(&saved.name));
                }
                column.hierarchy = Some(HierarchySpec::File(file.clone().into()));
            }
            saved.refuse_other(&column)?;
            job.columns.set(&saved.name, column);
        }
        job.with_flags(flags)
    }

    /// What is kept of hierarchies that were built from the data.
    pub(super) fn kept(&self) -> BTreeMap<String, KeptHierarchy> {
        let mut kept: BTreeMap<String, KeptHierarchy> = BTreeMap::new();
        for saved in &self.columns {
            if let Some(built) = &saved.built {
                kept.insert(saved.name.clone(), built.clone());
                continue;
            }
            if let Some(HierarchySpec::File(_)) = &saved.column.hierarchy {
                kept.insert(saved.name.clone(), KeptHierarchy::Values(Vec::new()));
            }
            let (Decided::Classes(classes), Some(scheme)) = (&self.recoding, scheme(&saved.column)) else {
                continue;
            };
            let Some(at) = classes.columns.iter().position(|name| *name == saved.name) else { continue };
            let labels: BTreeSet<&str> =
                classes.labels.iter().filter_map(|class| class.get(at)).map(String::as_str).collect();
            let shown: BTreeSet<String> = labels
                .into_iter()
                .filter(|label| !label.is_empty())
                .flat_map(|label| shown_values(scheme, label))
                .collect();
            kept.insert(saved.name.clone(), KeptHierarchy::Values(shown.into_iter().collect()));
        }
        kept
    }

    /// Refuses a table that has other columns than that of the recoding.
    ///
    /// # Errors
    /// If it has.
    pub fn refuse_other_table(&self, source: &Source) -> Result<()> {
        let known: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        source.recognise(&known)?;
        let own: Vec<&str> = source.columns().iter().map(String::as_str).collect();
        let missing: Vec<&str> = known.iter().copied().filter(|name| !own.contains(name)).collect();
        let extra: Vec<&str> = own.iter().copied().filter(|name| !known.contains(name)).collect();
        if missing.is_empty() && extra.is_empty() {
            return Ok(());
        }
        let mut faults = Vec::new();
        if !missing.is_empty() {
            let missing =
                missing.iter().map(|name| format!("{}{}", quoted(name), guess(name, extra.iter().copied())));
            faults.push(format!("it lacks {}", missing.collect::<Vec<_>>().join(", ")));
        }
        if !extra.is_empty() {
            faults.push(format!("the recoding does not know its {}", quoted_list(&extra)));
        }
        Err(EngineError::bad(format!("this table does not belong to the recoding: {}", faults.join("; ")))
            .in_file(source.path())
            .about_columns(missing.into_iter().chain(extra)))
    }
}

/// What the job lists of a column, and the recoding does not have.
fn take_lists(column: &mut Column, of_job: &Column) {
    if matches!(of_job.hierarchy, Some(HierarchySpec::Groups(_) | HierarchySpec::File(_))) {
        column.hierarchy.clone_from(&of_job.hierarchy);
    }
    column.order.clone_from(&of_job.order);
}

/// How a column without a hierarchy goes together in classes.
fn scheme(column: &Column) -> Option<Scheme> {
    match column.hierarchy.as_ref()? {
        HierarchySpec::Range { .. } | HierarchySpec::Numbers(_) => Some(Scheme::Ranges),
        HierarchySpec::Set { most } => Some(Scheme::Sets { most: *most }),
        _ => None,
    }
}

impl SavedColumn {
    /// Refuses another hierarchy than that of the recoding.
    fn refuse_other(&self, column: &Column) -> Result<()> {
        let Some(expected) = &self.sha256 else { return Ok(()) };
        let found = digest(&self.name, column)?;
        if self.listed && found.as_ref().is_none_or(|(_, listed)| !listed) {
            return Err(EngineError::bad((
                "its job lists values of this column, which are not in the recoding",
                "name the job with --job",
            ))
            .in_column(&self.name));
        }
        if found.is_some_and(|(sha256, _)| sha256 == *expected) {
            return Ok(());
        }
        let which = match &column.hierarchy {
            Some(HierarchySpec::File(file)) => format!("the hierarchy {}", file.display()),
            _ => "what the job lists".to_owned(),
        };
        Err(EngineError::bad(format!(
            "{which} is not the same as when the recoding was made: its contents differ (by SHA-256)"
        ))
        .in_column(&self.name))
    }
}

fn damaged() -> EngineError {
    EngineError::bad("the recoding is damaged: a key is missing or unknown, or has an impossible value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(height: usize, twice: bool) -> String {
        let age = format!(
            r#"{{"name": "age", "column": {{"role": "quasi", "hierarchy": {{"auto": true}}}},
                "built": {{"height": {height}, "labels": [{{"label": "<40", "level": 1}}]}}}}"#
        );
        let columns = if twice { format!("{age}, {age}") } else { age };
        format!(
            r#"{{"format": "throng-recoding", "version": 1, "throng": "0.1.0", "columns": [{columns}], "csv": {{}},
                "privacy": {{"k": 3, "suppression": 0.02}}, "search": {{"algorithm": "flash", "seed": 7}},
                "suppressed": "mask", "order": "keep", "recoding": {{"levels": [{{"column": "age", "level": 1}}]}}}}"#
        )
    }

    #[test]
    fn what_is_written_is_read_back() {
        let saved = SavedRecoding::parse(text(3, false).as_bytes()).unwrap();
        assert_eq!(SavedRecoding::parse(saved.to_json().unwrap().as_bytes()).unwrap(), saved);
        let flags =
            JobFlags { input: Some("in.csv".into()), output: Some("out.csv".into()), ..JobFlags::default() };
        let job = saved.job(Path::new("r.json"), Delivery { flags, ..Delivery::default() }).unwrap();
        assert_eq!((job.privacy.k, job.search.seed, job.kept.len()), (Some(3), 7, 1));
    }

    #[test]
    fn what_no_run_writes_is_refused() {
        for bad in [text(1_000_000_000, false), text(3, true), text(3, false).replace("levels", "level")] {
            let refused = SavedRecoding::parse(bad.as_bytes()).unwrap_err().to_string();
            assert!(refused.starts_with("the recoding is damaged"), "{refused}");
        }
    }
}
