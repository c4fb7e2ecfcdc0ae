//! Puts a verified file into a store so that its object appears whole, or not at all.
//!
//! A store has no rename. So the file is sent under a name of its own, read back and compared, and copied to its key by the
//! store, which it does in one step.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use futures::TryStreamExt;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use sha2::{Digest, Sha256};

use super::bucket::{find, wait_for};
use super::fault;
use super::look::key_of;
use crate::address::ObjectAddress;
use crate::error::{EngineError, Result};

/// Bytes of a file that are sent at a time; stores want five million at least.
const PIECE_BYTES: u64 = 8 << 20;
/// Pieces that an object may have, and some to spare.
const MOST_PIECES: u64 = 9_000;
/// Pieces on their way at a time.
const AT_A_TIME: usize = 4;
/// The largest object that S3 copies in one step.
const COPIED_BYTES: u64 = 5 << 30;

/// Puts a file at an address.
///
/// # Errors
/// If it cannot be sent, or what arrived is not what was sent. Then there is nothing new at the address.
pub(crate) fn send(file: &File, target: &Path) -> Result<()> {
    let failed = |cause| EngineError::Io { path: target.to_owned(), action: "cannot send", cause };
    let (file, path) = (file.try_clone().map_err(failed)?, target.to_owned());
    wait_for(async move {
        let address = ObjectAddress::parse(&path)?;
        let (store, key) = (find(&address.bucket)?, key_of(&address, &path)?);
        publish(&*store, &file, &key, &path, COPIED_BYTES).await
    })
}

async fn publish(
    store: &dyn ObjectStore,
    file: &File,
    key: &StorePath,
    path: &Path,
    copied_bytes: u64,
) -> Result<()> {
    let staging = staging_key(key)?;
    let published = publish_by(store, file, (&staging, key), path, copied_bytes).await;
    // What cannot be deleted now would not be later; its name is one that readers pass over. Nothing is wrong with the
    // release if it stays.
    let _ = store.delete(&staging).await;
    published
}

/// A name beside a key that nobody has, and that tables pass over.
fn staging_key(key: &StorePath) -> Result<StorePath> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes).map_err(|_| EngineError::Data("the system provides no randomness".into()))?;
    let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut parts: Vec<_> = key.parts().map(|part| part.as_ref().to_owned()).collect();
    parts.pop();
    parts.push(format!(".throng-{name}"));
    let staging = StorePath::parse(parts.join("/"));
    staging.map_err(|_| EngineError::Data("a release cannot be written next to such a key".into()))
}

async fn publish_by(
    store: &dyn ObjectStore,
    file: &File,
    (staging, key): (&StorePath, &StorePath),
    path: &Path,
    copied_bytes: u64,
) -> Result<()> {
    let asked = |error: object_store::Error| fault::of_request(&error, path);
    let (sent, bytes) = upload(store, file, staging, path).await?;
    let mut arrived = Sha256::new();
    let mut pieces = store.get(staging).await.map_err(asked)?.into_stream();
    while let Some(piece) = pieces.try_next().await.map_err(asked)? {
        arrived.update(&piece);
    }
    if arrived.finalize() != sent.finalize() {
        let problem =
            format!("{}: what arrived differs from what was sent; nothing was released", path.display());
        return Err(EngineError::Data(problem.into()));
    }
    match bytes <= copied_bytes {
        true => store.copy(staging, key).await.map_err(asked),
        // Too large for a copy: sent once more. It appears with its last piece.
        false => upload(store, file, key, path).await.map(drop),
    }
}

/// Sends a file, and says what it hashes to and how many bytes it has.
async fn upload(
    store: &dyn ObjectStore,
    mut file: &File,
    key: &StorePath,
    path: &Path,
) -> Result<(Sha256, u64)> {
    let asked = |error: object_store::Error| fault::of_request(&error, path);
    let failed = |cause| EngineError::Io { path: path.to_owned(), action: "cannot send", cause };
    file.rewind().map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let mut hasher = Sha256::new();
    if bytes <= PIECE_BYTES {
        let mut all = Vec::new();
        file.read_to_end(&mut all).map_err(failed)?;
        hasher.update(&all);
        store.put(key, all.into()).await.map_err(asked)?;
        return Ok((hasher, bytes));
    }
    let piece_bytes = PIECE_BYTES.max(bytes.div_ceil(MOST_PIECES));
    let upload = store.put_multipart(key).await.map_err(asked)?;
    let mut upload = WriteMultipart::new_with_chunk_size(upload, piece_bytes as usize);
    match send_pieces(file, &mut upload, &mut hasher, piece_bytes, path).await {
        Ok(()) => upload.finish().await.map_err(asked)?,
        Err(error) => {
            // What failed tells more than that its pieces could not be taken back.
            let _ = upload.abort().await;
            return Err(error);
        }
    };
    Ok((hasher, bytes))
}

async fn send_pieces(
    file: &File,
    upload: &mut WriteMultipart,
    hasher: &mut Sha256,
    piece_bytes: u64,
    path: &Path,
) -> Result<()> {
    loop {
        let mut piece = Vec::new();
        let read = file.take(piece_bytes).read_to_end(&mut piece);
        let read =
            read.map_err(|cause| EngineError::Io { path: path.to_owned(), action: "cannot send", cause })?;
        if read == 0 {
            return Ok(());
        }
        hasher.update(&piece);
        upload.wait_for_capacity(AT_A_TIME).await.map_err(|error| fault::of_request(&error, path))?;
        upload.put(piece.into());
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use object_store::memory::InMemory;

    use super::*;

    async fn sent(bytes: usize, copied_bytes: u64) -> (Vec<String>, bool) {
        let store = InMemory::new();
        let data: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&data).unwrap();
        let key = StorePath::from("out/people.csv");
        publish(&store, &file, &key, Path::new("s3://b/out/people.csv"), copied_bytes).await.unwrap();
        let names =
            store.list(None).map_ok(|object| object.location.to_string()).try_collect().await.unwrap();
        (names, store.get(&key).await.unwrap().bytes().await.unwrap() == data)
    }

    #[tokio::test]
    async fn a_release_is_there_as_it_was_sent_and_nothing_else_is() {
        let names = vec!["out/people.csv".to_owned()];
        for (bytes, copied_bytes) in [(10, COPIED_BYTES), (20 << 20, COPIED_BYTES), (20 << 20, 1 << 20)] {
            assert_eq!(sent(bytes, copied_bytes).await, (names.clone(), true));
        }
    }
}
