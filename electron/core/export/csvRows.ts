import type { Column, Frame } from '#shared/contract/frame.ts'
import { csvRowsModule } from './csvRowsModule.ts'
import { csvTables } from './csvTables.ts'

/**
 * The part of the WebAssembly API used here; its official types come with the DOM library, which the core does not
 * include.
 */
interface WasmApi {
  Module: new (bytes: Uint8Array) => WasmModule
  Memory: new (size: { initial: number }) => WasmMemory
  Instance: new (
    module: WasmModule,
    imports: Record<string, Record<string, unknown>>,
  ) => { exports: Record<string, unknown> }
}

type WasmModule = object

/** Memory in pages of 64 KiB. */
interface WasmMemory {
  buffer: ArrayBuffer
  grow(pages: number): number
}

const { WebAssembly } = globalThis as unknown as { WebAssembly: WasmApi }

/** Codes of the column kinds in the module. */
const kindCodes = { number: 0, text: 1, time: 2 }
/** Maximum number of bytes of a cell with its comma; for texts, their own length is added per cell. */
const MOST_CELL_BYTES = { number: 25, time: 38, text: 1 }
/** Bytes that the module may write past the last cell. */
const OVERHANG_BYTES = 64
const BYTES_PER_COLUMN = 16
const PAGE_BYTES = 65_536
/** Number of encoded bytes passed on at a time; buffers of this size are reused, which is faster than fresh memory. */
const PIECE_BYTES = 1 << 20
/** Maximum number of text bytes encoded at a time, unless a single row has more. */
const TEXT_BYTES = 1 << 20

const LINE_FEED = 10

/** Writes the cells that are not numbers. */
interface CellTexts {
  /** Formats times; null for UTC, which the module formats itself. */
  time: ((timeMs: number) => string) | null
  text(text: string): string
}

type WriteRows = (rows: number, descriptionsAt: number, columnCount: number, lineEnd: number, from: number) => number
type CellText = (row: number) => string

let compiled: WasmModule | null | undefined

/** Compiles the module once per thread; returns null if WebAssembly or its vector instructions are not allowed. */
function compiledModule(): WasmModule | null {
  if (compiled !== undefined) return compiled
  try {
    compiled = new WebAssembly.Module(Buffer.from(csvRowsModule, 'base64'))
  } catch {
    compiled = null
  }
  return compiled
}

/** Rounds an address up, so that doubles are aligned. */
const alignUp = (address: number) => (address + 7) & ~7

/**
 * Creates an encoder of CSV rows in WebAssembly; null if WebAssembly is not allowed.
 * @param otherTime formats times outside the years 0 to 9999
 */
export function createCsvRows(texts: CellTexts, otherTime: (timeMs: number) => string): CsvRows | null {
  const module = compiledModule()
  return module && new CsvRows(module, texts, otherTime)
}

export class CsvRows {
  private readonly memory = new WebAssembly.Memory({ initial: 1 })
  private readonly writeRows: WriteRows
  private readonly texts: CellTexts
  private readonly tables = csvTables()
  private bytes = Buffer.alloc(0)
  // These arrays are views of the same memory; a view for each column of a block would take as long as copying its
  // values.
  private words = new Int32Array(0)
  private doubles = new Float64Array(0)

  constructor(module: WasmModule, texts: CellTexts, otherTime: (timeMs: number) => string) {
    this.texts = texts
    const write = (text: string, offset: number) => offset + this.bytes.write(text, offset, 'latin1')
    const { exports } = new WebAssembly.Instance(module, {
      env: {
        memory: this.memory,
        writeOther: (value: number, offset: number) => write(String(value), offset),
        writeOtherTime: (timeMs: number, offset: number) => write(otherTime(timeMs), offset),
      },
    })
    this.writeRows = exports.writeRows as WriteRows
    this.reserve(this.tables.length)
    this.bytes.set(this.tables)
  }

  /**
   * Encodes all rows, in pieces of about a megabyte; a row longer than that is one piece.
   * @param buffers buffers to reuse before allocating new ones, which would cost page faults
   */
  encode({ rows, columns }: Frame, buffers: SharedArrayBuffer[] = []): Uint8Array[] {
    const cells = columns.map((column) => this.cellFormatter(column))
    const rowBytes = columns.reduce((sum, { kind }) => sum + MOST_CELL_BYTES[kind], 2)
    const pieces: Uint8Array[] = []
    const out = alignUp(this.tables.length)
    let offset = out
    const flush = () => {
      if (offset > out) pieces.push(copyInto(buffers.pop(), this.bytes.subarray(out, offset)))
      offset = out
    }
    for (let from = 0; from < rows;) {
      const block = blockOf(from, rows, rowBytes, cells)
      const mostBytes = block.rows * rowBytes + block.textBytes + OVERHANG_BYTES
      if (offset + mostBytes > out + PIECE_BYTES) flush()
      const input = out + Math.max(PIECE_BYTES, mostBytes)
      this.fill(columns, cells, from, block, input)
      offset = this.writeRows(block.rows, alignUp(input), columns.length, LINE_FEED, offset)
      from += block.rows
    }
    flush()
    return pieces
  }

