//! Tables whose files are on this machine's disks, counted and written by plans.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::datasource::object_store::ObjectStoreUrl;
use object_store::path::Path as StorePath;

use super::files::{Files, OneFile};
use super::session::{Engine, Session};
use super::table::LakeTable;
#[cfg(feature = "cluster")]
use crate::cluster::{Client, ClusterAddress};
use crate::error::{EngineError, Result};
use crate::input::format::Format;
use crate::input::source::Source;
use crate::job::EngineSpec;
#[cfg(feature = "cluster")]
use crate::job::LOCAL;

/// The table of `source`, counted and written by the plans of a cluster.
///
/// # Errors
/// If the cluster cannot be asked, or its plans cannot read such a table.
pub(crate) fn on_cluster(source: Source, spec: &EngineSpec) -> Result<Source> {
    refuse_unreadable(&source)?;
    let files = files_of(&source)?;
    let session = Session::new(engine(spec)?);
    let rows = source.expected_rows();
    let table = LakeTable::new(files, session, Some(source.clone()), rows);
    Ok(source.read_by(Arc::new(table)))
}

#[cfg(feature = "cluster")]
fn engine(spec: &EngineSpec) -> Result<Engine> {
    match spec.cluster.as_deref() {
        None | Some(LOCAL) => Ok(Engine::Here),
        Some(cluster) => {
            let client = Client::connect(ClusterAddress::parse(cluster)?, spec.tls.as_ref())?;
            Ok(Engine::Cluster(Arc::new(client)))
        }
    }
}

#[cfg(not(feature = "cluster"))]
fn engine(_: &EngineSpec) -> Result<Engine> {
    Ok(Engine::Here)
}

/// The files of a table, as plans read them.
fn files_of(source: &Source) -> Result<Files> {
    let Some(found) = source.files() else {
        let why =
            "a cluster reads such files by the places of their columns, which differ; write them as Parquet";
        return Err(source.bad(why));
    };
    let files: Result<Vec<OneFile>> = found.into_iter().map(|(path, keys)| one_file(path, keys)).collect();
    let (schema, path_columns) = (source.schema(), source.path_columns());
    let (own, keys) = schema.fields().split_at(schema.fields().len() - path_columns);
    Ok(Files {
        store: ObjectStoreUrl::local_filesystem(),
        format: source.format(),
        compression: source.compression(),
        dialect: source.dialect(),
        schema: Arc::new(Schema::new_with_metadata(own.to_vec(), schema.metadata().clone())),
        keys: keys.to_vec(),
        files: files?,
    })
}

fn one_file(path: &Path, keys: Vec<Option<String>>) -> Result<OneFile> {
    let failed = |cause| EngineError::Io { path: path.to_owned(), action: "cannot read", cause };
    let absolute = fs::canonicalize(path).map_err(failed)?;
    let bytes = fs::metadata(&absolute).map_err(failed)?.len();
    let place = StorePath::from_absolute_path(&absolute);
    let place =
        place.map_err(|_| EngineError::bad("a cluster cannot read a file of this name").in_file(path))?;
    Ok(OneFile { place: place.to_string(), bytes, keys })
}

/// Refuses what the plans would read otherwise than our own readers do.
fn refuse_unreadable(source: &Source) -> Result<()> {
    let cannot = |why: String| {
        Err(EngineError::bad(format!(
            "{why}; write it as Parquet, which clusters read best, or leave out the cluster"
        ))
        .in_file(source.path()))
    };
    if source.remote().is_some() {
        return cannot("a cluster reads files, not tables of a database".to_owned());
    }
    if source.format() == Format::Lines {
        return cannot("a cluster does not read JSON lines".to_owned());
    }
    let Some(dialect) = source.dialect() else { return Ok(()) };
    if source.encoding() != "UTF-8" {
        return cannot(format!("a cluster reads text as UTF-8, and this is {}", source.encoding()));
    }
    if dialect.trim || source.has_preamble() {
        return cannot(
            "a cluster reads text as it is, and this has spaces around cells, or a line before its header"
                .to_owned(),
        );
    }
    Ok(())
}
