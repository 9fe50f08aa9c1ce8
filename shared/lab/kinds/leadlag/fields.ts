import { commonFields, valueField } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { orNull, text, wholeNumber } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { bars, symbolPhrase } from '../phrases.ts'

/** Memory for the two groups of symbols whose pairs are processed together, in bytes. */
const BYTES_OF_PAIRS = 8 * 2 ** 25

const fields = {
  ...commonFields('leadlag', sourceFields),
  value: valueField,
  reference: {
    type: orNull(text),
    byDefault: null,
    label: 'Reference',
    phrase: (symbol, study) => (symbol === null ? 'every pair' : `${symbolPhrase(symbol, study)} with every other`),
    help: 'A symbol that is compared with every other. Empty: all pairs are compared.',
    group: 'more',
  },
  maxLag: {
    type: wholeNumber(0, 500),
    byDefault: 12,
    label: 'Largest lag',
    phrase: bars,
    help: 'Bars by which one symbol is shifted against the other, in both directions.',
    group: 'main',
  },
} satisfies Fields

export type LeadLagStudy = Values<typeof fields>

export const leadlag = {
  title: 'Lead–lag',
  description: 'Does one symbol move before another?',
  fields,
  recipe:
    'Compare {value} of {source} on bars of {interval}, {reference}, shifted by up to {maxLag}, from {start} to {end}.',
  formulas: ({ value }: LeadLagStudy) => [{ field: 'value', formula: value }],
  ownBytes: () => BYTES_OF_PAIRS,
}
