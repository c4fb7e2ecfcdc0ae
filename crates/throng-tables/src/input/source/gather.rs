//! Opens the files of a table, and finds out whether they are of one.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use rustc_hash::FxHashMap;
use throng::wording::{quoted, quoted_list};

use super::set::{FileColumn, FileSet, MemberFile};
use super::{Source, bad, probe};
use crate::address::Address;
use crate::address::percent;
use crate::backend::objects;
use crate::error::{EngineError, Result};
use crate::format::Compression;
use crate::format::json_lines::line::{JsonKind, unite};
use crate::input::dialect::DialectOverrides;
use crate::input::files::FileList;
use crate::tables::Tables;

/// What Hive calls the partition of rows that have no value.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// See [`Source::open`].
pub(super) fn open(
    path: &Path,
    list: &FileList,
    overrides: &DialectOverrides,
    tables: &Tables,
) -> Result<Source> {
    let keys = partition_keys(list)?;
    let (model, mut sources) = open_all(list, overrides, tables)?;
    let columns = unite_columns(&sources, model)?;
    if sources[model].format.has_own_columns() {
        sources.iter_mut().for_each(|source| give_keys(source, &columns));
    }
    let own = columns.len();
    refuse_twice(&sources, &columns, &keys)?;
    let mut fields = columns;
    fields.extend(
        keys.iter().map(|key| GatheredColumn { field: Field::new(key, DataType::Utf8, true), kind: None }),
    );
    let names: Vec<String> = fields.iter().map(|column| column.field.name().clone()).collect();
    let mut members = Vec::with_capacity(sources.len());
    for (source, file) in sources.iter().zip(list.files()) {
        let own_places = places(source, &names[..own]);
        let values = partitions(list.below(file))?.into_iter().map(|(_, value)| FileColumn::Value(value));
        members.push(MemberFile { source: source.clone(), places: own_places.chain(values).collect() });
    }
    let set = FileSet::new(members);
    if sources[model].format.is_described() {
        // Such files say how many rows they have, also to who never reads them here.
        let rows = sources.iter().enumerate().filter_map(|(at, source)| Some((at, source.expected_rows?)));
        rows.for_each(|(at, rows)| set.note_rows(at, rows));
    }
    let expected: Option<u64> = sources.iter().map(Source::expected_rows).sum();
    let kinds: Vec<Option<JsonKind>> = fields.iter().map(|column| column.kind).collect();
    let metadata = sources[0].schema.metadata().clone();
    let schema: Vec<Field> = fields.into_iter().map(|column| column.field).collect();
    let compression = sources[model].compression;
    let is_one = sources.iter().all(|source| source.compression == compression);
    Ok(Source {
        path: path.to_owned(),
        compression: if is_one { compression } else { Compression::None },
        columns: names.into(),
        schema: SchemaRef::new(Schema::new_with_metadata(schema, metadata)),
        kinds: if sources[model].format.has_own_columns() { kinds.into() } else { Arc::new([]) },
        file_bytes: sources.iter().map(Source::file_bytes).sum(),
        expected_rows: expected,
        set: Some(Arc::new(set)),
        ..sources[model].clone()
    })
}

/// Opens all files, and says which is the largest: that one tells how all delimited text is spelled, because a small
/// one may hold nothing but its header.
fn open_all(list: &FileList, overrides: &DialectOverrides, tables: &Tables) -> Result<(usize, Vec<Source>)> {
    let files = list.files();
    let is_object = |file: &&PathBuf| matches!(Address::from_path(file.as_path()), Address::Object(_));
    let looks = match files.iter().filter(is_object).cloned().collect::<Vec<_>>() {
        none if none.is_empty() => Vec::new(),
        all => objects()?.look_all(all)?,
    };
    let size = |at: usize| match looks.get(at) {
        Some(look) => look.bytes,
        None => std::fs::metadata(&files[at]).map_or(0, |file| file.len()),
    };
    let open = |at: usize, overrides: &DialectOverrides| match looks.get(at) {
        Some(look) => probe::open_object(&files[at], look, overrides, tables),
        None => probe::open(&files[at], overrides, tables),
    };
    let largest = (0..files.len()).max_by_key(|&at| (size(at), std::cmp::Reverse(at))).unwrap_or(0);
    let model = open(largest, overrides)?;
    let spelled = match model.dialect {
        Some(dialect) => DialectOverrides {
            delimiter: Some(char::from(dialect.delimiter)),
            quote: Some(char::from(dialect.quote)),
            header: Some(dialect.header),
            trim: Some(dialect.trim),
            ..overrides.clone()
        },
        None => overrides.clone(),
    };
    let mut sources = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let source = if at == largest { model.clone() } else { open(at, &spelled)? };
        if source.format != model.format {
            let problem = (
                format!(
                    "this is {}, but {} is {}",
                    source.format.name(),
                    model.path.display(),
                    model.format.name()
                ),
                "all files of a table must have the same format: choose those of one, for example with a pattern",
            );
            return Err(bad(file, problem));
        }
        sources.push(source);
    }
    Ok((largest, sources))
}

