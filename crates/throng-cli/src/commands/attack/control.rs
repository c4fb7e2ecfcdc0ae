//! What attacks gain over those on a control group, for people.

use indicatif::HumanCount;
use throng_engine::verify::attack::control::{ControlSummary, Rate, RiskRate};

use crate::aligned::align;
use crate::commands::check::percent;

/// A table with a line for each attack.
pub(super) fn text(found: &ControlSummary) -> String {
    let mut rows =
        vec![["attack", "on the table", "on the control group", "risk", "between"].map(str::to_owned)];
    rows.push(line("singling out".to_owned(), &found.singling_out));
    rows.extend(found.linkability.as_ref().map(|rate| line("linkability".to_owned(), rate)));
    rows.extend(found.inference.iter().map(|one| line(format!("inference of {}", one.column), &one.rate)));
    rows.push(line("membership".to_owned(), &found.membership));
    format!(
        "Compared with a control group of {} rows, with a confidence of 95 %\n{}",
        HumanCount(found.control_rows),
        align(&rows).trim_end()
    )
}

fn line(name: String, rate: &RiskRate) -> [String; 5] {
    let of = |rate: &Rate| format!("{} of {}", percent(rate.rate), HumanCount(rate.attacks));
    let between = format!("{} and {}", percent(rate.at_least), percent(rate.at_most));
    [name, of(&rate.original), of(&rate.control), percent(rate.risk), between]
}
