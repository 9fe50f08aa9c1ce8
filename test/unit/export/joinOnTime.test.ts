import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cellOf, numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { joinOnTime } from '#shared/export/joinOnTime.ts'

const frameOf = (name: string, times: readonly number[], cells: readonly (number | null)[]): Frame => ({
  rows: times.length,
  columns: [
    { name: 'time', kind: 'time', values: Float64Array.from(times), valid: null },
    numberColumn(name, cells),
    textColumn(
      `${name} word`,
      times.map((time) => `${name} ${time}`),
    ),
  ],
})
const rowsOf = ({ rows, columns }: Frame) =>
  Array.from({ length: rows }, (_, row) => columns.map((column) => cellOf(column, row)))

it('has a row for every time of any frame, and nothing where a frame has none', () => {
  const joined = joinOnTime([frameOf('a', [1, 2, 4], [10, null, 40]), frameOf('b', [2, 3], [0, 30])])
  expect(joined.columns.map(({ name }) => name)).toEqual(['time', 'a', 'a word', 'b', 'b word'])
  expect(rowsOf(joined)).toEqual([
    [1, 10, 'a 1', null, null],
    [2, null, 'a 2', 0, 'b 2'],
    [3, null, null, 30, 'b 3'],
    [4, 40, 'a 4', null, null],
  ])
  expect(joinOnTime([])).toMatchObject({ rows: 0 })
})

it('loses and invents no value', () => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 60 })).map((all) => all.toSorted((a, b) => a - b))
  fc.assert(
    fc.property(times, times, times, (...all) => {
      const joined = joinOnTime(all.map((each, at) => frameOf(`s${at}`, each, each)))
      expect([...joined.columns[0].values]).toEqual([...new Set(all.flat())].toSorted((a, b) => a - b))
      for (const row of rowsOf(joined)) {
        all.forEach((each, at) => expect(row[1 + 2 * at]).toBe(each.includes(Number(row[0])) ? row[0] : null))
      }
    }),
  )
})
