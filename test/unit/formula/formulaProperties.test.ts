import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventFunctions } from '#shared/formula/ownData.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { printFormula } from '#shared/formula/printFormula.ts'
import { binaryOperators, type FormulaNode } from '#shared/formula/tree.ts'
import { excessKurtosis, momentsOf, skewness } from '#shared/statistics/moments.ts'
import { averageRanks, sortedQuantile } from '#shared/statistics/ranks.ts'
import { type Cells, cellsOf, input, rowsOf } from './formulaInputs.ts'

const minuteMs = 60_000
const cell = fc.option(
  fc.integer({ min: -50, max: 50 }).map((value) => value / 4),
  { freq: 6 },
)
const cells = fc.array(cell, { minLength: 1, maxLength: 60 })

const { node } = fc.letrec<{ node: FormulaNode }>((tie) => {
  const place = { start: fc.constant(0), end: fc.constant(0) }
  const kind = <K extends string>(name: K) => ({ ...place, kind: fc.constant(name) })
  const child = tie('node')
  return {
    node: fc.oneof(
      { maxDepth: 6 },
      fc.record({ ...kind('number'), value: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }) }),
      fc.record({ ...kind('series'), name: fc.oneof(fc.constantFrom('a', 'not', 'x.y', '_1'), fc.string()) }),
      fc.record({ ...kind('text'), value: fc.string().map((text) => text.replaceAll("'", '')) }),
      fc.record({ ...kind('call'), name: fc.constantFrom('sma', 'x'), args: fc.array(child, { maxLength: 3 }) }),
      fc.record({ ...kind('unary'), operator: fc.constantFrom('-', 'not'), operand: child }),
      fc.record({ ...kind('binary'), operator: fc.constantFrom(...binaryOperators), left: child, right: child }),
    ),
  }
})

const withoutPlaces = (tree: FormulaNode): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value)))

describe('a printed formula', () => {
  it('means what the tree meant', () => {
    fc.assert(
      fc.property(node, (tree) => {
        expect(withoutPlaces(parseFormula(printFormula(tree)))).toEqual(withoutPlaces(tree))
      }),
      { numRuns: 500 },
    )
  })
})

/** Formulas with every function once, and with operators, alignment and resampling around them. */
const formulas = [
  ...formulaFunctions
    // What counts events of an own dataset reads files.
    .filter(({ name }) => name !== 'resample' && !eventFunctions.includes(name))
    .map(({ example }) => example.replace(/\b(240|24|20)\b/, '5')),
  'a - h + lag(h, 1)',
  "a / resample(a, '5m', 'mean')",
  "resample(a * 2, '5m', 'last') - h",
  'if(zscore(a, 4, 2) > h, sum(b, 3, 1), not b)',
]

// `inquote` refuses inputs that are not an amount and its price.
const amount = { unit: 'base asset' }
const price = { unit: 'price' }

describe('every formula', () => {
  it.each(formulas)('%s never looks ahead', (formula) => {
    fc.assert(
      fc.property(cells, cells, cells, fc.nat(59), (before, after, other, cut) => {
        const kept = [...before.slice(0, cut)]
        const longer = [...kept, ...after]
        // The row `kept.length` begins at this time, and nothing that is known by then may depend on that row.
        const nowMs = kept.length * minuteMs
        const wholeBlocks = Math.floor(nowMs / (5 * minuteMs)) + 2
        const seen = (a: Cells, blocks: Cells) => {
          const h = input([...other, ...other].slice(0, wholeBlocks).concat(blocks), 5 * minuteMs, -10 * minuteMs)
          const named = { a: input(a, minuteMs, 0, amount), b: input([...other, ...kept], minuteMs, 0, price), h }
          const intervalMs = formula.startsWith('resample') ? 5 * minuteMs : minuteMs
          return rowsOf(formula, named).filter(([timeMs, value]) => value !== null && timeMs + intervalMs <= nowMs)
        }
        const isLong = other.length * 2 >= wholeBlocks
        if (isLong) expect(seen(longer, after)).toEqual(seen(kept, []))
      }),
      { numRuns: 40 },
    )
  })

  it.each(formulas)('%s does not depend on when it is', (formula) => {
    fc.assert(
      fc.property(cells, cells, fc.integer({ min: 1, max: 1000 }), (a, b, blocks) => {
        const shiftMs = blocks * 60 * minuteMs
        const at = (firstMs: number) => ({
          a: input(a, minuteMs, firstMs, amount),
          b: input(b, minuteMs, firstMs, price),
          h: input(b, 5 * minuteMs, firstMs),
        })
        const shifted = rowsOf(formula, at(shiftMs)).map(([timeMs, value]) => [timeMs - shiftMs, value])
        expect(shifted).toEqual(rowsOf(formula, at(0)))
      }),
      { numRuns: 20 },
    )
  })
})

