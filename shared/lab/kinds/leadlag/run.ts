import { autocorrelationsOf, effectiveCount } from '../../along/autocorrelations.ts'
import { testCorrelation } from '../../along/correlationTests.ts'
import { type Checkpoint, noCheckpoint } from '../../checkpoint.ts'
import type { StudyGrid } from '../../panel.ts'
import { pairedCorrelation } from '../../correlations.ts'
import { countTests, falseDiscoveryRates } from '../../samples.ts'
import type { LeadLagStudy } from './fields.ts'
import { StudyError } from '../../studyError.ts'
import type { CellRows, StudyPanel } from '../../studyPanel.ts'
import { type StudyWarning, warning } from '../../studyWarnings.ts'
import { valueAttrition } from '../../signalCells.ts'
import type { KindRun } from '../../studyInput.ts'

export function run({ study, panel, evaluate, onStage, checkpoint }: KindRun<LeadLagStudy>) {
  const values = evaluate({ field: 'value', formula: study.value })
  const result = runLeadLagStudy(panel, study, values, (share) => onStage('pairs', share), checkpoint)
  return { result, warnings: unpairedWarnings(panel, result.pairs) }
}

const MOST_TESTS = 250_000
const LEAST_PAIRS = 10

/** Values of one symbol over time, NaN if missing or not a member, with their autocorrelations. */
interface SymbolValues {
  symbol: string
  values: Float64Array
  autocorrelations: Float64Array
}

interface LagTest {
  lag: number
  n: number
  r: number | null
  effectiveN: number | null
  t: number | null
  p: number | null
}

/** Maximum number of values in memory: those of the two groups of symbols whose pairs are processed together. */
const MOST_VALUES = 2 ** 25

/**
 * Computes the correlation of every pair of symbols, or of the pairs with the reference if there is one, at every lag.
 */
function runLeadLagStudy(
  panel: StudyPanel,
  study: LeadLagStudy,
  matrix: CellRows<Float64Array>,
  onShare: (share: number) => void,
  checkpoint = noCheckpoint,
) {
  const pairs = pairsOf(panel, study)
  onShare(0)
  const groupSize = Math.max(1, Math.floor(MOST_VALUES / 2 / panel.timeCount))
  const valuesOf = cachedReader(panel, matrix, 2 * groupSize, checkpoint)
  const tested: { a: string; b: string; lags: LagTest[] }[] = []
  for (const [done, at] of sortedByGroup(pairs, groupSize).entries()) {
    checkpoint()
    onShare(done / pairs.length)
    const [a, b] = pairs[at].map(valuesOf)
    tested[at] = { a: a.symbol, b: b.symbol, lags: lagTests(a, b, study.maxLag) }
  }
  const rates = falseDiscoveryRates(tested.flatMap(({ lags }) => lags.map(({ p }) => p)))
  let testIndex = 0
  return {
    attrition: valueAttrition(panel, matrix),
    tests: countTests(rates),
    pairs: tested.map(({ a, b, lags }) => {
      const withRates = lags.map((one) => ({ ...one, q: rates[testIndex++] }))
      return { a, b, lags: withRates, best: bestOf(withRates) }
    }),
  }
}

/** Warns if there is no pair, or no pair and lag has a correlation because a value does not vary. */
function unpairedWarnings(
  { symbols }: StudyGrid,
  pairs: readonly { lags: readonly Pick<LagTest, 'n' | 'r'>[] }[],
): StudyWarning[] {
  if (pairs.length === 0)
    return [
      warning(
        'too-few-symbols',
        `A lead-lag scan needs 2 symbols, and this one has ${symbols.length}. To study one symbol, try a study along time.`,
      ),
    ]
  const lags = pairs.flatMap((pair) => pair.lags)
  const isConstant = lags.some(({ n }) => n >= LEAST_PAIRS) && lags.every(({ r }) => r === null)
  return isConstant ? [warning('no-variation', 'In every pair a value is constant along time.')] : []
}

/** Sorts the indices of the pairs so that pairs of the same two groups of symbols are consecutive. */
function sortedByGroup(pairs: readonly [number, number][], size: number): number[] {
  const groupsOf = ([a, b]: [number, number]) => [Math.floor(a / size), Math.floor(b / size)]
  return [...pairs.keys()].sort((x, y) => {
    const [ax, bx] = groupsOf(pairs[x])
    const [ay, by] = groupsOf(pairs[y])
    return ax - ay || bx - by || x - y
  })
}

