//! What classifiers learn from a release, beside what they learn from the original.

use maud::{Markup, html};
use throng_engine::evaluate::{EvaluateSummary, TrainedOn};
use throng_engine::job::Role;

use super::Result;
use crate::pages::parts;
use crate::words as w;

impl Result {
    pub(super) fn learned(&self) -> Markup {
        let targets = self.targets();
        if targets.is_empty() {
            return html! {};
        }
        html! {
            section.card id="learned" aria-labelledby="h-learned" {
                h2 id="h-learned" { (w::LEARNED) }
                p.small.dim { (w::LEARNED_WHY) }
                (self.stage(&self.learned, "learned", accuracies))
                form.row method="post" action={ "/runs/" (self.id) "/classify" } {
                    label.field { span { (w::LEARNED_TARGET) } select name="target" {
                        @for name in &targets { option value=(name) { (name) } }
                    } }
                    button.btn type="submit" { (w::LEARNED_BUTTON) }
                }
            }
        }
    }

    /// Columns that may be predicted: the one that the job names first, then the secrets, then all that are kept.
    fn targets(&self) -> Vec<String> {
        let columns = || self.job.iter().flat_map(|job| job.columns.named());
        let of_role =
            |role| columns().filter(move |(_, column)| column.role == role).map(|(name, _)| name.to_owned());
        [Role::Target, Role::Sensitive, Role::Other].into_iter().flat_map(of_role).collect()
    }
}

fn accuracies(found: &EvaluateSummary) -> Markup {
    let result = |classifier, trained| {
        let all =
            found.results.iter().filter(|one| one.classifier == classifier && one.trained_on == trained);
        // Asked about records like those that it learned from, which all of them are.
        all.min_by_key(|one| one.tested_on_original != (trained != TrainedOn::Released))
            .map(|one| one.accuracy)
    };
    let mut kinds: Vec<_> = found.results.iter().map(|one| one.classifier).collect();
    kinds.dedup();
    let columns = [TrainedOn::Original, TrainedOn::Released, TrainedOn::WithoutQuasi];
    html! {
        div.scroll.gap tabindex="0" role="region" aria-labelledby="h-learned" { table {
            caption { (w::learned_of(&found.target)) }
            thead { tr { @for title in &w::LEARNED_COLUMNS { th scope="col" { (title) } } } }
            tbody {
                @for kind in kinds { tr {
                    th scope="row" { (w::classifier(kind.name())) }
                    @for trained in columns { td { @if let Some(share) = result(kind, trained) { (w::percent(share)) (parts::bar(share, false)) } @else { "–" } } }
                } }
                tr { th scope="row" { (w::LEARNED_NOTHING) } td colspan="3" { (w::percent(found.majority)) } }
            }
        } }
        @if !found.notes.is_empty() { ul.list.small.gap { @for note in &found.notes { li { (note) } } } }
    }
}
