import { studentTwoSided } from '#shared/statistics/distributions.ts'
import { keepsDigits, scaledToSquare } from '#shared/statistics/squaring.ts'
import { type Checkpoint, noCheckpoint } from './checkpoint.ts'
import type { StudyGrid } from './panel.ts'
import { pairedCorrelation } from './correlations.ts'
import { countTests, falseDiscoveryRates, varies } from './samples.ts'
import { type LeadLagStudy, StudyError } from './studyDocument.ts'
import { type CellRows, type StudyPanel, timeBlocks } from './studyPanel.ts'
import { type StudyWarning, warning } from './studyWarnings.ts'

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
export function runLeadLagStudy(
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
export function unpairedWarnings(
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
    throw new StudyError('reference', `${reference} is not a symbol of the panel.`)
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

/** Computes autocorrelations up to a lag of √n, where n is the number of values; all 0 if the values are constant. */
function autocorrelationsOf(values: Float64Array): Float64Array {
  const present = values.filter((value) => !Number.isNaN(value))
  const largestLag = Math.floor(Math.sqrt(values.length))
  const result = new Float64Array(largestLag + 1)
  if (!varies(present)) return result
  let deviations = deviationsFromMean(values)
  if (!keepsDigits(sumOfSquares(deviations))) deviations = deviationsFromMean(scaledToSquare(values).scaled)
  const squares = sumOfSquares(deviations)
  for (let lag = 1; lag <= largestLag; lag++) {
    let products = 0
    for (let time = 0; time + lag < deviations.length; time++) products += deviations[time] * deviations[time + lag]
    result[lag] = products / squares
  }
  return result
}

/** Subtracts the mean; 0 for missing values. */
function deviationsFromMean(values: Float64Array): Float64Array {
  const present = values.filter((value) => !Number.isNaN(value))
  const mean = present.reduce((sum, value) => sum + value, 0) / present.length
  return values.map((value) => (Number.isNaN(value) ? 0 : value - mean))
}

const sumOfSquares = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0)

function lagTests(a: SymbolValues, b: SymbolValues, maxLag: number): LagTest[] {
  return Array.from({ length: 2 * maxLag + 1 }, (_, at) => lagTest(a, b, at - maxLag))
}

function lagTest(a: SymbolValues, b: SymbolValues, lag: number): LagTest {
  const { n, r } = laggedCorrelation(a.values, b.values, lag)
  const effectiveN = r === null ? null : effectiveCount(a.autocorrelations, b.autocorrelations, n)
  const untested = { lag, n, r, effectiveN, t: null, p: null }
  if (r === null || effectiveN === null || effectiveN < 3) return untested
  if (Math.abs(r) === 1) return { ...untested, p: 0 }
  const t = r * Math.sqrt((effectiveN - 2) / (1 - r * r))
  return { ...untested, t, p: studentTwoSided(t, effectiveN - 2) }
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

/** Computes the effective number of pairs, which is smaller if both series are autocorrelated. */
function effectiveCount(a: Float64Array, b: Float64Array, n: number): number {
  const largestLag = Math.min(a.length - 1, n - 1)
  let sum = 0
  for (let lag = 1; lag <= largestLag; lag++) sum += (1 - lag / n) * a[lag] * b[lag]
  return n / Math.max(1, 1 + 2 * sum)
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

/** Counts every cell of a study with one formula by its reason for exclusion. */
export function valueAttrition(panel: StudyPanel, matrix: CellRows<Float64Array>) {
  const attrition = { cells: panel.timeCount * panel.symbols.length, notMember: 0, noValue: 0, used: 0 }
  for (const { from, to } of timeBlocks(panel)) {
    const values = matrix.rows(from, to)
    const member = panel.member?.rows(from, to)
    for (let cell = 0; cell < values.length; cell++) {
      if (member && !member[cell]) attrition.notMember++
      else if (Number.isNaN(values[cell])) attrition.noValue++
      else attrition.used++
    }
  }
  return attrition
}
