//! The front as a page to choose from: a picture of any two objectives, and what each point is.

use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value};
use throng::wording::count_nodes;

use throng_engine::frontier::{FrontPoint, FrontierSummary, LocalPoint, Method};

use super::html::{count, page, rows};
use crate::plot::{Mark, Plot, Series};

/// Values that differ by more are drawn on a logarithmic scale.
const WIDE: f64 = 50.0;

/// What the page does: shows a pair of objectives, tells of the point that is pointed at, marks the chosen one.
/// Arrow keys go from point to point. Without it, the first picture and the table remain.
const SCRIPT: &str = r#"
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const pair = document.getElementById('pair'), detail = document.getElementById('detail');
  const command = document.getElementById('command');
  const shown = () => all('.plot').find(plot => !plot.hidden);
  const rows = new Map(all('tr[data-mark]').map(row => [row.dataset.mark, row]));
  const tell = id => { detail.textContent = rows.get(id).dataset.about; };
  const choose = id => {
    all('.chosen').forEach(one => one.classList.remove('chosen'));
    all(`[data-mark="${id}"]`).forEach(one => one.classList.add('chosen'));
    command.textContent = rows.get(id).dataset.command;
    tell(id);
  };
  all('[data-mark]').forEach(one => {
    one.addEventListener('mouseenter', () => tell(one.dataset.mark));
    one.addEventListener('focus', () => tell(one.dataset.mark));
    one.addEventListener('click', () => choose(one.dataset.mark));
    one.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === 'Enter' || event.key === ' ') { choose(one.dataset.mark); event.preventDefault(); }
      if (step === undefined) return;
      const peers = one.tagName === 'TR' ? [...rows.values()] : all('[data-mark]', shown());
      const next = peers[peers.indexOf(one) + step];
      if (next) next.focus();
      event.preventDefault();
    });
  });
  pair.addEventListener('change', () => all('.plot').forEach(plot => { plot.hidden = plot.dataset.pair !== pair.value; }));
  document.getElementById('controls').hidden = false;
  const first = document.querySelector('main').dataset.chosen;
  if (first) choose(first);
})();
"#;

/// The page as the text of an HTML file. `job` is the path of the job, for the command that releases a point, and
/// `k` what it asks for: of the points that have it, the one that loses least is marked.
pub fn frontier(found: &FrontierSummary, job: &str, k: Option<u64>) -> String {
    let shown = ShownPoints::new(found, job);
    let body = html! {
        main data-chosen=[chosen(found, k)] { div.sheet.broad {
            h1 { "Possible releases for " (job) }
            p { (about(found)) } "\n"
            section id="picture" { h2 { "The front" } (shown.pictures()) }
            section id="points" { h2 { "The points" } (shown.tables()) }
        } }
    };
    page(&format!("The front for {job}"), &body, Some(SCRIPT))
}

/// The number of the node of the least loss among those that have k; nothing if no loss is compared.
fn chosen(found: &FrontierSummary, k: Option<u64>) -> Option<usize> {
    let loss = found.objectives.iter().position(|(_, more_is_better)| !more_is_better)?;
    let lost = |point: &FrontPoint| value(&point.values, loss).unwrap_or(f64::INFINITY);
    let enough = found.front.iter().filter(|point| k.is_some_and(|k| point.k >= k));
    enough.min_by(|a, b| lost(a).total_cmp(&lost(b))).map(|point| point.number)
}

fn about(found: &FrontierSummary) -> String {
    let how = match (found.method, found.complete) {
        (_, true) => "All of them were checked, so this is the whole front.",
        (Method::Exact, false) => "The search was stopped before it had checked all of them.",
        _ => "A search found these points; there may be others.",
    };
    format!(
        "No other choice of levels beats a point of the front in every respect. Of {} choices of levels for \
         {}, {} were checked. {how} At most {} may be left out.{}",
        count_nodes(found.lattice_nodes),
        rows(found.rows),
        count(found.evaluated_nodes),
        rows(found.max_suppressed_rows),
        found
            .aggregate
            .as_ref()
            .map(|of| format!(" Losses over columns: {}.", of.text()))
            .unwrap_or_default()
    )
}

