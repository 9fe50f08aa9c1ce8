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
      return 'Minimum of the rows'
    case 'max':
      return 'Maximum of the rows'
    case 'mean':
      return rule.weight ? `Mean, weighted by ${rule.weight}` : 'Plain mean'
    case 'rate':
      return 'Mean rate over the longer interval, where missing rows count as 0'
    case 'quotient':
      return `${rule.numerator} over ${rule.denominator}, each resampled`
    case 'share':
      return `${rule.part} over ${rule.among.join(' + ')}, each resampled`
    case 'ticks':
      return 'Sum of the rows, plus the ticks from each close to the next open (from ohlcv)'
    case 'entropy':
      return `Entropy of ${rule.columns.join(' and ')}, each resampled`
  }
}

/** Describes an approximation and its largest known errors. */
export function approximationText({ reason, ...bounds }: Approximation): string {
  const { offByPercent, unevenOffByPercent, isRelativeToMean } = bounds
  const percentText = (percent: number) =>
    `${percent} %${isRelativeToMean ? ' of the mean absolute value of the rows' : ''}`
  const isExact = offByPercent === 0
  const usualText = `${isExact ? 'exact' : `off by up to ${percentText(offByPercent)}`} on reference days`
  const unevenText =
    unevenOffByPercent === offByPercent
      ? ''
      : `, ${isExact ? 'off by up to ' : ''}${percentText(unevenOffByPercent)} on uneven days`
  return `approximation (${usualText}${unevenText}): ${reason}`
}

export const largeText: Record<LargeMeaning, string> = {
  high: 'High values',
  'far from 0': 'Far from 0, either way',
  'far from 0.5': 'Far from 0.5, either way',
  'far from 1': 'Far from 1, either way',
  nothing: 'None: the size of a value has no meaning',
}