type Naive = (window: number[], own: number | null, others: number[]) => number | null

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const products = (x: number[], y: number[]) =>
  x.reduce((sum, value, at) => sum + (value - mean(x)) * (y[at] - mean(y)), 0)
const deviation = (values: number[]) => Math.sqrt(products(values, values) / (values.length - 1))
const ascending = (values: number[]) => Float64Array.from(values).sort()

const median = (values: number[]) => sortedQuantile(ascending(values), 1, 2) ?? NaN

const naive: Record<string, Naive> = {
  'sum(a, N, L)': (window) => window.reduce((sum, value) => sum + value, 0),
  'sma(a, N, L)': mean,
  'std(a, N, L)': deviation,
  'zscore(a, N, L)': (window, own) => (own === null ? null : (own - mean(window)) / deviation(window)),
  'rank(a, N, L)': (window, own) =>
    own === null
      ? null
      : (averageRanks(Float64Array.from([...window, own]))[window.length] - 1.5) / (window.length - 1),
  'quantile(a, N, 0.25, L)': (window) => sortedQuantile(ascending(window), 1, 4),
  'quantile(a, N, 1, L)': (window) => Math.max(...window),
  'rollmin(a, N, L)': (window) => Math.min(...window),
  'rollmax(a, N, L)': (window) => Math.max(...window),
  'median(a, N, L)': (window) => median(window),
  'mad(a, N, L)': (window) => median(window.map((value) => Math.abs(value - (median(window) ?? NaN)))),
  'skew(a, N, L)': (window) => skewness(momentsOf(Float64Array.from(window))),
  'kurt(a, N, L)': (window) => excessKurtosis(momentsOf(Float64Array.from(window))),
}
const naivePairs: Record<string, Naive> = {
  'rollcorr(a, b, N, L)': (x, _, y) => products(x, y) / Math.sqrt(products(x, x) * products(y, y)),
  'rollbeta(a, b, N, L)': (x, _, y) => products(x, y) / products(y, y),
}

function expectLikeNaive(
  formula: string,
  compute: Naive,
  a: Cells,
  b: Cells,
  rows: number,
  least: number,
  isPaired: boolean,
) {
  const written = formula.replace('N', String(rows)).replace('L', String(least))
  const found = cellsOf(written, { a: input(a), b: input(b) })
  a.forEach((own, row) => {
    const from = Math.max(0, row - rows + 1)
    const places = a.flatMap((value, at) =>
      at >= from && at <= row && value !== null && (!isPaired || b[at] !== null) ? [at] : [],
    )
    const pick = (all: Cells) => places.map((at) => all[at] ?? 0)
    const value = places.length < least ? null : compute(pick(a), own, isPaired ? pick(b) : [])
    const expected = value !== null && Number.isFinite(value) ? value : null
    const where = `${written} at row ${row}`
    if (expected === null || found[row] === null) expect(found[row], where).toBe(expected)
    else expect(found[row], where).toBeCloseTo(expected, 9)
  })
}

