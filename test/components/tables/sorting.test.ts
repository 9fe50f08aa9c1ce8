import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { UNARRANGED, type Arrangement } from '#shared/tables/arrangement.ts'
import { type ArrangedRows } from '../../../renderer/tables/rows.ts'
import { compareText } from '#shared/tables/sortRows.ts'
import { sortAfterPress } from '../../../renderer/tables/columns.ts'

const never = new AbortController().signal
const column = (rows: ArrangedRows, key: string) => Array.from({ length: rows.count }, (_, row) => rows.cell(row, key))

function arranged(frame: Frame, part: Partial<Arrangement>): Promise<ArrangedRows> {
  return frameRows(frame).arrange({ ...UNARRANGED, ...part }, never)
}

describe('sorting a frame', () => {
  const odd = [3, null, -Infinity, NaN, 0, -0, Infinity, -2.5, null, 1e-300, -1e300]
  const frame: Frame = { rows: odd.length, columns: [numberColumn('value', odd)] }

  it('puts numbers in order, NaN and missing last both ways', async () => {
    const sortedValues = async (descending: boolean) =>
      column(await arranged(frame, { sort: [{ key: 'value', descending }] }), 'value')
    expect(await sortedValues(false)).toEqual([-Infinity, -1e300, -2.5, 0, -0, 1e-300, 3, Infinity, NaN, null, null])
    expect(await sortedValues(true)).toEqual([Infinity, 3, 1e-300, 0, -0, -2.5, -1e300, -Infinity, NaN, null, null])
  })

  it('agrees with a plain stable sort over any numbers and any two keys', async () => {
    const row = fc.tuple(fc.option(fc.double()), fc.option(fc.constantFrom('a9', 'a10', 'B', '', '龙')))
    const direction = fc.boolean()
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), direction, direction, async (rows, first, second) => {
        const wide: Frame = {
          rows: rows.length,
          columns: [
            textColumn(
              'text',
              rows.map(([, text]) => text),
            ),
            numberColumn(
              'value',
              rows.map(([value]) => value),
            ),
          ],
        }
        const sort = [
          { key: 'text', descending: first },
          { key: 'value', descending: second },
        ]
        const source = await arranged(wide, { sort })
        const plain = rows.map((_, at) => at)
        const rank = (value: unknown) => (value === null ? 2 : Number.isNaN(value) ? 1 : 0)
        plain.sort((a, b) => {
          const [aText, bText] = [rows[a][1], rows[b][1]]
          const byText =
            rank(aText) - rank(bText) ||
            (aText !== null && bText !== null ? compareText(aText, bText) * (first ? -1 : 1) : 0)
          const [aValue, bValue] = [rows[a][0], rows[b][0]]
          const byValue =
            rank(aValue) - rank(bValue) ||
            (rank(aValue) === 0 ? (aValue! < bValue! ? -1 : aValue! > bValue! ? 1 : 0) * (second ? -1 : 1) : 0)
          return byText || byValue || a - b
        })
        expect(Array.from({ length: source.count }, (_, at) => source.idOf(at))).toEqual(plain)
      }),
    )
  })

  it('sorts texts of many different values in parts that add up', async () => {
    const names = Array.from({ length: 9000 }, (_, at) => `S-${(at * 7919) % 9001}`)
    const source = await arranged(
      { rows: names.length, columns: [textColumn('name', names)] },
      { sort: [{ key: 'name', descending: false }] },
    )
    const expected = names.map((name) => Number(name.slice(2))).sort((a, b) => a - b)
    expect(column(source, 'name')).toEqual(expected.map((number) => `S-${number}`))
  })

  it('stays as it was where the sort is no longer wanted', async () => {
    const source = frameRows(frame)
    const before = await source.arrange(UNARRANGED, never)
    const gone = AbortSignal.abort()
    await expect(source.arrange({ ...UNARRANGED, sort: [{ key: 'value', descending: false }] }, gone)).rejects.toThrow()
    expect([before.cell(0, 'value'), before.version]).toEqual([3, 0])
  })

  it('has a usual order of its own where nothing sorts, also filtered and after a sort', async () => {
    const names: Frame = { rows: 3, columns: [textColumn('symbol', ['A-USDT', 'B-USD', 'C-USDT'])] }
    const source = frameRows(names, { order: Uint32Array.from([2, 0, 1]) })
    const order = async (part: Partial<Arrangement>) =>
      column(await source.arrange({ ...UNARRANGED, ...part }, never), 'symbol')
    expect(await order({})).toEqual(['C-USDT', 'A-USDT', 'B-USD'])
    expect(await order({ text: 'usdt' })).toEqual(['C-USDT', 'A-USDT'])
    expect(await order({ sort: [{ key: 'symbol', descending: false }] })).toEqual(['A-USDT', 'B-USD', 'C-USDT'])
    expect(await order({})).toEqual(['C-USDT', 'A-USDT', 'B-USD'])
  })

  it('sorts times, and ignores a column that it does not have', async () => {
    const times: Frame = { rows: 3, columns: [timeColumn('time', [2, null, 1])] }
    const sort = [
      { key: 'gone', descending: true },
      { key: 'time', descending: false },
    ]
    expect(column(await arranged(times, { sort }), 'time')).toEqual([1, 2, null])
  })
})

