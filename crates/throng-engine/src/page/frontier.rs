//! The front as a page to choose from: a picture of any two objectives, and what each point is.

use serde_json::Value;

use super::html::{Cell, count, page, paragraph, rows, section, table_of};
use crate::frontier::{FrontPoint, FrontierSummary, Method};
use crate::plot::{Mark, Plot, Series, escape};

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
    let header = format!(
        "<header>\n<h1>What can be had of {}</h1>\n{}</header>\n",
        escape(job),
        paragraph(&about(found))
    );
    let points = section("points", "The points", &points(found, job));
    let chosen = chosen(found, k).map(|at| format!(" data-chosen=\"{}\"", at + 1)).unwrap_or_default();
    let body = format!(
        "{header}<main{chosen}>\n{}{points}</main>\n",
        section("picture", "The front", &pictures(found))
    );
    page(&format!("The front of {job}"), &body, Some(SCRIPT))
}

/// The point of the least loss among those that have k; nothing if they are not compared by both.
fn chosen(found: &FrontierSummary, k: Option<u64>) -> Option<usize> {
    let loss = found.objectives.iter().position(|(_, more_is_better)| !more_is_better)?;
    let has_k = |point: &&(usize, &FrontPoint)| {
        point.1.values.get("k").and_then(Value::as_u64).zip(k).is_some_and(|(found, asked)| found >= asked)
    };
    let lost =
        |point: &FrontPoint| point.values.values().nth(loss).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
    let points: Vec<(usize, &FrontPoint)> = found.front.iter().enumerate().collect();
    let best = points.iter().filter(has_k).min_by(|a, b| lost(a.1).total_cmp(&lost(b.1)));
    best.map(|(at, _)| *at)
}

fn about(found: &FrontierSummary) -> String {
    let how = match (found.method, found.complete) {
        (_, true) => "All of them were looked at, so this is the whole front.",
        (Method::Exact, false) => "The search was stopped before it had looked at all of them.",
        _ => "A search met these; there may be others.",
    };
    format!(
        "No point here is worse than another in everything. Of {} choices of levels for {}, {} were looked at. {how} At most {} may be left out.",
        found.lattice_nodes,
        rows(found.rows),
        count(found.evaluated_nodes),
        rows(found.max_suppressed_rows)
    )
}

fn names(found: &FrontierSummary) -> Vec<&str> {
    found.objectives.iter().map(|(name, _)| name.as_str()).collect()
}

/// A picture for each two objectives, the first of which is shown.
fn pictures(found: &FrontierSummary) -> String {
    let names = names(found);
    let pairs: Vec<(usize, usize)> =
        (0..names.len()).flat_map(|x| (x + 1..names.len()).map(move |y| (x, y))).collect();
    let option = |&(x, y): &(usize, usize)| {
        format!("<option value=\"{x}-{y}\">{} and {}</option>", escape(names[x]), escape(names[y]))
    };
    let options: String = pairs.iter().map(option).collect();
    let pictures: String = pairs
        .iter()
        .enumerate()
        .map(|(at, &(x, y))| {
            let hidden = if at == 0 { "" } else { " hidden" };
            format!(
                "<div class=\"plot scroll\" data-pair=\"{x}-{y}\"{hidden}>{}</div>\n",
                picture(found, x, y)
            )
        })
        .collect();
    format!(
        "<p id=\"controls\" hidden><label>Show <select id=\"pair\">{options}</select></label></p>\n{pictures}<p id=\"detail\" aria-live=\"polite\" class=\"soft\">Point at a mark, or go to it with the Tab key and from one to the next with the arrow keys; Enter chooses.</p>\n<pre id=\"command\">choose a point to see the command that releases it</pre>\n"
    )
}

fn picture(found: &FrontierSummary, x: usize, y: usize) -> String {
    let names = names(found);
    let value = |point: &FrontPoint, at: usize| {
        point.values.values().nth(at).and_then(Value::as_f64).unwrap_or(f64::NAN)
    };
    let points: Vec<(f64, f64)> =
        found.front.iter().map(|point| (value(point, x), value(point, y))).collect();
    let mark =
        |(at, point): (usize, &FrontPoint)| Mark { id: (at + 1).to_string(), title: describe(at, point) };
    let marks = found.front.iter().enumerate().map(mark).collect();
    let label = |at: usize| {
        let better = if found.objectives[at].1 { "more" } else { "less" };
        format!("{} ({better} is better)", names[at])
    };
    let plot = Plot {
        title: format!("{} against {}", names[y], names[x]),
        x_label: label(x),
        y_label: label(y),
        log_x: is_wide(points.iter().map(|point| point.0)),
        log_y: is_wide(points.iter().map(|point| point.1)),
        series: vec![Series { name: String::new(), points, marks }],
    };
    plot.inline()
}

fn is_wide(values: impl Iterator<Item = f64> + Clone) -> bool {
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max));
    low > 0.0 && high > WIDE * low
}

/// A point in one line.
fn describe(at: usize, point: &FrontPoint) -> String {
    let pairs = |of: &serde_json::Map<String, Value>| {
        of.iter().map(|(name, value)| format!("{name} {}", spelled(value))).collect::<Vec<_>>().join(", ")
    };
    format!(
        "Point {}: {}; levels {}; {} left out",
        at + 1,
        pairs(&point.values),
        pairs(&point.levels),
        rows(point.suppressed_rows)
    )
}

fn spelled(value: &Value) -> String {
    match value.as_u64() {
        Some(whole) => count(whole),
        None => value.as_f64().map_or("–".to_owned(), |number| format!("{number:.4}")),
    }
}

fn points(found: &FrontierSummary, job: &str) -> String {
    let columns =
        found.front.first().map(|point| point.levels.keys().map(String::as_str).collect::<Vec<_>>());
    let head: Vec<String> = std::iter::once("point#".to_owned())
        .chain(names(found).iter().map(|name| format!("{name}#")))
        .chain(std::iter::once("left out#".to_owned()))
        .chain(columns.unwrap_or_default().iter().map(|name| format!("{name}#")))
        .collect();
    let row = |(at, point): (usize, &FrontPoint)| {
        let levels: Vec<String> = point.levels.values().map(ToString::to_string).collect();
        let attributes = format!(
            " data-mark=\"{}\" tabindex=\"0\" data-about=\"{}\" data-command=\"throng anonymize {} --node {}\"",
            at + 1,
            escape(&describe(at, point)),
            escape(job),
            levels.join(",")
        );
        let cells = std::iter::once((at + 1).to_string())
            .chain(point.values.values().map(spelled))
            .chain(std::iter::once(count(point.suppressed_rows)))
            .chain(levels);
        (attributes, cells.map(Cell::Number).collect())
    };
    let rows: Vec<(String, Vec<Cell>)> = found.front.iter().enumerate().map(row).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table_of(&head, &rows)
}
