import { commonFields, priceFields, signalField } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { ascendingListOf, choice, wholeNumber } from '../fieldTypes.ts'
import { breakdownField, sourceFields } from '../sourceFields.ts'
import { barList, counted } from '../phrases.ts'

/** Memory for the values that a result lists for one time, in bytes. */
const BYTES_PER_TIME = 80
/** Memory for one time of a quantile group: its return and its path, in bytes. */
const BYTES_PER_GROUP = 24

export const samplings = { nonOverlapping: 'Non-overlapping', all: 'All times' }

const fields = {
  ...commonFields('signal', { ...sourceFields, by: breakdownField }),
  signal: signalField,
  ...priceFields,
  horizons: {
    type: ascendingListOf(wholeNumber(1, 10_000), 20),
    byDefault: [1, 4, 24],
    label: 'Horizons',
    phrase: barList,
    help: 'Bars from entry to exit; each horizon is evaluated separately.',
    group: 'main',
  },
  quantiles: {
    type: wholeNumber(2, 20),
    byDefault: 5,
    label: 'Quantiles',
    phrase: counted('group'),
    help: 'Number of groups of symbols, from the lowest to the highest signal.',
    group: 'more',
  },
  sampling: {
    type: choice(samplings),
    byDefault: 'nonOverlapping',
    label: 'Samples',
    help: 'Non-overlapping samples use each return once; “All times” uses overlapping ones, which make results look more certain than they are.',
    group: 'more',
  },
} satisfies Fields

export type SignalStudy = Values<typeof fields>

export const signal = {
  title: 'Signal',
  description: 'Does a formula rank symbols by their next returns?',
  fields,
  recipe:
    'Rank {source} by {signal} on bars of {interval}, enter {delayBars} later at {price}, hold for {horizons} and compare {quantiles}, from {start} to {end}.',
  formulas: ({ signal, price }: SignalStudy) => [
    { field: 'signal', formula: signal, isCompared: true },
    { field: 'price', formula: price },
  ],
  comparesClocks: true,
  ownBytes({ horizons, quantiles, delayBars }: SignalStudy, times: number, symbols: number) {
    const aheadBytes = 8 * symbols * (delayBars + Math.max(...horizons))
    return aheadBytes + times * horizons.length * (BYTES_PER_TIME + BYTES_PER_GROUP * quantiles)
  },
}
