import type { Field, Fields } from './field.ts'
import { formula, instant, interval, oneOf, orNull, record, text, wholeNumber } from './fieldTypes.ts'
import { bars, instantPhrase } from './phrases.ts'

/** Fields that come first in a document of any kind. */
export const commonFields = <const Kind extends string, Source extends Fields>(kind: Kind, source: Source) =>
  ({
    version: { type: oneOf([1]), label: 'Version', help: 'Version of the document.', example: 1 },
    kind: { type: oneOf([kind]), label: 'Kind', help: 'Kind of the study.', example: kind },
    name: { type: orNull(text), byDefault: null, label: 'Name', help: 'Name of the study; no result depends on it.' },
    interval: {
      type: interval,
      label: 'Interval',
      help: 'The length of a bar, such as 15m, 1h or 1d.',
      example: '1h',
      group: 'range',
    },
    start: {
      type: orNull(instant),
      byDefault: null,
      label: 'From',
      phrase: (from) => (from === null ? 'the first row' : instantPhrase(from)),
      help: 'The first UTC day or instant; nothing before it is read.',
      example: '2026-05-01',
      group: 'range',
    },
    end: {
      type: orNull(instant),
      byDefault: null,
      label: 'To',
      phrase: (end) => (end === null ? 'the last row' : instantPhrase(end)),
      help: 'The last UTC day (included), or an instant (not included).',
      example: '2026-07-31',
      group: 'range',
    },
    source: {
      type: orNull(record(source)),
      byDefault: null,
      label: 'Rows',
      help: 'Cached rows that the study reads; a panel file takes their place.',
    },
  }) satisfies Fields

/** Fields that several kinds have. */
export const priceFields = {
  price: {
    type: formula,
    byDefault: 'close',
    cacheDefault: 'ohlcv.close',
    label: 'Price',
    help: 'The price at which you enter and exit; only values above 0 count.',
    group: 'more',
  },
  delayBars: {
    type: wholeNumber(0, 1000),
    byDefault: 1,
    label: 'Delay',
    phrase: bars,
    help: 'Bars between the signal and your entry; with 0 you trade at the price that produced the signal.',
    group: 'more',
  },
} satisfies Fields

export const signalField = {
  type: formula,
  label: 'Signal',
  help: 'The formula that ranks the symbols at each time; it may use bars up to that time only.',
  example: '-sma(funding.funding_rate, 24)',
  group: 'main',
} satisfies Field

export const valueField = {
  type: formula,
  byDefault: 'diff(log(close))',
  cacheDefault: 'diff(log(ohlcv.close))',
  label: 'Value',
  help: 'The formula whose pattern is studied; the default is the log return of a bar.',
  group: 'main',
} satisfies Field
