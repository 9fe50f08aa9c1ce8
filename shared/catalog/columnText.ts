import type { LargeMeaning, Resample } from './column.ts'

/** Describes how a column is resampled to a longer interval. */
export function resampleText(resample: Resample): string {
  switch (resample.how) {
    case 'sum':
      return 'Sum of the rows'
    case 'first':
      return 'First row'
    case 'last':
      return 'Last row'
    case 'min':
      return 'Least row'
    case 'max':
      return 'Largest row'
    case 'mean':
      return resample.weight ? `Mean, weighted by ${resample.weight}` : 'Plain mean: an approximation'
    case 'quotient':
      return `${resample.of} over ${resample.by}, each resampled`
    case 'none':
      return `Not possible: ${resample.reason[0].toLowerCase()}${resample.reason.slice(1)}`
  }
}

export const largeText: Record<LargeMeaning, string> = {
  high: 'High values',
  'far from 0': 'Far from 0, either way',
  'far from 0.5': 'Far from 0.5, either way',
  'far from 1': 'Far from 1, either way',
  nothing: 'Nothing: size has no meaning',
}
