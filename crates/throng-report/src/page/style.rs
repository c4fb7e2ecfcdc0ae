//! The look of all pages: light or dark as the reader's screen is, and on paper (A4) always light.

/// The style sheet. The names of colours are those that pictures use.
pub(super) const STYLE: &str = r#"
:root { color-scheme: light dark;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", Consolas, "Liberation Mono", Menlo, monospace;
  --t1: .75rem; --t2: .875rem; --t3: 1rem; --t4: 1.25rem; --t5: 1.5rem; --t6: 2rem;
  --s1: 4px; --s2: 8px; --s3: 12px; --s4: 16px; --s5: 24px; --s6: 32px; --s7: 48px; --r: 6px;
  --surface: #fff; --sunk: #f2f0ea; --ink: #1b1f24; --ink-2: #4d5560; --ink-3: #666d77; --line: #e2dfd6; --line-2: #8b8a83;
  --accent: #0a5aa8; --accent-soft: #e6f0fa; --secret: #7b3468; --secret-soft: #f7e9f3;
  --good: #006b55; --good-soft: #e0f3ed; --good-line: #35a588;
  --warn: #7a4d00; --warn-soft: #fdf2d8; --warn-line: #e0a11a;
  --bad: #a5300b; --bad-soft: #fdebe3; --bad-line: #d9622f;
  --d0: #0a4f96; --d1: #5b9bd5; --d2: #b9d6ef; --hatch: #b9b5a9; --frame: #8b8a83; --grid: #e6e3da; --faint: #efede6;
  --c0: #0a4f96; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #e69f00; --c5: #56b4e9; }
@media screen and (prefers-color-scheme: dark) { :root {
  --surface: #1a1e22; --sunk: #22272c; --ink: #ecebe6; --ink-2: #b4bac2; --ink-3: #979ea7; --line: #2f353b; --line-2: #767e87;
  --accent: #7ab8f5; --accent-soft: #162a3e; --secret: #e4a3d0; --secret-soft: #341a2d;
  --good: #63d0b2; --good-soft: #12302a; --good-line: #2f8f77;
  --warn: #f3c264; --warn-soft: #2f2511; --warn-line: #a87a1c;
  --bad: #ff9f7f; --bad-soft: #381c13; --bad-line: #c0562b;
  --d0: #8cc4fa; --d1: #3f7db8; --d2: #234a70; --hatch: #59616a; --frame: #767e87; --grid: #2a3036; --faint: #262c31;
  --c0: #8cc4fa; --c1: #f08a3c; --c2: #35c79a; --c3: #e29bc5; --c4: #f0b94a; --c5: #7cc8f2; } }
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--sunk); color: var(--ink); font: var(--t3)/1.5 var(--sans); font-variant-numeric: tabular-nums; }
h1, h2, h3, p, ul, ol, dl, dd, figure, table { margin: 0; padding: 0; }
h1 { font-size: var(--t6); line-height: 1.15; letter-spacing: -.02em; font-weight: 650; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: var(--t4); line-height: 1.25; letter-spacing: -.01em; font-weight: 650; margin-top: var(--s6); text-wrap: balance; }
h3 { font-size: var(--t3); line-height: 1.35; font-weight: 650; margin-top: var(--s4); overflow-wrap: anywhere; }
p { max-width: 72ch; text-wrap: pretty; }
ul { padding-left: 1.1em; } li { overflow-wrap: anywhere; }
h2 + p, h2 + .soft { margin: var(--s1) 0 var(--s3); font-size: var(--t2); color: var(--ink-2); }
a { color: var(--accent); text-underline-offset: 3px; }
code, pre { font-family: var(--mono); font-size: .92em; }
.soft { font-size: var(--t2); line-height: 1.45; color: var(--ink-2); } p + .soft, table + .soft, figure + .soft, .scroll + .soft { margin-top: var(--s2); }
.tiny { font-size: var(--t1); color: var(--ink-3); max-width: none; } .nowrap { white-space: nowrap; }
svg { display: block; max-width: 100%; height: auto; } svg text { font-family: var(--sans); fill: var(--ink-2); }
.sheet { max-width: 880px; margin: var(--s5) auto; background: var(--surface); border: 1px solid var(--line); border-radius: var(--r); padding: var(--s6) var(--s7) var(--s7); }
.sheet.broad { max-width: 1120px; }
.kick { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 var(--s3); max-width: none; font-size: var(--t1); color: var(--ink-3); margin-bottom: var(--s4); } .kick b { color: var(--ink); }
.facts { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: var(--s3) var(--s4); margin: var(--s4) 0; padding: var(--s3) 0; border-block: 1px solid var(--line); font-size: var(--t2); line-height: 1.4; }
.facts .w { grid-column: span 2; } .facts dt { font-size: var(--t1); color: var(--ink-3); } .facts dd { overflow-wrap: anywhere; } .facts .none { color: var(--ink-3); font-style: italic; }
.verdict { --c: var(--good); --b: var(--good-line); --f: var(--good-soft); display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--s4); padding: var(--s4); background: var(--f); border: 1px solid var(--b); border-left-width: 6px; border-radius: var(--r) var(--r) 0 0; }
.verdict.amber { --c: var(--warn); --b: var(--warn-line); --f: var(--warn-soft); } .verdict.red { --c: var(--bad); --b: var(--bad-line); --f: var(--bad-soft); }
.verdict > svg { color: var(--c); margin-top: 2px; width: 32px; }
.verdict .word { font-size: var(--t1); font-weight: 700; text-transform: uppercase; letter-spacing: .06em; color: var(--c); max-width: none; }
.verdict p { max-width: none; } .verdict h2 { font-size: var(--t5); margin: 2px 0 0; } .verdict ol { padding-left: 1.2em; margin-top: var(--s2); font-size: var(--t2); line-height: 1.45; } .verdict li + li { margin-top: var(--s1); }
.not { border: 1px solid var(--line-2); border-top: 0; border-radius: 0 0 var(--r) var(--r); padding: var(--s3) var(--s4); font-size: var(--t2); line-height: 1.45; }
.not ul { columns: 2; column-gap: var(--s5); margin-top: var(--s1); } .not li { break-inside: avoid; padding-bottom: var(--s1); }
.risk { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: var(--s4); margin-top: var(--s3); font-size: var(--t2); line-height: 1.4; color: var(--ink-2); } .risk b { display: block; font-size: var(--t5); line-height: 1.2; letter-spacing: -.02em; color: var(--ink); }
.sign { margin-top: var(--s5); border: 1px solid var(--ink-2); border-radius: var(--r); padding: var(--s4); font-size: var(--t2); }
.sign .boxes { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s5); margin: var(--s2) 0 var(--s6); max-width: none; } .sign .boxes span::before { content: ""; display: inline-block; width: 13px; height: 13px; border: 1.5px solid var(--ink-2); margin-right: var(--s2); vertical-align: -1px; } .sign .cond { flex: 1 0 16rem; border-bottom: 1px dotted var(--line-2); }
.sign .lines { display: grid; grid-template-columns: 2fr 2fr 1fr; gap: var(--s5); } .sign .lines span { border-top: 1px solid var(--ink-2); padding-top: 3px; font-size: var(--t1); color: var(--ink-2); }
table { border-collapse: collapse; width: 100%; font-size: var(--t2); line-height: 1.4; }
th, td { text-align: left; vertical-align: top; padding: 5px var(--s2); border-top: 1px solid var(--line); overflow-wrap: break-word; } td:first-child, th:first-child { padding-left: 0; }
thead th { border-top: 0; border-bottom: 1px solid var(--line-2); font-size: var(--t1); font-weight: 400; color: var(--ink-2); vertical-align: bottom; } tbody th { font-weight: 600; }
td.n, th.n { text-align: right; white-space: nowrap; } td.hash { font: var(--t1)/1.5 var(--mono); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; max-width: 100%; } .gloss { font-weight: 400; font-size: var(--t1); color: var(--ink-3); }
.yes { color: var(--good); font-weight: 600; } .no { color: var(--bad); font-weight: 600; } .judge { color: var(--warn); font-weight: 600; }
.yes, .no, .judge { white-space: nowrap; } .yes::before { content: "✓ "; } .no::before { content: "✗ "; } .judge::before { content: "▲ "; }
.tag { display: inline-block; font-size: var(--t1); line-height: 1.5; padding: 0 6px; border-radius: 3px; background: var(--sunk); color: var(--ink-2); white-space: nowrap; } .tag.quasi { background: var(--accent-soft); color: var(--accent); } .tag.sensitive { background: var(--secret-soft); color: var(--secret); }
.mix { --a: 0%; --b: 0%; --c: 0%; display: block; height: 12px; min-width: 60px; border-radius: 2px; forced-color-adjust: none; box-shadow: inset 0 0 0 1px var(--line);
  background: linear-gradient(90deg, var(--d0) 0 var(--a), var(--d1) 0 var(--b), var(--d2) 0 var(--c), transparent 0), repeating-linear-gradient(135deg, var(--hatch) 0 1.5px, transparent 1.5px 5px); }
