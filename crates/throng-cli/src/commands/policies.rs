//! `throng policies`: what regulators and agencies ask for, by name.

use serde_json::json;

use throng_engine::error::Result;
use throng_engine::policy::{Policy, policies};

use crate::aligned::align;
use crate::console::Console;
use crate::exit::Exit;
use crate::report::section;

/// Lists the policies you can name in a job or in `check`: what each asks for, and where it was published
#[derive(Debug, clap::Args)]
pub(crate) struct PoliciesArgs {
    /// Prints one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the policies.
pub(crate) fn run(args: PoliciesArgs, console: &Console) -> Result<Exit> {
    let all = policies();
    if args.json {
        console.data(format_args!("{:#}", json!({ "policies": all })));
    } else {
        let rows: Vec<[String; 2]> = all.iter().flat_map(rows).collect();
        console.out(section("Policies (policy in a job, or check --policy)", &align(&rows)));
    }
    Ok(Exit::Done)
}

fn rows(policy: &Policy) -> [[String; 2]; 3] {
    [
        [policy.name.clone(), policy.title.clone()],
        [String::new(), policy.about.clone()],
        [String::new(), format!("{}, {}", policy.source, policy.date)],
    ]
}
