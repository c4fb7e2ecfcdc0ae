//! The files that a command writes: no two of them may be one.

use std::path::Path;

use throng_engine::error::{EngineError, Result};
use throng_engine::output::sink::is_same_place;

/// Refuses outputs in one place, before any work is done for them; each has what it is called, such as its flag.
pub(super) fn refuse_one_place(targets: &[(&str, Option<&Path>)]) -> Result<()> {
    let targets: Vec<(&str, &Path)> =
        targets.iter().filter_map(|&(name, path)| Some((name, path?))).collect();
    for (at, &(name, path)) in targets.iter().enumerate() {
        if let Some((other, _)) = targets[..at].iter().find(|(_, other)| is_same_place(other, path)) {
            let problem =
                (format!("{other} and {name} are the same file, {}", path.display()), "choose another");
            return Err(EngineError::bad(problem).about_file(path));
        }
    }
    Ok(())
}