  /** Returns a function that formats the cells of a column the module cannot format; null if it can. */
  private cellFormatter(column: Column): CellText | null {
    const { values, valid } = column
    const { time } = this.texts
    const isPresent = (row: number) => valid === null || valid[row] !== 0
    if (column.kind === 'text') {
      const cells = column.dictionary.map(this.texts.text)
      return (row) => (isPresent(row) ? cells[values[row]] : '')
    }
    if (column.kind === 'number' || time === null) return null
    return (row) => (isPresent(row) ? time(values[row]) : '')
  }

  /** Copies the columns of a block into the module's memory, after their descriptions. */
  private fill(
    columns: readonly Column[],
    cells: readonly (CellText | null)[],
    from: number,
    block: Block,
    input: number,
  ): void {
    const descriptions = alignUp(input)
    const mostBytes = columns.length * (BYTES_PER_COLUMN + (block.rows + 2) * 9 + 16)
    this.reserve(descriptions + mostBytes + block.textBytes)
    const { bytes, words, doubles } = this
    let offset = alignUp(descriptions + columns.length * BYTES_PER_COLUMN)
    for (const [index, { kind, values, valid }] of columns.entries()) {
      const description = (descriptions + index * BYTES_PER_COLUMN) / 4
      const cell = cells[index]
      words[description] = cell ? kindCodes.text : kindCodes[kind]
      words[description + 1] = offset
      words[description + 2] = 0
      if (cell) {
        const texts = offset + (block.rows + 1) * 4
        words[description + 3] = texts
        offset = alignUp(this.fillTexts(cell, from, block.rows, offset, texts))
        continue
      }
      const start = offset / 8
      for (let row = 0; row < block.rows; row++) doubles[start + row] = values[from + row]
      offset += block.rows * 8
      if (valid === null) continue
      words[description + 2] = offset
      bytes.set(valid.subarray(from, from + block.rows), offset)
      offset = alignUp(offset + block.rows)
    }
  }

  /**
   * Writes the texts of a block at `texts`, and their end positions at `ends`.
   * @returns the address after the texts
   */
  private fillTexts(cell: CellText, from: number, rows: number, ends: number, texts: number): number {
    const { bytes } = this
    let offset = texts
    bytes.writeInt32LE(0, ends)
    for (let row = 0; row < rows; row++) {
      offset += bytes.write(cell(from + row), offset)
      bytes.writeInt32LE(offset - texts, ends + (row + 1) * 4)
    }
    return offset
  }

  private reserve(size: number): void {
    const missingBytes = size + OVERHANG_BYTES - this.bytes.length
    if (missingBytes <= 0) return
    this.memory.grow(Math.ceil(missingBytes / PAGE_BYTES))
    const { buffer } = this.memory
    this.bytes = Buffer.from(buffer)
    this.words = new Int32Array(buffer)
    this.doubles = new Float64Array(buffer)
  }
}

/** Copies bytes into a buffer, or into a new one if there is none or it is too small. */
function copyInto(buffer: SharedArrayBuffer | undefined, bytes: Uint8Array): Uint8Array {
  const isLargeEnough = buffer && buffer.byteLength >= bytes.length
  const target = isLargeEnough ? buffer : new SharedArrayBuffer(Math.max(PIECE_BYTES, bytes.length))
  const piece = new Uint8Array(target, 0, bytes.length)
  piece.set(bytes)
  return piece
}

/** Rows that are encoded together, few enough to stay in the CPU cache. */
interface Block {
  rows: number
  textBytes: number
}

function blockOf(from: number, rows: number, rowBytes: number, cells: readonly (CellText | null)[]): Block {
  const mostRows = Math.min(rows - from, Math.max(1, Math.floor(PIECE_BYTES / 4 / rowBytes)))
  const textCells = cells.filter((cell) => cell !== null)
  let textBytes = 0
  if (textCells.length === 0) return { rows: mostRows, textBytes }
  for (let count = 0; count < mostRows; count++) {
    // UTF-8 takes at most three bytes per UTF-16 code unit.
    const moreBytes = textCells.reduce((sum, cell) => sum + cell(from + count).length * 3, 0)
    if (count > 0 && textBytes + moreBytes > TEXT_BYTES) return { rows: count, textBytes }
    textBytes += moreBytes
  }
  return { rows: mostRows, textBytes }
}
