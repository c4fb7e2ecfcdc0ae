//! Who could be found, and what could be learned: before, after, and what was asked for.

use maud::{Markup, html};

use throng_engine::check::{Bucket, CheckSummary, ModelDegree};
use throng_engine::job::RowOrder;
use throng_engine::summary::RequirementSummary;

use crate::evidence::{Evidence, Guess, NEARLY_CERTAIN};
use crate::page::html::{count, decimal, figure, one_in, percent, table};
use crate::plot::{BarRow, Bars, ChangedRow, Changes};

mod sampled;

use super::first::crowds;
use super::words::unit;
use super::{banner, models};

/// Secrets that the picture and the table have a line for.
const MOST_SECRETS: usize = 5;

/// A model of secrets, from where on it says something, whether less is worse, and what it is in words.
type Threshold = (&'static str, f64, bool, &'static str);

const THRESHOLDS: [Threshold; 3] = [
    ("distinct-l", 2.0, true, "few values: with 1, knowing the crowd reveals the value (distinct-l)"),
    (
        "alpha-k",
        NEARLY_CERTAIN,
        false,
        "a large share of one value: above 80 %, a guess is nearly certain (alpha-k)",
    ),
    (
        "t-closeness",
        0.5,
        false,
        "a large distance from the whole table: above 0.5, the crowd reveals a lot about its people (t-closeness)",
    ),
];

pub(super) fn body(evidence: &Evidence) -> Markup {
    let points = banner::points(evidence);
    html! {
        p { "What could be done by an attacker who knows every column that others may know. ○ before, \
             ● after, | the limit you set." }
        (picture(evidence))
        (asks(evidence))
        @if let Some(explained) = explained(evidence) { p.soft { (explained) } }
        @if evidence.job.person().is_none() { (sizes(evidence)) }
        (secrets(evidence))
        @if !points.is_empty() {
            h3 { "What would resolve the points on page 1" }
            ul.soft { @for point in &points { li { b { (point.title) } ": " (point.remedy) } } }
        }
        @if let Some(summary) = evidence.summary.as_ref().filter(|summary| !summary.warnings.is_empty()) {
            h3 { "Warnings from the run" }
            ul.soft { @for warning in &summary.warnings { li { (warning) } } }
        }
    }
}

fn picture(evidence: &Evidence) -> Markup {
    let unit = unit(evidence);
    let limit = evidence.job.privacy.k.map(|k| 1.0 / k as f64);
    let after = evidence.highest_risk();
    let mut rows =
        vec![row(&format!("right {}, worst case", unit), evidence.before.risk.highest, after, limit)];
    let by_rows = evidence.job.person().is_none() && evidence.crowds.is_none();
    rows.extend(by_rows.then(|| {
        row(
            &format!("right {}, on average", unit),
            evidence.before.risk.mean,
            Some(evidence.after.risk.mean),
            None,
        )
    }));
    let mut guesses: Vec<&Guess> = evidence.guesses.iter().collect();
    guesses.sort_by(|a, b| b.gain().total_cmp(&a.gain()));
    let guesses = guesses.into_iter().take(MOST_SECRETS);
    rows.extend(guesses.map(|guess| {
        row(&format!("{} guessed right", guess.column), guess.before, Some(guess.with_crowds), None)
    }));
    let numbers: Vec<Vec<String>> =
        rows.iter().map(|row| vec![row.label.clone(), row.text.clone()]).collect();
    let picture = Changes {
        title: "Chances of finding a person and of guessing secrets, before and after".to_owned(),
        ticks: ["0 %", "50 %", "100 %"].map(str::to_owned),
        full: 1.0,
        rows,
    };
    html! { div.changes { (figure(picture.inline(), "", &table(&["chance", "before → after"], &numbers))) } }
}

fn row(label: &str, before: f64, after: Option<f64>, limit: Option<f64>) -> ChangedRow {
    let text = format!("{} → {}", percent(before), after.map_or("not known".to_owned(), percent));
    ChangedRow { label: label.to_owned(), before: Some(before), after, limit, text }
}

/// A question, with its answers before and after.
struct RiskQuestion {
    question: Markup,
    before: String,
    after: String,
    asked: String,
    holds: Mark,
}

#[derive(Clone, Copy)]
enum Mark {
    Yes,
    No,
    Judge,
    NotJudged,
    Nothing,
}

