import { z } from 'zod'
import { checkRows } from '#shared/quality/checkRows.ts'
import { compareRows, compareVenues } from '#shared/quality/compareRows.ts'
import { allowing, bytesOf, type Check, textOf } from '../check.ts'

const number = z.union([z.number(), z.null().transform(() => NaN)])
const file = z.object({
  dataset: z.string(),
  intervalMs: z.number().min(1000).max(86_400_000),
  times: z.array(number).max(10_000),
  columns: z.record(z.string(), z.array(number)),
})

/**
 * Returns the largest allowed number of findings: a row may cause one of each kind, and each column may lack every day
 * from 1970 to 2199.
 */
const mostFindings = (rows: number, columns: number) => (85_000 + 10 * rows) * (columns + 2)

/** Checks the rows of a file as data quality does, by themselves and as the rows of two venues. */
export const check: Check = {
  seeds: () => honestFiles.map((rows) => bytesOf(JSON.stringify(rows))),
  isJson: true,
  tokens: ['null', '-1', '0', '9007199254740991', '-9007199254740991', '1e308', '[', ']', ',', '1000'],
  read(bytes) {
    const parsed = allowing([SyntaxError], () => file.safeParse(JSON.parse(textOf(bytes)))) ?? { success: false }
    if (!parsed.success) return null
    const { dataset, intervalMs, times, columns } = parsed.data!
    const rows = {
      dataset,
      intervalMs,
      times: Float64Array.from(times),
      columns: new Map(
        Object.entries(columns).map(([name, values]) => [
          name,
          Float64Array.from(times, (_, row) => values[row] ?? NaN),
        ]),
      ),
    }
    const found = [
      ...checkRows(rows),
      ...compareRows('overlap', rows, { times: rows.times.toReversed(), columns: rows.columns }, intervalMs),
    ]
    const [values = rows.times] = rows.columns.values()
    const venues = ['a', 'b'].map((exchange) => ({
      exchange,
      symbol: 's',
      times: rows.times.map((time) => time + (exchange === 'a' ? 0 : intervalMs)),
      values,
    }))
    compareVenues('midprice', venues, intervalMs)
    if (found.length > mostFindings(times.length, rows.columns.size)) return `has ${found.length} findings`
    return found.some(({ from, to }) => !(to > from)) ? 'has a finding without a time' : null
  },
}

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 0, 1)
const times = Array.from({ length: 200 }, (_, row) => START_MS + row * MINUTE_MS)

const honestFiles = [
  {
    dataset: 'ohlcv',
    intervalMs: MINUTE_MS,
    times,
    columns: {
      close: times.map((_, row) => 100 + (row % 7)),
      volume: times.map((_, row) => (row % 9 === 0 ? null : row)),
    },
  },
  {
    dataset: 'funding',
    intervalMs: MINUTE_MS,
    times: [...times.slice(20), ...times.slice(0, 30)],
    columns: { funding_rate: times.map((_, row) => row * 1e-6) },
  },
]
