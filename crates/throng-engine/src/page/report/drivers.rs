//! Which columns drive the loss.

use crate::evidence::{Driver, Evidence, WhatIf};
use crate::page::html::{Cell, paragraph, percent, remark, table};

pub(super) fn body(evidence: &Evidence) -> String {
    if evidence.drivers.is_empty() {
        return String::new();
    }
    let mean = evidence.drivers.iter().map(|driver| driver.own).sum::<f64>() / evidence.drivers.len() as f64;
    let row = |driver: &Driver| {
        vec![
            Cell::text(&driver.name),
            Cell::Number(percent(driver.own)),
            Cell::Number(driver.others.map_or("–".to_owned(), percent)),
            Cell::Number(what_if(driver.without, driver.others)),
            Cell::Number(what_if(driver.finer, Some(mean))),
        ]
    };
    let rows: Vec<Vec<Cell>> = evidence.drivers.iter().map(row).collect();
    let head = [
        "column",
        "loses itself#",
        "all others lose#",
        "they would without it#",
        "all would if it were finer#",
    ];
    let optimal = match evidence.summary.as_ref() {
        Some(summary) if summary.optimal => {
            let other = match summary.measure.as_str() {
                "lm" => "",
                _ => "Losses here are lm, which was not made small. ",
            };
            format!(
                "No other choice of levels or cuts satisfies what was asked for and is better by {}: that is proven. What would change it is the columns themselves. {other}",
                summary.measure
            )
        }
        _ => String::new(),
    };
    let why_not = evidence.no_drivers.as_deref().map(remark).unwrap_or_default();
    format!(
        "{}{}{why_not}{}",
        paragraph(&format!(
            "{optimal}The table shows what the columns lose (lm), in the mean of all rows: as released, {}; and what the same search finds if a column were not released, or if its hierarchy had a further step between any two.",
            percent(mean)
        )),
        table(&head, &rows),
        remark(
            "A finer hierarchy is made up for this comparison: the values below each value meet in two halves first. '–' is where that makes no sense, '?' where no release was found in the time."
        ),
    )
}

fn what_if(found: WhatIf, now: Option<f64>) -> String {
    match (found, now) {
        (WhatIf::Loses(loss), Some(now)) if 100.0 * (loss - now).abs() < 0.05 => {
            format!("{} (the same)", percent(loss))
        }
        (WhatIf::Loses(loss), Some(now)) => format!("{} ({:+.1})", percent(loss), 100.0 * (loss - now)),
        (WhatIf::Loses(loss), None) => percent(loss),
        (WhatIf::Unknown, _) => "?".to_owned(),
        (WhatIf::Senseless, _) => "–".to_owned(),
    }
}
