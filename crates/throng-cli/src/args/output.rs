//! Flags that say how a release is written, whatever decided it.

use std::path::PathBuf;

use clap::{Args, value_parser};

use throng_engine::error::{EngineError, Result};
use throng_engine::input::formulas::Formulas;
use throng_engine::job::{Job, JobFlags, RowOrder, SuppressedRows};
use throng_engine::pseudonym::PseudonymKey;

/// How the rows of a release are written.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputArgs {
    /// What to do with suppressed rows: drop them, or mask them (keep them with * in quasi-identifiers)
    #[arg(long, value_name = "FATE")]
    suppressed: Option<SuppressedRows>,

    /// The order of the rows: keep, shuffle, shuffle:SEED (anyone who knows the seed can undo it), or sort (by what they show)
    #[arg(long, value_name = "ORDER")]
    order: Option<RowOrder>,

    /// Replaces an existing database table or directory of parts. A file that is an earlier release is
    /// always replaced
    #[arg(long)]
    replace: bool,

    /// Rows per file of a release in parts, which goes into a directory (-o DIRECTORY/); a million by
    /// default
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u64).range(1..))]
    rows_per_file: Option<u64>,

    /// The format of a release in parts, as a file extension such as parquet or csv.gz; that of the input
    /// by default
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<String>,

    /// The encoding of a text release, such as windows-1252; UTF-8 by default
    #[arg(long, value_name = "NAME")]
    output_encoding: Option<String>,

    /// What to do with cells of delimited text that a spreadsheet would run as formulas (=, +, -, @): keep,
    /// quote (put an apostrophe in front), or refuse
    #[arg(long, value_name = "WAY")]
    formulas: Option<Formulas>,
}

impl OutputArgs {
    /// The same for the engine, without any other flag.
    pub(crate) fn flags(self) -> JobFlags {
        let OutputArgs {
            suppressed,
            order,
            replace,
            rows_per_file,
            output_format,
            output_encoding,
            formulas,
        } = self;
        JobFlags {
            suppressed,
            order,
            replace,
            rows_per_file,
            output_format,
            output_encoding,
            formulas,
            ..JobFlags::default()
        }
    }
}

/// Where the key for pseudonyms is.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeyArgs {
    /// The file with the key for pseudonyms. By default, THRONG_PSEUDONYM_KEY holds the key, or
    /// THRONG_PSEUDONYM_KEY_FILE names its file
    #[arg(long, value_name = "FILE")]
    pseudonym_key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The key of a job that asks for pseudonyms. Nothing is read from the environment for others.
    pub(crate) fn find(&self, job: &Job) -> Result<Option<PseudonymKey>> {
        match (job.columns.pseudonyms().next(), self.pseudonym_key_file.as_deref()) {
            (Some(_), file) => PseudonymKey::find(file),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(EngineError::bad((
                "--pseudonym-key-file has no effect: no column has pseudonyms",
                "give one pseudonym = \"keyed\" in the job, or name it with --pseudonym",
            ))),
        }
    }
}
