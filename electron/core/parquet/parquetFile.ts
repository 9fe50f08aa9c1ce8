/** Opens a Parquet file: checks its footer, lists its columns and row groups, and reads bytes. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { type FileMetaData, parquetMetadata, type SchemaElement } from 'hyparquet'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, notFileText, unopenedText } from '#shared/units/fileKind.ts'
import { checkFooter } from './fileLimits.ts'
import { CHANGED_TEXT, type FileVersion, hasChanged } from './fileVersion.ts'
import { type ColumnChunk, readRowGroups } from './footerRowGroups.ts'
import { checkFooterShape, EncryptedError } from './thriftShape.ts'

export type PhysicalType = 'boolean' | 'int32' | 'int64' | 'float' | 'double' | 'text' | 'other'

export interface ParquetColumn {
  name: string
  type: PhysicalType
  /** Unit of a timestamp column; null for other columns. */
  timestampUnit: 'ms' | 'us' | 'ns' | null
  nullable: boolean
  element: SchemaElement
}

export interface ParquetRowGroup {
  /** First row of the group in the file. */
  startRow: number
  rows: number
  /** The column chunks of the group, one per column of the file. */
  chunks: ColumnChunk[]
}

interface Footer {
  rows: number
  columns: ParquetColumn[]
  rowGroups: ParquetRowGroup[]
  metadata: FooterFacts
}

/** Facts of a footer besides its columns and row groups. */
type FooterFacts = Pick<FileMetaData, 'key_value_metadata' | 'created_by'>

const magic = 'PAR1'
/** First bytes of a file whose footer is encrypted. */
const encryptedMagic = 'PARE'
const encryptedText = 'the file is encrypted, and Perpscope reads only files without encryption'
/** Maximum size of a footer that is parsed; once parsed, it takes about forty times its size in memory. */
const MOST_FOOTER_BYTES = 32 * 2 ** 20

/** Footers of recently opened files, by path, size and modification time. */
const footers = new Map<string, Footer>()
const MOST_FOOTERS = 4096

/** Reused for every file, because allocating it would take longer than filling it. */
const partBuffer = new Uint8Array(1024 * 1024)

export interface ParquetOptions {
  /** False to drop the footer afterwards, to save memory for a file that is read once. */
  remember?: boolean
  source?: ByteSource
  /** Version that was validated; a file with another version is not read. */
  known?: FileVersion | undefined
}

/**
 * A Parquet file opened for synchronous reading, in worker threads, guarded processes and on the command line. Close it
 * after use.
 */
export class ParquetFile implements Disposable {
  readonly path: string
  readonly sizeBytes: number
  readonly changedAtMs: number
  /** Identifies the content; changes when the file is replaced or written to. */
  readonly version: string
  readonly rows: number
  readonly columns: readonly ParquetColumn[]
  readonly rowGroups: readonly ParquetRowGroup[]
  readonly metadata: FooterFacts
  private readonly source: ByteSource

  constructor(path: string, { remember = true, source = diskSource(path), known }: ParquetOptions = {}) {
    this.path = path
    this.source = source
    try {
      this.sizeBytes = source.sizeBytes
      this.changedAtMs = source.changedAtMs
      if (known && hasChanged(source, known)) throw this.damaged(CHANGED_TEXT)
      const key = `${path}\n${source.sizeBytes}\n${source.changedAtMs}`
      this.version = key
      const footer = footers.get(key) ?? this.readFooter()
      footers.delete(key)
      if (remember) footers.set(key, footer)
      for (const leastRecent of footers.keys()) {
        if (footers.size <= MOST_FOOTERS) break
        footers.delete(leastRecent)
      }
      this.rows = footer.rows
      this.columns = footer.columns
      this.rowGroups = footer.rowGroups
      this.metadata = footer.metadata
    } catch (error) {
      source.close()
      throw error
    }
  }

  get name(): string {
    return basename(this.path)
  }

  /** Returns the index of a column; -1 if the file does not have it. */
  indexOf(column: string): number {
    return this.columns.findIndex(({ name }) => name === column)
  }

  /** Fills `target` with the bytes at `offset`. */
  read(target: Uint8Array, offset: number): void {
    if (!(offset >= 0) || offset + target.length > this.sizeBytes) throw this.damaged('it ends too early')
    if (!this.source.read(target, offset)) throw this.damaged('it ends too early')
  }

  /** Returns bytes of a file in memory without copying; null if they have to be read. */
  view(offset: number, length: number): Uint8Array | null {
    const { bytes } = this.source
    return bytes && offset >= 0 && offset + length <= bytes.length ? bytes.subarray(offset, offset + length) : null
  }

