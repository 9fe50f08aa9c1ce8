import { buildPanel, PanelError } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { rowsOf } from '../../fakes/panelWorld.ts'
import { allowing, bytesOf, type Check, textOf } from '../check.ts'

const rows = rowsOf({ seed: 1, symbols: 6, times: 60, gaps: 0.05 })

/** Reads a study document and runs it on a small panel. */
export const check: Check = {
  seeds: () => honestStudies.map((study) => bytesOf(JSON.stringify({ version: 1, interval: '1h', ...study }))),
  isJson: true,
  tokens: [
    '{',
    '}',
    '[',
    ']',
    '"',
    ',',
    'null',
    '1e999',
    '-1',
    '10000',
    'a',
    'rank(',
    'lag(a, 1)',
    '"1d"',
    '"2026-01-01"',
    '__proto__',
  ],
  read(bytes) {
    const document = allowing([SyntaxError], () => ({ value: JSON.parse(textOf(bytes)) as unknown }))
    if (!document) return null
    allowing([StudyError], () => parseStudy(document.value, { fromCache: true }))
    const study = allowing([StudyError], () => parseStudy(document.value, { fromCache: false }))
    if (!study) return null
    allowing([StudyError, PanelError], () =>
      runStudy({ study, panel: memoryPanel(buildPanel(rows, studyRange(study))), against: null }),
    )
    return null
  },
}

const honestStudies: readonly object[] = [
  {
    kind: 'signal',
    signal: 'rank(zscore(a, 12))',
    horizons: [1, 4],
    quantiles: 3,
    start: '2026-01-01',
    end: '2026-01-03',
  },
  { kind: 'events', when: 'a > 1', before: 3, after: 6, adjust: 'market', cooldownBars: 2 },
  { kind: 'leadlag', value: 'diff(log(close))', reference: 'S000', maxLag: 5 },
  { kind: 'seasonality', value: 'a', by: 'hour', center: true },
  {
    kind: 'signal',
    signal: 'a',
    start: '2026-01-01',
    end: '2026-01-02',
    source: { exchanges: ['venuea-futures'], timestamp: 'exchange', by: { groups: { majors: ['S000', 'S001'] } } },
  },
]