fn asks(evidence: &Evidence) -> Markup {
    let all = required(evidence)
        .into_iter()
        .chain(crowd(evidence))
        .chain([left_out(evidence)])
        .chain(one_of_a_kind(evidence))
        .chain(average(evidence))
        .chain(population(evidence))
        .chain(sampled::questions(evidence))
        .chain(certain(evidence))
        .chain([order(evidence)]);
    html! {
        table.stack {
            thead { tr {
                th scope="col" { "question" } th.n scope="col" { "before" } th.n scope="col" { "after" }
                th scope="col" { "you asked for" } th scope="col" { "holds?" }
            } }
            tbody { @for ask in all {
                tr {
                    th scope="row" { (ask.question) }
                    td.n data-is="before" { (ask.before) }
                    td.n data-is="after" { (ask.after) }
                    td data-is="asked" { (ask.asked) }
                    @match ask.holds {
                        Mark::Yes => td { span.yes { "yes" } },
                        Mark::No => td { span.no { "no" } },
                        Mark::Judge => td { span.judge { "judge" } },
                        Mark::NotJudged => td { span.judge { "not judged" } },
                        Mark::Nothing => td {},
                    }
                }
                "\n"
            } }
        }
    }
}

/// What the job requires, one by one.
fn required(evidence: &Evidence) -> Vec<RiskQuestion> {
    let ask = |one: &throng_engine::check::RequirementFound| {
        let found = evidence.judged(one);
        let same = |other: &&throng_engine::check::RequirementFound| {
            (&other.summary.model, &other.summary.column, &other.summary.shield, &other.summary.parameters)
                == (&one.summary.model, &one.summary.column, &one.summary.shield, &one.summary.parameters)
        };
        let before = evidence.before.requirements.iter().find(same);
        let before = before
            .and_then(|one| one.summary.degree.map(|degree| models::number_of(&one.summary.model, degree)));
        let over_all = found.shield.len() == evidence.before.quasi.len();
        let k_before = (found.model == "k" && over_all).then(|| count(evidence.before.k));
        let has_too_few = found.model == "k" && evidence.has_too_few_rows();
        RiskQuestion {
            question: html! {
                (models::question(found)) " " span.gloss { (models::gloss(&found.model)) (over(evidence, found)) }
                @if has_too_few { " " span.gloss { "(some crowd has fewer rows than it must have people)" } }
                @else if one.failing_classes > 0 { " " span.gloss { "fails in " (crowds(one.failing_classes)) } }
            },
            before: before.or(k_before).unwrap_or_else(|| "not known".to_owned()),
            after: if found.holds.is_none() { "not known".to_owned() } else { models::degree(found) },
            asked: models::asked(found),
            holds: match found.holds {
                _ if has_too_few => Mark::No,
                Some(true) => Mark::Yes,
                Some(false) => Mark::No,
                None => Mark::NotJudged,
            },
        }
    };
    evidence.after.requirements.iter().map(ask).collect()
}

/// Over which columns, if not over all that others may know.
fn over(evidence: &Evidence, one: &RequirementSummary) -> String {
    match one.shield.len() == evidence.before.quasi.len() {
        true => String::new(),
        false => format!(" over {}", one.shield.join(", ")),
    }
}

fn crowd(evidence: &Evidence) -> Option<RiskQuestion> {
    let (notion, asked, found) = evidence.crowd()?;
    Some(RiskQuestion {
        question: html! { "How many rows fit each person, at least? " span.gloss { (notion.text()) } },
        before: count(evidence.before.k),
        after: count(found),
        asked: format!("{} or more", count(asked)),
        holds: if found >= asked { Mark::Yes } else { Mark::No },
    })
}

fn left_out(evidence: &Evidence) -> RiskQuestion {
    let (most, found) = evidence.left_out();
    RiskQuestion {
        question: html! { "How many rows are left out or masked?" },
        before: "0".to_owned(),
        after: count(found),
        asked: if most == 0 { "none".to_owned() } else { format!("{} or fewer", count(most)) },
        holds: if found <= most { Mark::Yes } else { Mark::No },
    }
}