  /** Yields all bytes of the file in order, in parts; each part is only valid until the next one. */
  *parts(): Generator<Uint8Array> {
    for (let at = 0; at < this.sizeBytes; at += partBuffer.length) {
      const part = partBuffer.subarray(0, Math.min(partBuffer.length, this.sizeBytes - at))
      this.read(part, at)
      yield part
    }
  }

  damaged(why: string, cause?: unknown): AppError {
    return new AppError('corrupt-file', `${this.path}: ${why}.`, { cause })
  }

  close(): void {
    this.source.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  private readFooter(): Footer {
    if (this.sizeBytes === 0) throw this.damaged('the file is empty')
    if (this.sizeBytes < 12) throw this.damaged('this is not a Parquet file')
    const head = new Uint8Array(4)
    this.read(head, 0)
    if (textOf(head) === encryptedMagic) throw this.damaged(encryptedText)
    if (textOf(head) !== magic) throw this.damaged('this is not a Parquet file')
    const tail = new Uint8Array(8)
    this.read(tail, this.sizeBytes - 8)
    if (textOf(tail.subarray(4)) !== magic) throw this.damaged('the file is cut off: its end is missing')
    const length = new DataView(tail.buffer).getUint32(0, true)
    if (length > this.sizeBytes - 12 || length > MOST_FOOTER_BYTES) throw this.damaged('its footer is damaged')
    const bytes = new Uint8Array(length + 8)
    this.read(bytes, this.sizeBytes - bytes.length)
    try {
      return parseFooter(bytes.subarray(0, length), this.sizeBytes)
    } catch (error) {
      if (error instanceof EncryptedError) throw this.damaged(encryptedText, error)
      throw this.damaged(`its footer is damaged (${error instanceof Error ? error.message : String(error)})`, error)
    }
  }
}

const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes)

function parseFooter(bytes: Uint8Array, sizeBytes: number): Footer {
  const groupsAt = checkFooterShape(bytes)
  const metadata = parquetMetadata(withoutRowGroups(bytes, groupsAt), { geoparquet: false })
  const leaves = metadata.schema.filter(({ type }) => type !== undefined)
  const groups = readRowGroups(bytes.subarray(groupsAt.from, groupsAt.to), leaves)
  const rowGroups: ParquetRowGroup[] = []
  let startRow = 0
  for (const { rows, chunks } of checkFooter(metadata, groups, sizeBytes)) {
    rowGroups.push({ startRow, rows, chunks })
    startRow += rows
  }
  return { rows: startRow, columns: leafColumns(metadata.schema), rowGroups, metadata }
}

/** Returns a footer whose list of row groups is empty, because the general parser is slow to read row groups. */
function withoutRowGroups(bytes: Uint8Array, { from, to }: { from: number; to: number }): Uint8Array {
  const EMPTY_LIST_OF_STRUCTURES = 0x0c
  const length = bytes.length - (to - from) + 1
  const footer = new Uint8Array(length + 8)
  footer.set(bytes.subarray(0, from))
  footer[from] = EMPTY_LIST_OF_STRUCTURES
  footer.set(bytes.subarray(to), from + 1)
  new DataView(footer.buffer).setUint32(length, length, true)
  for (let at = 0; at < magic.length; at++) footer[length + 4 + at] = magic.charCodeAt(at)
  return footer
}

/** Lists one entry per column chunk of a row group, in order; nested columns have the type `other`. */
function leafColumns(schema: SchemaElement[]): ParquetColumn[] {
  const columns: ParquetColumn[] = []
  let at = 1
  const walk = (path: string[]): void => {
    const element = schema[at++]
    const elementPath = [...path, element.name]
    if (element.num_children) {
      for (let child = 0; child < element.num_children; child++) walk(elementPath)
      return
    }
    const isFlat = elementPath.length === 1 && element.repetition_type !== 'REPEATED'
    columns.push({
      name: elementPath.join('.'),
      type: isFlat ? physicalType(element) : 'other',
      timestampUnit: timestampUnit(element),
      nullable: element.repetition_type === 'OPTIONAL',
      element,
    })
  }
  for (let child = 0; child < (schema[0].num_children ?? 0); child++) walk([])
  return columns
}

const plainTypes: Partial<Record<string, PhysicalType>> = {
  BOOLEAN: 'boolean',
  INT32: 'int32',
  INT64: 'int64',
  FLOAT: 'float',
  DOUBLE: 'double',
  BYTE_ARRAY: 'text',
}

