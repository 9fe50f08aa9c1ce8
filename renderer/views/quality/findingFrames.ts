import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { JudgedFinding } from '#shared/contract/areas/quality.ts'
import { type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { exactNumber, roundToDigits } from '#shared/units/numbers.ts'
import type { TableColumn } from '../../tables/columns.ts'
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

export const findingColumns: TableColumn[] = [
  {
    key: 'kind',
    title: t.kind,
    kind: 'text',
    widthPx: 136,
    look: 'badge',
    tone: (value) => (value === text.kinds.impossible || value === text.kinds.missing ? 'negative' : 'warning'),
  },
  { key: 'symbol', title: t.symbol, kind: 'text', widthPx: 130, widestPx: 200 },
  { key: 'exchange', title: t.exchange, kind: 'text', widthPx: 116 },
  { key: 'dataset', title: t.dataset, kind: 'text', widthPx: 110 },
  { key: 'column', title: t.column, kind: 'text', widthPx: 110 },
  { key: 'interval', title: t.interval, kind: 'text', widthPx: 76 },
  { key: 'from', title: t.from, kind: 'time' },
  { key: 'to', title: t.to, kind: 'time' },
  { key: 'count', kind: 'count', ...t.count },
  { key: 'value', title: t.value, kind: 'text', align: 'right', widthPx: 110 },
  { key: 'expected', title: t.expected, kind: 'text', align: 'right', widthPx: 110 },
  { key: 'detail', title: t.detail, kind: 'text', widthPx: 260, widestPx: 560 },
  { key: 'state', title: t.state, kind: 'text', widthPx: 84 },
  { key: 'note', title: t.note, kind: 'text', widthPx: 160, widestPx: 360 },
]

/**
 * Formats a value with its significant digits, at most eight, because values of several metric columns share this
 * column.
 */
const valueText = (value: number | null) => (value === null ? null : exactNumber(roundToDigits(value, 8)))

export function findingFrame(findings: readonly JudgedFinding[]): Frame {
  const columnOfTexts = (name: string, read: (each: JudgedFinding) => string | null) =>
    textColumn(name, findings.map(read))
  const columnOfTimes = (name: string, read: (each: JudgedFinding) => number) => timeColumn(name, findings.map(read))
  return {
    rows: findings.length,
    columns: [
      columnOfTexts('kind', ({ kind }) => text.kinds[kind]),
      columnOfTexts('symbol', ({ symbol }) => shortSymbol(symbol)),
      columnOfTexts('exchange', ({ exchange }) => exchange),
      columnOfTexts('dataset', ({ dataset, origin }) => (origin ? text.table.computed(dataset) : dataset)),
      columnOfTexts('column', ({ column }) => column),
      columnOfTexts('interval', ({ interval, timestamp }) =>
        timestamp === 'exchange' ? interval : `${interval} ${timestamp}`,
      ),
      columnOfTimes('from', ({ from }) => from),
      columnOfTimes('to', ({ to }) => to),
      numberColumn(
        'count',
        findings.map(({ count }) => count),
      ),
      columnOfTexts('value', ({ value }) => valueText(value)),
      columnOfTexts('expected', ({ expected }) => valueText(expected)),
      columnOfTexts('detail', ({ detail }) => detail),
      columnOfTexts('state', ({ accepted }) => (accepted ? text.table.accepted : text.table.open)),
      columnOfTexts('note', ({ accepted }) => accepted?.note ?? null),
    ],
  }
}

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
  { key: 'series', title: t.symbol, kind: 'text', widthPx: 220, widestPx: 300 },
  { key: 'exchange', title: t.exchange, kind: 'text', widthPx: 116 },
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
