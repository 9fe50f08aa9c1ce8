import { commonFields, priceFields } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { choice, flag, formula, wholeNumber } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { bars } from '../phrases.ts'

const fields = {
  ...commonFields('events', sourceFields),
  when: {
    type: formula,
    label: 'Event when',
    help: 'The condition that defines an event: true where it is present and not 0, for example volume > 3 * sma(volume, 24).',
    example: 'zscore(ohlcv.volume, 168, 48) > 5',
    group: 'main',
  },
  ...priceFields,
  edge: {
    type: flag,
    byDefault: true,
    label: 'First bar only',
    help: 'Counts a condition only on the bar on which it becomes true, not on later bars on which it stays true.',
    group: 'more',
  },
  cooldownBars: {
    type: wholeNumber(0, 10_000),
    byDefault: 0,
    label: 'Cool-down',
    phrase: bars,
    help: 'Bars after an event during which the same symbol triggers no other event.',
    group: 'more',
  },
  before: {
    type: wholeNumber(0, 1000),
    byDefault: 12,
    label: 'Before',
    phrase: bars,
    help: 'Bars shown before the entry.',
    group: 'main',
  },
  after: {
    type: wholeNumber(1, 1000),
    byDefault: 24,
    label: 'After',
    phrase: bars,
    help: 'Bars shown after the entry.',
    group: 'main',
  },
  adjust: {
    type: choice({ none: 'None', market: 'Market' }),
    byDefault: 'none',
    label: 'Adjust',
    help: 'Market: subtracts the mean move of all members over the same bars.',
    group: 'more',
  },
} satisfies Fields

export type EventStudy = Values<typeof fields>

export const events = {
  title: 'Event',
  description: 'What do prices do around the moments when a condition becomes true?',
  fields,
  recipe:
    'Find when {when} on {source}, bars of {interval}, enter {delayBars} later at {price}, and show {before} before and {after} after, from {start} to {end}.',
  formulas: ({ when, price }: EventStudy) => [
    { field: 'when', formula: when },
    { field: 'price', formula: price },
  ],
  ownBytes: ({ before, after, delayBars }: EventStudy, _times: number, symbols: number) =>
    8 * symbols * (before + after + delayBars),
}