/// Where people are counted, the release tells only that none are, by the smallest crowd.
fn one_of_a_kind(evidence: &Evidence) -> Option<RiskQuestion> {
    let (before, after) = (evidence.before.exposure.unique_rows, evidence.after.exposure.unique_rows);
    let smallest = evidence.smallest_crowd()?;
    let after = match evidence.job.person() {
        None => after,
        Some(_) if smallest > 1 => 0,
        Some(_) => return None,
    };
    // Rows that are crowds by another notion may be one of a kind.
    let holds = if evidence.crowds.is_some() {
        Mark::Nothing
    } else if after == 0 {
        Mark::Yes
    } else {
        Mark::Judge
    };
    let asked = if evidence.job.privacy.k.is_some() && evidence.crowds.is_none() {
        "follows from k"
    } else {
        "no limit set"
    };
    Some(RiskQuestion {
        question: html! {
            @match unit(evidence) {
                "row" => "How many rows are one of a kind?",
                "household" => "How many rows are of households that are one of a kind?",
                _ => "How many rows are of people who are one of a kind?",
            }
        },
        before: count(before),
        after: count(after),
        asked: asked.to_owned(),
        holds,
    })
}

fn average(evidence: &Evidence) -> Option<RiskQuestion> {
    let by_rows = evidence.job.person().is_none() && evidence.crowds.is_none();
    by_rows.then(|| RiskQuestion {
        question: html! { "What is the chance of picking the right row, on average? " span.gloss { "marketer" } },
        before: one_in(evidence.before.risk.mean),
        after: one_in(evidence.after.risk.mean),
        asked: "no limit set".to_owned(),
        holds: Mark::Nothing,
    })
}

/// The highest chance to find somebody of the population, if one was counted over all that others may know.
fn population(evidence: &Evidence) -> Option<RiskQuestion> {
    let all = &evidence.summary.as_ref()?.requirements;
    let of_all = all.iter().filter(|one| one.shield.len() == evidence.before.quasi.len());
    let chance = |one: &RequirementSummary| match one.model.as_str() {
        "k-map" => one.degree.map(|members| 1.0 / members.max(1.0)),
        "max-risk" if one.parameters.get("attacker").is_some_and(|who| who == "journalist") => one.degree,
        _ => None,
    };
    let highest = of_all.filter_map(chance).reduce(f64::max)?;
    Some(RiskQuestion {
        question: html! { "What is the chance of finding somebody of the population, at most? " span.gloss { "journalist" } },
        before: percent(evidence.before.risk.highest),
        after: percent(highest),
        asked: "see above".to_owned(),
        holds: Mark::Nothing,
    })
}

/// Secrets that some crowds reveal, and how many others there are.
fn certain(evidence: &Evidence) -> Vec<RiskQuestion> {
    let mut found: Vec<&Guess> = evidence.guesses.iter().collect();
    found.sort_by_key(|guess| std::cmp::Reverse(guess.certain_rows));
    let shown = found.len().min(MOST_SECRETS);
    let limited = |column: &String| {
        evidence.after.requirements.iter().any(|one| one.summary.column.as_ref() == Some(column))
    };
    let ask = |guess: &&Guess| RiskQuestion {
        question: html! { "How many rows are in crowds where everyone has the same " code { (guess.column) } "?" },
        before: count(guess.certain_rows_before),
        after: count(guess.certain_rows),
        asked: if limited(&guess.column) { "limited above" } else { "no limit set" }.to_owned(),
        holds: match guess.certain_rows {
            0 if limited(&guess.column) => Mark::Yes,
            0 => Mark::Nothing,
            _ => Mark::Judge,
        },
    };
    let mut asks: Vec<RiskQuestion> = found[..shown].iter().map(ask).collect();
    let others = found[shown..].iter().map(|guess| guess.certain_rows).max().unwrap_or(0);
    if found.len() > shown {
        asks.push(RiskQuestion {
            question: html! { "And for the worst of the other " (found.len() - shown) " secret columns?" },
            before: count(found[shown..].iter().map(|guess| guess.certain_rows_before).max().unwrap_or(0)),
            after: count(others),
            asked: "no limit set".to_owned(),
            holds: if others == 0 { Mark::Nothing } else { Mark::Judge },
        });
    }
    asks
}

fn order(evidence: &Evidence) -> RiskQuestion {
    let (after, asked, holds) = match evidence.job.output.order {
        RowOrder::Keep => ("yes", "order kept", Mark::Judge),
        RowOrder::Shuffle { seed: None } => ("no", "shuffled", Mark::Yes),
        RowOrder::Sort => ("no", "sorted by what they show", Mark::Yes),
        RowOrder::Shuffle { seed: Some(_) } => ("with the seed", "shuffled with a seed", Mark::Judge),
    };
    RiskQuestion {
        question: html! { "Can the order of the rows reveal who is who?" },
        before: "yes".to_owned(),
        after: after.to_owned(),
        asked: asked.to_owned(),
        holds,
    }
}

