import { closeSync, fsync, mkdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '#shared/contract/errors.ts'
import { writeError } from '#shared/contract/writeError.ts'
import { codeOf } from '#shared/units/fileKind.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { openPart } from '#core/partFile.ts'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'
import { type EncodedRows, encodeRows, metricSchema, type RowsToEncode, rowsPerGroup } from './metricGroups.ts'

/** Encodes rows in this thread or in another one. */
type Encode = (rows: RowsToEncode) => Promise<EncodedRows>

/**
 * Writes the rows of one dataset to a Parquet file. `finish` syncs the complete file and renames it to its final name;
 * `discard` leaves nothing behind.
 */
export class MetricFileWriter {
  rows = 0
  private readonly path: string
  private readonly partPath: string
  private readonly bytes: ByteWriter
  private readonly writer: ParquetWriter
  private pending: MetricRows[] = []
  private pendingRows = 0
  private descriptor: number | null

  /**
   * @param metadata key-value metadata for the footer
   * @param mode permissions of the file, from which the user's umask is taken away
   */
  constructor(path: string, dataset: MetricDatasetId, metadata: Readonly<Record<string, string>> = {}, mode = 0o666) {
    this.path = path
    const part = attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      return openPart(path, mode)
    })
    this.partPath = part.path
    this.descriptor = part.descriptor
    const { bytes, writer } = createZstdWriter(metricSchema(dataset), metadata)
    this.bytes = bytes
    this.writer = writer
  }

  async add(rows: MetricRows): Promise<void> {
    if (rows.timeMs.length === 0) return
    this.pending.push(rows)
    this.pendingRows += rows.timeMs.length
    if (this.pendingRows >= rowsPerGroup) await this.writePending(encodeRows)
  }

  get waitingRows(): number {
    return this.pendingRows
  }

  /**
   * Renames the file to its final name once everything is written and synced; after a failed write it rejects and
   * renames nothing.
   */
  async finish(): Promise<void> {
    await this.complete(encodeRows)
    this.rename()
  }

  /** Writes what is left and syncs the file. */
  private async complete(encode: Encode): Promise<void> {
    await this.writePending(encode)
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

  /**
   * Finishes files together: their encodings and disk syncs overlap, and none is renamed before all are complete.
   */
  static async finishAll(files: readonly MetricFileWriter[], encode: Encode = encodeRows): Promise<void> {
    const results = await Promise.allSettled(files.map((file) => file.complete(encode)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    for (const file of files) file.rename()
  }

  discard(): void {
    this.close()
    rmSync(this.partPath, { force: true })
  }

  private async writePending(encode: Encode): Promise<void> {
    const parts = this.pending
    if (parts.length === 0) return
    this.pending = []
    this.pendingRows = 0
    const { writer, bytes } = this
    const encoded = await attemptAsync(this.path, () => encode({ parts, startByte: bytes.offset }))
    bytes.appendBytes(encoded.bytes)
    writer.row_groups.push(...encoded.rowGroups)
    writer.num_rows += BigInt(encoded.rows)
    this.rows += encoded.rows
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

const codeByErrno: Record<string, 'conflict' | 'not-found'> = {
  EEXIST: 'conflict',
  ENOTDIR: 'conflict',
  EISDIR: 'conflict',
  ENOENT: 'not-found',
}

function attempt<Result>(path: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    throw failedWrite(path, error)
  }
}

const attemptAsync = <Result>(path: string, write: () => Promise<Result>): Promise<Result> =>
  write().catch((error: unknown) => {
    throw failedWrite(path, error)
  })

function failedWrite(path: string, thrown: unknown): AppError {
  const error = writeError(path, thrown)
  if (error instanceof AppError) return error
  const code = codeOf(thrown)
  return new AppError(codeByErrno[code] ?? 'read-only', `${path} could not be written (${code}).`, { cause: thrown })
}
