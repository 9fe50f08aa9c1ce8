import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { cliSession } from '../../fakes/cliSession.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'

const ROWS = 5760
const NUMBERS = 50
const STEP_MS = 15_000
const days = ['2026-08-01', '2026-08-02', '2026-08-03', '2026-08-04', '2026-08-05']

/**
 * Returns the cells of a row; null means missing. The third day lacks the last columns, and some rows lack the text.
 */
function rowOf(day: number, row: number): (string | number | null)[] {
  const numbers = Array.from({ length: NUMBERS }, (_, column) => {
    if (day === 2 && column >= 45) return null
    return (row + column) % 97 === 0 ? null : day * 1e6 + row * 100 + column / 7
  })
  return [...numbers, row % 5 === 0 ? null : `d${day}r${row % 50}`]
}

it('exports days in parts as their rows were stored, also unordered days, and counts each row once', async () => {
  const session = await cliSession()
  const store = openTestStore(session.dataDir)
  const series = flowSeries({ connectionId: store.connections.active().id, interval: '15s' })
  const expected: string[] = []
  for (const [day, name] of days.entries()) {
    const startMs = Date.parse(`${name}T00:00:00Z`)
    const rows = Array.from({ length: ROWS }, (_, row) => rowOf(day, row))
    for (const [row, cells] of rows.entries())
      expected.push([new Date(startMs + row * STEP_MS).toISOString(), ...cells.map((cell) => cell ?? '')].join(','))
    // The second day is stored in reverse order, and one row of the fourth day is stored twice.
    const order = [...rows.keys()]
    if (day === 1) order.reverse()
    if (day === 3) order.push(ROWS - 1)
    const names = Array.from({ length: day === 2 ? 45 : NUMBERS }, (_, column) => `c${column}`)
    addCachedFile(store, session.dataDir, series, name, [
      { name: 'time', type: 'INT64', data: order.map((row) => BigInt(startMs + row * STEP_MS)) },
      ...names.map((column, at) => ({
        name: column,
        type: 'DOUBLE' as const,
        data: order.map((row) => rows[row][at]),
      })),
      { name: 'note', type: 'STRING', data: order.map((row) => rows[row][NUMBERS]) },
    ])
  }
  const { dataset, exchange, symbol, interval, timestamp } = series
  const wanted = Object.entries({ dataset, exchange, symbol, interval, timestamp })
  const names = wanted.flatMap(([name, value]) => [`--${name}`, value])
  const columns = [...Array.from({ length: NUMBERS }, (_, column) => `c${column}`), 'note']
  const path = join(session.dataDir, 'days.csv')
  const asked = ['--columns', columns.join(','), '--start', days[0], '--end', days[4], '--format', 'csv', '--out', path]
  const ended = await session.runHere(['export', ...names, ...asked, '--json'])
  expect(ended.status, ended.stderr).toBe(0)
  expect(ended.lines[0]).toMatchObject({ rows: ROWS * days.length, duplicates: 1, files: 5 })
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines[0]).toBe(['time', ...columns].join(','))
  expect(lines.length).toBe(expected.length + 2)
  expect(lines.findIndex((line, at) => at > 0 && line !== (expected[at - 1] ?? ''))).toBe(-1)
})
