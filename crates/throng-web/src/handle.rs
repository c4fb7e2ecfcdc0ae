//! What each address answers: it reads what was sent, has it done, and shows a page or goes on to another.

pub(crate) mod choose;
pub(crate) mod detail;
pub(crate) mod draft;
pub(crate) mod jobs;
pub(crate) mod run;
pub(crate) mod take;
pub(crate) mod visit;
