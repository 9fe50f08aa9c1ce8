import { linkSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { openStore } from '../../electron/core/store/store.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { periodDays } from '../../shared/time/periods.ts'
import { cachedFile } from '../fakes/cachedFiles.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { randomOf } from '../fakes/panelWorld.ts'

const MINUTE_MS = 60_000
const MONTHS = Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, '0')}`)
/**
 * Number of symbols with generated files; the other symbols' files are links to these, so that a year is ready within
 * seconds.
 */
const OWN = 20

/** Returns a Parquet file with a month of 1m closes that follow a random walk. */
function monthBytes(month: string, random: () => number): Uint8Array {
  const { start, end } = periodDays(month)!
  const rows = (end - start) * 1440
  const close = new Float64Array(rows)
  for (let row = 0, price = 100; row < rows; row++) close[row] = price *= 1 + 0.001 * (random() - 0.5)
  const time = BigInt64Array.from({ length: rows }, (_, row) => BigInt(start * MS_PER_DAY + row * MINUTE_MS))
  const columnData = [
    { name: 'time', type: 'INT64' as const, data: time },
    { name: 'close', type: 'DOUBLE' as const, data: close },
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

/** Fills a data folder with a year of 1m closes, one file per symbol and month, and writes a study of these files. */
export function minuteYear(symbols: number, study: object): { dataDir: string; studyPath: string; close(): void } {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const store = openStore({ dataDir, clock: systemClock, log: fakeLog() })
  const random = randomOf(3)
  const seriesOf = (symbol: number) => ({
    connectionId: 'sandbox',
    kind: 'metrics' as const,
    dataset: 'ohlcv',
    exchange: 'venuea-futures',
    symbol: `perpetual-S${symbol}-USDT:USDT`,
    interval: '1m',
    timestamp: 'exchange',
  })
  for (const month of MONTHS) {
    const known: ReturnType<typeof validateParquet>[] = []
    const files = Array.from({ length: symbols }, (_, symbol) => {
      const path = store.folder.pathOf(seriesOf(symbol), month)
      mkdirSync(dirname(path), { recursive: true })
      if (symbol < OWN) {
        writeFileSync(path, monthBytes(month, random))
        known.push(validateParquet(path))
      } else linkSync(store.folder.pathOf(seriesOf(symbol % OWN), month), path)
      const { sha256, facts } = known[symbol % OWN]
      return { file: cachedFile(seriesOf(symbol), month, { sizeBytes: statSync(path).size, sha256 }), facts }
    })
    store.files.record(files)
  }
  store.close()
  const studyPath = join(dataDir, 'study.json')
  const source = { exchanges: ['venuea-futures'], symbols: null, timestamp: 'exchange' }
  const range = { start: '2025-01-01', end: '2025-12-31' }
  writeFileSync(studyPath, JSON.stringify({ version: 1, interval: '1m', ...range, source, ...study }))
  return { dataDir, studyPath, close: () => rmSync(dataDir, { recursive: true, force: true }) }
}
