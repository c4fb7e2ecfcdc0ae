//! Which objects an address means.

use std::path::{Component, Path, PathBuf};

use futures::{StreamExt, TryStreamExt};
use glob::Pattern;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use throng::wording::quoted;

use super::bucket::{find, wait_for};
use super::fault;
use super::look::key_of;
use crate::address::ObjectAddress;
use crate::backend::Listed;
use crate::error::{EngineError, Result};
use crate::input::files::{OPTIONS, bad_pattern, is_passed_over, is_pattern};
use crate::wording::nearest;

/// Objects that are looked through for a name that may have been meant.
const MOST_NAMES: usize = 1000;

/// The objects of a table; nothing if it is one.
///
/// A key that is there means that object, whatever characters it has. Else `*`, `?`, `[…]` and `**` make it a pattern, and
/// any other stands for what is below it.
pub(crate) fn list(path: &Path) -> Result<Option<Listed>> {
    let address = ObjectAddress::parse(path)?;
    if !address.is_prefix() && is_object(path)? {
        return Ok(None);
    }
    if is_pattern(Path::new(&address.key)) {
        return match_pattern(path, &address).map(Some);
    }
    let root = address.key.trim_end_matches('/');
    let is_shown = |below: &Path| !below.components().any(is_passed_over);
    let keys = below(path, root)?;
    let files: Vec<PathBuf> =
        keys.iter().filter(|key| is_shown(strip(key, root))).map(|key| address.at(key)).collect();
    if files.is_empty() {
        let problem = match (keys.is_empty(), address.is_prefix()) {
            (true, false) => return Err(not_found(path, &address)),
            _ => {
                "there is no data object below this prefix (empty objects, and those whose names begin \
                 with _ or a dot, are skipped)"
            }
        };
        return Err(EngineError::not_found(path, problem));
    }
    Ok(Some(Listed { root: address.at(root), files, pattern: None }))
}

/// Whether there is an object at an address.
///
/// # Errors
/// If the store cannot be asked, or refuses.
pub(crate) fn exists(path: &Path) -> Result<bool> {
    let address = ObjectAddress::parse(path)?;
    Ok(!address.is_prefix() && is_object(path)?)
}

/// Refuses a place where no release can be put, before any work is done for it.
///
/// # Errors
/// If there is no such bucket, or the store cannot be asked or refuses.
pub(crate) fn refuse_bad_target(path: &Path) -> Result<()> {
    if exists(path)? {
        return Ok(());
    }
    // A bucket that is not there has no objects, either. Who may write need not be allowed to list.
    let address = ObjectAddress::parse(path)?;
    let path = path.to_owned();
    wait_for(async move {
        let store = find(&address.bucket)?;
        match store.list(None).next().await {
            Some(Err(error)) => match fault::of_request(&error, &path) {
                missing @ EngineError::NotFound(_) => Err(missing),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    })
}

fn is_object(path: &Path) -> Result<bool> {
    let path = path.to_owned();
    wait_for(async move {
        let address = ObjectAddress::parse(&path)?;
        let (store, key) = (find(&address.bucket)?, key_of(&address, &path)?);
        match store.head(&key).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(fault::of_request(&error, &path)),
        }
    })
}

/// The keys below another that are of objects with something in them.
fn below(path: &Path, root: &str) -> Result<Vec<String>> {
    let (path, root) = (path.to_owned(), root.to_owned());
    wait_for(async move {
        let address = ObjectAddress::parse(&path)?;
        let store = find(&address.bucket)?;
        let prefix = StorePath::parse(&root)
            .map_err(|_| EngineError::bad("objects below such a key cannot be listed").in_file(&path))?;
        let objects = store.list(Some(&prefix)).map_err(|error| fault::of_request(&error, &path));
        let full = objects.try_filter(|object| std::future::ready(object.size > 0));
        full.map_ok(|object| object.location.to_string()).try_collect().await
    })
}

/// A key below another.
fn strip<'a>(key: &'a str, root: &str) -> &'a Path {
    Path::new(key.strip_prefix(root).unwrap_or(key).trim_start_matches('/'))
}

fn match_pattern(path: &Path, address: &ObjectAddress) -> Result<Listed> {
    let pattern = Pattern::new(&address.key).map_err(|error| bad_pattern(path, error.pos, error.msg))?;
    let plain = address.key.split('/').take_while(|part| !is_pattern(Path::new(part)));
    let root = plain.collect::<Vec<_>>().join("/");
    let keys = below(path, &root)?;
    // What matches is an object, or what stands before some of them.
    let matched: Vec<(&String, &Path)> = keys.iter().filter_map(|key| find_match(key, &pattern)).collect();
    let hides = |path: &Path| path.components().any(is_passed_over);
    let whole = |(key, found): &(&String, &Path)| !hides(strip(key, &found.to_string_lossy()));
    let is_shown = |(_, found): &&(&String, &Path)| !hides(strip(&found.to_string_lossy(), &root));
    let matched: Vec<(&String, &Path)> = matched.into_iter().filter(whole).collect();
    // Who names such objects in the pattern means them.
    let shown: Vec<&(&String, &Path)> = matched.iter().filter(is_shown).collect();
    let shown = if shown.is_empty() { matched.iter().collect() } else { shown };
    if shown.is_empty() {
        let root = address.at(&root);
        let problem =
            ("no data object matches this pattern", format!("it was looked for in {}", root.display()));
        return Err(EngineError::not_found(path, problem));
    }
    let files = shown.iter().map(|(key, _)| address.at(key)).collect();
    let rest = strip(&address.key, &root).to_string_lossy().into_owned();
    Ok(Listed { root: address.at(&root), files, pattern: Some((pattern, rest)) })
}

/// The shortest part of a key, from its start, that a pattern matches.
fn find_match<'k>(key: &'k String, pattern: &Pattern) -> Option<(&'k String, &'k Path)> {
    let is_part = |path: &&Path| path.components().next().is_some_and(|part| part != Component::RootDir);
    let parts = Path::new(key).ancestors().filter(is_part);
    let found = parts.filter(|part| pattern.matches_path_with(part, OPTIONS)).last();
    found.map(|found| (key, found))
}

/// An object that is not there, and the name of one that is.
fn not_found(path: &Path, address: &ObjectAddress) -> EngineError {
    let (parent, name) = address.key.rsplit_once('/').unwrap_or(("", &address.key));
    let (bucket, root) = (address.bucket.clone(), parent.to_owned());
    let names = wait_for(async move {
        let (store, prefix) = (find(&bucket)?, StorePath::parse(&root).unwrap_or_default());
        let objects = store.list(Some(&prefix)).take(MOST_NAMES);
        let below =
            |key: String| strip(&key, &root).iter().next().map(|name| name.to_string_lossy().into_owned());
        let names = objects.filter_map(|object| std::future::ready(object.ok()));
        Ok(names
            .filter_map(|object| std::future::ready(below(object.location.to_string())))
            .collect::<Vec<_>>()
            .await)
    });
    let names = names.unwrap_or_default();
    let near = nearest(name, names.iter().map(String::as_str));
    let guess = near.map(|near| format!(" (did you mean {}?)", quoted(near))).unwrap_or_default();
    EngineError::not_found(path, format!("there is no such object, and none below it{guess}"))
}