.key { display: flex; flex-wrap: wrap; gap: var(--s1) var(--s4); font-size: var(--t1); color: var(--ink-2); margin-bottom: var(--s2); max-width: none; } .key span { display: inline-flex; align-items: center; gap: 6px; } .key .mix { width: 20px; min-width: 20px; height: 10px; }
.multi td, .multi tbody th { vertical-align: middle; } .multi .bar { width: 30%; } .multi .lv { color: var(--ink-2); font-size: var(--t1); } .roles td:nth-child(2) { width: 30%; } .multi .low, .wide .low b { color: var(--bad); font-weight: 700; }
.wide { list-style: none; padding: 0; columns: 5; column-gap: var(--s4); font: 10px/15px var(--mono); } .wide li { display: grid; grid-template-columns: 6.4em minmax(0, 1fr) 2.4em; gap: 4px; align-items: center; break-inside: avoid; } .wide span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .wide .mix { height: 7px; min-width: 0; } .wide b { text-align: right; font-weight: 400; color: var(--ink-2); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 0 var(--s6); align-items: start; } .figures figure { break-inside: avoid; }
figure { margin: var(--s2) 0; } figcaption { color: var(--ink-2); font-size: var(--t1); margin-top: var(--s1); }
details { margin: var(--s2) 0; } summary { cursor: pointer; color: var(--ink-2); font-size: var(--t2); }
pre { background: var(--sunk); border: 1px solid var(--line); border-radius: var(--r); padding: var(--s2) var(--s3); margin: var(--s2) 0; overflow-x: auto; font-size: var(--t1); white-space: pre-wrap; }
.mark { cursor: pointer; } .mark path { stroke-width: 2; pointer-events: all; } .mark:focus { outline: none; } .mark:hover path, .mark:focus path { stroke-width: 4; }
.mark.chosen path { fill: currentColor; stroke-width: 4; } .plot svg { min-width: 30rem; } tr.chosen td { background: var(--good-soft); } tr:focus-visible, a:focus-visible, select:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 700px) { :root { --t6: 1.625rem; --t5: 1.25rem; --t4: 1.125rem; } .sheet { padding: var(--s4); margin: 0; border: 0; border-radius: 0; } .sheet + .sheet, .page .sheet { border-top: var(--s3) solid var(--sunk); }
  .facts, .risk, .sign .lines { grid-template-columns: minmax(0, 1fr); } .facts .w { grid-column: auto; } .sign .lines { gap: var(--s6); } .not ul { columns: 1; } .wide { columns: 2; } .multi thead { position: absolute; clip-path: inset(50%); } .multi tr { display: grid; grid-template-columns: minmax(0, 1fr) 36% 4.5em; align-items: center; border-top: 1px solid var(--line); padding: 3px 0; } .multi td, .multi tbody th { border: 0; padding-block: 1px; } .multi td.bar { width: auto; } .multi td.ro { display: none; } .multi td.lv { grid-column: 1 / -1; padding-left: 0; }
  .verdict { padding: var(--s3); gap: var(--s3); } .changes svg text { font-size: 14px; }
  .stack thead { position: absolute; clip-path: inset(50%); } .stack tr, .stack td, .stack tbody th { display: block; border: 0; padding: 1px 0; } .stack tr { border-top: 1px solid var(--line); padding: var(--s2) 0; } .stack td[data-is]::before { content: attr(data-is) ": "; color: var(--ink-3); } .stack td.n { text-align: left; } .stack td:empty { display: none; } .roles td:nth-child(2) { width: auto; } .roles th.nowrap { white-space: normal; } }
