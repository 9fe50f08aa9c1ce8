import { closeSync, openSync, readdirSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '#core/store/makeFolders.ts'
import type { Series } from '#shared/formula/series.ts'
import { gibText, PanelError } from '#shared/lab/panel.ts'
import type { CellRows, StudyMatrix } from '#shared/lab/studyPanel.ts'

const PREFIX = 'study-cells-'
let fileCount = 0

/**
 * A temporary file for the cells of a study that does not fit into memory. If the system allows it, the file is
 * unlinked immediately, so that nothing is left behind; otherwise it is deleted at the end or before the next study.
 */
export class SpillFile {
  readonly #path: string
  readonly #fd: number
  #end = 0
  readonly #freeOffsetsBySize = new Map<number, number[]>()

  constructor(folder: string) {
    makeFolders(folder)
    for (const name of readdirSync(folder)) if (name.startsWith(PREFIX)) removeQuietly(join(folder, name))
    this.#path = join(folder, `${PREFIX}${process.pid}-${Date.now()}-${fileCount++}`)
    this.#fd = openSync(this.#path, 'wx+', 0o600)
    removeQuietly(this.#path)
  }

  /** Reserves a part of the file, which may contain old data; returns its offset. */
  reserve(bytes: number): number {
    const freeOffset = this.#freeOffsetsBySize.get(bytes)?.pop()
    if (freeOffset !== undefined) return freeOffset
    const offset = this.#end
    this.#end += bytes
    return offset
  }

  release(offset: number, bytes: number): void {
    const freeOffsets = this.#freeOffsetsBySize.get(bytes) ?? []
    freeOffsets.push(offset)
    this.#freeOffsetsBySize.set(bytes, freeOffsets)
  }

  read(into: Uint8Array, offset: number): void {
    for (let done = 0; done < into.length;) {
      const count = readSync(this.#fd, into, done, into.length - done, offset + done)
      if (count === 0) throw new Error('A temporary file of a study ends too early.')
      done += count
    }
  }

  write(bytes: Uint8Array, offset: number): void {
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#fd, bytes, done, bytes.length - done, offset + done)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      throw new PanelError('the disk is full: the study keeps its cells in the data folder while it runs.')
    }
  }

  close(): void {
    closeSync(this.#fd)
    removeQuietly(this.#path)
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // Some systems refuse to delete open files; the file is deleted later.
  }
}

/** Throws a `PanelError` if the disk has no room for the cells of a study. */
export function refuseWithoutRoom(folder: string, bytes: number): void {
  if (bytes === 0) return
  makeFolders(folder)
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  if (bytes <= freeBytes) return
  throw new PanelError(
    `the study needs about ${gibText(bytes)} of disk space in the data folder while it runs; ${gibText(freeBytes)} are free. Free up space, narrow start and end, or name fewer symbols.`,
  )
}

/** Size of a block of cells: how many timestamps and how many symbols it has. */
export interface CellShape {
  timeCount: number
  symbolCount: number
}

type CellArray = Float64Array | Uint8Array
const bytesOf = ({ buffer, byteOffset, byteLength }: CellArray) => new Uint8Array(buffer, byteOffset, byteLength)

/** Number of symbols that are transposed together, so that adjacent cells are written together. */
const TILE = 16

/** Cells of a study in a file, symbol by symbol. A symbol that was never written has no values. */
export class SpilledCells<Cells extends CellArray> implements CellRows<Cells> {
  readonly #file: SpillFile
  readonly #make: (length: number) => Cells
  readonly #missingValue: number
  readonly #shape: CellShape
  readonly #stride: number
  readonly #offset: number
  readonly #cellBytes: number
  #written: Uint8Array
  /** Rows read last; the next read reuses those that it also needs. */
  #buffer: Cells
  #from = 0
  #to = 0

  /**
   * @param view for a view: the cells that it shows a part of, and its first time; `shape` is then the shape of the
   * view. Absent for cells with storage of their own.
   */
  constructor(
    file: SpillFile,
    make: (length: number) => Cells,
    missingValue: number,
    shape: CellShape,
    view?: { source: SpilledCells<Cells>; firstTime: number },
  ) {
    this.#file = file
    this.#make = make
    this.#missingValue = missingValue
    this.#shape = shape
    this.#buffer = make(0)
    this.#cellBytes = this.#buffer.BYTES_PER_ELEMENT
    this.#stride = view ? view.source.#stride : shape.timeCount
    this.#offset = view ? view.source.#offset + view.firstTime * this.#cellBytes : file.reserve(this.#bytes)
    this.#written = view ? view.source.#written : new Uint8Array(shape.symbolCount)
  }

  get #bytes(): number {
    return this.#stride * this.#shape.symbolCount * this.#cellBytes
  }

  /** Returns a view of fewer symbols and times of the same cells. */
  viewOf(firstTime: number, shape: CellShape): SpilledCells<Cells> {
    return new SpilledCells(this.#file, this.#make, this.#missingValue, shape, { source: this, firstTime })
  }

  writeSymbol(symbol: number, cells: Cells): void {
    this.#file.write(bytesOf(cells), this.#placeOf(symbol, 0))
    this.#written[symbol] = 1
    this.#to = this.#from
  }

  writeRows(from: number, cells: Cells): void {
    const { symbolCount } = this.#shape
    const times = cells.length / symbolCount
    const symbolCells = this.#make(times)
    for (let symbol = 0; symbol < symbolCount; symbol++) {
      for (let time = 0, cell = symbol; time < times; time++, cell += symbolCount) symbolCells[time] = cells[cell]
      this.#file.write(bytesOf(symbolCells), this.#placeOf(symbol, from))
    }
    this.#to = this.#from
  }

  symbol(symbol: number, from = 0, to = this.#shape.timeCount): Cells {
    const symbolCells = this.#make(to - from)
    this.#readSymbol(symbol, from, symbolCells)
    return symbolCells
  }

  rows(from: number, to: number): Cells {
    const { symbolCount } = this.#shape
    const sharedTimes = from >= this.#from && from < this.#to ? Math.min(to, this.#to) - from : 0
    const start = (from - this.#from) * symbolCount
    if (this.#buffer.length < (to - from) * symbolCount) {
      const larger = this.#make((to - from) * symbolCount)
      if (sharedTimes > 0) larger.set(this.#buffer.subarray(start, start + sharedTimes * symbolCount))
      this.#buffer = larger
    } else if (sharedTimes > 0) this.#buffer.copyWithin(0, start, start + sharedTimes * symbolCount)
    this.#from = from
    this.#to = to
    if (from + sharedTimes < to) this.#readRows(from + sharedTimes, sharedTimes * symbolCount)
    return this.#buffer.subarray(0, (to - from) * symbolCount) as Cells
  }

  /** Reads the rows from the time `first` on, up to `#to`, into the buffer, where they start at `cell`. */
  #readRows(first: number, cell: number): void {
    const { symbolCount } = this.#shape
    const buffer = this.#buffer
    const times = this.#to - first
    const tile = Array.from({ length: Math.min(TILE, symbolCount) }, () => this.#make(times))
    for (let symbol = 0; symbol < symbolCount; symbol += TILE) {
      const count = Math.min(TILE, symbolCount - symbol)
      for (let index = 0; index < count; index++) this.#readSymbol(symbol + index, first, tile[index])
      for (let time = 0, target = cell + symbol; time < times; time++, target += symbolCount) {
        for (let position = 0; position < count; position++) buffer[target + position] = tile[position][time]
      }
    }
  }

  #readSymbol(symbol: number, from: number, into: Cells): void {
    if (!this.#written[symbol]) into.fill(this.#missingValue)
    else if (into.length > 0) this.#file.read(bytesOf(into), this.#placeOf(symbol, from))
  }

  #placeOf(symbol: number, time: number): number {
    return this.#offset + (symbol * this.#stride + time) * this.#cellBytes
  }

  close(): void {
    this.#file.release(this.#offset, this.#bytes)
  }
}

/** Values of a formula in a file. */
export class SpilledMatrix extends SpilledCells<Float64Array> implements StudyMatrix {
  constructor(file: SpillFile, shape: CellShape) {
    super(file, (length) => new Float64Array(length), NaN, shape)
  }

  writeSymbols(first: number, tile: readonly Series[]): void {
    tile.forEach(({ values, valid }, index) => {
      const cells = valid === null ? values : values.map((value, time) => (valid[time] !== 0 ? value : NaN))
      this.writeSymbol(first + index, cells)
    })
  }
}

export const spilledFlags = (file: SpillFile, shape: CellShape): SpilledCells<Uint8Array> =>
  new SpilledCells(file, (length) => new Uint8Array(length), 0, shape)
