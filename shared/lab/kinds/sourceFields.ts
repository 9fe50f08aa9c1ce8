import { timestampSources } from '#shared/catalog/intervals.ts'
import { UNCONSTRAINED } from '#shared/catalog/portfolioEndpoints.ts'
import { StudyError } from '../studyError.ts'
import type { Field, Fields, Values } from './field.ts'
import { ascendingListOf, dictionary, finiteNumber, listOf, oneOf, orNull, record, text } from './fieldTypes.ts'
import { symbolsPhrase, venuesPhrase } from './phrases.ts'

const universeSizes = [20, 30, 40] as const

export const universeFields = {
  size: {
    type: oneOf(universeSizes),
    label: 'Size of the universe',
    help: 'Number of symbols of the universe.',
    example: universeSizes[1],
  },
  exchange: {
    type: text,
    byDefault: UNCONSTRAINED,
    label: 'Venue of the universe',
    help: 'Venue on which the portfolio service chose the universe.',
  },
} satisfies Fields

/** Fields of the cached rows that a study of any kind reads. */
export const sourceFields = {
  exchanges: {
    type: listOf(text),
    label: 'Venues',
    phrase: venuesPhrase,
    help: 'Venues whose cached rows are read.',
    example: [],
  },
  symbols: {
    type: orNull(listOf(text)),
    byDefault: null,
    label: 'Symbols',
    phrase: symbolsPhrase,
    help: 'Symbols to read. Without a list: every symbol with cached rows.',
  },
  universe: {
    type: orNull(record(universeFields)),
    byDefault: null,
    label: 'Universe',
    help: 'Universes of the service are point-in-time: a symbol counts as a member from the day after the service listed it. Default: all symbols.',
  },
  timestamp: {
    type: oneOf(timestampSources),
    label: 'Clock',
    help: 'The time that assigns events to bars: exchange time, or arrival time (true time).',
    example: 'exchange',
  },
  against: {
    type: orNull(oneOf(timestampSources)),
    byDefault: null,
    label: 'Compare with',
    help: 'Runs the study on the rows of the other clock too and shows the difference. Default: none.',
  },
} satisfies Fields

export const regime = {
  overlay: { type: text, label: 'Regime', help: 'Id of the risk regime.', example: '' },
  cuts: {
    type: ascendingListOf(finiteNumber, 10),
    label: 'Cuts',
    help: 'Ascending cut points that split the regime’s values into states; the state of a day follows from the last value dated before that day.',
    example: [0.5],
  },
} satisfies Fields

/** Optional breakdowns of a signal study's rank IC. */
export const breakdown = {
  regime: {
    type: orNull(record(regime)),
    byDefault: null,
    label: 'By regime',
    help: 'A risk regime of the portfolio service; the rank IC is averaged separately over the times of each of its states. Default: none.',
  },
  groups: {
    type: orNull(
      dictionary(listOf(text), {
        of: 'symbols',
        checkName(name, path) {
          if (name === '') throw new StudyError(path, 'has a group without a name.')
        },
      }),
    ),
    byDefault: null,
    label: 'By group',
    help: 'Each chosen list is a group, with a rank IC over its symbols alone. Default: none.',
  },
} satisfies Fields

export const breakdownField = {
  type: orNull(record(breakdown)),
  byDefault: null,
  label: 'Breakdowns',
  help: 'Rank IC by risk regime and by group of symbols.',
} satisfies Field

export type StudyBreakdown = Values<typeof breakdown>

/** Cached rows that a study reads. */
export interface StudySource extends Values<typeof sourceFields> {
  /** For signal studies only; absent from other kinds. */
  by?: StudyBreakdown | null
}
