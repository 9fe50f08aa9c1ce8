import type { TableColumn } from '#shared/sheet/columns.ts'
import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { JudgedFinding } from '#shared/contract/areas/quality.ts'
import { type Frame, numberColumn, textColumn } from '#shared/contract/frame.ts'
import { findingColumns as findings } from '#shared/sheet/findings.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column, type ReadColumn, table, withColumns } from '#shared/sheet/sheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { qualityText as text } from '../../text/quality.ts'

/** Returns the id of a finding, which stays the same when the same check finds it again. */
export const findingId = (each: JudgedFinding): string =>
  [
    each.dataset,
    each.exchange,
    each.symbol,
    each.interval,
    each.timestamp,
    each.kind,
    each.column,
    each.from,
    each.to,
    each.origin,
  ].join('\n')

const { columns: t } = text.table

const sharedColumns = withColumns(findings, [
  column('kind', 'Kind', 'text', ({ kind }) => text.kinds[kind], {
    widthPx: 136,
    look: 'badge',
    tone: (value) => (value === text.kinds.impossible || value === text.kinds.missing ? 'negative' : 'warning'),
  }),
  column('symbol', 'Symbol', 'text', ({ symbol }) => shortSymbol(symbol), { widthPx: 130, widestPx: 200 }),
])

export const findingColumns: readonly ReadColumn<JudgedFinding>[] = [
  ...sharedColumns,
  column('state', t.state, 'text', ({ accepted }) => (accepted ? text.table.accepted : text.table.open), {
    widthPx: 84,
  }),
  column('note', t.note, 'text', ({ accepted }) => accepted?.note ?? null, { widthPx: 160, widestPx: 360 }),
]

export const findingFrame = (found: readonly JudgedFinding[]): Frame =>
  table({ id: 'findings', title: text.table.label }, findingColumns, found).frame

/**
 * Maximum length of a range, in days, for which every day is shown; for a longer range, only the days with findings
 * are shown.
 */
const MOST_DAYS = 62

export interface SeriesOfFindings {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
}

/** Numbers of findings by series and day. */
export interface FindingGrid {
  series: SeriesOfFindings[]
  days: string[]
  frame: Frame
}

export function findingGrid(findings: readonly JudgedFinding[]): FindingGrid {
  const rows = new Map<string, { series: SeriesOfFindings; total: number; days: Map<string, number> }>()
  const daysWithFindings = new Set<string>()
  for (const { dataset, exchange, symbol, interval, timestamp, day } of findings) {
    const key = [dataset, exchange, symbol, interval, timestamp].join('\n')
    const row = rows.get(key) ?? {
      series: { dataset, exchange, symbol, interval, timestamp },
      total: 0,
      days: new Map<string, number>(),
    }
    rows.set(key, row)
    row.total++
    row.days.set(day, (row.days.get(day) ?? 0) + 1)
    daysWithFindings.add(day)
  }
  const days = shownDays([...daysWithFindings].sort())
  const list = [...rows.values()].sort((a, b) => b.total - a.total)
  const columnOfTexts = (name: string, read: (series: SeriesOfFindings) => string) =>
    textColumn(
      name,
      list.map(({ series }) => read(series)),
    )
  return {
    series: list.map(({ series }) => series),
    days,
    frame: {
      rows: list.length,
      columns: [
        columnOfTexts('series', ({ symbol, dataset, interval }) => `${shortSymbol(symbol)} · ${dataset} ${interval}`),
        columnOfTexts('exchange', ({ exchange }) => exchange),
        numberColumn(
          'total',
          list.map(({ total }) => total),
        ),
        ...days.map((day) =>
          numberColumn(
            day,
            list.map((row) => row.days.get(day) ?? null),
          ),
        ),
      ],
    },
  }
}

function shownDays(daysWithFindings: readonly string[]): string[] {
  if (daysWithFindings.length === 0) return []
  const [first, last] = [daysWithFindings[0], daysWithFindings.at(-1)!].map((day) => Date.parse(day) / MS_PER_DAY)
  if (last - first >= MOST_DAYS) return [...daysWithFindings]
  return Array.from({ length: last - first + 1 }, (_, at) => dayFromNumber(first + at))
}

export const gridColumns = (days: readonly string[]): TableColumn[] => [
  { key: 'series', title: 'Symbol', kind: 'text', widthPx: 220, widestPx: 300 },
  seriesColumns.exchange,
  { key: 'total', title: text.heat.total, kind: 'count', widthPx: 80 },
  ...days.map((day): TableColumn => ({
    key: day,
    title: day.slice(5),
    hint: day,
    kind: 'count',
    widthPx: 58,
    heat: { scale: 'sequential', low: 0, high: 3 },
  })),
]