fn value(values: &Map<String, Value>, objective: usize) -> Option<f64> {
    values.values().nth(objective).and_then(Value::as_f64)
}

/// All that can be pointed at.
struct ShownPoints<'f> {
    found: &'f FrontierSummary,
    points: Vec<ShownPoint>,
    /// Names of the local algorithms, which follow the nodes.
    local: Vec<&'f str>,
}

/// A node of the front, or a local recoding.
struct ShownPoint {
    id: String,
    /// 0 for nodes, then the local algorithms.
    series: usize,
    values: Vec<Option<f64>>,
    /// What it is, in a line.
    about: String,
    command: String,
    cells: Vec<String>,
}

impl<'f> ShownPoints<'f> {
    fn new(found: &'f FrontierSummary, job: &str) -> ShownPoints<'f> {
        let mut local: Vec<&str> = Vec::new();
        for point in &found.local {
            if !local.contains(&point.algorithm.as_str()) {
                local.push(&point.algorithm);
            }
        }
        let nodes = found.front.iter().map(|point| ShownPoint::of_node(point, job));
        let series =
            |point: &LocalPoint| local.iter().position(|name| *name == point.algorithm).unwrap_or(0) + 1;
        let others = found.local.iter().filter_map(|point| ShownPoint::of_local(point, series(point), job));
        let points = nodes.chain(others).collect();
        ShownPoints { found, points, local }
    }

    fn names(&self) -> Vec<&str> {
        self.found.objectives.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// A picture for each two objectives, the first of which is shown.
    fn pictures(&self) -> Markup {
        let names = self.names();
        let pairs: Vec<(usize, usize)> =
            (0..names.len()).flat_map(|x| (x + 1..names.len()).map(move |y| (x, y))).collect();
        html! {
            p id="controls" hidden { label { "Show " select id="pair" {
                @for &(x, y) in &pairs { option value=(format!("{x}-{y}")) { (names[x]) " and " (names[y]) } }
            } } }
            @for (at, &(x, y)) in pairs.iter().enumerate() {
                div class="plot scroll" data-pair=(format!("{x}-{y}")) hidden[at > 0] {
                    (PreEscaped(self.picture(x, y)))
                }
                "\n"
            }
            p id="detail" class="soft" aria-live="polite" {
                "Point at a mark, or reach the marks with the Tab key and move between them with the arrow \
                    keys. "
                "Press Enter to choose one."
            }
            pre id="command" { "choose a point to see the command that releases it" }
        }
    }

    fn picture(&self, x: usize, y: usize) -> String {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let series = |at: usize| {
            let of = || self.points.iter().filter(move |point| point.series == at);
            let name = if self.local.is_empty() {
                ""
            } else {
                std::iter::once("levels").chain(self.local.iter().copied()).nth(at).unwrap_or("")
            };
            Series {
                name: name.to_owned(),
                points: of().map(|point| (number(point.values[x]), number(point.values[y]))).collect(),
                marks: of().map(|point| Mark { id: point.id.clone(), title: point.about.clone() }).collect(),
            }
        };
        let label = |at: usize| {
            let (name, more_is_better) = &self.found.objectives[at];
            format!("{name} ({} is better)", if *more_is_better { "more" } else { "less" })
        };
        let of = |at: usize| self.points.iter().filter_map(move |point| point.values[at]);
        let names = self.names();
        Plot {
            title: format!("{} against {}", names[y], names[x]),
            x_label: label(x),
            y_label: label(y),
            log_x: is_wide(of(x)),
            log_y: is_wide(of(y)),
            series: (0..=self.local.len()).map(series).collect(),
        }
        .inline()
    }

    /// The nodes with their levels, then the local recodings.
    fn tables(&self) -> Markup {
        let levels = self.found.front.first().map(|point| point.levels.keys());
        let levels: Vec<(&str, bool)> =
            levels.into_iter().flatten().map(|name| (name.as_str(), true)).collect();
        html! {
            (self.table(&[("point", true)], &levels, |series| series == 0))
            @if !self.local.is_empty() {
                h3 { "Local recodings" }
                p.soft {
                    "Local recodings generalise each class on its own, so they are not a choice of levels. \
                        One is dominated "
                    "if some node of the front is nowhere worse and somewhere better."
                }
                (self.table(&[("algorithm", false), ("k", true)], &[("dominated", false)], |series| series > 0))
            }
        }
    }

    /// Some of the points: what comes before the objectives and after the rows left out, each with whether it is a number.
    fn table(&self, first: &[(&str, bool)], last: &[(&str, bool)], wanted: impl Fn(usize) -> bool) -> Markup {
        let objectives: Vec<(&str, bool)> =
            self.names().into_iter().chain(["left out"]).map(|name| (name, true)).collect();
        let head: Vec<(&str, bool)> = [first, &objectives, last].concat();
        html! {
            div.scroll { table {
                thead { tr { @for (name, is_number) in &head { th scope="col" .n[*is_number] { (name) } } } }
                tbody { @for point in self.points.iter().filter(|point| wanted(point.series)) {
                    tr data-mark=(point.id) tabindex="0" data-about=(point.about) data-command=(point.command) {
                        @for (cell, (_, is_number)) in point.cells.iter().zip(&head) { td.n[*is_number] { (cell) } }
                    }
                    "\n"
                } }
            } }
        }
    }
}

impl ShownPoint {
    fn of_node(point: &FrontPoint, job: &str) -> ShownPoint {
        let levels: Vec<String> = point.levels.values().map(ToString::to_string).collect();
        let about = format!(
            "Point {}: {}; levels {}; {} left out",
            point.number,
            listed(&point.values),
            listed(&point.levels),
            rows(point.suppressed_rows)
        );
        let cells = std::iter::once(point.number.to_string()).chain(point.values.values().map(spelled));
        let cells = cells.chain([count(point.suppressed_rows)]).chain(levels.iter().cloned()).collect();
        ShownPoint {
            id: point.number.to_string(),
            series: 0,
            values: point.values.values().map(Value::as_f64).collect(),
            about,
            // The job's own k may be more than the point has.
            command: format!("throng anonymize {job} --node {} -k {}", levels.join(","), point.k.max(2)),
            cells,
        }
    }

    fn of_local(point: &LocalPoint, series: usize, job: &str) -> Option<ShownPoint> {
        let values = point.values.as_ref()?;
        let LocalPoint { algorithm, k, .. } = point;
        let left_out = rows(point.suppressed_rows);
        let dominated = match point.dominated {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        };
        let cells = [algorithm.clone(), k.to_string()].into_iter().chain(values.values().map(spelled));
        Some(ShownPoint {
            id: format!("{algorithm}-{k}"),
            series,
            values: values.values().map(Value::as_f64).collect(),
            about: format!("{algorithm} with k = {k}: {}; {left_out} left out", listed(values)),
            command: format!("throng anonymize {job} --algorithm {algorithm} -k {k}"),
            cells: cells.chain([count(point.suppressed_rows), dominated.to_owned()]).collect(),
        })
    }
}

fn is_wide(values: impl Iterator<Item = f64> + Clone) -> bool {
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
    low > 0.0 && high > WIDE * low
}

fn listed(of: &Map<String, Value>) -> String {
    of.iter().map(|(name, value)| format!("{name} {}", spelled(value))).collect::<Vec<_>>().join(", ")
}

fn spelled(value: &Value) -> String {
    match value.as_u64() {
        Some(whole) => count(whole),
        None => value.as_f64().map_or("–".to_owned(), |number| format!("{number:.4}")),
    }
}
