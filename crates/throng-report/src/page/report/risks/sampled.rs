//! What the table tells as a sample of a population, of households, and by a policy.

use maud::html;
use throng_engine::check::{CheckSummary, Criterion};
use throng_engine::policy;

use super::{Mark, RiskQuestion};
use crate::evidence::Evidence;
use crate::page::html::{decimal, percent};

/// The questions that the job's sampling, households and policy ask.
pub(super) fn questions(evidence: &Evidence) -> Vec<RiskQuestion> {
    let share = |text: &str, gloss: &str, of: fn(&CheckSummary) -> Option<f64>| {
        let (before, after) = (of(&evidence.before), of(&evidence.after));
        let told = |share: Option<f64>| share.map_or("not known".to_owned(), percent);
        (before.is_some() || after.is_some()).then(|| RiskQuestion {
            question: html! { (text) " " span.gloss { (gloss) } },
            before: told(before),
            after: told(after),
            asked: "no limit set".to_owned(),
            holds: Mark::Nothing,
        })
    };
    let asked = [
        share(
            "What is the chance that a match with somebody of the population is right, at most?",
            "individual risk",
            |found| found.sample.as_ref().map(|sample| sample.highest_risk),
        ),
        share("And on average?", "global risk", |found| {
            found.sample.as_ref().map(|sample| sample.global_risk)
        }),
        share("What is the estimated share of rows unique in the population?", "Dankar et al.", |found| {
            found.population.as_ref().and_then(|population| population.dankar.share)
        }),
        share(
            "What is the chance that somebody of a household is found, on average?",
            "household risk",
            |found| found.household.as_ref().map(|household| household.mean_risk),
        ),
    ];
    asked.into_iter().flatten().chain(of_policy(evidence)).collect()
}

/// What the policy of the job asks for, one by one.
fn of_policy(evidence: &Evidence) -> Vec<RiskQuestion> {
    let policy = evidence.job.policy.as_deref().and_then(|name| policy::find(name).ok());
    let Some(policy) = policy else { return Vec::new() };
    let judge = |found: &CheckSummary| policy.judge(found, Vec::new()).criteria;
    let both = judge(&evidence.before).into_iter().zip(judge(&evidence.after));
    let ask = |(before, after): (Criterion, Criterion)| RiskQuestion {
        question: html! { "Does the policy hold? " span.gloss { (policy.name) ", " (after.name.replace('_', " ")) } },
        before: decimal(before.found),
        after: decimal(after.found),
        asked: decimal(after.asked),
        holds: match (after.holds, evidence.after.lacks_persons) {
            (true, true) => Mark::NotJudged,
            (true, false) => Mark::Yes,
            (false, _) => Mark::No,
        },
    };
    both.map(ask).collect()
}