describe('the order of texts', () => {
  it.each([
    ['BTC-9', 'BTC-10'],
    ['BTC-009', 'BTC-10'],
    ['1000PEPE', '龙'],
    ['a', 'a1'],
    ['Z', 'a'],
    ['a1b2', 'a1b10'],
    ['99999999999999999998', '99999999999999999999'],
    ['01', '1'],
    ['', 'a'],
  ])('%j comes before %j', (first, second) => {
    expect(compareText(first, second)).toBeLessThan(0)
    expect(compareText(second, first)).toBeGreaterThan(0)
  })

  it('is an order: equal only to itself, and never in a circle', () => {
    const text = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'B', '-', '龙'), maxLength: 5 })
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        expect(Math.sign(compareText(a, b))).toBe(-Math.sign(compareText(b, a)) + 0)
        expect(compareText(a, b) === 0).toBe(a === b)
        if (compareText(a, b) < 0 && compareText(b, c) < 0) expect(compareText(a, c)).toBeLessThan(0)
      }),
    )
  })
})

describe('filtering a frame', () => {
  const frame: Frame = {
    rows: 5,
    columns: [
      textColumn('symbol', ['BTC-USDT', 'ETH-USDT', '龙-USDT', null, 'btc-usd']),
      textColumn('venue', ['venuea', 'venueb', 'venuea', 'venueb', 'venuec']),
      numberColumn('days', [10, 20, null, NaN, 0]),
    ],
  }
  const keptNames = async (part: Partial<Arrangement>) => {
    const source = await arranged(frame, part)
    expect(source.total).toBe(5)
    return Array.from({ length: source.count }, (_, row) => source.idOf(row))
  }

  it.each([
    ['btc', [0, 4]],
    ['usdt venuea', [0, 2]],
    ['龙', [2]],
    ['ＢＴＣ', [0, 4]],
    ['  ', [0, 1, 2, 3, 4]],
    ['btc eth', []],
  ])('finds %j in any text column and any case', async (text, rows) => {
    expect(await keptNames({ text })).toEqual(rows)
  })

  it('keeps what conditions say, never what is missing', async () => {
    expect(await keptNames({ conditions: [{ key: 'venue', oneOf: ['venuea', 'venuec'] }] })).toEqual([0, 2, 4])
    expect(await keptNames({ conditions: [{ key: 'days', from: 0, to: 20 }] })).toEqual([0, 4])
    expect(await keptNames({ conditions: [{ key: 'days', from: 10 }] })).toEqual([0, 1])
    expect(await keptNames({ conditions: [{ key: 'gone', from: 10 }] })).toEqual([])
  })

  it('filters what is sorted without sorting again, and back', async () => {
    const source = frameRows(frame, { idKey: 'symbol' })
    const sort = [{ key: 'days', descending: true }]
    await source.arrange({ ...UNARRANGED, sort }, never)
    const filtered = await source.arrange({ sort, text: 'btc', conditions: [] }, never)
    expect(column(filtered, 'symbol')).toEqual(['BTC-USDT', 'btc-usd'])
    const whole = await source.arrange({ ...UNARRANGED, sort }, never)
    expect([0, 1, 2, 3, 4].map(whole.idOf)).toEqual(['ETH-USDT', 'BTC-USDT', 'btc-usd', 3, '龙-USDT'])
  })
})

describe('pressing headers', () => {
  const text = { key: 'name', title: '', kind: 'text' } as const
  const count = { key: 'count', title: '', kind: 'count' } as const

  it('turns over, then ends; numbers begin with the largest', () => {
    const presses = [1, 2, 3].map((times) => {
      let sort = sortAfterPress([], count, false)
      for (let at = 1; at < times; at += 1) sort = sortAfterPress(sort, count, false)
      return sort
    })
    expect(presses).toEqual([[{ key: 'count', descending: true }], [{ key: 'count', descending: false }], []])
  })

  it('adds keys behind the others, and turns them over in their place', () => {
    const two = sortAfterPress(sortAfterPress([], text, false), count, true)
    expect(two.map(({ key }) => key)).toEqual(['name', 'count'])
    expect(sortAfterPress(two, text, true)).toEqual([{ key: 'name', descending: true }, two[1]])
    expect(sortAfterPress(two, count, false)).toEqual([{ key: 'count', descending: false }])
  })
})