/** Converted types whose values differ from the physical ones. */
const convertedTypePattern = /^(DECIMAL|UINT_32|UINT_64|BSON|INTERVAL)$/

function physicalType({ type, converted_type: converted, logical_type: logical }: SchemaElement): PhysicalType {
  if (converted && convertedTypePattern.test(converted)) return 'other'
  if (logical && /^(DECIMAL|FLOAT16|UUID|VARIANT|GEOMETRY|GEOGRAPHY|BSON)$/.test(logical.type)) return 'other'
  if (logical?.type === 'INTEGER' && !logical.isSigned && logical.bitWidth >= 32) return 'other'
  return plainTypes[type ?? ''] ?? 'other'
}

/** Tells whether a column has integers of 64 bits, which a double may round. */
export function isLongInteger({ type, timestampUnit, element }: ParquetColumn): boolean {
  if (type === 'int64') return timestampUnit === null
  return element.type === 'INT64' && isUnsignedLong(element)
}

const isUnsignedLong = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'UINT_64' || (logical?.type === 'INTEGER' && !logical.isSigned && logical.bitWidth === 64)

/** Says what the values of a column are if they are not numbers; null if they are. */
export function notNumbersText({ type, timestampUnit, element }: ParquetColumn): string | null {
  if (type === 'text') return 'text'
  if (type === 'boolean') return 'true or false'
  const meaning = element.logical_type?.type ?? element.converted_type ?? ''
  if (timestampUnit !== null || /^(DATE|TIME)/.test(meaning)) return 'dates or times'
  const isNumber = type !== 'other' || /^(DECIMAL|UINT|INTEGER|FLOAT16)/.test(meaning)
  return isNumber && element.repetition_type !== 'REPEATED' ? null : 'of a type without numbers'
}

function timestampUnit({ type, converted_type: converted, logical_type: logical }: SchemaElement) {
  if (type !== 'INT64') return null
  if (logical?.type === 'TIMESTAMP') return ({ MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const)[logical.unit]
  if (converted === 'TIMESTAMP_MILLIS') return 'ms'
  return converted === 'TIMESTAMP_MICROS' ? 'us' : null
}

/** Reads the bytes of a file. Close it after use. */
interface ByteSource {
  sizeBytes: number
  changedAtMs: number
  /**
   * Fills the target with the bytes at the offset.
   * @returns false if the file is too short
   */
  read(target: Uint8Array, offset: number): boolean
  /** The bytes of a file in memory, valid until the source is closed; left out if the file is read from disk. */
  bytes?: Uint8Array
  close(): void
}

function diskSource(path: string): ByteSource {
  const descriptor = openFile(path)
  const close = () => closeSync(descriptor)
  try {
    const facts = fstatSync(descriptor)
    const problem = notFileText(path, facts)
    if (problem) throw new AppError('bad-input', problem)
    const { size, mtimeMs } = facts
    return {
      sizeBytes: size,
      changedAtMs: mtimeMs,
      read(target, offset) {
        for (let done = 0; done < target.length;) {
          const count = readSync(descriptor, target, done, target.length - done, offset + done)
          if (count === 0) return false
          done += count
        }
        return true
      },
      close,
    }
  } catch (thrown) {
    close()
    throw thrown
  }
}

/** Size up to which a file is read into memory as a whole. */
const LONGEST_WHOLE_BYTES = 64 * 2 ** 20
let wholeBuffer = new Uint8Array(0)

/**
 * Reads a whole file into memory that the next call reuses, for callers that need all columns: a file of many row
 * groups would otherwise take thousands of reads. A larger file is read piece by piece.
 */
export function wholeSource(path: string): ByteSource {
  const disk = diskSource(path)
  const { sizeBytes, changedAtMs } = disk
  if (sizeBytes > LONGEST_WHOLE_BYTES) return disk
  if (wholeBuffer.length < sizeBytes) wholeBuffer = new Uint8Array(Math.ceil(sizeBytes * 1.25))
  const bytes = wholeBuffer.subarray(0, sizeBytes)
  try {
    if (!disk.read(bytes, 0)) return disk
  } catch (thrown) {
    disk.close()
    throw thrown
  }
  return {
    sizeBytes,
    changedAtMs,
    read(target, offset) {
      if (offset + target.length > sizeBytes) return false
      target.set(bytes.subarray(offset, offset + target.length))
      return true
    },
    bytes,
    close: disk.close,
  }
}

function openFile(path: string): number {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever for a writer. Windows has no such pipes and no such
    // flag.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    throw new AppError('not-found', unopenedText(path, codeOf(error)), { cause: error })
  }
}
