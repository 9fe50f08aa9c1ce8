import type { TableColumn } from '#shared/sheet/columns.ts'
import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import type { WatchRow } from '#shared/contract/areas/watch.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { column, type ReadColumn, type SheetTable, table, withColumns } from '#shared/sheet/sheet.ts'
import { watchColumns } from '#shared/sheet/watch.ts'
import { dayOf, MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { DECLARED_LAYOUT, type TableLayout } from '../../tables/columns.ts'
import { watchText } from '../../text/watch.ts'

/** Formula column as the user defined it. */
export interface FormulaColumn {
  name: string
  formula: string
}

export const rowIdOf = ({ exchange, symbol }: { exchange: string; symbol: string }) => `${exchange}\n${symbol}`

/** Columns that only the window shows, with the key of the one before them. */
const ownColumns: readonly { after: string; own: ReadColumn<WatchRow> }[] = [
  {
    after: 'last',
    own: column('spark', watchText.columns.spark, 'text', ({ spark }) => (spark.length > 0 ? 1 : null), {
      widthPx: 64,
      sortable: false,
      format: () => '',
    }),
  },
  {
    after: 'change',
    own: column('funding_rate', watchText.columns.funding, 'bps', (row) => inBps(row.funding_rate), {
      widthPx: 94,
      unit: 'bps',
      hint: watchText.columns.fundingHint,
    }),
  },
  {
    after: 'volume_z',
    own: column('basis_bps', watchText.columns.basis, 'bps', (row) => row.basis_bps, {
      widthPx: 80,
      unit: 'bps',
      hint: watchText.columns.basisHint,
    }),
  },
]
const inBps = (fraction: number | null) => (fraction === null ? null : fraction * 1e4)

/** Columns as they stand beside the news of the morning: narrow, with titles of few letters. */
const narrowColumns: Readonly<Record<string, Partial<TableColumn>>> = {
  exchange: { widthPx: 76 },
  last: { widthPx: 90 },
  change: { title: watchText.columns.change, widthPx: 60 },
  funding_annualised: { title: watchText.columns.yearly, widthPx: 62 },
  open_interest_change: { title: watchText.columns.openInterest, widthPx: 80 },
  volume_z: { title: watchText.columns.volume, widthPx: 58 },
}

/** What a person decides by fits beside the news of the morning; the menu of columns shows the rest. */
export const usualLayout: TableLayout = { ...DECLARED_LAYOUT, hidden: ['coverage', 'quality', 'lastAt'] }

/** Age from which a row is old, so that its numbers are not taken for today's. */
const OLD_AFTER_MS = MS_PER_DAY

/** Says how old a row is; empty if it is of the last day. */
export function ageText(lastAt: number | null, nowMs: number): string {
  const ageMs = lastAt === null ? 0 : nowMs - lastAt
  return ageMs < OLD_AFTER_MS ? '' : watchText.age(Math.floor(ageMs / MS_PER_DAY))
}

/** Columns that cells read: those that the tooltip of the funding rate says, and the row itself. */
const hiddenKeys: ReadonlySet<string> = new Set(['funding_every', 'funding_basis', 'rowId'])

/** Columns of the page, and its rows; symbols that the connection does not know are marked. */
export function watchTable(
  rows: readonly WatchRow[],
  formulas: readonly FormulaColumn[],
  unknownIds: ReadonlySet<string>,
  groups: ReadonlyMap<string, string> = new Map(),
): Pick<SheetTable, 'columns' | 'frame'> {
  const symbolText = (row: WatchRow) =>
    unknownIds.has(rowIdOf(row)) ? `${shortSymbol(row.symbol)} (${watchText.unknownMark})` : shortSymbol(row.symbol)
  const symbol = column('symbol', 'Symbol', 'text', symbolText, { widthPx: 172, widestPx: 240 })
  const shared = withColumns(watchColumns(formulas), [symbol]).map((each) => ({ ...each, ...narrowColumns[each.key] }))
  // The venue says nothing where all rows have the same one.
  if (new Set(rows.map(({ exchange }) => exchange)).size === 1) shared.push(...shared.splice(1, 1))
  if (rows.some((row) => groups.has(rowIdOf(row))))
    shared.splice(
      1,
      0,
      column('group', watchText.group, 'text', (row) => groups.get(rowIdOf(row)) ?? null, { widthPx: 96 }),
    )
  const all = ownColumns.reduce<ReadColumn<WatchRow>[]>((columns, { after, own }) => {
    const place = columns.findIndex(({ key }) => key === after) + 1
    return columns.toSpliced(place, 0, own)
  }, shared)
  const rowId = column<WatchRow>('rowId', '', 'text', rowIdOf)
  const { columns, frame } = table({ id: 'watch', title: '' }, [...all, rowId], rows)
  return { columns: columns.filter(({ key }) => !hiddenKeys.has(key)), frame }
}

const STUDY_DAYS = 90

/** Creates a signal study of these pairs over the last 90 days, with a signal that only needs candles. */
export function studyOfPairs(pairs: readonly ListedPair[], nowMs: number): LabDocument['study'] {
  const distinct = (values: readonly string[]) => [...new Set(values)]
  return {
    version: 1,
    kind: 'signal',
    interval: '1h',
    start: dayOf(nowMs - STUDY_DAYS * MS_PER_DAY),
    end: dayOf(nowMs - MS_PER_DAY),
    source: {
      exchanges: distinct(pairs.map(({ exchange }) => exchange)),
      symbols: distinct(pairs.map(({ symbol }) => symbol)),
      universe: null,
      timestamp: 'exchange',
      against: null,
    },
    signal: '-pct(ohlcv.close, 24)',
    horizons: [1, 4, 24],
  }
}

/** Column of a formula check for the values of a column of the page; null for columns that no formula gives. */
const checkedColumns = (barsPerDay: number): Readonly<Record<string, string>> => ({
  last: 'ohlcv.close',
  spark: 'ohlcv.close',
  change: `pct(ohlcv.close, ${barsPerDay})`,
  funding_rate: 'funding.funding_rate',
  funding_annualised: 'funding.funding_rate',
  open_interest_change: `pct(open_interest.open_interest, ${barsPerDay})`,
  volume_z: `zscore(ohlcv.volume, ${30 * barsPerDay})`,
  basis_bps: 'basis.basis_bps',
})
const inPercent = (fraction: number | null) => (fraction === null ? null : fraction * 100)

/** Formula of a check that hits where a cell of the page is beyond its value of now; null for cells without a formula. */
export function checkFormula(key: string, row: WatchRow, formulas: readonly FormulaColumn[]): string | null {
  const place = key.startsWith('formula ') ? Number(key.slice('formula '.length)) : null
  const barsPerDay = Math.max(1, Math.round(MS_PER_DAY / 1000 / (parseInterval(row.interval ?? '') ?? 3600)))
  const formula = place === null ? checkedColumns(barsPerDay)[key] : formulas[place]?.formula
  if (formula === undefined) return null
  const valueOf: Readonly<Record<string, number | null>> = {
    last: row.last,
    spark: row.last,
    change: inPercent(row.change),
    funding_rate: row.funding_rate,
    funding_annualised: row.funding_rate,
    open_interest_change: inPercent(row.open_interest_change),
    volume_z: row.volume_z,
    basis_bps: row.basis_bps,
  }
  const value = place === null ? valueOf[key] : row.values[place]
  const bound = typeof value === 'number' ? Number(value.toPrecision(4)) : 0
  return `${place === null ? formula : `(${formula})`} ${bound < 0 ? '<' : '>'} ${bound}`
}
