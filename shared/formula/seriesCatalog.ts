import type { Resample } from '#shared/catalog/column.ts'
import { approximationText, resampleText } from '#shared/catalog/columnText.ts'
import { intervalName } from '#shared/time.ts'
import { excessKurtosis, skewness } from '#shared/statistics/moments.ts'
import { indexPerValue, percentPerDistance } from '#shared/statistics/fromStart.ts'
import { divideUnits, NO_UNIT } from '#shared/units/measureUnits.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { cellwise } from './cellwise.ts'
import {
  count,
  type CallArguments,
  type FormulaFunction,
  type FormulaParameter,
  fixedUnit,
  firstUnit,
  number,
  optional,
  series,
  span,
} from './formulaFunction.ts'
import {
  relativeToFirst,
  exponentialDeviation,
  exponentialMean,
  fillForward,
  lagSeries,
  runningSum,
} from './pathFunctions.ts'
import { type ResampleMethod, resampleMethods } from './formulaNames.ts'
import { resampleSeries } from './resampleSeries.ts'
import { columnsNeeded, intervalsIn, resampleColumn } from './resample.ts'
import type { Series } from './series.ts'
import {
  type Window,
  windowBeta,
  windowCorrelation,
  windowDeviation,
  windowMean,
  windowMedianAbsoluteDeviation,
  windowQuantile,
  windowRank,
  windowResidual,
  windowScore,
  windowShape,
  windowSum,
} from './windowFunctions.ts'

const x = series('x')
const pair = [series('a'), series('b')]

/** Returns the look-back of a call: the number of rows that it names, or 1. */
const firstCount = ([rows = 1]: readonly number[]) => rows
/** Number of spans after which less than a billionth of a value's weight is left. */
const EMA_MEMORY = 11
/** Number of spans after which an exponential weight counts as zero for a purge, which needs a fixed number of rows. */
const EMA_PURGE = 10
const leastRule = 'needs n present values, or as many as the argument least says'

/** Time that a row takes in a window whose values are kept in order. */
const ORDERED_NS_PER_ROW = 320

/** Reads a window from numbers: its rows and, if given, how many of them must have a value. */
function windowOf({ numbers, refuse }: CallArguments, [rows, least = rows]: number[] = numbers): Window {
  return least > rows
    ? refuse(`A window of ${plainPlural(rows, 'row')} never has ${plainPlural(least, 'value')}.`)
    : { rows, least }
}

/** Declares a function over a trailing window of rows. */
function overWindow(
  name: string,
  description: string,
  unit: FormulaFunction['unit'],
  compute: (series: Series, window: Window) => Series,
  nsPerRow?: number,
): FormulaFunction {
  return {
    name,
    ...(nsPerRow !== undefined && { nsPerRow }),
    parameters: [x, span('n'), optional(count('least'))],
    description: `${description}; ${leastRule}`,
    example: `${name}(a, 240)`,
    looksBack: firstCount,
    unit,
    apply: (call) => compute(call.series[0], windowOf(call)),
  }
}

function overPairs(
  name: string,
  description: string,
  unit: FormulaFunction['unit'],
  compute: (a: Series, b: Series, window: Window) => Series,
): FormulaFunction {
  return {
    name,
    parameters: [...pair, span('n'), optional(count('least'))],
    description: `${description}; counts the rows where both are present and ${leastRule}`,
    example: `${name}(a, b, 240)`,
    looksBack: firstCount,
    pairsRows: true,
    unit,
    apply: (call) => compute(call.series[0], call.series[1], windowOf(call)),
  }
}

/** Declares a function of all rows so far with exponentially decaying weights. */
const exponential = (
  name: string,
  description: string,
  compute: (series: Series, span: number) => Series,
): FormulaFunction => ({
  name,
  parameters: [x, span('n')],
  description,
  example: `${name}(a, 20)`,
  unit: firstUnit,
  looksBack: ([rows]) => rows * EMA_MEMORY,
  settlesAfter: ([rows]) => rows * EMA_MEMORY,
  purges: ([rows]) => rows * EMA_PURGE,
  apply: ({ series: [series], numbers: [rows] }) => compute(series, rows),
})

