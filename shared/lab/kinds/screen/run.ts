import { parseFormula } from '#shared/formula/parseFormula.ts'
import { seriesNamesOf } from '#shared/formula/tree.ts'
import { splitColumn } from '../../cacheColumns.ts'
import { timeAt } from '../../panel.ts'
import { delayWarnings, type KindRun } from '../../studyInput.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { type ScreenStudy, splitTimes } from './fields.ts'
import { type Peeks, peekWarnings } from './peekGuard.ts'
import { filledLines, joinParts, refuseTooMany, scoreColumns } from './scoreColumns.ts'
import type { CellScore, LeftOut } from './symbolScreen.ts'

/** Largest q and familyP of a finding. */
const SIGNIFICANT = 0.05
/** Differences of z that are rounding only. */
const ROUNDING = 1e-9

type ScreenCell = Omit<CellScore, 'test'> & {
  symbol: string
  column: string
  template: string
  formula: string
  horizon: number
  test: CellScore['test'] & { q: number; familyP: number }
}

/** A cell before it is compared with the others. */
type ScoredCell = Omit<ScreenCell, 'test'> & { test: CellScore['test'] }

export function run(kindRun: KindRun<ScreenStudy>) {
  const { study, panel, input } = kindRun
  const { symbols, timeCount } = panel
  const { columns, outcomes, noise, peeks } = input.screenParts
    ? joinParts(input.screenParts, study, symbols.length)
    : scoreColumns(kindRun)
  refuseTooMany(study, columns.length, symbols.length)
  const isFromCache = input.rules !== undefined
  const trainTimes = splitTimes(study, panel)
  const lines = filledLines(columns, study.templates)
  const scored = outcomes.flatMap((outcome, at): ScoredCell[] => {
    if (typeof outcome === 'string') return []
    const line = Math.floor(at / study.horizons.length)
    const symbol = symbols[Math.floor(line / lines.length)]
    const horizon = study.horizons[at % study.horizons.length]
    return [{ symbol, ...lines[line % lines.length], horizon, ...outcome }]
  })
  const countOf = (reason: LeftOut) => outcomes.filter((outcome) => outcome === reason).length
  const attrition = {
    cells: outcomes.length,
    tooFew: countOf('tooFew'),
    constant: countOf('constant'),
    used: scored.length,
  }
  const noiseList = Array.from(noise, (value) => (Number.isNaN(value) ? null : value))
  const cells = comparedCells(scored, noiseList)
  const result = {
    split: {
      time: trainTimes < timeCount ? timeAt(panel, trainTimes) : null,
      trainTimes,
      testTimes: timeCount - trainTimes,
    },
    columns,
    attrition,
    tests: {
      count: cells.length,
      significant: cells.filter(({ test }) => test.q <= SIGNIFICANT).length,
      family: cells.filter(({ test }) => test.familyP <= SIGNIFICANT).length,
    },
    noise: noiseList,
    cells,
    best: firstOfEach(cells, ({ column }) => (isFromCache ? datasetOf(column) : column)),
  }
  return { result, warnings: warningsOf(study, attrition, peeks) }
}

/** Compares the cells with each other and with the best of noise; the best come first. */
function comparedCells(scored: readonly ScoredCell[], noise: readonly (number | null)[]): ScreenCell[] {
  const rates = dependentDiscoveryRates(scored.map(({ test }) => test.p))
  const best = noise.filter((value) => value !== null).sort((a, b) => a - b)
  const cells = scored.map(({ test, ...cell }, at) => ({
    ...cell,
    test: { ...test, q: rates[at], familyP: (1 + countFrom(best, test.z - ROUNDING)) / (noise.length + 1) },
  }))
  return cells.sort((a, b) => b.test.z - a.test.z)
}

/** Counts the ascending values that are at least this large. */
function countFrom(ascending: readonly number[], least: number): number {
  const first = ascending.findIndex((value) => value >= least)
  return first < 0 ? 0 : ascending.length - first
}

/** Computes Benjamini–Yekutieli q-values, which hold whatever the dependence of the tests. */
function dependentDiscoveryRates(p: readonly number[]): number[] {
  const order = [...p.keys()].sort((a, b) => p[a] - p[b])
  let harmonic = 0
  for (let rank = 1; rank <= p.length; rank++) harmonic += 1 / rank
  const rates = new Array<number>(p.length)
  let smallestRate = 1
  for (let rank = p.length; rank >= 1; rank--) {
    const at = order[rank - 1]
    smallestRate = Math.min(smallestRate, (p[at] * p.length * harmonic) / rank)
    rates[at] = smallestRate
  }
  return rates
}

function firstOfEach<Cell>(cells: readonly Cell[], keyOf: (cell: Cell) => string): Cell[] {
  const seen = new Set<string>()
  return cells.filter((cell) => {
    const key = keyOf(cell)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Dataset of the first column that a formula names. */
const datasetOf = (column: string): string =>
  splitColumn(seriesNamesOf(parseFormula(column)).at(0) ?? '')?.dataset ?? column

function warningsOf(
  { delayBars }: ScreenStudy,
  { constant, used }: { constant: number; used: number },
  peeks: readonly Peeks[],
): StudyWarning[] {
  const isConstant = used === 0 && constant > 0
  return [
    ...(isConstant ? [warning('no-variation', 'No cell is left, because signals or returns are constant.')] : []),
    ...delayWarnings(delayBars),
    ...peeks.flatMap(peekWarnings),
  ]
}
