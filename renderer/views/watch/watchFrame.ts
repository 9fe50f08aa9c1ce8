import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import type { WatchRow } from '#shared/contract/areas/watch.ts'
import { type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { dayOf, MS_PER_DAY } from '#shared/time.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { watchText } from '../../text/watch.ts'

/** Formula column as the user defined it. */
export interface FormulaColumn {
  name: string
  formula: string
}

export const rowIdOf = ({ exchange, symbol }: { exchange: string; symbol: string }) => `${exchange}\n${symbol}`

const { columns: t } = watchText

const numberKeys = [
  'last',
  'change',
  'funding_annualised',
  'open_interest_change',
  'volume_z',
  'coverage',
  'quality',
] as const

/** Returns the key of a formula column, distinct from the page's own keys. */
const keyOf = (at: number) => `formula ${at}`

/** Builds the rows of the page; symbols that the connection does not know are marked. */
export function watchFrame(
  rows: readonly WatchRow[],
  formulas: readonly FormulaColumn[],
  unknownIds: ReadonlySet<string>,
): Frame {
  const symbolText = (row: WatchRow) =>
    unknownIds.has(rowIdOf(row)) ? `${shortSymbol(row.symbol)} (${watchText.unknownMark})` : shortSymbol(row.symbol)
  return {
    rows: rows.length,
    columns: [
      textColumn('symbol', rows.map(symbolText)),
      textColumn(
        'exchange',
        rows.map(({ exchange }) => exchange),
      ),
      ...numberKeys.map((name) =>
        numberColumn(
          name,
          rows.map((row) => row[name]),
        ),
      ),
      ...(['funding_every', 'funding_basis'] as const).map((name) =>
        textColumn(
          name,
          rows.map((row) => row[name]),
        ),
      ),
      timeColumn(
        'lastAt',
        rows.map(({ lastAt }) => lastAt),
      ),
      ...formulas.map((_, at) =>
        numberColumn(
          keyOf(at),
          rows.map(({ values }) => values[at] ?? null),
        ),
      ),
    ],
  }
}

const heat = { scale: 'diverging' as const, leastReach: 0.01 }

export const watchColumns = (formulas: readonly FormulaColumn[]): TableColumn[] => [
  { key: 'symbol', title: t.symbol, kind: 'text', widthPx: 140, widestPx: 220 },
  { key: 'exchange', title: t.exchange, kind: 'text', widthPx: 116 },
  { key: 'last', kind: 'price', widthPx: 104, ...t.last },
  { key: 'change', kind: 'percentFigure', heat, ...t.change },
  { key: 'funding_annualised', kind: 'percentFigure', heat, ...t.funding },
  { key: 'open_interest_change', kind: 'percentFigure', heat, ...t.interest },
  { key: 'volume_z', kind: 'figure', heat: { scale: 'diverging', leastReach: 2 }, ...t.volume },
  ...formulas.map(({ name, formula }, at): TableColumn => ({
    key: keyOf(at),
    title: name,
    kind: 'statistic',
    hint: formula,
  })),
  { key: 'coverage', kind: 'percentFigure', look: 'bar', widthPx: 104, ...t.coverage },
  {
    key: 'quality',
    kind: 'count',
    look: 'badge',
    widthPx: 92,
    tone: (value) => (typeof value === 'number' && value > 0 ? 'warning' : 'neutral'),
    ...t.quality,
  },
  { key: 'lastAt', kind: 'time', ...t.lastAt },
]

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