/** Declares a function of a value and the value n rows earlier. */
function againstLag(
  name: string,
  description: string,
  unit: FormulaFunction['unit'],
  compute: (now: number, then: number) => number,
) {
  const parameters: FormulaParameter[] = [x, optional(span('n'))]
  return {
    name,
    parameters,
    description,
    example: `${name}(a, 24)`,
    looksBack: firstCount,
    unit,
    apply: ({ series: [now], numbers: [rows = 1] }: CallArguments) => cellwise([now, lagSeries(now, rows)], compute),
  }
}

/** Declares a function of a value and the first value of its series. */
const fromStart = (
  name: string,
  description: string,
  unit: string,
  functionFor: (first: number) => ((value: number) => number) | null,
): FormulaFunction => ({
  name,
  parameters: [x],
  description,
  example: `${name}(a)`,
  looksBack: 'start',
  unit: fixedUnit(unit),
  apply: ({ series: [values] }) => relativeToFirst(values, functionFor),
})

function percentFromFirst(first: number): ((value: number) => number) | null {
  const factor = percentPerDistance(first)
  return factor === null ? null : (value) => (value - first) * factor
}

function indexFromFirst(first: number): ((value: number) => number) | null {
  const factor = indexPerValue(first)
  return factor === null ? null : (value) => value * factor
}

/** Functions that use earlier rows, and no later ones. */
export const seriesFunctions: FormulaFunction[] = [
  {
    name: 'lag',
    parameters: [x, optional(span('n'))],
    description: 'The value n rows earlier (default: 1)',
    example: 'lag(a, 24)',
    unit: firstUnit,
    looksBack: firstCount,
    apply: ({ series: [values], numbers: [rows = 1] }) => lagSeries(values, rows),
  },
  againstLag('diff', 'x minus its value n rows before (n is 1 by default)', firstUnit, (now, then) => now - then),
  againstLag(
    'pct',
    'Change from n rows before (n is 1 by default), in per cent of the value there; a rise from a value below 0 is therefore negative; missing where that value is 0',
    fixedUnit('%'),
    (now, then) => ((now - then) / then) * 100,
  ),
  againstLag(
    'logret',
    'Natural logarithm of x over its value n rows before (n is 1 by default); missing where either is not above 0',
    fixedUnit('log return'),
    (now, then) => (now > 0 && then > 0 ? Math.log(now / then) : NaN),
  ),
  overWindow('sum', 'Sum of the last n rows', firstUnit, windowSum),
  overWindow('sma', 'Mean of the last n rows', firstUnit, windowMean),
  exponential(
    'ema',
    'Exponential mean: each value moves it by 2/(n + 1) of its distance; missing for the first n − 1 values',
    exponentialMean,
  ),
  overWindow('std', 'Sample standard deviation of the last n rows', firstUnit, windowDeviation),
  exponential(
    'ewmstd',
    'Exponentially weighted sample standard deviation with weights that fall by 2/(n + 1) a row, also over missing ones, as pandas’ ewm(span=n).std(); needs two values',
    exponentialDeviation,
  ),
  overWindow(
    'skew',
    'Bias-corrected skewness G1 of the last n rows; missing below 3 values',
    fixedUnit('none'),
    (values, window) => windowShape(values, window, skewness),
    350,
  ),
  overWindow(
    'kurt',
    'Bias-corrected excess kurtosis G2 of the last n rows; missing below 4 values',
    fixedUnit('none'),
    (values, window) => windowShape(values, window, excessKurtosis),
    350,
  ),
  overWindow(
    'zscore',
    'Distance of x from the mean of the last n rows (its own included), in standard deviations of these rows; missing where they do not vary',
    fixedUnit('none'),
    windowScore,
  ),
  overWindow(
    'rank',
    'Rank of x among the last n rows as a share: 0 for the lowest, 1 for the highest; equal values share the mean of their ranks',
    fixedUnit('none'),
    windowRank,
    ORDERED_NS_PER_ROW,
  ),
  overWindow(
    'rollmin',
    'The lowest of the last n rows',
    firstUnit,
    (values, window) => windowQuantile(values, 0, window),
    ORDERED_NS_PER_ROW,
  ),
  overWindow(
    'rollmax',
    'The highest of the last n rows',
    firstUnit,
    (values, window) => windowQuantile(values, 1, window),
    ORDERED_NS_PER_ROW,
  ),
  overWindow(
    'median',
    'Median of the last n rows',
    firstUnit,
    (values, window) => windowQuantile(values, 0.5, window),
    ORDERED_NS_PER_ROW,
  ),
  overWindow(
    'mad',
    'Median distance of the last n rows from their median, not scaled',
    firstUnit,
    windowMedianAbsoluteDeviation,
    450,
  ),
  {
    name: 'quantile',
    parameters: [x, span('n'), number('q'), optional(count('least'))],
    description: `The value below which the share q (0 to 1) of the last n rows lies, interpolated linearly; ${leastRule}`,
    example: 'quantile(a, 240, 0.95)',
    unit: firstUnit,
    looksBack: firstCount,
    nsPerRow: ORDERED_NS_PER_ROW,
    apply: (call) => {
      const [rows, share, least = rows] = call.numbers
      if (!(share >= 0 && share <= 1)) return call.refuse('q must be a number from 0 to 1.')
      return windowQuantile(call.series[0], share, windowOf(call, [rows, least]))
    },
  },
  overPairs('rollcorr', 'Correlation of a and b over the last n rows', () => NO_UNIT, windowCorrelation),
  overPairs(
    'rollbeta',
    'Slope of a on b over the last n rows: covariance over the variance of b',
    ({ units: [a, b] }) => divideUnits(a ?? NO_UNIT, b ?? NO_UNIT),
    windowBeta,
  ),
  overPairs(
    'resid',
    'Residual of the row from the least-squares line of a on b, with intercept, over the last n rows; missing where b does not vary',
    firstUnit,
    windowResidual,
  ),
  {
    name: 'ffill',
    parameters: [x, optional(span('limit'))],
    description:
      'x, with missing rows filled by the last value before them: at most limit rows after it, or all of them if limit is left out',
    example: "ffill(a, '4h')",
    unit: firstUnit,
    looksBack: firstCount,
    settlesAfter: ([limit]) => (limit === undefined ? 1 : 0),
    purges: ([limit]) => limit ?? 'start',
    apply: ({ series: [values], numbers: [limit = Infinity] }) => fillForward(values, limit),
  },
  {
    name: 'cumsum',
    parameters: [x],
    description: 'Sum of all values so far; rows without a value are missing and change nothing',
    example: 'cumsum(a)',
    unit: firstUnit,
    looksBack: 'start',
    apply: ({ series: [values] }) => runningSum(values),
  },
  fromStart(
    'index100',
    'x over its first value, times 100; missing where the first value is not above 0',
    'none',
    indexFromFirst,
  ),
  fromStart(
    'percentfromstart',
    'Change of x from its first value in per cent of the first value’s absolute value, so that a rise from below 0 is positive; missing where the first value is 0',
    '%',
    percentFromFirst,
  ),
  {
    name: 'resample',
    parameters: [x, { name: 'interval', kind: 'interval' }, { name: 'method', kind: 'method', optional: true }],
    description: `Rows of a longer interval, aggregated by the column’s own rule, or by the given method: ${resampleMethods.join(', ')}. It has a value when the interval is over`,
    example: "resample(a, '1h')",
    unit: firstUnit,
    apply: resampleCall,
  },
]

