import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { readParquetPanel } from '#core/lab/parquetPanel.ts'
import { inspectFile } from '#core/raw/inspectFile.ts'
import { AppError } from '#shared/contract/errors.ts'
import { PanelError } from '#shared/lab/panel.ts'
import type { Check } from '../check.ts'
import { seededRandom } from '../target.ts'

const fixtures = join(import.meta.dirname, '../../fixtures/parquet')
let folder: string | null = null

/**
 * Reads a Parquet file in the three ways in which untrusted files are read: as a download, as an import and as a panel.
 */
export const check: Check = {
  seeds: () => [
    ...readdirSync(fixtures)
      .filter((name) => name.endsWith('.parquet'))
      .map((name) => new Uint8Array(readFileSync(join(fixtures, name)))),
    tradesFile(),
    panelFile(),
    largeFile(),
  ],
  read(bytes) {
    folder ??= temporaryFolder()
    const path = join(folder, '2026-08-01.parquet')
    writeFileSync(path, bytes)
    const download = refusal(() => void validateParquet(path, { deep: true }))
    if (download !== null && download !== 'corrupt-file') return `a download fails with ${download}`
    inspectFile(path, { venues: [] })
    const panel = refusal(
      () =>
        void readParquetPanel({ path, known: undefined }, ['close', 'x0'], { onBatch: () => undefined, batchRows: 50 }),
    )
    return panel === null || ['corrupt-file', 'bad-input', 'panel'].includes(panel)
      ? null
      : `a panel fails with ${panel}`
  },
}

function temporaryFolder(): string {
  const created = mkdtempSync(join(tmpdir(), 'perpscope-fuzz-'))
  process.on('exit', () => rmSync(created, { recursive: true, force: true }))
  return created
}

/** Returns the code of the error with which the work refuses a file; rethrows every other error. */
function refusal(work: () => void): string | null {
  try {
    work()
    return null
  } catch (thrown) {
    if (thrown instanceof PanelError) return 'panel'
    if (thrown instanceof AppError) return thrown.code
    throw thrown
  }
}

const START_US = 1_785_542_400_000_000n
const times = (rows: number) => BigInt64Array.from({ length: rows }, (_, row) => START_US + BigInt(row) * 60_000_000n)
const encodeColumns = (columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData']) =>
  new Uint8Array(parquetWriteBuffer({ columnData }))

function tradesFile(rows = 200): Uint8Array {
  const random = seededRandom(2)
  const timestamp = { converted_type: 'TIMESTAMP_MICROS' } as const
  return encodeColumns([
    { name: 'exchange_timestamp', type: 'INT64', data: times(rows), ...timestamp },
    { name: 'local_timestamp', type: 'INT64', data: times(rows), ...timestamp },
    { name: 'price', type: 'DOUBLE', data: Float64Array.from({ length: rows }, () => 100 + random()) },
    { name: 'amount', type: 'DOUBLE', data: Float64Array.from({ length: rows }, () => random()) },
    { name: 'side', type: 'STRING', data: Array.from({ length: rows }, () => (random() < 0.5 ? 'buy' : 'sell')) },
    { name: 'time_kind', type: 'STRING', data: Array.from({ length: rows }, () => 'modelled') },
  ])
}

function panelFile(rows = 200): Uint8Array {
  const random = seededRandom(3)
  return encodeColumns([
    { name: 'time', type: 'INT64', data: BigInt64Array.from(times(rows), (time) => time / 1000n) },
    { name: 'symbol', type: 'STRING', data: Array.from({ length: rows }, (_, row) => `S${row % 7}`) },
    { name: 'member', type: 'BOOLEAN', data: Array.from({ length: rows }, () => random() < 0.8) },
    { name: 'close', type: 'DOUBLE', data: Array.from({ length: rows }, () => (random() < 0.1 ? null : random())) },
  ])
}

/**
 * Builds a file of nearly a megabyte that resembles a metric file: a time column and 28 numbers with missing values.
 */
function largeFile(rows = 4000, columns = 28): Uint8Array {
  const random = seededRandom(1)
  const columnData = Array.from({ length: columns }, (_, column) => ({
    name: `x${column}`,
    type: 'DOUBLE' as const,
    data: Array.from({ length: rows }, () => (random() < 0.1 ? null : random())),
  }))
  const time = BigInt64Array.from(times(rows), (each) => each / 1000n)
  return encodeColumns([{ name: 'time', type: 'INT64', data: time }, ...columnData])
}
