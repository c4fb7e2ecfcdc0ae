//! Many quasi-identifiers: what each algorithm loses on the census of the demo after so many seconds, and how far that is
//! at most from the optimum.
//!
//! Prints one line of a Markdown table for each run. `THRONG_BENCH_COLUMNS` (`10,15,20,30,64`), `THRONG_BENCH_SECONDS`
//! (`1,10,60`), `THRONG_BENCH_ALGORITHMS` and `THRONG_BENCH_ROWS` (68,725) choose.

use std::io::Write;
use std::path::Path;

use throng_engine::demo::{Census, Dataset, Demo, write_demo};
use throng_engine::format::Format;
use throng_engine::job::Job;
use throng_engine::pipeline::anonymize;
use throng_engine::progress::Quiet;
use tokio::runtime::Runtime;

/// Those that go on as long as they may.
const ANYTIME: [&str; 1] = ["auto"];

fn list(variable: &str, usual: &str) -> Vec<String> {
    let text = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
    text.split(',').map(str::to_owned).collect()
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let rows = list("THRONG_BENCH_ROWS", "68725")[0].parse().expect("a number of rows");
    let algorithms = list(
        "THRONG_BENCH_ALGORITHMS",
        "auto,improved-greedy,datafly,mondrian,sequential,forest,agglomerative",
    );
    say("| columns | algorithm | limit, s | search, s | lm | at most above the optimum |");
    say("|---|---|---|---|---|---|");
    for columns in list("THRONG_BENCH_COLUMNS", "10,15,20,30,64") {
        let folder = tempfile::tempdir().expect("a folder");
        let count = columns.parse().expect("a number of columns");
        let dataset = Census::USUAL.with_columns(count).expect("so many questions");
        let job =
            write_demo(folder.path(), Demo { dataset, seed: 1, rows }, Format::CSV, &Quiet).expect("a demo");
        for algorithm in &algorithms {
            let limits = list("THRONG_BENCH_SECONDS", "1,10,60");
            let is_anytime = ANYTIME.contains(&algorithm.as_str());
            for limit in if is_anytime { &limits[..] } else { &limits[limits.len() - 1..] } {
                measure(&runtime, &job, &columns, algorithm, limit);
            }
        }
    }
}

fn measure(runtime: &Runtime, job: &Path, columns: &str, algorithm: &str, limit: &str) {
    let mut job = Job::read(job).expect("a job");
    job.search.algorithm = algorithm.to_owned();
    job.search.time_limit = Some(limit.parse().expect("seconds"));
    let line = match runtime.block_on(anonymize(&job, &Quiet)) {
        Ok(summary) => {
            let lm = summary.measures.get("lm").and_then(|lm| lm.as_f64()).unwrap_or(f64::NAN);
            let gap = match summary.search.gap {
                _ if summary.optimal => "optimal".to_owned(),
                Some(gap) => format!("{:.1} %", 100.0 * gap),
                None => String::new(),
            };
            format!("{:.2} | {lm:.4} | {gap}", summary.seconds.search)
        }
        Err(error) => format!("| {error} |"),
    };
    say(&format!("| {columns} | `{algorithm}` | {limit} | {line} |"));
}

fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("standard output");
}
