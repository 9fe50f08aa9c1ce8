import { expect, onTestFinished, test } from 'vitest'
import { readParquet, timesMs } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, type FileRequest } from '../../fakes/testSandbox.ts'

/** Reads a range as the public Python clients do: every file, naive timestamps only, in time order, cut to the range. */
async function readRange(request: FileRequest & { end: string }): Promise<{ timeMs: number; close: number }[]> {
  const sandbox = await startTestSandbox()
  onTestFinished(() => sandbox.close())
  const rows: { timeMs: number; close: number }[] = []
  for (const { url } of await sandbox.files(request)) {
    const table = await readParquet((await get(url)).bytes)
    const type = table.metadata.schema.find(({ name }) => name === 'time')?.logical_type
    expect(type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' })
    const closes = table.numbers('close')
    rows.push(...timesMs(table).map((timeMs, row) => ({ timeMs, close: closes[row] })))
  }
  const endMs = Date.parse(request.end) + 86_400_000
  return rows
    .toSorted((a, b) => a.timeMs - b.timeMs)
    .filter(({ timeMs }) => timeMs >= Date.parse(request.start) && timeMs < endMs)
}

test('clients that read naive timestamps, sort and cut get every hour of a range over months and days', async () => {
  const rows = await readRange({ bucket: 'ohlcv', start: '2026-06-29', end: '2026-08-02' })
  const startMs = Date.parse('2026-06-29')
  expect(rows.map(({ timeMs }) => timeMs)).toEqual(
    Array.from({ length: 35 * 24 }, (_, hour) => startMs + hour * 3_600_000),
  )
  expect(rows.every(({ close }) => close > 0)).toBe(true)
})