@page { size: A4; margin: 14mm 15mm 15mm; }
@media print { :root { color-scheme: light; --ink: #000; } html { font-size: 12.5px; } body { background: #fff; } * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .sheet, .sheet.broad { border: 0; margin: 0; padding: 0; max-width: none; } .screen { display: none; } .page { break-before: page; }
  h2, h3, h2 + p, .key { break-after: avoid; } pre { break-inside: auto; } tr, figure, .verdict, .not, .sign, .keep { break-inside: avoid; } thead { display: table-header-group; } .scroll { overflow: visible; }
  .p1 { font-size: 12px; } .p1 h1 { font-size: 21px; } .p1 h2 { margin-top: var(--s3); font-size: 14px; } .p1 .kick { margin-bottom: var(--s2); } .p1 .verdict { padding: var(--s2) var(--s3); } .p1 .verdict h2 { font-size: 16px; margin: 0; } .p1 .verdict ol, .p1 table, .p1 .facts, .p1 .not, .p1 .risk, .p1 .sign { font-size: 10.5px; line-height: 1.35; } .p1 .verdict li + li { margin-top: 2px; }
  .p1 .facts { margin: var(--s2) 0; padding: var(--s2) 0; gap: var(--s1) var(--s4); } .p1 .not { padding: var(--s2) var(--s3); } .p1 .not li { padding-bottom: 1px; } .p1 .risk { margin-top: var(--s1); } .p1 .risk b { font-size: 15px; } .p1 td, .p1 th { padding-block: 2px; } .p1 .sign { margin-top: var(--s3); padding: var(--s2) var(--s3); } .p1 .sign .boxes { margin: var(--s1) 0 30px; }
  .wide { font-size: 8px; line-height: 12px; } }
"#;
