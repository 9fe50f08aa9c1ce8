import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect, test } from 'vitest'
import { checkValues } from '#core/parquet/checkValues.ts'
import { type GroupColumn, writeGroup } from '#core/parquet/groupWriter.ts'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { createZstdWriter, type SchemaColumn } from '#core/parquet/zstdWriter.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const elements: Record<GroupColumn['kind'], Omit<SchemaColumn, 'name'>> = {
  times: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    repetition_type: 'REQUIRED',
  },
  numbers: { type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  texts: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
}

async function written(groups: readonly GroupColumn[][]): Promise<string> {
  const { bytes, writer } = createZstdWriter(groups[0].map(({ name, kind }) => ({ name, ...elements[kind] })))
  for (const group of groups) writeGroup(writer, bytes, group)
  await writer.finish()
  const path = join(temporaryFolder(), 'file.parquet')
  writeFileSync(path, bytes.getBytes())
  return path
}

/** Reads a file with the reader of another package. */
const readElsewhere = async (path: string) =>
  parquetReadObjects({
    file: await asyncBufferFromFile(path),
    compressors,
    parsers: { timestampFromMicroseconds: (us: bigint) => us },
  })

const texts = ['', 'BTC', 'ETH:USDT', '€ ö 漢', '🚀', 'a long text that says more than a name would', null] as const

/** Rows with runs, gaps, values that occur often and such that do not. */
const rows = fc.array(
  fc
    .record({
      count: fc.integer({ min: 1, max: 20 }),
      timeUs: fc.integer({ min: -(2 ** 52), max: 2 ** 52 }),
      number: fc.oneof(fc.constantFrom(0, -0, 1, NaN, Infinity, -Infinity, 5e-324), fc.double()),
      text: fc.integer({ min: -1, max: texts.length - 1 }),
    })
    .map(({ count, ...row }) => Array.from({ length: count }, () => row)),
  { minLength: 1, maxLength: 60 },
)

test('another reader finds what was written, and the statistics are true', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 3 }), async (groups) => {
      const all = groups.map((group) => group.flat())
      const path = await written(
        all.map((group): GroupColumn[] => [
          { name: 'symbol', kind: 'texts', codes: Int32Array.from(group, ({ text }) => text), texts },
          { name: 'time', kind: 'times', timesUs: Float64Array.from(group, ({ timeUs }) => timeUs) },
          { name: 'value', kind: 'numbers', values: Float64Array.from(group, ({ number }) => number) },
        ]),
      )
      const expected = all.flat().map(({ timeUs, number, text }) => ({
        symbol: texts[text] ?? null,
        time: BigInt(timeUs),
        value: Number.isFinite(number) ? number : null,
      }))
      const found = await readElsewhere(path)
      expect(found.length).toBe(expected.length)
      found.forEach((row, at) => expect(row).toStrictEqual(expected[at]))
      using file = new ParquetFile(path)
      checkValues(file)
    }),
    { numRuns: 60 },
  )
})

test('values that occur often take less room than those that do not', async () => {
  const rows = 50_000
  const sizeOf = async (valueOf: (row: number) => number) => {
    const values = Float64Array.from({ length: rows }, (_, row) => valueOf(row))
    const path = await written([[{ name: 'value', kind: 'numbers', values }]])
    using file = new ParquetFile(path)
    expect((await readElsewhere(path)).map(({ value }) => value as number)).toEqual([...values])
    return file.rowGroups[0].chunks[0].total_uncompressed_size
  }
  expect(await sizeOf((row) => (row * 7919) % 1000)).toBeLessThan(2 * rows)
  expect(await sizeOf((row) => row / 7)).toBeGreaterThan(8 * rows)
})
