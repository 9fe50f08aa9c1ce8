import type { SchemaElement } from 'hyparquet'
import { expect, it } from 'vitest'
import {
  convertValues,
  cursorAt,
  decodeDeltaBytes,
  decodeDeltaIntegers,
  decodePlainValues,
  decodeSplitValues,
  readAnyPageHeader,
} from '#core/parquet/hyparquetInternals.ts'

/** Converts hexadecimal text to bytes; spaces only separate groups. */
const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const textsOf = (values: Uint8Array[] | null) => values?.map((value) => Buffer.from(value).toString())

/** Returns the header of a page with three values in 12 bytes, which are compressed to `compressedBytes`. */
const pageHeader = (compressedBytes: number) =>
  `1500 1518 15${(compressedBytes * 2).toString(16).padStart(2, '0')} 2c 1506 1500 1506 1506 00 00`

it('reads a page header and stops at the first byte of the page', () => {
  const bytes = bytesOf(`${pageHeader(12)} ff`)
  const cursor = cursorAt(bytes, 0)
  expect(readAnyPageHeader(cursor)).toMatchObject({
    type: 'DATA_PAGE',
    uncompressed_page_size: 12,
    compressed_page_size: 12,
    data_page_header: { num_values: 3, encoding: 'PLAIN' },
  })
  expect(cursor.offset).toBe(bytes.length - 1)
})

it('decodes the example of delta-packed integers in the Parquet specification, in both widths', () => {
  const bytes = bytesOf('00 8001 04 08 0e 03 02000000 c03f 000000000000')
  const small = new Int32Array(8)
  decodeDeltaIntegers(cursorAt(bytes, 1), 8, small)
  expect([...small]).toEqual([7, 5, 3, 1, 2, 3, 4, 5])
  const large = new BigInt64Array(8)
  decodeDeltaIntegers(cursorAt(bytes, 1), 8, large)
  expect([...large].map(Number)).toEqual([...small])
})

it('decodes byte strings with delta-packed lengths, alone and with shared prefixes', () => {
  const lengths = bytesOf('8001 04 03 04 03 03000000 28 0000000000000000000000 6162 636465')
  expect(textsOf(decodeDeltaBytes(cursorAt(lengths, 0), 'DELTA_LENGTH_BYTE_ARRAY', 3))).toEqual(['ab', '', 'cde'])
  const prefixes = '8001 04 03 00 01 02000000 03 00000000000000'
  const suffixes = '8001 04 03 04 01 01000000 02 000000 61626364'
  const shared = bytesOf(prefixes + suffixes)
  expect(textsOf(decodeDeltaBytes(cursorAt(shared, 0), 'DELTA_BYTE_ARRAY', 3))).toEqual(['ab', 'abc', 'ad'])
  expect(decodeDeltaBytes(cursorAt(shared, 0), 'PLAIN', 3)).toBeNull()
})

it('reads plain decimals and converts them into numbers', () => {
  const element: SchemaElement = {
    type: 'INT32',
    name: 'price',
    repetition_type: 'REQUIRED',
    converted_type: 'DECIMAL',
    scale: 2,
    precision: 9,
  }
  const values = decodePlainValues(cursorAt(bytesOf('7b000000 85ffffff 00000000'), 0), 'INT32', 3, undefined)
  expect(Array.from(convertValues(values, element))).toEqual([1.23, -1.23, 0])
})

it('joins the bytes of values that were split into streams', () => {
  const split = bytesOf('0102 0000 0000 0000')
  expect(Array.from(decodeSplitValues(cursorAt(split, 0), 'INT32', 2, undefined))).toEqual([1, 2])
})

it('refuses lengths that hyparquet would believe', () => {
  const far = bytesOf('8001 04 03 00 01 1f000000 ffffffff ffffffff ffffffff ffffffff')
  expect(() => decodeDeltaBytes(cursorAt(far, 0), 'DELTA_LENGTH_BYTE_ARRAY', 3)).toThrow()
  const endless = new Uint8Array(1_000_000).fill(0xff)
  expect(() => decodeDeltaIntegers(cursorAt(endless, 0), 8, new BigInt64Array(8))).toThrow('longer than any')
  expect(() => readAnyPageHeader(cursorAt(endless, 0))).toThrow()
  const hugeBlocks = bytesOf('ffffffff07 ffffffff07 08 0e 03 02000000')
  expect(() => decodeDeltaIntegers(cursorAt(hugeBlocks, 0), 8, new Int32Array(8))).toThrow('blocks')
})
