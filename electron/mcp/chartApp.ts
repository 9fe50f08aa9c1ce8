import { hoverScript } from '#shared/report/hoverScript.ts'

/** Extension of the protocol by which a client shows pages of a server beside the answers of its tools. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
/** Type of such a page, which a client names among the types that it can show. */
export const APP_TYPE = 'text/html;profile=mcp-app'
/** Address of the page that shows the chart of an answer. */
export const CHART_APP = 'ui://perpscope/chart'
/** Key under which a result carries the chart, which is for the page and not for the model. */
export const PICTURE_KEY = 'perpscope/picture'

const style = `
:root { color-scheme: light; --paper: #fff; --ink: #1a1d21; --soft: #59626d; --line: #e3e7ec; }
:root[data-theme='dark'] { color-scheme: dark; --paper: #16181c; --ink: #e6e9ed; --soft: #a0a9b4; --line: #2b3037; }
body { margin: 0; padding: 10px 12px; color: var(--ink); background: var(--paper); font: 13px/1.4 system-ui, sans-serif; }
p { margin: 0 0 6px; color: var(--soft); overflow-wrap: anywhere; }
#chart > svg { display: block; width: 100%; height: auto; font: 11px system-ui, sans-serif; }
#chart > svg:focus-visible { outline: 2px solid #138ee3; }
#chart > svg > rect:first-child { fill: var(--paper); }
#chart text { fill: var(--soft); }
#chart path[stroke='#e3e7ec'] { stroke: var(--line); }
.cursor { stroke: var(--soft); stroke-dasharray: 3 3; fill: none; }
#tip { position: absolute; white-space: pre; pointer-events: none; background: #1a1d21; color: #fff; padding: 6px 8px;
  border-radius: 4px; font: 12px/1.4 ui-monospace, Menlo, Consolas, monospace; }
#tip[hidden] { display: none; }
`

/**
 * Speaks with the client, which is the window around the page, and shows what it gives. The drawing comes from this
 * program, whose texts are escaped; it is parsed as a picture all the same, in which no script runs.
 */
const script = `'use strict';
const client = window.parent;
const say = (text) => (document.getElementById('text').textContent = text);
const send = (message) => client.postMessage({ jsonrpc: '2.0', ...message }, '*');
const hover = () => {
${hoverScript}
};
const setContext = ({ theme } = {}) => theme && document.documentElement.setAttribute('data-theme', theme);
const textOf = ({ content = [] }) => (content.find(({ type }) => type === 'text') || {}).text || '';
const show = (result) => {
  const picture = (result._meta || {})['${PICTURE_KEY}'];
  const chart = document.getElementById('chart');
  document.getElementById('tip')?.remove();
  if (!picture) {
    chart.replaceChildren();
    return say(result.isError ? textOf(result) : 'The answer has no values to draw.');
  }
  const drawing = new DOMParser().parseFromString(picture, 'image/svg+xml').documentElement;
  chart.replaceChildren(drawing);
  say(drawing.getAttribute('aria-label') || '');
  hover();
};
const answers = {
  'ui/notifications/tool-result': show,
  'ui/notifications/tool-cancelled': () => say('The call was stopped.'),
  'ui/notifications/host-context-changed': setContext,
};
window.addEventListener('message', ({ source, data }) => {
  if (source !== client || !data || data.jsonrpc !== '2.0') return;
  if (data.method === undefined && data.id === 1) {
    setContext((data.result || {}).hostContext);
    send({ method: 'ui/notifications/initialized', params: {} });
    new ResizeObserver(() => {
      const { scrollWidth: width, scrollHeight: height } = document.documentElement;
      send({ method: 'ui/notifications/size-changed', params: { width, height } });
    }).observe(document.body);
    return;
  }
  if (Object.hasOwn(answers, data.method)) answers[data.method](data.params);
  if (data.id !== undefined && data.method !== undefined) send({ id: data.id, result: {} });
});
const appInfo = { name: 'perpscope-chart', version: '1' };
const appCapabilities = { availableDisplayModes: ['inline', 'fullscreen'] };
send({ id: 1, method: 'ui/initialize', params: { appInfo, appCapabilities, protocolVersion: '2026-01-26' } });
`

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Chart</title><style>${style}</style></head>
<body><p id="text" role="status">The chart comes with the answer.</p><div id="chart"></div><script>${script}</script></body></html>
`

/** The page as a client reads it; it loads nothing, so that the client's strictest policy fits. */
export const chartAppContents = {
  uri: CHART_APP,
  mimeType: APP_TYPE,
  text: page,
  _meta: { ui: { prefersBorder: true } },
}
