import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { notebookText } from '#shared/report/notebook.ts'
import type { PartQuery } from '#shared/report/reportContent.ts'
import { workspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython } from './peer.ts'
import { place, range, serveApi, study, symbols } from './servedApi.ts'

const modulePath = join(import.meta.dirname, '..', '..', 'resources', 'python')
const column = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  symbol: symbols[0],
  timestamp: 'exchange',
  ...place,
}
const workspace = workspaceDocument.parse({
  version: 1,
  panes: [
    {
      ...{ id: 'p', title: 'Price' },
      series: [
        { id: 'a', name: 'a', source: column },
        { id: 'b', name: 'b', source: { kind: 'formula', formula: 'sma(a, 24) / a' } },
      ],
    },
  ],
})

/** Runs a notebook in a kernel of its own. @returns the outputs of its code cells, as text */
const runNotebook = (path: string, dataDir: string) => `
import json, os
os.environ.update(PYTHONPATH=${JSON.stringify(modulePath)}, PERPSCOPE_DATA_DIR=${JSON.stringify(dataDir)}, IPYTHONDIR="ipython", JUPYTER_RUNTIME_DIR="runtime")
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(${JSON.stringify(path)}, as_version=4)
nbformat.validate(notebook)
NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
def said(output):
    return output["text"] if "text" in output else "\\n".join(str(each) for each in output["data"].values())
print(json.dumps(["\\n".join(said(each) for each in cell["outputs"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]))
`

const parts: Record<string, { query: PartQuery; says: RegExp }> = {
  'a study': {
    query: { kind: 'study', document: study, panel: null, against: null },
    says: /'kind': 'signal'/,
  },
  'a query': {
    query: {
      kind: 'sql',
      sql: 'SELECT count(*) AS n FROM metrics.ohlcv WHERE symbol = $s',
      parameters: { s: symbols[0] },
    },
    says: /│ 72/,
  },
  'a chart': {
    query: {
      ...{ kind: 'workbench', name: 'Desk', document: workspace },
      ...{ startMs: Date.parse(range.start), endMs: Date.parse(range.end) },
    },
    says: /Figure size/,
  },
  'a tear sheet': {
    query: {
      ...{ kind: 'tearsheet', portfolio: 'momentum_ls.20', smoothing: null, exchange: null, benchmark: 'BTC' },
      ...{ riskFree: 0, rolling: null, start: '2026-08-01', end: '2026-08-20', returns: null },
    },
    says: /momentum_ls[^]*Figure size/,
  },
  'a plan': {
    query: {
      ...{ kind: 'plan', weights: 'live:momentum_ls.20', capital: 10_000, positions: null, aliases: null },
      ...{ prices: null, lots: null, band: 0, mode: 'centre', minOrder: 0, cap: null, costBps: null },
    },
    says: /'ticker'/,
  },
}

for (const [what, { query, says }] of Object.entries(parts))
  provePython('nbclient', `the notebook of ${what} runs`, async (python) => {
    const api = await serveApi()
    if (query.kind === 'tearsheet') {
      const days = ['--start', '2026-08-01', '--end', '2026-08-20']
      await api.run(['portfolio', 'returns', '--portfolio', 'momentum_ls.20', ...days])
      await api.run(['portfolio', 'prices', '--ticker', 'BTC', ...days])
    }
    const path = join(temporaryFolder(), 'made.ipynb')
    writeFileSync(path, notebookText(query, {}))
    const outputs = (await python(runNotebook(path, api.dataDir))) as string[]
    expect(outputs.join('\n'), readFileSync(path, 'utf8')).toMatch(says)
  })