/** Returns a function that reads the values of a symbol through a small cache; autocorrelations are computed once. */
function cachedReader(panel: StudyPanel, matrix: CellRows<Float64Array>, capacity: number, checkpoint: Checkpoint) {
  const valuesBySymbol = new Map<number, SymbolValues>()
  const autocorrelationsBySymbol = new Map<number, Float64Array>()
  return (symbol: number): SymbolValues => {
    const cachedValues = valuesBySymbol.get(symbol)
    valuesBySymbol.delete(symbol)
    if (!cachedValues) checkpoint()
    const values = cachedValues ?? symbolValues(panel, matrix, symbol, autocorrelationsBySymbol.get(symbol))
    autocorrelationsBySymbol.set(symbol, values.autocorrelations)
    valuesBySymbol.set(symbol, values)
    for (const leastRecent of valuesBySymbol.keys()) {
      if (valuesBySymbol.size <= Math.max(2, capacity)) break
      valuesBySymbol.delete(leastRecent)
    }
    return values
  }
}

function pairsOf({ symbols }: StudyGrid, { reference, maxLag }: LeadLagStudy): [number, number][] {
  const referenceIndex = reference === null ? -1 : symbols.indexOf(reference)
  if (reference !== null && referenceIndex < 0)
    throw new StudyError('reference', `${reference} has no row among those that the study reads.`)
  const count = reference === null ? (symbols.length * (symbols.length - 1)) / 2 : symbols.length - 1
  const testCount = count * (2 * maxLag + 1)
  if (testCount > MOST_TESTS) {
    throw new StudyError('maxLag', `makes ${testCount} tests of ${count} pairs; at most ${MOST_TESTS} are allowed.`)
  }
  const all = symbols.map((_, symbol) => symbol)
  if (reference !== null) return all.filter((other) => other !== referenceIndex).map((other) => [referenceIndex, other])
  return all.flatMap((a) => all.slice(a + 1).map((b): [number, number] => [a, b]))
}

function symbolValues(
  { symbols, member }: StudyPanel,
  matrix: CellRows<Float64Array>,
  symbol: number,
  knownAutocorrelations: Float64Array | undefined,
): SymbolValues {
  const values = matrix.symbol(symbol)
  const members = member?.symbol(symbol)
  if (members) for (let time = 0; time < values.length; time++) if (!members[time]) values[time] = NaN
  return { symbol: symbols[symbol], values, autocorrelations: knownAutocorrelations ?? autocorrelationsOf(values) }
}

function lagTests(a: SymbolValues, b: SymbolValues, maxLag: number): LagTest[] {
  return Array.from({ length: 2 * maxLag + 1 }, (_, at) => lagTest(a, b, at - maxLag))
}

function lagTest(a: SymbolValues, b: SymbolValues, lag: number): LagTest {
  const { n, r } = laggedCorrelation(a.values, b.values, lag)
  const effectiveN = r === null ? null : effectiveCount(a.autocorrelations, b.autocorrelations, n)
  return { lag, n, r, effectiveN, ...testCorrelation(r, effectiveN ?? 0) }
}

/**
 * Correlates the pairs (a[t], b[t + lag]) that are present, and counts them; r is null if there are too few pairs, or
 * if the values of a or b are constant.
 */
function laggedCorrelation(a: Float64Array, b: Float64Array, lag: number): { n: number; r: number | null } {
  const pairs = { lag, from: Math.max(0, -lag), end: Math.min(a.length, a.length - lag) }
  const { n, r } = pairedCorrelation(a, b, pairs)
  return { n, r: n < LEAST_PAIRS || Number.isNaN(r) ? null : r }
}

/**
 * Finds the lag with the largest |r|; null if no lag has an r. A tie goes to the smallest |lag|, then to the negative
 * lag.
 */
function bestOf(lags: readonly (LagTest & { q: number | null })[]) {
  const [best] = lags
    .flatMap(({ lag, r, q }) => (r === null ? [] : [{ lag, r, q }]))
    .sort((a, b) => Math.abs(b.r) - Math.abs(a.r) || Math.abs(a.lag) - Math.abs(b.lag) || a.lag - b.lag)
  return best ?? null
}
