import type { Resample } from '#shared/catalog/column.ts'
import { quotientOf, resampleSeries } from './resampleSeries.ts'
import { type Series, type SeriesInput, seriesOf } from './series.ts'

/** Explains why a column cannot be resampled to a longer interval; null if it can. */
export const resampleRefusal = (rule: Resample): string | null => (rule.how === 'none' ? rule.reason : null)

/** The columns of the same dataset that a rule needs beside its own. */
export function columnsNeeded(rule: Resample): string[] {
  if (rule.how === 'quotient') return [rule.of, rule.by]
  return rule.how === 'mean' && rule.weight ? [rule.weight] : []
}

/** The longer interval as many shorter ones, or null where it is none. */
export const intervalsIn = (longMs: number, shortMs: number): number | null =>
  longMs >= shortMs && longMs % shortMs === 0 ? longMs / shortMs : null

/** Resamples a column to a longer interval by its declared rule, or explains why it cannot. */
export function resampleColumn(input: SeriesInput, intervalMs: number): Series | { refusal: string } {
  const rule = input.resample
  if (!rule) return { refusal: 'No rule is declared for this column' }
  if (rule.how === 'none') return { refusal: rule.reason }
  if (intervalsIn(intervalMs, input.intervalMs) === null) {
    return { refusal: 'The longer interval must be a whole number of the shorter ones' }
  }
  const missing = columnsNeeded(rule).find((name) => !input.companions?.[name])
  if (missing) return { refusal: `Needs the column ${missing}, which is not here` }
  const companion = (name: string): SeriesInput => ({ ...input, ...input.companions?.[name] })
  if (rule.how === 'quotient') {
    const of = resampleColumn(companion(rule.of), intervalMs)
    const by = resampleColumn(companion(rule.by), intervalMs)
    if ('refusal' in of) return of
    if ('refusal' in by) return by
    return quotientOf(of, by)
  }
  const weight = rule.how === 'mean' && rule.weight ? seriesOf(companion(rule.weight)) : undefined
  return resampleSeries(seriesOf(input), intervalMs, rule.how, weight)
}
