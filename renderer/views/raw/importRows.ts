import { symbolColumn, type TableColumn, type Tone } from '#shared/sheet/columns.ts'
import type { FileIssue, ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import { identityIssues } from '#shared/contract/identityIssues.ts'
import { importText as text } from '../../text/raw.ts'

/** Venue and symbol that the user entered, which override the recognised ones. */
export interface EnteredInstrument {
  exchange?: string
  symbol?: string
}

/** A file in the list, with its current venue and symbol, its issues and the outcome of its import. */
export interface ImportRow {
  file: InspectedFile
  exchange: string | null
  symbol: string | null
  issues: FileIssue[]
  state: ImportRowState
  /** Reason why the import failed. */
  failure: string | null
}

const toneByState = {
  refused: 'negative',
  doubtful: 'warning',
  good: 'positive',
  imported: 'accent',
  cached: 'accent',
  failed: 'negative',
} as const satisfies Record<keyof typeof text.states, Tone>
type ImportRowState = keyof typeof toneByState
const states = Object.keys(toneByState) as ImportRowState[]

export const stateTitle = (state: ImportRowState): string => text.states[state]
export const importStates = states.map((value) => ({ value, title: stateTitle(value) }))
function stateTone(cell: unknown): Tone {
  const state = states.find((each) => stateTitle(each) === cell)
  return state ? toneByState[state] : 'neutral'
}

export function importRow(
  file: InspectedFile,
  entered: EnteredInstrument | undefined,
  venues: Venues,
  outcome?: ImportOutcome,
): ImportRow {
  const exchange = entered?.exchange ?? file.exchange
  const symbol = entered?.symbol ?? file.symbol
  const isReadable = file.rows !== null
  const issuesOfIdentity = isReadable ? identityIssues(file.dataset, exchange, symbol, file.hasTimeKind, venues) : []
  const issues = [...issuesOfIdentity, ...file.issues]
  const failure = outcome?.error ? (outcome.error.detail ?? outcome.error.sentence) : null
  return { file, exchange, symbol, issues, failure, state: stateOf(issues, outcome) }
}

function stateOf(issues: readonly FileIssue[], outcome?: ImportOutcome): ImportRowState {
  if (outcome) return outcome.state === 'conflict' ? 'failed' : outcome.state
  const hasIssue = (level: FileIssue['level']) => issues.some((issue) => issue.level === level)
  if (hasIssue('error')) return 'refused'
  return hasIssue('warning') ? 'doubtful' : 'good'
}

/** Tells whether the file of a row can be imported; false once its import has been tried. */
export const isReady = ({ state }: ImportRow) => state === 'good' || state === 'doubtful'
export const isInCache = ({ state }: ImportRow) => state === 'imported' || state === 'cached'

const { columns: titles } = text
export const importColumns: readonly TableColumn[] = [
  { key: 'name', ...titles.name, kind: 'text', widthPx: 230 },
  { key: 'state', ...titles.state, kind: 'text', look: 'badge', widthPx: 170, tone: stateTone },
  { key: 'words', ...titles.issues, kind: 'text', widthPx: 340 },
  { key: 'dataset', ...titles.dataset, kind: 'text', widthPx: 104 },
  { key: 'exchange', ...titles.exchange, kind: 'text', widthPx: 112 },
  symbolColumn,
  { key: 'period', ...titles.period, kind: 'text', widthPx: 92 },
  { key: 'rows', ...titles.rows, kind: 'count', widthPx: 84 },
  { key: 'sizeBytes', ...titles.sizeBytes, kind: 'bytes', widthPx: 80 },
]

export function importFrame(rows: readonly ImportRow[]): Frame {
  const columnOfTexts = (name: string, read: (row: ImportRow) => string | null) => textColumn(name, rows.map(read))
  const columnOfNumbers = (name: string, read: (row: ImportRow) => number | null) => numberColumn(name, rows.map(read))
  return {
    rows: rows.length,
    columns: [
      columnOfTexts('id', ({ file }) => file.id),
      columnOfTexts('name', ({ file }) => file.name.split('/').at(-1)!),
      columnOfTexts('state', ({ state }) => stateTitle(state)),
      columnOfTexts('dataset', ({ file }) => file.dataset),
      columnOfTexts('exchange', ({ exchange }) => exchange),
      columnOfTexts('symbol', ({ symbol }) => symbol),
      columnOfTexts('period', ({ file }) => file.period),
      columnOfNumbers('rows', ({ file }) => file.rows),
      columnOfNumbers('sizeBytes', ({ file }) => file.sizeBytes),
      columnOfTexts('words', issueText),
    ],
  }
}

/** Joins the failure and the issues of a row, worst first. */
function issueText({ issues, failure }: ImportRow): string {
  const messages = (['error', 'warning', 'note'] as const).flatMap((level) =>
    issues.filter((issue) => issue.level === level).map(({ message }) => message),
  )
  return [...(failure === null ? [] : [failure]), ...messages].join(' ') || text.noIssues
}

/** Files of one instrument that are cached after an import. */
export interface ImportedGroup {
  exchange: string
  symbol: string
  files: number
  datasets: string[]
  firstPeriod: string
  lastPeriod: string
  /** Files that this import added, without those that were already cached. */
  imported: { id: string; dataset: string; period: string }[]
}

export function importedGroups(rows: readonly ImportRow[]): ImportedGroup[] {
  const groups = new Map<string, ImportRow[]>()
  for (const row of rows.filter(isInCache)) {
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
      firstPeriod: periods[0],
      lastPeriod: periods.at(-1)!,
      imported: each.flatMap(({ state, file: { id, dataset, period } }) =>
        state === 'imported' && dataset && period ? [{ id, dataset, period }] : [],
      ),
    }
  })
}
