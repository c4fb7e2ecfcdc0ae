//! What each column costs the others: the same search again without it, and with a finer hierarchy.

use maud::{Markup, html};

use crate::evidence::{Evidence, LossDriver, WhatIf};
use crate::page::html::{percent, table};

/// Only a search that proved it says that nothing better was possible.
fn is_proven(evidence: &Evidence) -> bool {
    evidence.summary.as_ref().is_some_and(|summary| summary.optimal)
}

pub(super) fn title(evidence: &Evidence) -> &'static str {
    if is_proven(evidence) { "Why nothing better was possible" } else { "What each column costs the others" }
}

pub(super) fn body(evidence: &Evidence) -> Option<Markup> {
    if evidence.drivers.is_empty() {
        return None;
    }
    let mean = evidence.drivers.iter().map(|driver| driver.own).sum::<f64>() / evidence.drivers.len() as f64;
    let row = |driver: &LossDriver| {
        vec![
            driver.name.clone(),
            percent(driver.own),
            driver.others.map_or_else(|| "no other".to_owned(), percent),
            what_if(driver.without, driver.others),
            what_if(driver.finer, Some(mean)),
        ]
    };
    let rows: Vec<Vec<String>> = evidence.drivers.iter().map(row).collect();
    let unknown = evidence
        .drivers
        .iter()
        .flat_map(|driver| [driver.without, driver.finer])
        .filter(|found| *found == WhatIf::Unknown)
        .count();
    let head = [
        "column",
        "its own loss#",
        "loss of the others#",
        "their loss without it#",
        "loss of all if it were finer#",
    ];
    Some(html! {
        p {
            @if let Some(summary) = evidence.summary.as_ref().filter(|summary| summary.optimal) {
                "No other choice of levels or cuts meets all requirements and loses less (" (summary.measure) "). "
                "Only other columns or hierarchies would change that. "
            }
            "The columns lose " (percent(mean)) " of their detail on average. The table shows what the same search finds if a "
            "column is not released, or if its hierarchy has one more step between any two levels."
        }
        (table(&head, &rows))
        @if let Some(why_not) = &evidence.no_drivers { p.soft { "Not searched: " (why_not) "." } }
        @else if unknown > 0 {
            p.soft { (unknown) " of these searches found nothing in the time they had. Give them more: --what-if SECONDS." }
        }
    })
}

fn what_if(found: WhatIf, now: Option<f64>) -> String {
    match (found, now) {
        (WhatIf::Loses(loss), Some(now)) if 100.0 * (loss - now).abs() < 0.05 => {
            format!("{} (the same)", percent(loss))
        }
        (WhatIf::Loses(loss), Some(now)) => format!("{} ({:+.1})", percent(loss), 100.0 * (loss - now)),
        (WhatIf::Loses(loss), None) => percent(loss),
        (WhatIf::Unknown, _) => "not found".to_owned(),
        (WhatIf::Senseless, _) => "does not apply".to_owned(),
    }
}
