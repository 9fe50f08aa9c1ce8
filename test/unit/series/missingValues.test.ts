import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createZstdWriter } from '#core/parquet/zstdWriter.ts'
import { readSeries } from '#core/series/readSeries.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

interface WrittenFile {
  startMs: number
  values: (number | null)[]
  name?: string
  /** Number of missing values in the footer; null to leave it out. */
  statedNulls: bigint | null
}

async function writeFile(
  path: string,
  { startMs, values, name = 'value', statedNulls: stated }: WrittenFile,
): Promise<void> {
  const { bytes, writer } = createZstdWriter([
    { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
    { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ])
  const times = BigInt64Array.from(values, (_, row) => BigInt(startMs + row))
  await writer.write({
    columnData: [
      { name: 'time', data: times },
      { name, data: values },
    ],
  })
  const { statistics } = writer.row_groups[0].columns[1].meta_data!
  if (stated === null) delete statistics!.null_count
  else statistics!.null_count = stated
  await writer.finish()
  writeFileSync(path, bytes.getBytes())
}

async function read(files: WrittenFile[]) {
  const folder = temporaryFolder()
  const slices = files.map(({ startMs, values }, index) => ({
    path: join(folder, String(index)),
    startMs,
    endMs: startMs + values.length,
  }))
  for (const [index, file] of files.entries()) await writeFile(slices[index].path, file)
  const task = { slices, columns: ['value'], timeColumn: 'time', keepEqualTimes: false }
  const { values, valid } = readSeries(task).frame.columns[1]
  return { values: [...values], valid: valid && [...valid] }
}

test.each([
  ['as the file states', 1n],
  ['although the file states that none is', 0n],
  ['of which the file states nothing', null],
])('a value is missing %s', async (_, stated) => {
  const { values, valid } = await read([
    { startMs: 0, values: [1, 2], statedNulls: 0n },
    { startMs: 2, values: [3, null, 5], statedNulls: stated },
  ])
  expect(valid).toEqual([1, 1, 1, 0, 1])
  expect([values[0], values[1], values[2], values[4]]).toEqual([1, 2, 3, 5])
})

test('the rows of a file without the column are missing, and those before and after it are not', async () => {
  const { valid } = await read([
    { startMs: 0, values: [1, 2], statedNulls: 0n },
    { startMs: 2, values: [3], name: 'other', statedNulls: 0n },
    { startMs: 3, values: [4, 5], statedNulls: 0n },
  ])
  expect(valid).toEqual([1, 1, 0, 1, 1])
})

test('a complete column has no flags', async () => {
  expect(await read([{ startMs: 0, values: [1, 2], statedNulls: null }])).toEqual({ values: [1, 2], valid: null })
})
