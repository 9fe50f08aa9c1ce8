/** Styles of a report: light, dense, and cut into pages without tearing charts or rows. */
export const reportStyle = `
:root { color-scheme: light; --ink: #1a1d21; --soft: #59626d; --line: #d9dee4; --warn: #8a4b00; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1040px; padding: 24px 20px 64px; color: var(--ink); background: #fff;
  font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; margin: 0 0 4px; }
h2 { font-size: 16px; margin: 28px 0 8px; padding-top: 8px; border-top: 1px solid var(--line); }
.note :is(h3, h4, h5, h6) { font-size: 14px; margin: 16px 0 6px; }
.note h3 { font-size: 15px; }
.subtitle, figcaption, .below { color: var(--soft); margin: 0 0 8px; }
.warning { color: var(--warn); margin: 4px 0; }
.warning::before { content: '\\26a0  '; }
.synthetic { display: inline-block; border: 1px solid var(--warn); color: var(--warn); padding: 1px 8px; border-radius: 3px; }
figure { margin: 0; break-inside: avoid; }
svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; }
svg:focus-visible { outline: 2px solid #0b66c3; }
.cursor { stroke: #59626d; stroke-dasharray: 3 3; fill: none; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 4px 0; }
.legend svg { display: inline-block; width: 26px; height: 8px; margin-right: 6px; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid #0b66c3; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 4px 0; overflow-wrap: normal; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; }
.number { text-align: right; white-space: nowrap; }
.time { white-space: nowrap; }
.hash { font: 11px ui-monospace, Menlo, Consolas, monospace; }
pre, code { font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { white-space: pre-wrap; background: #f5f7f9; padding: 10px 12px; margin: 4px 0; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); color: var(--soft); }
#tip { position: absolute; white-space: pre; pointer-events: none; background: #1a1d21; color: #fff; padding: 6px 8px;
  border-radius: 4px; font: 12px/1.4 ui-monospace, Menlo, Consolas, monospace; z-index: 1; }
#tip[hidden] { display: none; }
@page { margin: 14mm 12mm; }
@page across { size: landscape; }
@media print {
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  table { font-size: 8pt; width: 100%; overflow-wrap: anywhere; }
  thead th { white-space: normal; }
  .wide { font-size: 6.5pt; }
  .wide :is(th, td) { padding-right: 4px; }
  section:has(.widest) { page: across; }
  #tip { display: none; }
}
`
