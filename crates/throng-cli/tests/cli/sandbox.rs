//! A directory of its own for each test, and the binary in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A directory with a small table, its hierarchies and a job; commands run in it.
pub(crate) struct Sandbox {
    dir: TempDir,
}

/// What a command did.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Eight people; with the hierarchies below, k = 2 can be had at little loss.
pub(crate) const PEOPLE: &str = "\
name,age,sex,zip,illness
Ann Secretname,31,female,12345,flu
Bob Secretname,33,male,12346,cold
Cas Secretname,38,female,12347,flu
Dan Secretname,36,male,12399,gout
Eve Secretname,45,female,22345,flu
Fay Secretname,47,female,22346,cold
Gus Secretname,41,male,22347,gout
Hal Secretname,49,male,22399,flu
";

pub(crate) const AGE: &str = "\
31;30-34;30-39;*
33;30-34;30-39;*
36;35-39;30-39;*
38;35-39;30-39;*
41;40-44;40-49;*
45;45-49;40-49;*
47;45-49;40-49;*
49;45-49;40-49;*
";

pub(crate) const JOB: &str = r#"
input  = "people.csv"
output = "release.csv"

[columns]
name    = { role = "identifier" }
age     = { role = "quasi", hierarchy = "age.csv" }
sex     = { role = "quasi" }
zip     = { role = "quasi", hierarchy = { mask = "right" } }
illness = { role = "sensitive" }

[privacy]
k = 2
"#;

/// Five patients, and a release in which everybody fits two rows and every row two patients:
/// (2,2)-anonymous. But the two patients from Kiel need the two rows that may be from Kiel, so the
/// fifth row can only be that of the fifth patient.
const PATIENTS: &str = "\
name,smoker,town,illness
Ann Secretname,yes,Bonn,flu
Bob Secretname,yes,Bonn,gout
Cas Secretname,yes,Kiel,flu
Dan Secretname,no,Kiel,gout
Eve Secretname,no,Bonn,flu
";
const RELEASED_PATIENTS: &str = "\
smoker,town,illness
yes,Bonn,flu
yes,Bonn,gout
*,Kiel,flu
*,*,gout
*,Bonn,flu
";

impl Sandbox {
    /// A table `patients.csv` and a release of it, `released.csv`, that is (2,2)-anonymous but not
    /// globally (1,2)-anonymous.
    pub(crate) fn with_patients() -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.write("patients.csv", PATIENTS);
        sandbox.write("released.csv", RELEASED_PATIENTS);
        sandbox
    }

    /// The small table, its hierarchy and its job.
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox::empty();
        sandbox.write("people.csv", PEOPLE);
        sandbox.write("age.csv", AGE);
        sandbox.write("job.toml", JOB);
        sandbox
    }

    pub(crate) fn empty() -> Sandbox {
        Sandbox { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("a file in the sandbox");
    }

    /// Gives a file or directory permissions.
    #[cfg(unix)]
    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).expect("our own file");
    }

    /// The permissions of a file or directory.
    #[cfg(unix)]
    pub(crate) fn mode(&self, name: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(self.path(name)).expect("a file in the sandbox").permissions().mode() & 0o777
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("text in the sandbox")
    }

    /// Names of everything in the directory, hidden files too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).expect("the sandbox");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("Unicode"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// The binary, to be run in the directory.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.program(env!("CARGO_BIN_EXE_throng"), args)
    }

    /// A script of the shell, to be run in the directory.
    pub(crate) fn shell(&self, script: &str) -> Command {
        self.program("sh", &["-c", script])
    }

    fn program(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.dir.path()).env_remove("RUST_BACKTRACE");
        let ours = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("THRONG_"));
        for (name, _) in ours {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().expect("the binary runs"))
    }

    /// Runs a command line; arguments are separated by spaces.
    pub(crate) fn throng(&self, line: &str) -> Ran {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs a command that must be refused as bad input, and leave everything as it was.
    pub(crate) fn refused(&self, line: &str) -> String {
        let before = self.snapshot();
        let ran = self.throng(line);
        assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout, "");
        assert_eq!(self.snapshot(), before, "files were left behind or changed");
        let start = if line.contains("--json") { "{\"error\":" } else { "error: " };
        assert!(ran.stderr.starts_with(start), "{}", ran.stderr);
        assert!(!ran.stderr.contains("Secret"), "a cell is shown: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran.stderr
    }

    fn snapshot(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let names = self.names().into_iter();
        names.map(|name| (name.clone(), fs::read(self.path(&name)).ok())).collect()
    }
}

/// A report without what differs from run to run, or from one search to a better one.
pub(crate) fn stable(report: &str) -> String {
    let steady = |line: &str| match line.split_once(" nodes checked, on ") {
        Some((_, tuples)) => format!("  … nodes checked, on {tuples}\n"),
        None if line.starts_with("  made by ") || line.starts_with("  SHA-256 of the ") => {
            let what = line.trim_start().split("  ").next().unwrap_or_default();
            format!("  {what}  …\n")
        }
        None if line.starts_with("  read ") => "  read …\n".to_owned(),
        None => format!("{line}\n"),
    };
    report.lines().map(steady).collect()
}

impl Ran {
    /// Asserts that all went well; gives standard output.
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Asserts that there is no release; gives standard output.
    pub(crate) fn no_release(self) -> String {
        assert_eq!(self.code, Some(1), "{}{}", self.stdout, self.stderr);
        self.stdout
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}
