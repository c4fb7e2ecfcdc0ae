//! Tables whose files are on this machine's disks or in an object store, counted and written by plans.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::Schema;
use datafusion::datasource::object_store::ObjectStoreUrl;
use object_store::path::Path as StorePath;

use super::files::{Files, OneFile};
use super::look::SeenTable;
use super::session::{Engine, Session};
use super::table::PlanTable;
use throng_engine::job::{ClusterAddress, EngineSpec, LOCAL};
use throng_tables::address::Address;
use throng_tables::address::ObjectAddress;
use throng_tables::error::{EngineError, Result};
use throng_tables::format::Format;
use throng_tables::input::source::{Source, TableFile};

/// The table of `source`, counted and written by the plans of a cluster.
///
/// # Errors
/// If the cluster cannot be asked, or its plans cannot read such a table.
pub(crate) fn on_cluster(source: Source, spec: &EngineSpec) -> Result<Source> {
    refuse_unreadable(&source)?;
    let files = files_of(&source)?;
    let session = Session::new(engine(spec)?);
    let here = source.remote().is_none().then(|| source.clone());
    let table = PlanTable::new(files, session, here, source.expected_rows());
    let table = table.with_looks(SeenTable::new(&source)?);
    Ok(source.read_by(Arc::new(table)))
}

/// The table of `source`, objects of a store, read where they are by plans of this process.
///
/// # Errors
/// If a key is one that they cannot read.
pub(crate) fn of_objects(source: Source) -> Result<Source> {
    let table = PlanTable::new(files_of(&source)?, Session::new(Engine::Here), None, source.expected_rows());
    Ok(source.read_by(Arc::new(table)))
}

/// Where plans run that a job asks for.
fn engine(spec: &EngineSpec) -> Result<Engine> {
    match (spec.cluster.as_deref(), crate::CONNECT) {
        (None | Some(LOCAL), _) => Ok(Engine::Here),
        (Some(cluster), Some(connect)) => {
            Ok(Engine::Elsewhere(connect(&ClusterAddress::parse(cluster)?, spec.tls.as_ref())?))
        }
        (Some(cluster), None) => Err(EngineError::bad((
            format!("engine.cluster is '{cluster}', but this throng was built without clusters"),
            "build it with the feature 'cluster'",
        ))),
    }
}

/// The files of a table, as plans read them.
fn files_of(source: &Source) -> Result<Files> {
    let Some(found) = source.files() else {
        let why = (
            "a cluster reads such files by the position of their columns, which differs",
            "write them as Parquet",
        );
        return Err(source.bad(why));
    };
    let store = store_of(source.path())?;
    let file = |TableFile { path, bytes, keys }| {
        Ok(OneFile { place: place_of(path)?, path: path.to_owned(), bytes, keys })
    };
    let files: Result<Vec<OneFile>> = found.into_iter().map(file).collect();
    let (schema, path_columns) = (source.schema(), source.path_columns());
    let (own, keys) = schema.fields().split_at(schema.fields().len() - path_columns);
    Ok(Files {
        store,
        format: source.format(),
        compression: source.compression(),
        dialect: source.dialect(),
        schema: Arc::new(Schema::new_with_metadata(own.to_vec(), schema.metadata().clone())),
        keys: keys.to_vec(),
        files: files?,
    })
}

/// Where all files of a table are.
fn store_of(path: &Path) -> Result<ObjectStoreUrl> {
    if !matches!(Address::from_path(path), Address::Object(_)) {
        return Ok(ObjectStoreUrl::local_filesystem());
    }
    let url = ObjectStoreUrl::parse(format!("s3://{}", ObjectAddress::parse(path)?.bucket));
    url.map_err(|_| EngineError::bad("the name of this bucket cannot be used").in_file(path))
}

/// What plans call a file.
fn place_of(path: &Path) -> Result<StorePath> {
    let refused = || EngineError::bad("plans cannot read a file of this name").in_file(path);
    if let Address::Object(_) = Address::from_path(path) {
        return StorePath::parse(ObjectAddress::parse(path)?.key).map_err(|_| refused());
    }
    let failed = |cause| EngineError::Io { path: path.to_owned(), action: "cannot read", cause };
    let absolute = fs::canonicalize(path).map_err(failed)?;
    StorePath::from_absolute_path(&absolute).map_err(|_| refused())
}

/// Refuses what the plans would read otherwise than our own readers do.
fn refuse_unreadable(source: &Source) -> Result<()> {
    let cannot = |why: String| {
        Err(EngineError::bad((
            why,
            "write it as Parquet, which clusters read best, or leave out the cluster",
        ))
        .in_file(source.path()))
    };
    if source.remote().is_some_and(|remote| PlanTable::downcast(&**remote).is_none()) {
        return cannot("a cluster reads files, not tables of a database".to_owned());
    }
    if ![Format::CSV, Format::PARQUET, Format::ARROW].contains(&source.format()) {
        return cannot(format!("a cluster does not read {}", source.format().name()));
    }
    let address = Address::from_path(source.path());
    if let Address::Stdio(_) = address {
        return cannot("a cluster does not read standard input".to_owned());
    }
    let members = source.members();
    if members.iter().any(|file| file.compression() != source.compression()) {
        return cannot("a cluster needs all files to be compressed in the same way".to_owned());
    }
    let is_local = !matches!(address, Address::Object(_));
    if is_local && source.format() == Format::ARROW && !members.iter().all(|file| is_arrow_file(file.path()))
    {
        return cannot("a cluster reads Arrow files, not streams".to_owned());
    }
    for file in members {
        let Some(dialect) = file.dialect() else { continue };
        if file.encoding() != "UTF-8" {
            return cannot(format!("a cluster reads only UTF-8 text, and this is {}", file.encoding()));
        }
        if dialect.trim || file.has_preamble() || file.leaves_out_rows() {
            return cannot(
                "a cluster reads text exactly as it is, but this file has spaces around cells, a line \
                    before its header, or blank rows or totals at its end"
                    .to_owned(),
            );
        }
    }
    Ok(())
}

/// Whether a file begins as Arrow files do, and not as streams.
fn is_arrow_file(path: &Path) -> bool {
    let mut start = [0; 6];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && &start == b"ARROW1"
}
