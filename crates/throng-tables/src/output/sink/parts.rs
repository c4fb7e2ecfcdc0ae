//! A table in parts: files of a directory, one after the other, each with so many rows.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;

use super::cut::FileCutter;
use super::directory::{StagedDirectory, refuse_many};
use super::limit::Limit;
use super::private::create_private;
use super::staged::failed;
use crate::error::EngineError;
use crate::error::Result;

/// Rows of a file, if nobody says how many.
pub const ROWS_PER_FILE: u64 = 1_000_000;

/// What a directory of parts is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartsLayout {
    /// Rows of each file but the last.
    pub rows_per_file: u64,
    /// What the names of the files end in.
    pub extension: String,
    /// Whether a directory of parts that is there already is replaced.
    pub replace: bool,
}

/// The files of a table that is being written, or is complete but not yet at its target.
#[derive(Debug)]
pub(super) struct OutputParts {
    directory: StagedDirectory,
    layout: PartsLayout,
    files: Vec<PathBuf>,
    /// A handle to the file at hand, to bring it onto the disk.
    file: Option<File>,
    cutter: FileCutter,
}

impl OutputParts {
    pub(super) fn beside(target: &Path, layout: PartsLayout) -> Result<OutputParts> {
        let directory = StagedDirectory::beside(target, layout.replace)?;
        Ok(OutputParts::new(directory, layout, Vec::new()))
    }

    /// Parts that others wrote, in the order of the rows. They are taken from where they are, so that nothing else that
    /// is there becomes a part.
    pub(super) fn adopt(
        directory: StagedDirectory,
        layout: PartsLayout,
        written: &[PathBuf],
    ) -> Result<OutputParts> {
        let mut files = Vec::with_capacity(written.len());
        for one in written {
            refuse_many(files.len(), directory.target())?;
            let path = directory.part(files.len(), &layout.extension);
            // A link would lead to a file of somebody else.
            let found = std::fs::symlink_metadata(one).map_err(|cause| failed(directory.target(), cause))?;
            if !found.is_file() {
                return Err(EngineError::Data(
                    "a node of the cluster wrote something other than files".into(),
                ));
            }
            std::fs::rename(one, &path).map_err(|cause| failed(directory.target(), cause))?;
            files.push(path);
        }
        Ok(OutputParts::new(directory, layout, files))
    }

    fn new(directory: StagedDirectory, layout: PartsLayout, files: Vec<PathBuf>) -> OutputParts {
        let cutter = FileCutter::new(layout.rows_per_file);
        OutputParts { directory, layout, files, file: None, cutter }
    }

    /// Starts the next file.
    pub(super) fn start(&mut self) -> Result<File> {
        refuse_many(self.files.len(), self.target())?;
        let path = self.directory.part(self.files.len(), &self.layout.extension);
        let file = create_private(&path).map_err(|cause| failed(self.target(), cause))?;
        self.file = Some(file.try_clone().map_err(|cause| failed(self.target(), cause))?);
        self.files.push(path);
        Ok(file)
    }

    /// Brings the file at hand onto the disk.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.file.take() {
            Some(file) => file.sync_all().map_err(|cause| failed(self.target(), cause)),
            None => Ok(()),
        }
    }

    /// The rows of a batch by files, and whether each is full then.
    pub(super) fn cut(&mut self, batch: &RecordBatch) -> Vec<(RecordBatch, bool)> {
        self.cutter.cut(batch)
    }

    pub(super) fn target(&self) -> &Path {
        self.directory.target()
    }

    /// The directory that the files are in now.
    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Lets nobody but the owner do more with the parts than a limit allows.
    pub(super) fn limit_to(&mut self, limit: Limit) {
        self.directory.limit_to(limit);
    }

    pub(super) fn publish(self) -> Result<()> {
        self.open_files()?;
        self.directory.publish()
    }

    /// Gives files that nobody else could read the permissions of published ones.
    fn open_files(&self) -> Result<()> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = self.directory.file_mode()?;
            for file in &self.files {
                let found = std::fs::metadata(file).map_err(|cause| failed(self.target(), cause))?;
                // Those of nodes have theirs already, and may be of another owner.
                if found.permissions().mode() & 0o777 != mode {
                    let set = std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode));
                    set.map_err(|cause| failed(self.target(), cause))?;
                }
            }
        }
        Ok(())
    }
}
