import { describe, expect, it } from 'vitest'
import { cellOf } from '#shared/contract/frame.ts'
import { compareFigures, figuresSideBySide, figureTexts } from '#shared/lab/figureDifferences.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { leadingSections, studySheet } from '#shared/lab/studySheet.ts'
import { studyReport } from '#shared/report/studyReport.ts'
import { rowsOf, runOnRows } from '../../fakes/panelWorld.ts'

const rows = rowsOf({ seed: 3, symbols: 6, times: 24 * 10, gaps: 0.05 })
const results: [string, StudyResult][] = [
  ['signal', runOnRows(rows, { horizons: [1, 4], quantiles: 3, kind: 'signal', signal: 'a' })],
  ['events', runOnRows(rows, { kind: 'events', when: 'a > 1', before: 2, after: 4 })],
  ['leadlag', runOnRows(rows, { kind: 'leadlag', maxLag: 2 })],
  ['seasonality', runOnRows(rows, { kind: 'seasonality', by: 'hour' })],
  ['schedule', runOnRows(rows, { kind: 'schedule', value: 'a', second: 'b', minBars: 2 })],
  ['costs', runOnRows(rows, { kind: 'costs', spreadBps: 'abs(a)', impact: 'abs(b) / 1e8', measured: 'b' })],
  [
    'series',
    runOnRows(rows, { kind: 'series', signal: 'a', horizons: [1, 4], buckets: 3, warmUp: 20, thresholds: [0, 1.5] }),
  ],
  ['spells', runOnRows(rows, { kind: 'spells', when: 'a > 1', signal: 'b', horizons: [2, 6], fill: 2 })],
]

/** What describes the run rather than its result, and the coefficients of each time, which only a chart has. */
const leftOut = ['version', 'kind', 'study', 'data', 'warnings', 'series', 'coverage', 'weekday', 'comparison']

function numbersIn(value: unknown, key = ''): number[] {
  if (leftOut.includes(key)) return []
  if (typeof value === 'number') return [value]
  if (Array.isArray(value)) return value.flatMap((one) => numbersIn(one))
  return value && typeof value === 'object' ? Object.entries(value).flatMap(([name, one]) => numbersIn(one, name)) : []
}

function numbersOnSheet(result: StudyResult): Set<number> {
  const cells = studySheet(result).sections.flatMap((section) => {
    if (section.kind === 'figures') return section.figures.map(({ value }) => value)
    if (section.kind !== 'table') return []
    const { frame } = section
    return frame.columns.flatMap((column) => Array.from({ length: frame.rows }, (_, row) => cellOf(column, row)))
  })
  return new Set(cells.flatMap((cell) => (cell === null || cell === '' ? [] : Number(cell))))
}

describe.each(results)('the sheet of a %s study', (_kind, result) => {
  it('has every number of the result', () => {
    const shown = numbersOnSheet(result)
    expect(numbersIn(result).filter((number) => !shown.has(number))).toEqual([])
  })

  it('begins with what sums it up, and makes a report', () => {
    const sheet = studySheet(result)
    const [first, ...others] = leadingSections(result, sheet)
    expect(first.kind).toBe('text')
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['table']))
    const { parts } = studyReport(result)
    expect(parts.length).toBe(sheet.sections.length + 2)
    expect(parts[0]).toMatchObject({ kind: 'text', lines: [sheet.verdict] })
  })
})

it('puts the figures of two results side by side by their names, those that only one has too', () => {
  const [one, other] = [[1, 4], [4]].map((horizons) =>
    runOnRows(rows, { horizons, quantiles: 3, kind: 'signal', signal: 'a' }),
  )
  const compared = compareFigures(one, other)
  const names = (has: 'before' | 'after') => compared.filter((figure) => figure[has]).map(({ name }) => name)
  expect(names('before')).toEqual(expect.arrayContaining(names('after')))
  expect(names('before').some((name) => name.endsWith('horizon 1'))).toBe(true)
  expect(names('after').some((name) => name.endsWith('horizon 1'))).toBe(false)
  for (const { before, after } of compared) if (before && after) expect(after.value).toBe(before.value)
})

it('writes the figures of several results in a row, each with its difference to the first', () => {
  const runs = [1, 2, 4].map((horizon) => runOnRows(rows, { kind: 'signal', signal: 'a', horizons: [horizon, 8] }))
  const row = figuresSideBySide(runs).find(({ name }) => name === 'Rank IC, horizon 8')!
  const [first, ...others] = figureTexts(row)
  expect(first).toMatch(/^[-−]?0\.\d+$/)
  expect(others).toEqual([first, first])
  const changed = figuresSideBySide([runs[0], runOnRows(rows, { kind: 'signal', signal: '-a', horizons: [1, 8] })])
  expect(figureTexts(changed.find(({ name }) => name === 'Rank IC, horizon 8')!)[1]).toMatch(/^\S+ \([+-−]?\S+\)$/)
})

it('of a screen is in the order in which one reads it', () => {
  const screen = runOnRows(rows, { kind: 'screen', columns: ['a', 'b'], templates: ['x', '-x'], horizons: [1, 4] })
  const groups = studySheet(screen).sections.map(({ id, choice }) => choice?.group ?? id)
  expect([...new Set(groups)].slice(0, 6)).toEqual(['summary', 'figures', 'noise', 'cells', 'heat', 'best'])
})

it('of several symbols of one venue has their short names in reports', () => {
  const names = ['A', 'B'].map((name) => `heron/perpetual-${name}-USDT:USDT`)
  const pair = rowsOf({ seed: 5, symbols: 2, times: 24 * 10 })
  const result = runOnRows({ ...pair, names }, { kind: 'series', signal: 'a', horizons: [1], buckets: 3, warmUp: 20 })
  const { parts } = studyReport(result)
  const shown = JSON.stringify(parts.filter(({ kind }) => kind !== 'code'))
  expect(shown).toContain('"A-USDT:USDT"')
  expect(shown).not.toContain('heron/')
})
