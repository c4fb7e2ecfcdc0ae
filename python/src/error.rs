//! Errors of the engine as exceptions of the package, whose attributes say what and where.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use throng_engine::error::{EngineError, ErrorKind};

/// The exception that says the same as an error.
pub(crate) fn raise(py: Python<'_>, error: EngineError) -> PyErr {
    if error.kind() == ErrorKind::Interrupted {
        return PyKeyboardInterrupt::new_err(error.to_string());
    }
    exception(py, &error).unwrap_or_else(|failed| failed)
}

fn exception(py: Python<'_>, error: &EngineError) -> PyResult<PyErr> {
    let class = match error.kind() {
        ErrorKind::BadInput | ErrorKind::NotFound => "BadInput",
        _ => "MachineFailed",
    };
    let parts = PyDict::new(py);
    parts.set_item("kind", kind(error))?;
    parts.set_item("file", error.file().map(|file| file.display().to_string()))?;
    parts.set_item("row", error.row())?;
    parts.set_item("column", error.column())?;
    parts.set_item("columns", error.columns())?;
    parts.set_item("hint", error.hint())?;
    // A line of the text that keywords were turned into means nothing to anybody.
    let is_of_keywords = error.line().is_some() && error.file().is_none();
    let text = if is_of_keywords { error.message() } else { error.to_string() };
    let class = py.import("throng._errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((text,), Some(&parts))?))
}

fn kind(error: &EngineError) -> String {
    let name = serde_json::to_value(error.kind()).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