function resampleCall({ series: [rows], intervalMs, method, column, refuse, note }: CallArguments): Series {
  if (intervalsIn(intervalMs, rows.intervalMs) === null) {
    return refuse('The new interval must be a multiple of the interval of the series.')
  }
  if (method !== null) {
    if (column?.resample && !isOwnRule(column.resample, method))
      note(
        `resampled to ${intervalName(intervalMs)} by '${method}', not by the column’s own rule (${resampleText(column.resample)})`,
      )
    return resampleSeries(rows, intervalMs, method)
  }
  if (!column?.resample)
    return refuse(`Give a method, because this column has no rule: ${quotedList(resampleMethods)}.`)
  const rule = column.resample
  if (rule.how !== 'none' && rule.approximation)
    note(`resampled to ${intervalName(intervalMs)}: ${approximationText(rule.approximation)}`)
  const resampled = resampleColumn(column, intervalMs)
  return 'refusal' in resampled ? refuse(`The column cannot be resampled. ${resampled.refusal}.`) : resampled
}

/** Tells whether a method alone is a column's own rule: the rule is exact and needs no other column. */
const isOwnRule = (rule: Resample, method: ResampleMethod): boolean =>
  rule.how === method && rule.approximation === undefined && columnsNeeded(rule).length === 0

const quotedList = (methods: readonly ResampleMethod[]) => methods.map((method) => `'${method}'`).join(', ')
