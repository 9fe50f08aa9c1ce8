import { rmSync, writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetMetadata } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, expect, it } from 'vitest'
import { ParquetFile } from '#core/parquet/parquetFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'perpscope-footer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const rows = Array.from({ length: 25 }, (_, row) => row)

const bytesIfText = (bound: unknown) => (typeof bound === 'string' ? new TextEncoder().encode(bound) : bound)

it('reads of every column chunk what the general parser does', () => {
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'time', data: BigInt64Array.from(rows, BigInt), type: 'INT64', nullable: false },
        { name: 'value', data: rows.map((row) => (row % 3 === 0 ? null : row - 12.5)), type: 'DOUBLE' },
        { name: 'count', data: Int32Array.from(rows, (row) => row - 7), type: 'INT32' },
        { name: 'flag', data: rows.map((row) => row > 3), type: 'BOOLEAN' },
        { name: 'side', data: rows.map((row) => (row % 2 ? 'buy' : 'sell')), type: 'STRING' },
        { name: 'empty', data: rows.map(() => null), type: 'DOUBLE' },
        { name: 'at', data: rows.map((row) => new Date(1e12 + row)), type: 'TIMESTAMP' },
      ],
      rowGroupSize: 10,
      kvMetadata: [{ key: 'from', value: 'a test' }],
    }),
  )
  const path = join(folder, 'many.parquet')
  writeFileSync(path, bytes)
  using file = new ParquetFile(path, { remember: false })
  const timestampFromMilliseconds = (value: bigint) => value
  const general = parquetMetadata(bytes, { parsers: { timestampFromMilliseconds } as never })
  expect(file.rowGroups.map((group) => group.rows)).toEqual([10, 10, 5])
  expect(file.metadata.key_value_metadata).toEqual(general.key_value_metadata)
  const expected = general.row_groups.map((group) =>
    group.columns.map(({ meta_data: chunk }) => ({
      type: chunk!.type,
      codec: chunk!.codec,
      path_length: chunk!.path_in_schema.length,
      num_values: Number(chunk!.num_values),
      total_uncompressed_size: Number(chunk!.total_uncompressed_size),
      total_compressed_size: Number(chunk!.total_compressed_size),
      data_page_offset: Number(chunk!.data_page_offset),
      dictionary_page_offset: chunk!.dictionary_page_offset && Number(chunk!.dictionary_page_offset),
      hasBloomFilter: false,
      statistics: chunk!.statistics && {
        min: bytesIfText(chunk!.statistics.min),
        max: bytesIfText(chunk!.statistics.max),
        min_value: bytesIfText(chunk!.statistics.min_value),
        max_value: bytesIfText(chunk!.statistics.max_value),
        null_count: Number(chunk!.statistics.null_count),
      },
    })),
  )
  expect(file.rowGroups.map(({ chunks }) => chunks)).toEqual(expected)
})
