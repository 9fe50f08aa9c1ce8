import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '#shared/contract/errors.ts'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'

/** Rows per row group. A day of 15-second rows is 5,760, so a reader of one day skips most of a year. */
const rowsPerGroup = 50_000

/**
 * Writes the rows of one dataset to a Parquet file: `time` as INT64 milliseconds, everything else as DOUBLE, null if
 * undefined. `finish` syncs the complete file and renames it to its final name; `discard` leaves nothing behind.
 */
export class MetricFileWriter {
  rows = 0
  private readonly path: string
  private readonly partPath: string
  private readonly names: string[]
  private readonly bytes: ByteWriter
  private readonly writer: ParquetWriter
  private readonly pending: MetricRows[] = []
  private pendingRows = 0
  private descriptor: number | null

  /** @param metadata key-value metadata for the footer */
  constructor(path: string, dataset: MetricDatasetId, metadata: Readonly<Record<string, string>> = {}) {
    this.path = path
    this.partPath = `${path}.${process.pid}.part`
    this.names = metricDataset(dataset).columns.map(({ name }) => name)
    this.descriptor = attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      return openSync(this.partPath, 'w', 0o600)
    })
    const { bytes, writer } = createZstdWriter(
      [
        { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
        ...this.names.map((name) => ({ name, type: 'DOUBLE', repetition_type: 'OPTIONAL' }) as const),
      ],
      metadata,
    )
    this.bytes = bytes
    this.writer = writer
  }

  async add(rows: MetricRows): Promise<void> {
    if (rows.timeMs.length === 0) return
    this.pending.push(rows)
    this.pendingRows += rows.timeMs.length
    if (this.pendingRows >= rowsPerGroup) await this.writePending()
  }

  get waitingRows(): number {
    return this.pendingRows
  }

  /**
   * Renames the file to its final name once everything is written and synced; after a failed write it rejects and
   * renames nothing.
   */
  async finish(): Promise<void> {
    await this.complete()
    this.rename()
  }

  /** Writes what is left and syncs the file. */
  private async complete(): Promise<void> {
    await this.writePending()
    await attemptAsync(this.path, async () => this.writer.finish())
    attempt(this.path, () => this.flush())
    await attemptAsync(this.path, () => promisify(fsync)(this.descriptor!))
  }

  private rename(): void {
    attempt(this.path, () => {
      this.close()
      renameSync(this.partPath, this.path)
    })
  }

  /** Finishes files together: their disk syncs overlap, and none is renamed before all are complete. */
  static async finishAll(files: readonly MetricFileWriter[]): Promise<void> {
    const completed = await Promise.allSettled(files.map((file) => file.complete()))
    for (const result of completed) if (result.status === 'rejected') throw result.reason
    for (const file of files) file.rename()
  }

  discard(): void {
    this.close()
    rmSync(this.partPath, { force: true })
  }

  private async writePending(): Promise<void> {
    const { pending, pendingRows } = this
    if (pendingRows === 0) return
    const times = new BigInt64Array(pendingRows)
    let offset = 0
    for (const { timeMs } of pending) for (const time of timeMs) times[offset++] = BigInt(time)
    const columnData = [
      { name: 'time', data: times },
      ...this.names.map((name, j) => numberCells(name, cells(pending, j, pendingRows))),
    ]
    await attemptAsync(this.path, async () => this.writer.write({ columnData, rowGroupSize: rowsPerGroup }))
    this.rows += pendingRows
    this.pending.length = 0
    this.pendingRows = 0
    attempt(this.path, () => this.flush())
  }

  /** Writes what is encoded so far to the disk. */
  private flush(): void {
    const encoded = new Uint8Array(this.bytes.buffer, 0, this.bytes.index)
    for (let done = 0; done < encoded.length;) done += writeSync(this.descriptor!, encoded, done)
    this.bytes.index = 0
  }

  private close(): void {
    if (this.descriptor !== null) closeSync(this.descriptor)
    this.descriptor = null
  }
}

function cells(rows: readonly MetricRows[], column: number, count: number): (number | null)[] {
  const values = new Array<number | null>(count)
  let offset = 0
  for (const { columns } of rows)
    for (const value of columns[column]) values[offset++] = Number.isNaN(value) ? null : value
  return values
}

const causes: Record<string, 'disk-full' | 'read-only'> = {
  ENOSPC: 'disk-full',
  EDQUOT: 'disk-full',
  EACCES: 'read-only',
  EPERM: 'read-only',
  EROFS: 'read-only',
}

function attempt<Result>(path: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    throw writeError(path, error)
  }
}

async function attemptAsync(path: string, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    throw writeError(path, error)
  })
}

function writeError(path: string, error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const message = `${path} could not be written (${code || 'unknown cause'}).`
  return new AppError(causes[code] ?? 'not-found', message, { cause: error })
}
