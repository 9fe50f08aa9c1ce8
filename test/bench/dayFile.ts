import { parquetWriteBuffer } from 'hyparquet-writer'

const ROWS = 5760
const STEP_MS = 15_000
const values = Array.from({ length: 6 }, (_, column) =>
  Float64Array.from({ length: ROWS }, (_, row) => Math.sin(row * 7 + column)),
)

/** Returns the bytes of a file of about 300 KB: a day of 15s rows with six columns. */
export function fileOf(day: string): Uint8Array {
  const startMs = Date.parse(day)
  const times = BigInt64Array.from({ length: ROWS }, (_, row) => BigInt(startMs + row * STEP_MS))
  const columns = values.map((data, at) => ({ name: `value_${at}`, type: 'DOUBLE' as const, data }))
  return new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'time', type: 'INT64', data: times }, ...columns] }))
}
