import { crc32 } from 'node:zlib'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { checkValues } from '#core/parquet/checkValues.ts'
import { visitPages } from '#core/parquet/columnPages.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { doubleBytes, parquetBytes, plainChunk } from '../../fakes/parquetBytes.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const rows = 500
const columnData: ColumnSource[] = [
  { name: 'time', type: 'INT64', data: BigInt64Array.from({ length: rows }, (_, i) => BigInt(i)) },
  { name: 'value', type: 'DOUBLE', data: Array.from({ length: rows }, (_, i) => (i % 7 === 0 ? null : i / 3)) },
  // The writer creates a dictionary for these values.
  { name: 'twoValues', type: 'DOUBLE', data: Array.from({ length: rows }, (_, i) => (i % 2 ? 0.25 : 0.75)) },
  { name: 'odd', type: 'DOUBLE', data: [NaN, Infinity, -Infinity, ...Array<number>(rows - 3).fill(1)] },
  { name: 'side', type: 'STRING', data: Array.from({ length: rows }, (_, i) => (i % 2 ? 'buy' : 'sell')) },
]

function writeFile(): string {
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' })))
  return path
}

function check(path: string): string {
  using file = new ParquetFile(path, { remember: false })
  try {
    checkValues(file)
    return 'whole'
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'corrupt-file' })
    return (error as AppError).detail ?? ''
  }
}

/** Returns the place of a column's pages in the file. */
function placeOf(path: string, name: string): { start: number; end: number } {
  using file = new ParquetFile(path, { remember: false })
  const chunk = file.rowGroups[0].chunks[file.indexOf(name)]
  const start = Number(chunk.dictionary_page_offset ?? chunk.data_page_offset)
  return { start, end: start + Number(chunk.total_compressed_size) }
}

describe('checkValues', () => {
  it('does not believe a column with a Bloom filter, by which a row group would be left out', () => {
    const path = join(temporaryFolder(), 'file.parquet')
    const chunk = plainChunk(2, doubleBytes(1, 2))
    const columns = [
      { name: 'plain', type: 'DOUBLE', chunks: [chunk] },
      { name: 'filtered', type: 'DOUBLE', chunks: [{ ...chunk, bloomFilterAt: 4 }] },
    ] as const
    writeFileSync(path, parquetBytes(columns))
    using file = new ParquetFile(path, { remember: false })
    expect(checkValues(file)).toEqual([1])
  })

  it('finds nothing in a whole file, whatever its values are', () => expect(check(writeFile())).toBe('whole'))

  it.each(['value', 'side', 'time'])('finds that the pages of %s were overwritten', (name) => {
    const path = writeFile()
    const { start, end } = placeOf(path, name)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xff, start, end))
    expect(check(path)).toContain(`column ${name}`)
  })

  it.each([
    ['value', 1 / 3],
    ['twoValues', 0.25],
  ])('finds a value of %s outside of what the file says its values are', (name, value) => {
    const path = writeFile()
    const bytes = readFileSync(path)
    const at = bytes.indexOf(new Uint8Array(Float64Array.of(value).buffer), placeOf(path, name).start)
    expect(at).toBeGreaterThan(0)
    bytes.writeDoubleLE(1e9, at)
    writeFileSync(path, bytes)
    expect(check(path)).toContain(`column ${name} cannot be read (its values do not match the file’s statistics)`)
  })

  it('calls every file with a broken byte whole or damaged, and never fails otherwise', () => {
    const path = writeFile()
    const { start, end } = placeOf(path, 'value')
    const bytes = readFileSync(path)
    let found = 0
    for (let at = start; at < end; at += 37) {
      const spoilt = Uint8Array.from(bytes)
      spoilt[at] ^= 0xff
      writeFileSync(path, spoilt)
      if (check(path) !== 'whole') found++
    }
    expect(found).toBeGreaterThan(0)
  })
})

describe('a page with a checksum', () => {
  /**
   * Returns a page of 8 bytes with one double in PLAIN; its header has the type, the sizes, the checksum and the fields
   * of a data page.
   */
  const page = (checksum: number) => {
    const varint = (value: number): number[] => {
      let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n))
      const bytes: number[] = []
      for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
      return [...bytes, Number(rest)]
    }
    const int = (value: number) => [0x15, ...varint(value)]
    const data = [0x1c, ...int(1), ...int(0), ...int(3), ...int(3), 0]
    return Uint8Array.from([...int(0), ...int(8), ...int(8), ...int(checksum), ...data, 0, ...body])
  }
  const body = new Uint8Array(Float64Array.of(1.5).buffer)

  it('is read where they agree, and damaged where not', () => {
    const path = writeFile()
    using file = new ParquetFile(path, { remember: false })
    const column = { ...file.columns[1], nullable: false }
    const chunk = file.rowGroups[0].chunks[1]
    const read = (bytes: Uint8Array) => {
      let seen = 0
      visitPages(
        bytes,
        column,
        chunk,
        1,
        () => true,
        () => {},
        ({ bytes: page }) => (seen = new DataView(page.buffer, page.byteOffset).getFloat64(0, true)),
      )
      return seen
    }
    expect(read(page(crc32(body) | 0))).toBe(1.5)
    expect(() => read(page((crc32(body) ^ 1) | 0))).toThrow('checksum')
  })
})
