//! What a release is like: rows, what is left of each column, risks, attacks, costs, and other releases beside it.

use maud::{Markup, html};
use throng_engine::job::RowOrder;
use throng_engine::summary::{CellsSummary, Summary};

use super::Result;
use crate::pages::{parts, start};
use crate::task::Stage;
use crate::words as w;

/// Columns whose leaving out is named first.
const GAIN: f64 = 0.02;

impl Result {
    pub(super) fn rows(&self) -> Markup {
        let Some(shown) = &self.shown else { return html! {} };
        let why = match &shown.original {
            None => w::RELEASED_ROWS_WHY,
            Some((.., true)) => w::PAIRED_WHY,
            Some(_) if self.is_shuffled() => w::SHUFFLED_WHY,
            Some(_) => w::UNPAIRED_WHY,
        };
        html! {
            section aria-labelledby="h-rows" {
                h2 id="h-rows" { (w::RELEASED_ROWS) }
                p.small.dim { (why) }
                div.scroll.rows tabindex="0" role="region" aria-labelledby="h-rows" {
                    table {
                        thead { tr { @for column in &shown.columns { th scope="col" { (column) } } } }
                        tbody { @for (at, row) in shown.released.iter().enumerate() {
                            @if let Some((columns, originals, true)) = &shown.original && let Some(original) = originals.get(at) {
                                tr.o { @for column in &shown.columns {
                                    @let place = columns.iter().position(|known| known == column);
                                    td { (place.and_then(|place| original.get(place)).map_or("", String::as_str)) }
                                } }
                            }
                            tr { @for cell in row { td.star[cell == "*"] { (cell) } } }
                        } }
                    }
                    @if let Some((columns, originals, false)) = &shown.original { table.o {
                        caption { (w::ORIGINAL) }
                        thead { tr { @for column in columns { th scope="col" { (column) } } } }
                        tbody { @for row in originals { tr { @for cell in row { td { (cell) } } } } }
                    } }
                }
            }
        }
    }

    fn is_shuffled(&self) -> bool {
        self.job.as_ref().is_some_and(|job| job.output.order != RowOrder::Keep)
    }

    pub(super) fn left(&self, report: &Summary) -> Markup {
        let columns = report.columns.iter().filter_map(|column| Some((&column.name, column.cells.as_ref()?)));
        let kept = report.measures.get("lm").and_then(serde_json::Value::as_f64).map(|loss| 1.0 - loss);
        let kept = kept.filter(|_| report.aggregate.is_none());
        html! {
            section aria-labelledby="h-left" {
                h2 id="h-left" { (w::LEFT_OF) }
                p.small.dim { @if let Some(kept) = kept { (w::kept(kept)) " " } (w::EXACT_KEPT) }
                dl.use { @for (name, cells) in columns {
                    @let shares = shares(cells);
                    div { dt { (name) } dd { (parts::mix(shares)) } dd { (told(shares)) } }
                } }
                p.key {
                    @for (at, text) in w::LEFT_KEY.iter().enumerate() {
                        span { (parts::mix([0, 1, 2].map(|place| if place == at { 1.0 } else { 0.0 }))) (text) }
                    }
                }
            }
        }
    }

    pub(super) fn risks(&self) -> Markup {
        let (Some(before), Some(after)) = (&self.before, &self.after) else { return html! {} };
        let figures = |check: &throng_engine::check::CheckSummary| {
            [
                w::count(check.rows),
                w::count(check.exposure.unique_rows),
                w::count(check.exposure.at_risk_rows),
                w::one_in((1.0 / check.risk.highest.max(f64::MIN_POSITIVE)).floor() as u64),
            ]
        };
        let (before, after) = (figures(before), figures(after));
        html! {
            section aria-labelledby="h-risks" {
                h2 id="h-risks" { (w::RISKS) }
                div.scroll tabindex="0" role="region" aria-labelledby="h-risks" { table {
                    thead { tr { td {} th.n scope="col" { (w::BEFORE) } th.n scope="col" { (w::AFTER) } } }
                    tbody { @for (at, name) in w::RISK_ROWS.iter().enumerate() {
                        tr { th scope="row" { (name) } td.n { (before[at]) } td.n { (after[at]) } }
                    } }
                } }
            }
        }
    }

    /// What was found, or how far it is.
    pub(super) fn stage<T>(&self, stage: &Stage<T>, part: &str, show: impl Fn(&T) -> Markup) -> Markup {
        match stage {
            Stage::Open => html! {},
            Stage::Busy => {
                parts::waiting(&format!("/runs/{}/ready/{part}", self.id), &format!("/runs/{}", self.id))
            }
            Stage::Failed(failure) => parts::failure(failure),
            Stage::Done(found) => show(found),
        }
    }

