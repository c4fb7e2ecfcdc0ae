//! A run that is not over: where it is, and how to stop it.

use maud::html;

use super::frame::{Frame, Page};
use crate::queue::Sight;
use crate::store::Run;
use crate::words as w;

pub(crate) fn running(id: &str, run: &Run, sight: Option<Sight>) -> Page {
    let frame = Frame { title: w::RUNNING, name: Some(&run.name), step: Some((4, None)), switch: None };
    let now = sight.as_ref().map_or("queued", |sight| sight.phase);
    let place = w::PHASES.iter().position(|(phase, _)| *phase == now).unwrap_or_default();
    let content = html! {
        h1 { (w::RUNNING) }
        p.lede { (w::RUNNING_WHY) }
        div.card.gap data-run={ "/runs/" (id) } data-left=(w::TIME_LEFT) data-unknown=(w::TIME_UNKNOWN) {
            ol.phases {
                @for (at, (phase, text)) in w::PHASES.iter().enumerate() {
                    li.done[at < place] data-phase=(phase) aria-current=[(at == place).then_some("step")] { (text) }
                }
            }
            @match sight.filter(|sight| sight.total > 0) {
                Some(sight) => progress aria-label=(w::RUNNING) max="1000" value=((1000 * u128::from(sight.done) / u128::from(sight.total)).to_string()) {},
                None => progress aria-label=(w::RUNNING) {},
            }
            p.small.dim data-time {}
        }
        div.buttons.gap {
            form method="post" action={ "/runs/" (id) "/cancel" } { button.btn type="submit" { (w::STOP) } }
            a.btn href={ "/runs/" (id) } { (w::RELOAD) }
        }
    };
    frame.around(&content, None)
}
