import { createHash, randomUUID } from 'node:crypto'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import type { CompressionCodec, SchemaElement } from 'hyparquet'
import { ByteWriter, ParquetWriter, type ColumnSource, type Writer } from 'hyparquet-writer'
import type { FileRecipe, GeneratedFile } from './fileRecipe.ts'

/**
 * Compressor of pages. Node appends an empty frame if the packed page fills its chunk exactly, so the chunk is always
 * larger.
 */
const compressors = {
  ZSTD: (input: Uint8Array) => new Uint8Array(zstdCompressSync(input, { chunkSize: input.length + 4096 })),
}

/** Writes one Parquet file row group by row group and hashes it on the way; at most one row group is in memory. */
export class ParquetFileWriter {
  private readonly recipe: FileRecipe
  private readonly path: string
  private readonly handle: number
  private readonly hash = createHash('sha256')
  private readonly bytes: ByteWriter & Writer = new ByteWriter()
  private readonly writer: ParquetWriter
  private sizeBytes = 0

  constructor(recipe: FileRecipe, folder: string, columns: SchemaElement[], codec: CompressionCodec) {
    this.recipe = recipe
    // A unique name, so that removing a discarded file never removes its successor.
    this.path = join(folder, `${randomUUID()}.parquet`)
    this.handle = openSync(this.path, 'wx')
    this.bytes.flush = () => this.drain()
    const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }, ...columns]
    this.writer = new ParquetWriter({ writer: this.bytes, schema, codec, compressors, createdBy: 'perpscope sandbox' })
  }

  /** Appends rows, in groups of at most `rowGroupSize`. */
  async write(columnData: ColumnSource[], rowGroupSize: number): Promise<void> {
    await this.writer.write({ columnData, rowGroupSize })
  }

  /** Finishes the file; one without indexes is filled to at least `sizeBytes` before its footer. */
  async finish(sizeBytes = 0): Promise<GeneratedFile> {
    this.drain()
    await this.writer.finish()
    this.fill(sizeBytes - this.sizeBytes - this.bytes.index)
    this.drain()
    closeSync(this.handle)
    return { recipe: this.recipe, path: this.path, sizeBytes: this.sizeBytes, sha256: this.hash.digest('hex') }
  }

  /** Removes a file that could not be finished. */
  discard(): void {
    closeSync(this.handle)
    rmSync(this.path, { force: true })
  }

  private fill(bytes: number): void {
    if (bytes > 0) this.append(new Uint8Array(bytes))
  }

  /** Writes the buffer to the disk. The writer's offset counts from the start of the file and stays unchanged. */
  private drain(): void {
    const chunk = new Uint8Array(this.bytes.buffer, 0, this.bytes.index)
    if (chunk.length === 0) return
    this.append(chunk)
    this.bytes.index = 0
  }

  private append(chunk: Uint8Array): void {
    this.hash.update(chunk)
    writeSync(this.handle, chunk)
    this.sizeBytes += chunk.length
  }
}

/** Writes and finishes several files of at least `sizeBytes`: all of them, or none if `write` fails. */
export async function finishTogether(
  files: ParquetFileWriter[],
  write: () => Promise<void>,
  sizeBytes?: number,
): Promise<GeneratedFile[]> {
  try {
    await write()
  } catch (error) {
    for (const file of files) file.discard()
    throw error
  }
  return await Promise.all(files.map((file) => file.finish(sizeBytes)))
}