    pub(super) fn attacked(&self) -> Markup {
        html! {
            section.card id="attack" aria-labelledby="h-attack" {
                h2 id="h-attack" { (w::ATTACK) }
                p.small.dim { (w::ATTACK_WHY) }
                (self.stage(&self.attack, "attack", |found| html! {
                    p.gap { b { @if found.succeeds { (w::ATTACK_SUCCEEDED) } @else { (w::ATTACK_FAILED) } } }
                    p.small { (w::WORST) }
                    ul.list.small { @for row in &found.neighbours.worst { li { (w::worst_row(row.row, row.links)) } } }
                }))
                form.gap method="post" action={ "/runs/" (self.id) "/attack" } { button.btn type="submit" { (w::ATTACK_BUTTON) } }
            }
        }
    }

    pub(super) fn costs(&self) -> Markup {
        html! {
            section.card id="costs" aria-labelledby="h-costs" {
                h2 id="h-costs" { (w::COSTS) }
                p.small.dim { (w::COSTS_WHY) }
                (self.stage(&self.costs, "costs", |costs| html! {
                    @if let Some(reason) = &costs.none { p.gap { (reason) } }
                    @let known = costs.columns.iter().filter_map(|cost| Some((&cost.name, 1.0 - cost.others?, 1.0 - cost.without?)));
                    @let known = known.collect::<Vec<_>>();
                    @let best = known.iter().max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1))).filter(|best| best.2 - best.1 > GAIN);
                    @if let Some((name, now, without)) = best { p.tip { (w::leaving_out(name, *now, *without)) } }
                    @if !known.is_empty() { div.scroll.gap tabindex="0" role="region" aria-labelledby="h-costs" { table {
                        thead { tr { @for title in &w::COSTS_COLUMNS { th scope="col" { (title) } } } }
                        tbody { @for (name, now, without) in &known { tr { th scope="row" { code { (name) } } td { (w::percent(*now)) } td { (w::percent(*without)) } } } }
                    } } }
                }))
                form.gap method="post" action={ "/runs/" (self.id) "/costs" } { button.btn type="submit" { (w::COSTS_BUTTON) } }
            }
        }
    }

    pub(super) fn ways(&self) -> Markup {
        if self.ways.len() < 2 {
            return html! {};
        }
        html! {
            section aria-labelledby="h-ways" {
                h2 id="h-ways" { (w::WAYS) }
                p.small.dim { (w::WAYS_WHY) }
                div.scroll tabindex="0" role="region" aria-labelledby="h-ways" { table {
                    thead { tr { @for title in &w::WAY_COLUMNS { @if title.is_empty() { td {} } @else { th scope="col" { (title) } } } } }
                    tbody { @for (id, run, report) in &self.ways {
                        @let k = report.achieved.get("k").and_then(serde_json::Value::as_u64);
                        @let lost = report.measures.get("lm").and_then(serde_json::Value::as_f64);
                        tr {
                            th scope="row" { (start::when(&run.created)) }
                            td { @if let Some(k) = k { (w::one_in(k)) } @else { "–" } }
                            td { @if let Some(lost) = lost { (w::percent(1.0 - lost)) (parts::bar(1.0 - lost, false)) } }
                            td { (w::count(report.suppressed_rows)) }
                            td { @if *id == self.id { span.tag.know { (w::THIS_ONE) } } @else { a href={ "/runs/" (id) } { (w::OPEN_RUN) } } }
                        }
                    } }
                } }
            }
        }
    }
}

/// Exact, one step coarser, coarser still.
fn shares(cells: &CellsSummary) -> [f64; 3] {
    let first = cells.levels.get(&1).copied().unwrap_or_default();
    let all: f64 = cells.levels.values().sum();
    let made = cells.ranges.map_or(0.0, |made| made.share) + cells.sets.map_or(0.0, |made| made.share);
    [cells.exact, first, all - first + made]
}

fn told([exact, first, further]: [f64; 3]) -> String {
    let hidden = (1.0 - exact - first - further).max(0.0);
    let all =
        [exact, first, further, hidden].into_iter().zip(w::LEFT_KEY).filter(|(share, _)| *share > 0.0005);
    all.map(|(share, text)| format!("{} {text}", w::percent(share))).collect::<Vec<_>>().join(", ")
}