fn explained(evidence: &Evidence) -> Option<String> {
    if let Some(crowds) = evidence.crowds {
        return Some(format!(
            "Crowds overlap in this release. Whoever an attacker looks for, at least {} rows could belong to \
                that person ({} if the attacker knows exactly who is in the table). That is the protection: \
                few rows may look exactly alike.",
            count(crowds.one_k),
            count(crowds.global_one_k)
        ));
    }
    let name = evidence.job.person()?;
    let counted =
        if evidence.summary.is_some() { "by the run" } else { "in the original, as far as it shows" };
    let who = if unit(evidence) == "household" { "Households" } else { "People" };
    Some(format!(
        "{who} are counted, by {name}. The release does not say which {} a row belongs to, so they \
         were counted {counted}.",
        unit(evidence)
    ))
}

fn sizes(evidence: &Evidence) -> Markup {
    let (before, after) = (&evidence.before, &evidence.after);
    let longest =
        if before.histogram.len() > after.histogram.len() { &before.histogram } else { &after.histogram };
    let share = |found: &CheckSummary, at: usize| {
        let share = found.histogram.get(at).map_or(0.0, |one| one.rows as f64 / found.rows.max(1) as f64);
        Some((share, percent(share)))
    };
    let bars = longest.iter().enumerate().map(|(at, bucket)| BarRow {
        label: label(bucket),
        before: share(before, at),
        after: share(after, at),
        hatched: false,
    });
    let numbers: Vec<Vec<String>> = longest
        .iter()
        .enumerate()
        .map(|(at, bucket)| {
            let of = |found: &CheckSummary| {
                let bucket = found.histogram.get(at);
                [count(bucket.map_or(0, |one| one.classes)), count(bucket.map_or(0, |one| one.rows))]
            };
            std::iter::once(label(bucket)).chain(of(before)).chain(of(after)).collect()
        })
        .collect();
    let picture = Bars {
        title: "Share of the rows in crowds of each size, before and after".to_owned(),
        rows: bars.collect(),
    };
    let head = ["rows that look alike", "crowds before#", "rows before#", "crowds after#", "rows after#"];
    html! {
        h3 { "How many look alike" }
        (figure(
            picture.inline(),
            "Share of the rows in crowds of each size. The larger the crowd, the safer.",
            &table(&head, &numbers),
        ))
    }
}

fn label(bucket: &Bucket) -> String {
    if bucket.from == bucket.to {
        count(bucket.from)
    } else {
        format!("{}–{}", count(bucket.from), count(bucket.to))
    }
}

/// Models of secrets that nobody asked for, where they say something.
fn secrets(evidence: &Evidence) -> Markup {
    if evidence.after.sensitive.is_empty() || evidence.job.person().is_some() || evidence.crowds.is_some() {
        return html! {};
    }
    let telling: Vec<Vec<String>> =
        THRESHOLDS.iter().filter_map(|threshold| telling(evidence, threshold)).collect();
    html! {
        h3 { "What crowds reveal about secrets" }
        @if telling.is_empty() {
            p.soft {
                "Nothing else stands out. In every crowd, each secret has at least 2 values, none of which is in more than 80 % of "
                "its rows, and no crowd's distance from the whole table is above 0.5."
            }
        } @else {
            (table(&["the worst crowd has", "#", "secret columns beyond the threshold"], &telling))
        }
    }
}

/// The columns that pass a threshold, the worst first, and how far that one goes.
fn telling(evidence: &Evidence, (model, at, less_is_worse, words): &Threshold) -> Option<Vec<String>> {
    let of_model = evidence.after.models.iter().filter(|found| found.model == *model && is_plain(found));
    let degrees = of_model.filter_map(|found| Some((found.degree?, found.column.as_deref()?)));
    let mut found: Vec<(f64, &str)> =
        degrees.filter(|(degree, _)| if *less_is_worse { degree < at } else { degree > at }).collect();
    found.sort_by(|a, b| if *less_is_worse { a.0.total_cmp(&b.0) } else { b.0.total_cmp(&a.0) });
    let (worst, _) = found.first()?;
    let spelled =
        if *model == "alpha-k" { percent(*worst) } else { decimal((worst * 100.0).round() / 100.0) };
    let names: Vec<&str> = found.iter().take(MOST_SECRETS).map(|(_, column)| *column).collect();
    let more = match found.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(vec![(*words).to_owned(), spelled, names.join(", ") + &more])
}

/// One variant of each model is enough.
fn is_plain(found: &ModelDegree) -> bool {
    found.variant.get("distance").is_none_or(|distance| distance == "equal" || distance == "auto")
}
