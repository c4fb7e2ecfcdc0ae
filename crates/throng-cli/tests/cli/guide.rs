//! The README and the guide: every command in them is run, and what they show of its output is compared.
//!
//! The language of a fenced block says what it is:
//!
//! - `sh`: commands, one to a line (a `\` at its end continues it), run in order in a directory that the
//!   chapter has for itself. `# exit code 1` at the end of a line says how it ends, if not with 0.
//! - `text` and `json`: what the last command before it printed. A `…` stands for anything, alone on a line for any lines.
//! - `toml,file=NAME` and `csv,file=NAME`: a file that the reader is told to write; with `append` in place of `file`,
//!   what is added to one.
//! - `sh,norun`: commands that need the repository; only as many as [`NOT_RUN`] says.
//! - `toml`: a part of a job.
//! - `python`, `pycon`, `sql`, `yaml`: run by the tests of the package.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, iter, thread};

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// How many blocks of a chapter are not run: they install, need a server, or are about the repository itself.
const NOT_RUN: [(&str, usize); 7] = [
    ("README.md", 1),
    ("docs/clusters.md", 2),
    ("docs/databases.md", 4),
    ("docs/object-stores.md", 1),
    ("docs/python.md", 2),
    ("docs/serve.md", 4),
    ("docs/start.md", 1),
];

/// Records of measurements; to repeat one takes its data, and minutes or hours.
const RECORDS: &str = "docs/experiments/";

/// The most lines of a front page.
const FRONT_PAGE_LINES: usize = 150;

struct Chapter {
    /// Its path in the repository.
    path: String,
    text: String,
}

struct Block<'t> {
    /// The line of its fence, from 1.
    line: usize,
    info: &'t str,
    lines: Vec<&'t str>,
}