/// A column of a table.
struct GatheredColumn {
    field: Field,
    kind: Option<JsonKind>,
}

/// The columns of all files, in the order of the first one.
fn unite_columns(sources: &[Source], model: usize) -> Result<Vec<GatheredColumn>> {
    let first = &sources[0];
    if first.format.has_own_columns() {
        let columns = unite_keys(sources);
        probe::refuse_many(&first.path, columns.len())?;
        return Ok(columns);
    }
    let mut nullable: Vec<bool> = first.schema.fields().iter().map(|field| field.is_nullable()).collect();
    for source in &sources[1..] {
        refuse_other_columns(first, source, &sources[model])?;
        for (field, nullable) in first.schema.fields().iter().zip(&mut nullable) {
            let Ok(other) = source.schema.field_with_name(field.name()) else { continue };
            refuse_other_type(first, source, field, other)?;
            *nullable |= other.is_nullable();
        }
    }
    let fields = first.schema.fields().iter().zip(nullable);
    let table = |(field, nullable): (&Arc<Field>, bool)| GatheredColumn {
        field: field.as_ref().clone().with_nullable(nullable),
        kind: None,
    };
    Ok(fields.map(table).collect())
}

/// The keys of all files of JSON lines; a file may lack some.
fn unite_keys(sources: &[Source]) -> Vec<GatheredColumn> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut columns: Vec<GatheredColumn> = Vec::new();
    for source in sources {
        for (name, &kind) in source.columns.iter().zip(source.kinds.iter()) {
            let place = *places.entry(name.clone()).or_insert_with(|| {
                columns.push(GatheredColumn { field: Field::new(name, DataType::Utf8, true), kind: None });
                columns.len() - 1
            });
            columns[place].kind = unite(columns[place].kind, kind);
        }
    }
    columns
}

/// A line of any file may have a key of any other.
fn give_keys(source: &mut Source, columns: &[GatheredColumn]) {
    source.columns = columns.iter().map(|column| column.field.name().clone()).collect();
    source.kinds = columns.iter().map(|column| column.kind).collect();
    let fields: Vec<Field> = columns.iter().map(|column| column.field.clone()).collect();
    source.schema = SchemaRef::new(Schema::new(fields));
}

fn refuse_other_columns(first: &Source, source: &Source, model: &Source) -> Result<()> {
    let names = |source: &Source| -> BTreeSet<String> { source.columns.iter().cloned().collect() };
    let (expected, found) = (names(first), names(source));
    if expected == found {
        return Ok(());
    }
    let all = "all files of a table must have the same columns";
    let counts = (source.columns.len(), first.columns.len());
    let shared = expected.intersection(&found).count();
    // First rows that have little in common may be data.
    if model.names_are_guessed && 2 * shared < counts.0.max(counts.1)
        || model.dialect.is_some_and(|d| !d.header)
    {
        let problem = (
            format!("its {} columns are not the {} of {}", counts.0, counts.1, first.path.display()),
            format!(
                "{all}. If the first row of each file is data, use --no-header; if it names the columns, use --header to have them listed"
            ),
        );
        return Err(bad(&source.path, problem));
    }
    let list = |names: Vec<&String>| quoted_list(&names);
    let lacks: Vec<&String> = expected.difference(&found).collect();
    let more: Vec<&String> = found.difference(&expected).collect();
    let parts: Vec<String> = [("it lacks", lacks), ("it also has", more)]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {}", list(names)))
        .collect();
    let problem =
        (format!("its columns are not those of {}: {}", first.path.display(), parts.join(", ")), all);
    Err(bad(&source.path, problem))
}

