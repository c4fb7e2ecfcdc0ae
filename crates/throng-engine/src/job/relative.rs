//! Paths as a job names them.

use std::fs;
use std::path::Path;

use crate::error::{EngineError, Result};

/// The table as seen from the job: by its name if it is in the job's directory or below it.
pub(crate) fn relative(data: &Path, job: &Path) -> Result<String> {
    let find = |path: &Path| {
        let path = if path == Path::new("") { Path::new(".") } else { path };
        fs::canonicalize(path).map_err(|cause| EngineError::Io {
            path: path.to_owned(),
            action: "cannot be found",
            cause,
        })
    };
    let parent = find(job.parent().unwrap_or(Path::new("")))?;
    // A link stays one: its name may say more than that of the file it leads to.
    let directory = find(data.parent().unwrap_or(Path::new("")))?;
    let name = data.file_name().unwrap_or_default();
    let path = match directory.strip_prefix(&parent) {
        Ok(below) => below.join(name),
        Err(_) => directory.join(name),
    };
    path.to_str().map(str::to_owned).ok_or_else(|| not_text(data))
}

/// A path that no job can name.
pub(crate) fn not_text(path: &Path) -> EngineError {
    EngineError::bad("a job cannot name this path, because it is not Unicode").in_file(path)
}