/// What a block is to a reader.
enum Kind<'t> {
    Commands,
    NotRun,
    Output,
    File(&'t str),
    Addition(&'t str),
    Example,
}

/// One command and how it must end.
struct Step {
    line: usize,
    command: String,
    code: i32,
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl Chapter {
    fn read(path: &str) -> Chapter {
        let text = fs::read_to_string(repository().join(path));
        Chapter { path: path.to_owned(), text: text.unwrap_or_else(|error| panic!("{path}: {error}")) }
    }

    fn blocks(&self) -> Vec<Block<'_>> {
        let (mut blocks, mut open) = (Vec::new(), None);
        for (number, line) in (1..).zip(self.text.lines()) {
            match (open.take(), line.strip_prefix("```")) {
                (None, Some(info)) => open = Some(Block { line: number, info, lines: Vec::new() }),
                (Some(block), Some("")) => blocks.push(block),
                (Some(mut block), _) => {
                    block.lines.push(line);
                    open = Some(block);
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.path);
        blocks
    }

    /// The text outside of blocks, line by line.
    fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut is_block = false;
        (1..).zip(self.text.lines()).filter(move |(_, line)| {
            let is_fence = line.starts_with("```");
            is_block ^= is_fence;
            !is_block && !is_fence
        })
    }

    /// Line and target of all links and pictures.
    fn links(&self) -> impl Iterator<Item = (usize, &str)> {
        self.prose().flat_map(|(number, line)| {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            targets.map(move |(target, _)| (number, target))
        })
    }

    /// The anchors of its headings, as GitHub and mdBook make them.
    fn anchors(&self) -> BTreeSet<String> {
        let headings = self.prose().filter_map(|(_, line)| line.strip_prefix('#'));
        headings.map(|heading| anchor(heading.trim_start_matches('#').trim())).collect()
    }

    fn kind<'t>(&self, block: &Block<'t>) -> Kind<'t> {
        let (language, is) = block.info.split_once(',').unwrap_or((block.info, ""));
        match (language, is.split_once('=').unwrap_or((is, ""))) {
            ("sh", ("", "")) => Kind::Commands,
            ("sh", ("norun", "")) => Kind::NotRun,
            ("text" | "json", ("", "")) => Kind::Output,
            ("toml" | "csv", ("file", name)) => Kind::File(name),
            ("toml" | "csv", ("append", name)) => Kind::Addition(name),
            ("toml" | "python" | "pycon" | "sql" | "yaml", ("", "")) => Kind::Example,
            _ => panic!("{}:{}: unknown kind of block '{}'", self.path, block.line, block.info),
        }
    }

    /// Does what a reader does, from top to bottom.
    fn follow(&self) -> Result<(), String> {
        let sandbox = Sandbox::empty();
        let mut printed = String::new();
        for block in self.blocks() {
            let at = format!("{}:{}", self.path, block.line);
            match self.kind(&block) {
                Kind::File(name) => sandbox.write(name, block.lines.join("\n") + "\n"),
                Kind::Addition(name) => {
                    sandbox.write(name, sandbox.read(name) + "\n" + &block.lines.join("\n") + "\n");
                }
                Kind::Output if !is_like(&block.lines, &printed.lines().collect::<Vec<_>>()) => {
                    let shown = block.lines.join("\n");
                    return Err(format!("{at}: shown is\n{shown}\nbut printed was\n{printed}"));
                }
                Kind::Commands => {
                    for step in steps(&block) {
                        printed = step.run(&sandbox).map_err(|why| format!("{}:{why}", self.path))?;
                    }
                }
                Kind::Output | Kind::NotRun | Kind::Example => {}
            }
        }
        Ok(())
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn steps(block: &Block<'_>) -> Vec<Step> {
    let (mut steps, mut begun): (Vec<Step>, _) = (Vec::new(), false);
    for (number, line) in (block.line + 1..).zip(&block.lines) {
        if !begun {
            steps.push(Step { line: number, command: String::new(), code: 0 });
        }
        let step = steps.last_mut().expect("one was begun");
        begun = line.ends_with('\\');
        step.command.push_str(line.trim_end_matches('\\'));
        if let Some((_, code)) = line.rsplit_once("# exit code ") {
            step.code = code.parse().expect("a code");
        }
    }
    steps
}

impl Step {
    /// Runs the command in a shell that finds the binary first; gives standard output.
    fn run(&self, sandbox: &Sandbox) -> Result<String, String> {
        let binary = Path::new(env!("CARGO_BIN_EXE_throng"));
        let path = env::var_os("PATH").unwrap_or_default();
        let folders =
            iter::once(binary.parent().expect("a folder").to_owned()).chain(env::split_paths(&path));
        let mut shell = sandbox.shell(&self.command);
        shell.env("PATH", env::join_paths(folders).expect("folders"));
        let Ran { code, stdout, stderr } = Ran::from(shell.output().expect("a shell"));
        if code == Some(self.code) {
            return Ok(stdout);
        }
        let Step { line, command, code: expected } = self;
        Err(format!("{line}: exit code {code:?}, not {expected}, of\n{command}\n{stdout}{stderr}"))
    }
}

/// Whether lines are as shown; `…` alone stands for any lines.
fn is_like(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["…", rest @ ..] => (0..=printed.len()).any(|from| is_like(rest, &printed[from..])),
        [first, rest @ ..] => printed
            .split_first()
            .is_some_and(|(line, lines)| is_line_like(first, line) && is_like(rest, lines)),
    }
}

/// Whether a line is as shown; `…` stands for any text.
fn is_line_like(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (shown.trim_end(), printed.trim_end());
    match shown.split_once('…') {
        None => shown == printed,
        Some((start, rest)) => printed.strip_prefix(start).is_some_and(|printed| {
            let mut cuts = printed.char_indices().map(|(cut, _)| cut).chain([printed.len()]);
            cuts.any(|cut| is_line_like(rest, &printed[cut..]))
        }),
    }
}

/// The pages of the guide, in the order of its table of contents.
fn pages() -> Vec<Chapter> {
    let summary = Chapter::read("docs/SUMMARY.md");
    summary.links().map(|(_, page)| Chapter::read(&format!("docs/{page}"))).collect()
}

/// All that people read, but for records of measurements.
fn chapters() -> Vec<Chapter> {
    let pages = pages().into_iter().filter(|page| !page.path.starts_with(RECORDS));
    iter::once(Chapter::read("README.md")).chain(pages).collect()
}

#[test]
fn every_command_does_what_the_guide_says() {
    let chapters = chapters();
    let failures: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = chapters.iter().map(|chapter| scope.spawn(|| chapter.follow())).collect();
        let ends = runs.into_iter().map(|run| run.join().expect("a chapter that can be read"));
        ends.filter_map(Result::err).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_is_not_run_is_listed() {
    let mut not_run = BTreeMap::new();
    for chapter in chapters() {
        let blocks = chapter.blocks();
        let skipped = blocks.iter().filter(|block| matches!(chapter.kind(block), Kind::NotRun)).count();
        not_run.insert(chapter.path.clone(), skipped);
    }
    not_run.retain(|_, skipped| *skipped > 0);
    let listed: Vec<(&str, usize)> =
        not_run.iter().map(|(path, skipped)| (path.as_str(), *skipped)).collect();
    assert_eq!(listed, NOT_RUN);
}

#[test]
fn files_are_named_before_they_are_shown() {
    for chapter in chapters() {
        for block in chapter.blocks() {
            let (Kind::File(name) | Kind::Addition(name)) = chapter.kind(&block) else { continue };
            let mut before = chapter.prose().take_while(|(number, _)| *number < block.line);
            let is_named = before.any(|(_, line)| line.contains(&format!("`{name}`")));
            assert!(is_named, "{}:{}: what is the file called?", chapter.path, block.line);
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let mut listed: Vec<String> = pages().into_iter().map(|page| page.path).collect();
    listed.sort();
    let folders = ["docs", "docs/experiments"];
    let files = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(repository().join(folder)).expect("a folder");
        entries
            .map(move |entry| format!("{folder}/{}", entry.expect("an entry").file_name().to_string_lossy()))
    });
    let mut there: Vec<String> =
        files.filter(|path| path.ends_with(".md") && path != "docs/SUMMARY.md").collect();
    there.sort();
    assert_eq!(listed, there);
}

#[test]
fn every_link_leads_somewhere() {
    let outer = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(Chapter::read);
    let mut broken = Vec::new();
    for chapter in outer.into_iter().chain(pages()) {
        let folder = Path::new(&chapter.path).parent().expect("a folder").to_owned();
        for (line, link) in chapter.links().filter(|(_, link)| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { chapter.path.clone().into() } else { folder.join(path) };
            let is_there = repository().join(&target).exists();
            if !is_there
                || !(anchor.is_empty() || Chapter::read(&target.to_string_lossy()).anchors().contains(anchor))
            {
                broken.push(format!("{}:{line}: {link}", chapter.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The names in one list of `throng algorithms --json`.
fn names_of(list: &Value) -> Vec<String> {
    let entries = list.as_array().expect("a list").iter();
    entries.map(|entry| entry["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn every_name_has_its_place_in_the_guide() {
    let catalogue = Sandbox::empty().throng("algorithms --json").done();
    let catalogue: Value = serde_json::from_str(&catalogue).expect("JSON");
    let summary = Sandbox::new().throng("anonymize job.toml --json").done();
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    let keys = summary.as_object().expect("an object").keys().cloned().collect();
    let places = [
        (names_of(&catalogue["algorithms"]), "docs/algorithms.md"),
        (names_of(&catalogue["settings"]), "docs/algorithms.md"),
        (names_of(&catalogue["settings"]), "docs/job.md"),
        (names_of(&catalogue["models"]), "docs/models.md"),
        (names_of(&catalogue["measures"]), "docs/measures.md"),
        (keys, "docs/json-summary.md"),
    ];
    for (names, page) in places {
        let text = Chapter::read(page).text;
        // `search.lattice_nodes` names the key `search`.
        let is_named =
            |name: &String| text.contains(&format!("`{name}`")) || text.contains(&format!("`{name}."));
        let unnamed: Vec<&String> = names.iter().filter(|name| !is_named(name)).collect();
        assert!(!names.is_empty() && unnamed.is_empty(), "{page} does not name {unnamed:?}");
    }
}

#[test]
fn the_front_page_is_short() {
    let lines = Chapter::read("README.md").text.lines().count();
    assert!(lines <= FRONT_PAGE_LINES, "README.md has {lines} lines; the guide has room for more");
}

#[test]
fn shown_output_may_leave_out_lines_and_parts_of_lines() {
    let printed = ["a 1 b", "c", "d"];
    for shown in [&["a … b", "c", "d"][..], &["…", "d"], &["…"], &["a 1 b", "…", "c", "d"], &["…", "c", "…"]]
    {
        assert!(is_like(shown, &printed), "{shown:?}");
    }
    for shown in [&["a … b", "c"][..], &["…", "c"], &[], &["a …b b", "…"], &["… a", "…"]] {
        assert!(!is_like(shown, &printed), "{shown:?}");
    }
}
