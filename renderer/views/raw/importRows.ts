import type { FileFinding, ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { placeFindings } from '#shared/contract/placeFindings.ts'
import { symbolColumn, type TableColumn, type Tone } from '../../tables/columns.ts'

/** Venue and symbol as the person says; they count instead of what is recognised. */
export interface SaidPlace {
  exchange?: string
  symbol?: string
}

/** A file of the list with the venue and symbol it has now, and what became of it. */
export interface ImportRow {
  file: InspectedFile
  exchange: string | null
  symbol: string | null
  findings: FileFinding[]
  state: ImportRowState
  /** Reason why the import failed. */
  failure: string | null
}

const states = {
  refused: ['✕ cannot be imported', 'negative'],
  doubtful: ['! check', 'warning'],
  good: ['✓ good', 'positive'],
  imported: ['✓ imported', 'accent'],
  cached: ['✓ already cached', 'accent'],
  failed: ['✕ not imported', 'negative'],
} as const satisfies Record<string, readonly [title: string, tone: Tone]>
export type ImportRowState = keyof typeof states

export const importStates = Object.entries(states).map(([value, [title]]) => ({ value, title }))
export const titleOf = (state: ImportRowState) => states[state][0]
const tone = (cell: unknown): Tone => Object.values(states).find(([title]) => title === cell)?.[1] ?? 'neutral'

export function importRow(file: InspectedFile, said: SaidPlace | undefined, outcome?: ImportOutcome): ImportRow {
  const exchange = said?.exchange ?? file.exchange
  const symbol = said?.symbol ?? file.symbol
  const isReadable = file.rows !== null
  const place = isReadable ? placeFindings(file.dataset, exchange, symbol, file.hasTimeKind) : []
  const findings = [...place, ...file.findings]
  const failure = outcome?.error ? (outcome.error.detail ?? outcome.error.sentence) : null
  return { file, exchange, symbol, findings, failure, state: stateOf(findings, outcome) }
}

function stateOf(findings: readonly FileFinding[], outcome?: ImportOutcome): ImportRowState {
  if (outcome) return outcome.state === 'conflict' ? 'failed' : outcome.state
  const has = (level: FileFinding['level']) => findings.some((finding) => finding.level === level)
  if (has('error')) return 'refused'
  return has('warning') ? 'doubtful' : 'good'
}

/** Tells whether the next press of the button imports the row. */
export const isReady = ({ state }: ImportRow) => state === 'good' || state === 'doubtful'
export const isIn = ({ state }: ImportRow) => state === 'imported' || state === 'cached'

export const importColumns: readonly TableColumn[] = [
  { key: 'name', title: 'File', kind: 'text', widthPx: 230 },
  { key: 'state', title: 'State', kind: 'text', look: 'badge', widthPx: 150, tone },
  { key: 'words', title: 'What was found', kind: 'text', widthPx: 340 },
  { key: 'dataset', title: 'Dataset', kind: 'text', widthPx: 104 },
  { key: 'exchange', title: 'Venue', kind: 'text', widthPx: 112 },
  symbolColumn,
  { key: 'period', title: 'Of', kind: 'text', widthPx: 92, hint: 'Day or month of the venue’s time' },
  { key: 'rows', title: 'Events', kind: 'count', widthPx: 84 },
  { key: 'sizeBytes', title: 'Size', kind: 'bytes', widthPx: 80 },
]

export function importFrame(rows: readonly ImportRow[]): Frame {
  const text = (name: string, of: (row: ImportRow) => string | null) => textColumn(name, rows.map(of))
  const number = (name: string, of: (row: ImportRow) => number | null) => numberColumn(name, rows.map(of))
  return {
    rows: rows.length,
    columns: [
      text('id', ({ file }) => file.id),
      text('name', ({ file }) => file.name.split('/').at(-1)!),
      text('state', ({ state }) => titleOf(state)),
      text('dataset', ({ file }) => file.dataset),
      text('exchange', ({ exchange }) => exchange),
      text('symbol', ({ symbol }) => symbol),
      text('period', ({ file }) => file.period),
      number('rows', ({ file }) => file.rows),
      number('sizeBytes', ({ file }) => file.sizeBytes),
      text('words', wordsOf),
    ],
  }
}

/** Describes the findings of a row, the worst first. */
function wordsOf({ findings, failure }: ImportRow): string {
  const order = ['error', 'warning', 'note'] as const
  const message = order.flatMap((level) =>
    findings.filter((finding) => finding.level === level).map((each) => each.message),
  )
  return [...(failure === null ? [] : [failure]), ...message].join(' ') || 'no problems found'
}

/** Imported files of an instrument. */
export interface ImportedGroup {
  exchange: string
  symbol: string
  files: number
  datasets: string[]
  first: string
  last: string
}

export function importedGroups(rows: readonly ImportRow[]): ImportedGroup[] {
  const groups = new Map<string, ImportRow[]>()
  for (const row of rows.filter(isIn)) {
    const key = `${row.exchange} ${row.symbol}`
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()].map((each) => {
    const periods = each.map(({ file }) => file.period ?? '').toSorted()
    return {
      exchange: each[0].exchange ?? '',
      symbol: each[0].symbol ?? '',
      files: each.length,
      datasets: [...new Set(each.map(({ file }) => file.dataset ?? ''))],
      first: periods[0],
      last: periods.at(-1)!,
    }
  })
}
