import type { Approximation, LargeMeaning, Resample } from './column.ts'

/** Describes how a column is resampled to a longer interval, and the error that this may cause. */
export function resampleText(resample: Resample): string {
  if (resample.how === 'none') return `Not possible: ${resample.reason[0].toLowerCase()}${resample.reason.slice(1)}`
  const { approximation } = resample
  return ruleText(resample) + (approximation ? `; ${approximationText(approximation)}` : '')
}

function ruleText(rule: Exclude<Resample, { how: 'none' }>): string {
  switch (rule.how) {
    case 'sum':
      return 'Sum of the rows'
    case 'first':
      return 'First row'
    case 'last':
      return rule.where ? `Last row that has ${rule.where}` : 'Last row'
    case 'min':
      return 'Smallest row'
    case 'max':
      return 'Largest row'
    case 'mean':
      return rule.weight ? `Mean, weighted by ${rule.weight}` : 'Plain mean'
    case 'rate':
      return 'Sum of the rows over the longer time'
    case 'quotient':
      return `${rule.of} over ${rule.by}, each resampled`
    case 'share':
      return `${rule.of} over ${rule.among.join(' + ')}, each resampled`
    case 'ticks':
      return 'Sum of the rows and of the ticks from each close to the next open (from ohlcv)'
    case 'entropy':
      return `Entropy of ${rule.of.join(' and ')}, each resampled`
  }
}

/** Describes an approximation and its error bounds, for every place that shows a number. */
export function approximationText({ reason, ...bounds }: Approximation): string {
  const { offByPercent, unevenOffByPercent, isOfMeanSize } = bounds
  const distance = (percent: number) => `${percent} %${isOfMeanSize ? ' of the mean size of the rows' : ''}`
  const usual =
    offByPercent === 0 ? 'exact on reference days' : `off by up to ${distance(offByPercent)} on reference days`
  const uneven = unevenOffByPercent === offByPercent ? '' : `, ${distance(unevenOffByPercent)} on uneven days`
  return `approximation (${usual}${uneven}): ${reason}`
}

export const largeText: Record<LargeMeaning, string> = {
  high: 'High values',
  'far from 0': 'Far from 0, either way',
  'far from 0.5': 'Far from 0.5, either way',
  'far from 1': 'Far from 1, either way',
  nothing: 'Nothing: size has no meaning',
}
