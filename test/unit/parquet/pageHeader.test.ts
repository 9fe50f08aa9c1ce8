import { expect, it } from 'vitest'
import { cursorAt, readAnyPageHeader, readPageHeader } from '#core/parquet/hyparquetInternals.ts'

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.replaceAll(' ', '').match(/../g) ?? [], (pair) => parseInt(pair, 16))

it.each([
  ['a data page', '1500 1518 1518 2c 1506 1500 1506 1506 00 00'],
  ['a data page with a checksum', '1500 15c801 159001 15ff01 1c 1506 1510 1506 1506 00 00'],
  ['a data page with statistics', '1500 1518 1518 2c 1506 1500 1506 1506 1c 3602 00 00 00'],
  ['a page of the second version', '1506 1518 1518 5c 1506 1502 1506 1510 1504 1500 11 00 00'],
  ['one that does not say whether it is compressed', '1506 1518 1518 5c 1506 1502 1506 1510 1504 1500 00 00'],
  ['one that is not compressed', '1506 1518 1518 5c 1506 1502 1506 1510 1504 1500 12 00 00'],
  ['a dictionary', '1504 1518 1518 4c 1506 1500 00 00'],
  ['a sorted dictionary', '1504 1518 1518 4c 1506 1500 11 00 00'],
  ['a page of more bytes than four bytes of a number can say', '1500 15feffffff0f 1518 2c 1506 1500 1506 1506 00 00'],
  ['fields whose numbers are written out', '0502 00 1518 1518 2c 1506 1500 1506 1506 00 00'],
  ['an index', '1502 1518 1518 3c 00 00'],
])('reads the header of %s as the general parser does', (_, hex) => {
  const bytes = bytesOf(`ff ${hex} aabb`)
  const [quick, any] = [cursorAt(bytes, 1), cursorAt(bytes, 1)]
  expect(readPageHeader(bytes, quick)).toEqual(readAnyPageHeader(any))
  expect(quick.offset).toBe(any.offset)
  expect(bytes[quick.offset]).toBe(0xaa)
})

it('refuses a header that is cut off, wherever', () => {
  const bytes = bytesOf('1506 1518 1518 5c 1506 1502 1506 1510 1504 1500 11 00 00')
  for (let length = 0; length < bytes.length; length++) {
    const part = bytes.slice(0, length)
    expect(() => readPageHeader(part, cursorAt(part, 0))).toThrow()
  }
})
