import { expect, it } from 'vitest'
import { numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { createOutput } from '../../../electron/cli/print.ts'
import { createRowWriter, type RowFormat } from '../../../electron/cli/rowWriter.ts'

/** Event with microseconds, a price of −0 and an id that a spreadsheet would run as a formula. */
const arrivedMs = Date.UTC(2026, 7, 1, 0, 0, 0, 5) + 0.123
const event = {
  rows: 1,
  columns: [
    timeColumn('time', [arrivedMs]),
    numberColumn('price', [-0]),
    textColumn('id', ['=1+1']),
    timeColumn('local_timestamp', [arrivedMs + 0.001]),
  ],
}

function printRows(format: RowFormat, text: 'guarded' | 'exact' = 'guarded'): string {
  let stdout = ''
  const sink = { write: (each: string) => (stdout += each) }
  const out = createOutput({ json: format === 'json', quiet: false, env: {}, stdout: sink, stderr: { write() {} } })
  const names = event.columns.slice(1).map(({ name }) => name)
  const writer = createRowWriter({ format, text, names, isEvents: true }, out)
  writer.write(event)
  writer.end()
  return stdout
}

it('keeps all microseconds and the sign of −0 in csv, and text as it is where that is asked for', () => {
  // The comparison covers the whole text, because nothing may follow the last row.
  expect(printRows('csv')).toBe(
    `time,price,id,local_timestamp\n2026-08-01T00:00:00.005123Z,-0,"'=1+1",2026-08-01T00:00:00.005124Z\n`,
  )
  expect(printRows('csv', 'exact').split('\n')[1]).toBe(
    '2026-08-01T00:00:00.005123Z,-0,=1+1,2026-08-01T00:00:00.005124Z',
  )
})

it('keeps them in json', () => {
  expect(printRows('json')).toContain('{"time":1785542400005.123,"price":-0,"id":"=1+1"')
  const [read] = JSON.parse(printRows('json')) as { time: number; price: number; local_timestamp: string }[]
  expect(Math.round(read.time * 1000)).toBe(Math.round(arrivedMs * 1000))
  expect(Object.is(read.price, -0)).toBe(true)
  expect(read.local_timestamp).toBe('2026-08-01T00:00:00.005124Z')
})

it('keeps them in a table, whose columns stay aligned', () => {
  const [head, row] = printRows('table').split('\n')
  expect(row).toMatch(/^2026-08-01T00:00:00\.005123Z +-0 /)
  expect(row.indexOf(' -0 ') + 3).toBe(head.indexOf('price') + 5)
})
