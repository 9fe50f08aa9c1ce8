import type { TableColumn } from '#shared/sheet/columns.ts'
import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { parseFilter } from '../../../renderer/tables/filterLanguage.ts'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { UNARRANGED } from '#shared/tables/arrangement.ts'

const columns: Pick<TableColumn, 'key' | 'title' | 'kind'>[] = [
  { key: 'time', title: 'time', kind: 'time' },
  { key: 'volume', title: 'Volume', kind: 'volume' },
  { key: 'volume_buy', title: 'Volume of takers', kind: 'volume' },
  { key: 'symbol', title: 'Symbol', kind: 'text' },
]
const day = (text: string) => Date.parse(`${text}Z`)
const frame: Frame = {
  rows: 5,
  columns: [
    timeColumn('time', ['2026-08-01', '2026-08-01T12:30', '2026-08-02', '2026-08-02T23:59', '2026-09-01'].map(day)),
    numberColumn('volume', [100, 50, null, 0.01, 250]),
    numberColumn('volume_buy', [1, 2, 3, NaN, 5]),
    textColumn('symbol', ['BTC-USDT', 'ETH-USDT', 'btc-usd', null, 'Sol']),
  ],
}

/** Returns the numbers of the rows that match a filter, or the message about the part that is not understood. */
async function found(typed: string, of: typeof columns = columns): Promise<number[] | string> {
  const { conditions, problem } = parseFilter(typed, { columns: of, zone: 'utc' })
  if (problem) return problem
  const rows = await frameRows(frame).arrange({ ...UNARRANGED, conditions }, new AbortController().signal)
  return Array.from({ length: rows.count }, (_, row) => Number(rows.idOf(row)))
}

describe('the filter of a table', () => {
  it.each<[string, number[]]>([
    ['', [0, 1, 2, 3, 4]],
    ['volume > 50', [0, 4]],
    ['Volume>=50', [0, 1, 4]],
    ['volume = 1%', [3]],
    ['volume of takers >= 3', [2, 4]],
    ['"Volume of takers" <= 1', [0]],
    ['volume > 50 and volume < 200', [0]],
    ['volume > 50 volume < 200', [0]],
    ['volume < 1 or volume > 200', [3, 4]],
    ['volume > 200 or volume < 60 and volume > 1', [1, 4]],
    ['(volume > 200 or volume < 60) AND volume > 1', [1, 4]],
    ['not volume > 50', [1, 3]],
    ['not (volume < 1 or volume > 200)', [0, 1]],
    ['not (volume > 50 and time < 2026-08-02)', [1, 2, 3, 4]],
    ['volume != 50', [0, 3, 4]],
    ['volume missing', [2]],
    ['volume_buy is missing', [3]],
    ['not volume missing', [0, 1, 3, 4]],
    ['volume is not missing', [0, 1, 3, 4]],
    ['2026-08-02', [2, 3]],
    ['2026-08', [0, 1, 2, 3]],
    ['not 2026-08', [4]],
    ['time > 2026-08-01', [2, 3, 4]],
    ['time >= 2026-08-01 12:30 and time <= 2026-08-02', [1, 2, 3]],
    ['time = 2026-08-01T12:30Z', [1]],
    ['btc', [0, 2]],
    ['btc usdt', [0]],
    ['not usdt', [2, 3, 4]],
    ['symbol = sol', [4]],
    ['symbol != BTC-USDT volume > 1', [1, 4]],
    ['btc or volume > 200', [0, 2, 4]],
    ['"or"', []],
  ])('“%s”', async (typed, rows) => {
    expect(await found(typed)).toEqual(rows)
  })

  it.each([
    ['volume >', 'Enter a number after “Volume >”.'],
    ['volume > many', 'Enter a number after “Volume >”.'],
    ['volume 5', 'After Volume, write >, >=, <, <=, = or != and a value, or the word “missing”.'],
    ['volme > 5', '“volme” is not a column of this table. Columns: time, Volume, Volume of takers, Symbol'],
    ['time > yesterday', 'Enter a date after “time >”, for example 2026-08-01 or 2026-08-01 12:30.'],
    ['2026-02-30', '2026-02-30 is not a valid date.'],
    ['2026-13', '2026-13 is not a valid date.'],
    ['symbol > a', 'Symbol is text: compare it with = or !=, not with >.'],
    ['(volume > 5', 'A “)” is missing.'],
    ['volume > 5)', 'Not understood: “)”'],
    ['volume > 5 or', 'The filter ends where a condition is expected.'],
    ['not', 'The filter ends where a condition is expected.'],
    ['> 5', 'Not understood: “> 5”'],
  ])('“%s” is not understood, and says so', async (typed, message) => {
    expect(await found(typed)).toBe(message)
  })

  it('does not search for words where no column has text', async () => {
    expect(await found('hello', columns.slice(0, 2))).toBe(
      '“hello” is not a column of this table. Columns: time, Volume',
    )
    expect(await found('2026-08-01', columns.slice(1))).toBe('This table has no times to compare a date with.')
  })

  it('reads typed dates in the zone of the table', () => {
    const { conditions } = parseFilter('time >= 2026-08-02', { columns, zone: 'local' })
    expect(conditions).toEqual([{ key: 'time', from: new Date(2026, 7, 2).getTime() }])
  })
})
