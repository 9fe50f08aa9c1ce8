import { StudyError } from '../../studyError.ts'
import { commonFields, priceFields, signalField } from '../commonFields.ts'
import type { Fields, Values, WrittenStudy } from '../field.ts'
import { ascendingListOf, choice, finiteNumber, orNull, wholeNumber } from '../fieldTypes.ts'
import { samplings } from '../signal/fields.ts'
import { sourceFields } from '../sourceFields.ts'
import { barList, bars, counted } from '../phrases.ts'

const MOST_BARS = 1_000_000
/** Number of buckets at least, and with it the least warm-up. */
const LEAST_BUCKETS = 2
const DEFAULT_WARM_UP = 500

const bucketings = { trailing: 'Trailing window', expanding: 'All bars so far', inSample: 'Whole range' }

const isTrailing = ({ bucketBy }: WrittenStudy): boolean => bucketBy === undefined || bucketBy === 'trailing'

const fields = {
  ...commonFields('series', sourceFields),
  signal: {
    ...signalField,
    help: 'The formula whose value at a bar is compared with the return that follows it; it may use bars up to that time only.',
    example: 'zscore(flow.volume_delta, 288, 144)',
  },
  ...priceFields,
  horizons: {
    type: ascendingListOf(wholeNumber(1, 10_000), 20),
    byDefault: [1, 12, 72],
    label: 'Horizons',
    phrase: barList,
    help: 'Bars from entry to exit; each horizon is evaluated separately.',
    group: 'main',
  },
  buckets: {
    type: wholeNumber(LEAST_BUCKETS, 20),
    byDefault: 10,
    label: 'Buckets',
    phrase: counted('bucket'),
    help: 'Number of groups of bars, from the lowest to the highest signal.',
    group: 'main',
  },
  bucketBy: {
    type: choice(bucketings),
    byDefault: 'trailing',
    label: 'Buckets by',
    help: 'What a signal is ranked among: the bars of a window that ends with it, all bars so far, or the whole range, which knows the future.',
    group: 'more',
  },
  window: {
    type: wholeNumber(20, MOST_BARS),
    byDefault: 2016,
    label: 'Window',
    phrase: bars,
    help: 'Bars of the trailing window, the last one included.',
    group: 'more',
    applies: isTrailing,
  },
  warmUp: {
    type: wholeNumber(LEAST_BUCKETS, MOST_BARS),
    /** Filled in from the window. */
    byDefault: undefined,
    example: DEFAULT_WARM_UP,
    label: 'Warm-up',
    phrase: bars,
    help: 'Signals that must be seen before a bar has a bucket, at least as many as there are buckets. Default: 500, or the trailing window if that is shorter.',
    group: 'more',
    applies: ({ bucketBy }: WrittenStudy) => bucketBy !== 'inSample',
  },
  thresholds: {
    type: orNull(ascendingListOf(finiteNumber, 20)),
    byDefault: null,
    label: 'Thresholds',
    help: 'Ascending numbers in units of the signal; the returns after signals at or above each are listed. Default: none.',
    group: 'more',
  },
  sampling: {
    type: choice(samplings),
    byDefault: 'nonOverlapping',
    label: 'Samples',
    help: 'Non-overlapping samples use each return once; “All times” uses overlapping ones, with errors corrected for it.',
    group: 'more',
  },
} satisfies Fields

export type SeriesStudy = Values<typeof fields>

function fillIn(study: SeriesStudy): SeriesStudy {
  const { buckets, bucketBy, window } = study
  const longest = bucketBy === 'trailing' ? window : MOST_BARS
  const warmUp = (study.warmUp as number | undefined) ?? Math.min(DEFAULT_WARM_UP, longest)
  if (warmUp < buckets) throw new StudyError('warmUp', 'must be at least as large as buckets.', 'buckets')
  if (warmUp > longest) throw new StudyError('warmUp', 'must be at most as large as window.', 'window')
  return { ...study, warmUp }
}

/** Memory for the values of one symbol and the figures of one horizon, by time, in bytes. */
const BYTES_PER_TIME = 240

export const series = {
  title: 'Series',
  description: 'Does a value tell the next returns of the same symbol?',
  fields,
  recipe:
    'Sort the bars of {interval} of {source} by {signal} into {buckets}, ranked among the {bucketBy}, enter {delayBars} later at {price} and hold for {horizons}, from {start} to {end}.',
  treatsSymbolsAlone: true,
  formulas: ({ signal, price }: SeriesStudy) => [
    { field: 'signal', formula: signal },
    { field: 'price', formula: price },
  ],
  fillIn,
  /** The result lists the growth of each bucket at each sample. */
  ownBytes: ({ horizons, buckets }: SeriesStudy, times: number, symbols: number) =>
    times * BYTES_PER_TIME +
    symbols * horizons.reduce((sum, horizon) => sum + 8 * (buckets + 1) * Math.ceil(times / horizon), 0),
}
