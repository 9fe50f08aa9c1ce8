import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { computeMetricRows } from '../../electron/sandbox/files/metricFile.ts'
import type { SandboxInstrument } from '../../electron/sandbox/market/instruments.ts'
import { dayOfNumber } from '../../electron/sandbox/market/days.ts'

export const BAR_MS = 300_000
export const BARS_PER_DAY = MS_PER_DAY / BAR_MS

/** Columns of 5-minute bars by name, such as `ohlcv.close`, without gaps in time; NaN where a value is missing. */
export interface Bars {
  timeMs: Float64Array
  column: (name: string) => Float64Array
}

/** Computes the bars of a stretch of days as the sandbox serves them, without its files. */
export function sandboxBars(
  { venue, symbol }: SandboxInstrument,
  seed: number,
  [firstDay, endDay]: readonly [number, number],
  datasets: readonly MetricDatasetId[],
): Bars {
  const count = (endDay - firstDay) * BARS_PER_DAY
  const timeMs = Float64Array.from({ length: count }, (_, bar) => firstDay * MS_PER_DAY + bar * BAR_MS)
  const columns = new Map<string, Float64Array>()
  for (const id of datasets)
    for (const { name } of metricDataset(id).columns) columns.set(`${id}.${name}`, new Float64Array(count).fill(NaN))
  for (let day = firstDay; day < endDay; day++) {
    const recipe = {
      kind: 'metrics',
      seed,
      venue,
      symbol,
      period: dayOfNumber(day),
      untilMs: endDay * MS_PER_DAY,
      revision: 0,
      dataset: datasets[0],
      interval: '5m',
      timestamp: 'exchange',
      faults: {},
    } as const
    for (const { rows: pieces } of computeMetricRows(recipe, datasets))
      for (const rows of pieces)
        metricDataset(rows.dataset).columns.forEach(({ name }, at) => {
          const to = columns.get(`${rows.dataset}.${name}`)!
          rows.timeMs.forEach((time, row) => (to[(time - timeMs[0]) / BAR_MS] = rows.columns[at][row]))
        })
  }
  return {
    timeMs,
    column(name) {
      const values = columns.get(name)
      if (!values) throw new Error(`no column ${name}`)
      return values
    },
  }
}
