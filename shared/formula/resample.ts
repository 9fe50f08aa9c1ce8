import type { Resample } from '#shared/catalog/column.ts'
import { entropyOf, quotientOf, resampleSeries, scaleSeries, sumOf, sumWithTicks } from './resampleSeries.ts'
import { type Series, type SeriesInput, seriesOf } from './series.ts'

/** Columns with the price of the first and the last trade of each row. */
const [TICK_OPEN, TICK_CLOSE] = ['ohlcv.open', 'ohlcv.close']

/** Lists the columns that a rule needs besides the resampled one; those of another dataset have its id as prefix. */
export function columnsNeeded(rule: Resample): string[] {
  switch (rule.how) {
    case 'quotient':
      return [rule.numerator, rule.denominator]
    case 'share':
      return [...rule.among]
    case 'entropy':
      return [...rule.columns]
    case 'ticks':
      return [TICK_OPEN, TICK_CLOSE]
    case 'mean':
      return rule.weight === undefined ? [] : [rule.weight]
    case 'last':
      return rule.where === undefined ? [] : [rule.where]
    default:
      return []
  }
}

/** Splits the name of a needed column into its dataset (null for that of the resampled column) and its column. */
export function splitNeeded(name: string): { dataset: string | null; column: string } {
  const dot = name.indexOf('.')
  return dot < 0 ? { dataset: null, column: name } : { dataset: name.slice(0, dot), column: name.slice(dot + 1) }
}

/** Returns how many shorter intervals make the longer one; null if they do not divide it. */
export const intervalsIn = (longMs: number, shortMs: number): number | null =>
  longMs >= shortMs && longMs % shortMs === 0 ? longMs / shortMs : null

type ResampleResult = Series | { refusal: string }

/** Resamples a column to a longer interval by its declared rule, or returns why that is not possible. */
export function resampleColumn(input: SeriesInput, intervalMs: number): ResampleResult {
  const rule = input.resample
  if (!rule) return { refusal: 'No rule is declared for this column' }
  if (rule.how === 'none') return { refusal: rule.reason }
  if (intervalsIn(intervalMs, input.intervalMs) === null) {
    return { refusal: 'The longer interval must be a multiple of the shorter one' }
  }
  const missing = columnsNeeded(rule).find((name) => !input.companions?.[name])
  if (missing) return { refusal: missingText(missing) }
  return resampleByRule(rule, input, intervalMs)
}

function missingText(name: string): string {
  const { dataset } = splitNeeded(name)
  if (dataset === null) return `Needs the column ${name}, which is missing`
  return `Needs ${name}, which is missing: download ${dataset} for the same range, or give a method such as 'mean' or 'sum' for an approximation`
}

function resampleByRule(
  rule: Exclude<Resample, { how: 'none' }>,
  input: SeriesInput,
  intervalMs: number,
): ResampleResult {
  const companion = (name: string): SeriesInput => ({ ...input, ...input.companions?.[name] })
  const own = seriesOf(input)
  switch (rule.how) {
    case 'quotient':
      return combineColumns([rule.numerator, rule.denominator], companion, intervalMs, ([numerator, denominator]) =>
        quotientOf(numerator, denominator),
      )
    case 'share':
      return combineColumns(rule.among, companion, intervalMs, (all) =>
        quotientOf(all[rule.among.indexOf(rule.part)], sumOf(all)),
      )
    case 'entropy':
      return combineColumns(rule.columns, companion, intervalMs, entropyOf)
    case 'mean':
      return resampleSeries(own, intervalMs, 'mean', rule.weight ? { weights: seriesOf(companion(rule.weight)) } : {})
    case 'last':
      return resampleSeries(own, intervalMs, 'last', rule.where ? { events: seriesOf(companion(rule.where)) } : {})
    case 'ticks': {
      const prices = { open: seriesOf(companion(TICK_OPEN)), close: seriesOf(companion(TICK_CLOSE)) }
      return sumWithTicks(own, prices, intervalMs, rule.direction)
    }
    case 'rate':
      return scaleSeries(resampleSeries(own, intervalMs, 'sum'), input.intervalMs / intervalMs)
    default:
      return resampleSeries(own, intervalMs, rule.how)
  }
}

/** Resamples columns by their own rules and combines them. */
function combineColumns(
  names: readonly string[],
  companion: (name: string) => SeriesInput,
  intervalMs: number,
  combine: (all: Series[]) => Series,
): ResampleResult {
  const all: Series[] = []
  for (const name of names) {
    const column = resampleColumn(companion(name), intervalMs)
    if ('refusal' in column) return column
    all.push(column)
  }
  return combine(all)
}
