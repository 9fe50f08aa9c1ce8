import { createHash } from 'node:crypto'
import { closeSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { CompressionCodec, SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter, type ColumnSource, type Writer } from 'hyparquet-writer'
import { jobKey, type FileJob, type MadeFile } from './fileJob.ts'

const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdCompressSync(input)) }

/** Writes one Parquet file row group by row group, hashing what it writes; memory holds one row group at most. */
export class ParquetFile {
  private readonly job: FileJob
  private readonly path: string
  private readonly handle: number
  private readonly hash = createHash('sha256')
  private readonly bytes: ByteWriter & Writer = new ByteWriter()
  private readonly writer: ParquetWriter
  private sizeBytes = 0

  constructor(job: FileJob, folder: string, columns: SchemaElement[], codec: CompressionCodec) {
    this.job = job
    const name = createHash('sha256').update(jobKey(job)).digest('hex').slice(0, 32)
    this.path = join(folder, `${name}.parquet`)
    this.handle = openSync(`${this.path}.part`, 'w')
    this.bytes.flush = () => this.drain()
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns]
    this.writer = new ParquetWriter({ writer: this.bytes, schema, codec, compressors, createdBy: 'perpscope sandbox' })
  }

  /** Appends rows, in groups of at most `rowGroupSize`. */
  write(columnData: ColumnSource[], rowGroupSize: number): void {
    void this.writer.write({ columnData, rowGroupSize })
  }

  finish(): MadeFile {
    void this.writer.finish()
    this.drain()
    closeSync(this.handle)
    renameSync(`${this.path}.part`, this.path)
    return { job: this.job, path: this.path, sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex') }
  }

  /** Moves what is buffered to the disk. The writer's offset counts from the file's start and stays. */
  private drain(): void {
    const chunk = new Uint8Array(this.bytes.buffer, 0, this.bytes.index)
    if (chunk.length === 0) return
    this.hash.update(chunk)
    writeSync(this.handle, chunk)
    this.sizeBytes += chunk.length
    this.bytes.index = 0
  }
}
