import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { openStore } from '../../electron/core/store/store.ts'
import { metricDatasets } from '../../shared/catalog/metricDatasets.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { cachedFile } from '../fakes/cachedFiles.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { randomOf } from '../fakes/panelWorld.ts'

type Columns = readonly (readonly [dataset: string, columns: readonly string[]])[]

interface Filling {
  interval: string
  stepMs: number
  months: readonly string[]
  columns: Columns
  clocks?: readonly string[]
}

/** Lists the first columns of the catalog by dataset; those of prices come first. */
export function firstColumns(count: number): Columns {
  const datasets = [...metricDatasets].sort((a, b) => Number(b.id === 'ohlcv') - Number(a.id === 'ohlcv'))
  let left = count
  return datasets.flatMap(({ id, columns }): [string, string[]][] => {
    const names = columns.slice(0, left).map(({ name }) => name)
    left -= names.length
    return names.length === 0 ? [] : [[id, names]]
  })
}

export const monthsOf2025 = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`)

/** Fills a data folder with monthly files of one symbol. */
export function fillCache({ interval, stepMs, months, columns: all, clocks = ['exchange'] }: Filling) {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const clock = fakeClock(Date.UTC(2026, 0, 2))
  const store = openStore({ dataDir, clock, log: fakeLog() })
  const random = randomOf(9)
  let price = 100
  for (const [dataset, columns] of all) {
    for (const timestamp of clocks) {
      const series = {
        ...{ connectionId: 'sandbox', kind: 'metrics' as const, dataset, exchange: 'venuea-futures' },
        ...{ symbol: 'perpetual-BTC-USDT:USDT', interval, timestamp },
      }
      const states = columns.map(() => 0)
      for (const month of months) {
        const { start, end } = periodDays(month)!
        const rows = ((end - start) * MS_PER_DAY) / stepMs
        const times = BigInt64Array.from({ length: rows }, (_, row) => BigInt(start * MS_PER_DAY + row * stepMs))
        const data = columns.map((name, at) => ({
          name,
          type: 'DOUBLE' as const,
          data: Float64Array.from({ length: rows }, () => {
            if (dataset === 'ohlcv' && name === 'close') return (price *= 1 + 0.002 * (random() - 0.5))
            states[at] = 0.9 * states[at] + random() - 0.5
            // Every third column has few different values.
            return at % 3 === 2 ? Math.round(5 * states[at]) : states[at]
          }),
        }))
        const path = store.folder.pathOf(series, month)
        mkdirSync(dirname(path), { recursive: true })
        const columnData = [{ name: 'time', type: 'INT64' as const, data: times }, ...data]
        const bytes = new Uint8Array(parquetWriteBuffer({ columnData }))
        writeFileSync(path, bytes)
        const facts = {
          rows,
          firstTimeMs: start * MS_PER_DAY,
          lastTimeMs: end * MS_PER_DAY - stepMs,
          stepMs,
          duplicateTimes: 0,
          columns: [],
        }
        store.files.record([{ file: cachedFile(series, month, { sizeBytes: bytes.length }), facts }])
      }
    }
  }
  return {
    dataDir,
    clock,
    store,
    close() {
      store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
