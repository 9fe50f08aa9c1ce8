import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { createQualityService } from '../../electron/core/quality/qualityService.ts'
import { createSeriesService } from '../../electron/core/series/seriesService.ts'
import type { CachedFile, FileFacts } from '../../electron/core/store/fileTable.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { watchRows } from '../../electron/core/watch/watchRows.ts'
import { createSymbolResolver } from '../../shared/catalog/resolveSymbol.ts'
import { readListEntries, resolveLines } from '../../shared/contract/listsFile.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { dayFromNumber, dayNumberOf, type Period, periodDays } from '../../shared/time/periods.ts'
import { cachedFile, flowSeries } from '../fakes/cachedFiles.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'

const { signal } = new AbortController()
const SYMBOLS = 450
const TODAY = '2026-08-21'
const datasets = {
  ohlcv: ['open', 'high', 'low', 'close', 'volume'],
  funding: ['funding_rate'],
  open_interest: ['open_interest'],
}

/** Writes hourly rows of one dataset; every symbol has the same bytes, because the index tells them apart. */
function writeHours(path: string, columns: readonly string[], period: Period): void {
  const { start, end } = periodDays(period)!
  const rows = (end - start) * 24
  const time = BigInt64Array.from({ length: rows }, (_, row) => BigInt(start * MS_PER_DAY + row * 3_600_000))
  const values = (at: number) => Float64Array.from({ length: rows }, (_, row) => 100 + Math.sin(row * (at + 1)))
  const numbers = columns.map((name, at) => ({ name, type: 'DOUBLE' as const, data: values(at) }))
  writeFileSync(
    path,
    new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'time', type: 'INT64', data: time }, ...numbers] })),
  )
}

function watchedCache() {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-watch-'))
  const clock = { nowMs: () => Date.parse(TODAY) + 3_600_000 }
  const store = openStore({ dataDir, clock, log: { write: () => {} } })
  const august = Array.from({ length: 20 }, (_, day) => dayFromNumber(dayNumberOf('2026-08-01') + day))
  const periods: Period[] = ['2026-06', '2026-07', ...august]
  for (const [dataset, columns] of Object.entries(datasets))
    for (const period of periods) {
      const source = join(dataDir, 'source.parquet')
      rmSync(source, { force: true })
      writeHours(source, columns, period)
      const { sizeBytes, sha256, facts } = validateParquet(source)
      const kept: { file: CachedFile; facts: FileFacts }[] = []
      for (let at = 0; at < SYMBOLS; at++) {
        const series = flowSeries({ dataset, interval: '1h', symbol: `perpetual-A${at}-USDT:USDT` })
        const target = store.folder.pathOf(series, period)
        mkdirSync(dirname(target), { recursive: true })
        linkSync(source, target)
        kept.push({ file: cachedFile(series, period, { sizeBytes, sha256 }), facts })
      }
      store.files.record(kept)
    }
  const series = createSeriesService(store, clock)
  const quality = createQualityService({ store, clock, changedFiles: null })
  const close = async () => {
    await Promise.all([series.close(), quality.close()])
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { deps: { store, clock, series, quality }, close }
}

/** Measures reading the rows of the Watch screen for every symbol that has candles. */
async function watchTask(): Promise<BenchTask> {
  const { deps, close } = watchedCache()
  const ask = () => watchRows(deps, { connectionId: 'sandbox', columns: [], quality: 'check' }, { signal })
  await ask()
  return { rounds: 5, ours: () => millisecondsOf(ask), close }
}

/** Measures how long the list editor takes to read 5,000 pasted symbols. */
async function pasteTask(): Promise<BenchTask> {
  const exchange = 'venuea-futures'
  const symbols = Array.from({ length: 5000 }, (_, at) => `perpetual-A${at}-USDT:USDT`)
  const resolve = createSymbolResolver([{ exchange, symbols }])
  const paste = () => {
    const { text } = resolveLines(
      symbols.join('\n'),
      (name) => resolve(name, exchange),
      (name) => name === exchange,
    )
    return readListEntries(text)
  }
  paste()
  return { rounds: 9, ours: () => millisecondsOf(paste) }
}

export const benchLines: BenchLine[] = [
  {
    name: 'list: 5,000 symbols pasted',
    unit: 'ms',
    rule: 'value',
    budget: 100,
    peerName: null,
    prepare: pasteTask,
  },
  {
    name: 'watch: 450 symbols from cache',
    unit: 'ms',
    rule: 'value',
    budget: 300,
    peerName: null,
    prepare: watchTask,
  },
]
