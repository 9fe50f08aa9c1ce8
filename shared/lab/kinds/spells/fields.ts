import { StudyError } from '../../studyError.ts'
import { commonFields, priceFields } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { ascendingListOf, formula, orNull, wholeNumber } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { barList, bars } from '../phrases.ts'

const MOST_HORIZON = 10_000
const defaultHorizons = [12, 72, 288]

const fields = {
  ...commonFields('spells', sourceFields),
  when: {
    type: formula,
    label: 'On when',
    help: 'The state whose spells are found: on where it is present and not 0, for example rank(funding_rate, 2016, 504) > 0.9.',
    example: 'rank(funding.funding_rate, 2016, 504) > 0.9',
    group: 'main',
  },
  fill: {
    type: wholeNumber(0, 10_000),
    byDefault: 0,
    label: 'Bridge',
    phrase: bars,
    help: 'Bars for which the state may be off or missing within a spell.',
    group: 'main',
  },
  minBars: {
    type: wholeNumber(1, 100_000),
    byDefault: 1,
    label: 'Shortest spell',
    phrase: bars,
    help: 'Bars that a spell lasts at least, those that are bridged included; shorter ones are dropped and counted.',
    group: 'main',
  },
  ...priceFields,
  horizons: {
    type: ascendingListOf(wholeNumber(1, MOST_HORIZON), 20),
    byDefault: defaultHorizons,
    label: 'Horizons',
    phrase: barList,
    help: 'Bars from entry to exit, after a spell is known to have begun or ended.',
    group: 'main',
  },
  signal: {
    type: orNull(formula),
    byDefault: null,
    label: 'Signal',
    help: 'A formula whose last value is shown beside each of the sharpest moves. Default: none.',
    group: 'more',
  },
  sharpest: {
    type: wholeNumber(0, 100),
    byDefault: 10,
    label: 'Sharpest moves',
    help: 'Number of the largest moves that are listed, with whether the state was on.',
    group: 'more',
  },
  sharpestHorizon: {
    type: wholeNumber(1, MOST_HORIZON),
    /** Filled in from the horizons. */
    byDefault: undefined,
    example: defaultHorizons[0],
    label: 'Bars of a move',
    phrase: bars,
    help: 'The horizon of the sharpest moves, one of those above. Default: the first.',
    group: 'more',
  },
} satisfies Fields

export type SpellsStudy = Values<typeof fields>

function fillIn(study: SpellsStudy): SpellsStudy {
  const { horizons } = study
  const sharpestHorizon = (study.sharpestHorizon as number | undefined) ?? horizons[0]
  if (!horizons.includes(sharpestHorizon))
    throw new StudyError('sharpestHorizon', `must be one of the horizons: ${horizons.join(', ')}.`)
  return { ...study, sharpestHorizon }
}

/** Memory for the values of one symbol and the figures of one horizon, by time, in bytes. */
const BYTES_PER_TIME = 200

export const spells = {
  title: 'Spells',
  description: 'When is a state on, and what do prices do when it begins and ends?',
  fields,
  recipe:
    'Find the spells during which {when} on {source}, bars of {interval}, bridged over {fill} and lasting at least {minBars}; enter {delayBars} after one is known to begin or end, hold for {horizons}, from {start} to {end}.',
  treatsSymbolsAlone: true,
  formulas: ({ when, price, signal }: SpellsStudy) => [
    { field: 'when', formula: when },
    { field: 'price', formula: price },
    ...(signal === null ? [] : [{ field: 'signal', formula: signal }]),
  ],
  fillIn,
  ownBytes: (_study: SpellsStudy, times: number) => times * BYTES_PER_TIME,
}