describe('a window', () => {
  it.each([...Object.entries(naive), ...Object.entries(naivePairs)])(
    'of %s is what looping over it gives',
    (formula, compute) => {
      const isPaired = formula in naivePairs
      const pairs = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 60 })
      fc.assert(
        fc.property(
          pairs,
          fc.integer({ min: 1, max: 70 }),
          fc.double({ min: 0, max: 1, noNaN: true }),
          (some, rows, part) => {
            const least = Math.max(1, Math.ceil(rows * part))
            const [a, b] = [some.map(([x]) => x), some.map(([, y]) => y)]
            expectLikeNaive(formula, compute, a, b, rows, least, isPaired)
          },
        ),
      )
    },
  )

  it('of a residual ends at a pair, and is its distance from the line of the window', () => {
    const a = [2, 4, null, 9, 10, 7]
    const b = [1, 2, 3, 4, null, 4]
    // The line through (1, 2), (2, 4) and (4, 9) is computed by hand: products of 11 over squares of 14/3.
    const [slope, meanA, meanB] = [33 / 14, 5, 7 / 3]
    const found = cellsOf('resid(a, b, 4, 2)', { a: input(a), b: input(b) })
    expect(found.slice(0, 3)).toEqual([null, 0, null])
    expect(found[3]).toBeCloseTo(9 - meanA - slope * (4 - meanB), 12)
    expect(found[4]).toBeNull()
    expect(cellsOf('resid(a, b, 3, 2)', { a: input([1, 5]), b: input([3, 3]) })).toEqual([null, null])
  })

  it('may be a duration, in rows of the series: the row that it cuts counts', () => {
    const rows = Array.from({ length: 40 }, (_, row) => Math.sin(row))
    const hours = { a: input(rows, 3_600_000) }
    expect(cellsOf("sma(a, '1d')", hours)).toEqual(cellsOf('sma(a, 24)', hours))
    expect(cellsOf("lag(a, '90m')", hours)).toEqual(cellsOf('lag(a, 2)', hours))
    expect(cellsOf("sma(resample(a, '4h', 'last'), '1d')", hours)).toEqual(
      cellsOf("sma(resample(a, '4h', 'last'), 6)", hours),
    )
    const both = { a: input(rows, 60_000), h: input(rows, 3_600_000) }
    expect(cellsOf("rollcorr(a, h, '1h')", both)).toEqual(cellsOf('rollcorr(a, h, 60)', both))
  })

  it('of shape keeps its digits after a huge value has left it, and far from 0', () => {
    const near = [3, 0.1, 0.7, 0.2, 0.9]
    const found = cellsOf('kurt(a, 5)', { a: input([1e15, ...near]) })
    expect(found[5]).toBeCloseTo(excessKurtosis(momentsOf(Float64Array.from(near))), 12)
    const far = near.map((value) => value + 1e6)
    expect(cellsOf('skew(a, 5)', { a: input(far) })[4]).toBeCloseTo(skewness(momentsOf(Float64Array.from(far))), 6)
    expect(cellsOf('skew(a, 3)', { a: input([2, 2, 2]) })[2]).toBeNull()
  })

  it('keeps its digits after a huge value has left it', () => {
    const a = [1e15, 3, 0.1, 0.1, 0.1, 0.2]
    expect(cellsOf('sum(a, 3)', { a: input(a) })[4]).toBeCloseTo(0.3, 15)
    expect(cellsOf('std(a, 3)', { a: input(a) })[4]).toBe(0)
    expect(cellsOf('zscore(a, 3)', { a: input(a) })[4]).toBeNull()
    expect(cellsOf('rollcorr(a, a, 3)', { a: input(a) }).slice(4)).toEqual([null, 1])
  })

  it('of order may be longer than the chunks it is worked in', () => {
    const a = Array.from({ length: 9000 }, (_, row) => (row * 7919) % 9001)
    for (const rows of [3, 4096, 5000]) {
      const found = cellsOf(`quantile(a, ${rows}, 0.5)`, { a: input(a) })
      for (const row of [rows - 1, 6000, 8191, 8192, 8999]) {
        expect(found[row]).toBe(sortedQuantile(ascending(a.slice(row - rows + 1, row + 1)), 1, 2))
      }
    }
  })
})

describe('what fills and falls', () => {
  it('repeats a value as often as its limit says, and no value before the first', () => {
    const a = input([null, 1, null, null, null, 5])
    expect(cellsOf('ffill(a, 2)', { a })).toEqual([null, 1, 1, 1, null, 5])
    expect(cellsOf('ffill(a)', { a })).toEqual([null, 1, 1, 1, 1, 5])
    expect(cellsOf("ffill(a, '3m')", { a })).toEqual([null, 1, 1, 1, 1, 5])
  })

  it('has a logarithmic return only between prices above 0', () => {
    expect(cellsOf('logret(a)', { a: input([1, Math.E, 0, 2, -2, -1]) })).toEqual([null, 1, null, null, null, null])
  })

  it('weighs deviations as pandas does, a missing row included', () => {
    // The values come from pandas: pd.Series([1, 2, nan, 4, 8]).ewm(span=3).std()
    const found = cellsOf('ewmstd(a, 3)', { a: input([1, 2, null, 4, 8]) })
    const expected = [null, 0.7071067811865476, 0.7071067811865476, 1.6290629680421056, 3.194208868723162]
    found.forEach((value, row) => {
      const one = expected[row]
      if (one === null) expect(value).toBeNull()
      else expect(value).toBeCloseTo(one, 12)
    })
  })

  it('ewmstd has no value after a single one, however many missing rows follow', () => {
    for (const span of [1, 2, 3, 5, 8, 240]) {
      const found = cellsOf(`ewmstd(a, ${span})`, { a: input([7, ...Array<null>(300).fill(null)]) })
      expect(found.every((value) => value === null)).toBe(true)
    }
  })
})