fn refuse_other_type(first: &Source, source: &Source, one: &Field, other: &Field) -> Result<()> {
    if one.data_type() == other.data_type() {
        return Ok(());
    }
    let problem = (
        format!(
            "column {} has type {}, but {} in {}",
            quoted(one.name()),
            other.data_type(),
            one.data_type(),
            first.path.display()
        ),
        "write all files with one type, or choose those of one, for example with a pattern",
    );
    Err(bad(&source.path, problem).about_column(one.name()))
}

/// Where a file has each of the columns.
fn places<'a>(source: &'a Source, names: &'a [String]) -> impl Iterator<Item = FileColumn> + 'a {
    let own: FxHashMap<&str, usize> = source.columns.iter().map(String::as_str).zip(0..).collect();
    names.iter().map(move |name| FileColumn::Column(own[name.as_str()]))
}

/// The keys of partitions, which all files have in the same order.
fn partition_keys(list: &FileList) -> Result<Vec<String>> {
    let keys = |file: &Path| -> Result<Vec<String>> {
        Ok(partitions(list.below(file))?.into_iter().map(|(key, _)| key).collect())
    };
    let (first, rest) = list.files().split_first().expect("a list has a file");
    let expected = keys(first)?;
    for file in rest {
        let found = keys(file)?;
        if found != expected {
            let shown = |keys: &[String]| match keys {
                [] => "none".to_owned(),
                keys => quoted_list(keys),
            };
            let problem = (
                format!(
                    "the keys in its path are {}, but {} in that of {}",
                    shown(&found),
                    shown(&expected),
                    first.display()
                ),
                "all files of a table must have the same keys (key=value/…)",
            );
            return Err(bad(file, problem));
        }
    }
    Ok(expected)
}

/// The keys and values of the directories of a file, as Hive writes them: `year=2024/region=north/part-0.parquet`.
fn partitions(below: &Path) -> Result<Vec<(String, Option<String>)>> {
    let mut found: Vec<(String, Option<String>)> = Vec::new();
    for part in below.parent().into_iter().flat_map(Path::components) {
        let Component::Normal(name) = part else { continue };
        let name = name.to_string_lossy();
        let Some((key, value)) = name.split_once('=').filter(|(key, _)| !key.is_empty()) else { continue };
        let decode = |text: &str| percent::decode(text).unwrap_or_else(|| text.to_owned());
        let key = decode(key);
        if found.iter().any(|(known, _)| *known == key) {
            return Err(bad(below, format!("the key {} is in the path twice", quoted(&key))));
        }
        let value = Some(decode(value)).filter(|value| value != NO_VALUE && !value.is_empty());
        found.push((key, value));
    }
    Ok(found)
}

fn refuse_twice(sources: &[Source], columns: &[GatheredColumn], keys: &[String]) -> Result<()> {
    let twice = keys.iter().find(|key| columns.iter().any(|column| column.field.name() == *key));
    let Some(key) = twice else { return Ok(()) };
    let file = sources.iter().find(|source| source.columns.contains(key)).unwrap_or(&sources[0]);
    let problem = (
        format!("column {} is both in the file and in its path", quoted(key)),
        "rename one of them, or put the directory before the pattern when you name the files",
    );
    Err(EngineError::bad(problem).in_file(&file.path).about_column(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_read_from_paths() {
        let of = |path: &str| partitions(Path::new(path)).unwrap();
        let pair = |key: &str, value: Option<&str>| (key.to_owned(), value.map(str::to_owned));
        assert_eq!(
            of("year=2024/x/region=S%C3%BCd%2FOst/a=b.csv"),
            [pair("year", Some("2024")), pair("region", Some("Süd/Ost"))]
        );
        assert_eq!(of("y=__HIVE_DEFAULT_PARTITION__/a.csv"), [pair("y", None)]);
        assert_eq!(of("y=a=b/=x/100%/a.csv"), [pair("y", Some("a=b"))]);
        assert!(partitions(Path::new("a=1/a=2/x.csv")).is_err());
    }
}
