//! Looks at the end of an object: it tells how large it is, and Parquet has there what its columns are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::path::Path as StorePath;
use object_store::{GetOptions, GetRange, ObjectStore};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaDataReader;

use super::bucket::{find, wait_for};
use super::fault;
use crate::address::ObjectAddress;
use crate::backend::Look;
use crate::error::{EngineError, Result};

/// Bytes at the end of an object that are asked for at first: enough for what most Parquet files have there.
const END_BYTES: u64 = 64 << 10;
/// Objects that are looked at at a time.
const AT_A_TIME: usize = 16;

/// The key of an object, as the store's client has it.
pub(super) fn key_of(address: &ObjectAddress, path: &Path) -> Result<StorePath> {
    StorePath::parse(&address.key)
        .map_err(|_| EngineError::bad("an object with this key cannot be read").in_file(path))
}

/// Looks at many objects, several at a time.
///
/// # Errors
/// As of [`look`].
pub(crate) fn look_all(files: Vec<PathBuf>) -> Result<Vec<Look>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    wait_for(async move {
        let looks = files.into_iter().map(|file| async move { look_at(&file).await });
        stream::iter(looks).buffered(AT_A_TIME).try_collect().await
    })
}

/// Looks at an object.
///
/// # Errors
/// If it is not there or cannot be read, or is damaged Parquet.
pub(crate) fn look(path: &Path) -> Result<Look> {
    let path = path.to_owned();
    wait_for(async move { look_at(&path).await })
}

async fn look_at(path: &Path) -> Result<Look> {
    let address = ObjectAddress::parse(path)?;
    let (store, key) = (find(&address.bucket)?, key_of(&address, path)?);
    let (end, bytes, version) = match get_end(&*store, &key, END_BYTES).await {
        Ok(end) => end,
        // Nothing has no end that could be asked for.
        Err(error) => match object_store::ObjectStoreExt::head(&*store, &key).await {
            Ok(found) if found.size == 0 => (Bytes::new(), 0, found.e_tag),
            _ => return Err(fault::of_request(&error, path)),
        },
    };
    if !end.ends_with(b"PAR1") {
        return Ok(Look { bytes, version, parquet: None });
    }
    let mut reader = ParquetMetaDataReader::new();
    let parsed = match reader.try_parse_sized(&end, bytes) {
        Err(ParquetError::NeedMoreData(needed)) if needed as u64 <= bytes => {
            let more = get_end(&*store, &key, needed as u64).await;
            let (end, ..) = more.map_err(|error| fault::of_request(&error, path))?;
            reader.try_parse_sized(&end, bytes)
        }
        parsed => parsed,
    };
    let metadata = parsed.and_then(|()| reader.finish());
    let metadata = metadata
        .and_then(|metadata| ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::new()));
    Ok(Look { bytes, version, parquet: Some(metadata.map_err(|_| damaged(path))?) })
}

fn damaged(path: &Path) -> EngineError {
    EngineError::bad(("this Parquet object is damaged", "write or copy it again")).in_file(path)
}

/// The last bytes of an object, how many it has, and its version.
async fn get_end(
    store: &dyn ObjectStore,
    key: &StorePath,
    bytes: u64,
) -> object_store::Result<(Bytes, u64, Option<String>)> {
    let options = GetOptions { range: Some(GetRange::Suffix(bytes)), ..GetOptions::default() };
    let got = store.get_opts(key, options).await?;
    let (size, version) = (got.meta.size, got.meta.e_tag.clone());
    Ok((got.bytes().await?, size, version))
}
