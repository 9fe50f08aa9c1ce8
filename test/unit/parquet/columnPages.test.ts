import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { decompressPage } from '#core/parquet/columnPages.ts'
import { compressPage, createZstdWriter } from '#core/parquet/zstdWriter.ts'

/** Returns incompressible bytes, so that their packed size follows from their number; they are equal in every run. */
const noise = (count: number) => {
  let state = 1
  return Uint8Array.from({ length: count }, () => (state = (state * 48_271) % 2_147_483_647) & 255)
}

/** Content of a page whose packed bytes fill Node's buffer of 16 KiB, after which Node appends an empty frame. */
const pageWithEmptyFrame = noise(16_374)

test.each([
  ['a page with an empty frame behind it', zstdCompressSync(pageWithEmptyFrame), pageWithEmptyFrame],
  [
    'a page of two frames',
    Buffer.concat([zstdCompressSync(noise(1000)), zstdCompressSync(noise(50_000))]),
    Buffer.concat([noise(1000), noise(50_000)]),
  ],
])('%s is read whole', (_, packed, page) => {
  expect(decompressPage('ZSTD', packed, page.length)).toEqual(new Uint8Array(page))
})

test.each([
  ['is cut off', 'ZSTD' as const, zstdCompressSync(noise(5000)).subarray(0, 4000), 5000],
  ['is longer than it says', 'ZSTD' as const, zstdCompressSync(noise(5000)), 4999],
  ['is shorter than it says', 'ZSTD' as const, zstdCompressSync(noise(5000)), 5001],
  [
    'has bytes behind it that are no frame',
    'ZSTD' as const,
    Buffer.concat([zstdCompressSync(noise(50)), noise(9)]),
    50,
  ],
  ['is cut off in gzip', 'GZIP' as const, gzipSync(noise(5000)).subarray(0, 4000), 5000],
])('a page that %s is refused, and the next one is read', (_, codec, packed, sizeBytes) => {
  expect(() => decompressPage(codec, packed, sizeBytes)).toThrow()
  expect(decompressPage('ZSTD', zstdCompressSync(noise(99)), 99)).toEqual(noise(99))
})

test('a page whose frame lacks its end leaves the next one alone', () => {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 }
  const withoutSum = zstdCompressSync(noise(5000), { params }).subarray(0, -4)
  for (let time = 0; time < 2; time++) {
    expect(decompressPage('ZSTD', withoutSum, 5000)).toEqual(noise(5000))
    expect(decompressPage('ZSTD', zstdCompressSync(noise(99)), 99)).toEqual(noise(99))
  }
})

test('pages are written without an empty frame behind them, which not every reader expects', async () => {
  const { bytes, writer } = createZstdWriter([{ name: 'x', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' }])
  // Four bytes of length precede a text.
  await writer.write({ columnData: [{ name: 'x', data: [noise(16_374 - 4)], type: 'BYTE_ARRAY' }] })
  await writer.finish()
  const emptyFrame = zstdCompressSync(pageWithEmptyFrame).subarray(-9)
  expect(emptyFrame.toString('hex')).toBe('28b52ffd2000010000')
  expect(Buffer.from(bytes.getBytes()).indexOf(emptyFrame)).toBe(-1)
})

test('a page has the same bytes whatever was compressed before it', () => {
  const pages = [noise(0), noise(1), noise(16_374), new Uint8Array(40_000), noise(400_000), noise(5_000_000), noise(99)]
  for (const page of [...pages, ...pages.toReversed()])
    expect(Buffer.from(compressPage(page)).equals(zstdCompressSync(page, { chunkSize: page.length + 4096 }))).toBe(true)
})
