//! The look of all pages: light or dark as the reader's screen is, and on paper (A4).

/// The style sheet. The names of colours are those that pictures use.
pub(super) const STYLE: &str = r#"
:root { color-scheme: light dark; --ink: #1d2329; --paper: #ffffff; --card: #f6f7f9; --soft: #5a6570; --line: #d5dae0;
  --frame: #8a949e; --grid: #d5dae0; --faint: #e8ebee; --good: #0b6b3a; --good-paper: #e3f3ea; --bad: #a11d1d; --bad-paper: #fbe6e6;
  --c0: #6b8bb3; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --paper: #14181c; --card: #1d2329; --soft: #a3adb8; --line: #39424c;
  --frame: #76818c; --grid: #39424c; --faint: #2a3138; --good: #7ddca6; --good-paper: #12301f; --bad: #ff9d9d; --bad-paper: #3a1717;
  --c0: #7fa6d9; --c1: #f08a3c; --c2: #35c79a; --c3: #e29bc5; --c4: #f0b94a; --c5: #7cc8f2; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 Helvetica, Arial, "DejaVu Sans", sans-serif; }
main, header, footer { max-width: 70rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
p, ul { margin: .4rem 0 .8rem; max-width: 46rem; }
.soft { color: var(--soft); font-size: .9rem; }
.verdict { border-left: .4rem solid; padding: .6rem 1rem; margin: 1rem 0; font-size: 1.1rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.verdict.good { background: var(--good-paper); } .verdict.bad { background: var(--bad-paper); }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; margin: .4rem 0 .8rem; }
li { overflow-wrap: anywhere; } th, td { overflow-wrap: break-word; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.hash { font-family: monospace; font-size: .8rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); gap: 1rem; align-items: start; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; min-width: 0; }
figure { margin: .4rem 0 .8rem; } figcaption { color: var(--soft); font-size: .9rem; }
svg { display: block; max-width: 100%; height: auto; }
details { margin: .2rem 0 .6rem; } summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem 1rem; overflow-x: auto; font-size: .85rem; }
a { color: inherit; }
nav ul { columns: 14rem; list-style: none; padding: 0; max-width: none; font-size: .95rem; }
footer { color: var(--soft); font-size: .85rem; padding: 2rem 1.25rem; }
.mark { cursor: pointer; } .mark path { stroke-width: 2; pointer-events: all; }
.mark:focus { outline: none; } .mark:hover path, .mark:focus path { stroke-width: 4; }
.mark.chosen path { fill: currentColor; stroke-width: 4; }
.plot svg { min-width: 30rem; }
tr.chosen td { background: var(--good-paper); }
@page { size: A4; margin: 16mm 14mm; }
@media print { :root { --ink: #000; --paper: #fff; --card: #fff; --soft: #444; --line: #bbb; --frame: #777; --grid: #ccc; --faint: #e5e5e5;
  --good: #0b6b3a; --good-paper: #fff; --bad: #a11d1d; --bad-paper: #fff;
  --c0: #6b8bb3; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; }
  body { font-size: 10.5pt; } main, header, footer { max-width: none; padding: 0; } nav, .screen { display: none; }
  .card, figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } .cards { grid-template-columns: 1fr; }
  pre { white-space: pre-wrap; } .scroll { overflow: visible; } }
"#;
