import { parseDay } from '#shared/time.ts'
import { commonFields, priceFields } from '../commonFields.ts'
import { type Fields, type FieldType, isRecord, type Values, valueAt, type WrittenStudy } from '../field.ts'
import {
  ascendingListOf,
  formula,
  listOf,
  numberFrom,
  objectSchema,
  orNull,
  record,
  utcDay,
  wholeNumber,
} from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { COLUMN_NAME, templateType } from './templates.ts'
import { barList, counted, phraseOf } from '../phrases.ts'
import { plainPlural } from '#shared/units/plurals.ts'

const isByDay = (split: unknown): boolean => isRecord(split) && 'day' in split
/** Tells whether a study splits its times at a day, and not by their share. */
export const splitsByDay = (study: WrittenStudy): boolean => isByDay(valueAt(study, 'split'))

const splitShare = {
  share: {
    type: numberFrom(0.1, 0.9),
    label: 'First part',
    help: 'Share of the times from which the direction is learnt; the score comes from the later ones.',
    group: 'more',
    unit: 'fraction',
    applies: (study: WrittenStudy) => !splitsByDay(study),
  },
} satisfies Fields

const splitDay = {
  day: {
    type: utcDay,
    label: 'Split day',
    help: 'First UTC day of the later part, which gives the score.',
    group: 'more',
    applies: splitsByDay,
  },
} satisfies Fields

const split: FieldType<Values<typeof splitShare> | Values<typeof splitDay>> = {
  read: (value, path) => record(isByDay(value) ? splitDay : splitShare).read(value, path),
  schema: { anyOf: [objectSchema(splitShare), objectSchema(splitDay)] },
  fields: { ...splitShare, ...splitDay },
}

const splitText = (split: unknown): string =>
  isRecord(split) && 'day' in split
    ? `the days before ${String(split.day)}`
    : `the first ${phraseOf(splitShare.share, isRecord(split) ? split.share : undefined, {})} of the times`

const defaultTemplates = ['rank(x, 288, 144)', 'rank(x, 2016, 504)', 'rank(sma(x, 12), 288, 144)']

const fields = {
  ...commonFields('screen', sourceFields),
  columns: {
    type: orNull(listOf(formula, 1000)),
    byDefault: null,
    label: 'Columns',
    phrase: (columns) => (Array.isArray(columns) ? plainPlural(columns.length, 'column') : 'every column'),
    help: 'Columns or formulas to try. Without a list: every numeric column of the panel but the price, or of the cached datasets that all symbols have.',
    group: 'main',
  },
  templates: {
    type: listOf(templateType, 50),
    byDefault: defaultTemplates,
    label: 'Templates',
    phrase: (templates) => (Array.isArray(templates) ? plainPlural(templates.length, 'template') : String(templates)),
    help: 'Formulas in which x stands for the column; each column is tried in each of them.',
    group: 'main',
  },
  ...priceFields,
  horizons: {
    type: ascendingListOf(wholeNumber(1, 10_000), 20),
    byDefault: [1, 12],
    label: 'Horizons',
    phrase: barList,
    help: 'Bars from entry to exit; each horizon is tried separately.',
    group: 'main',
  },
  split: {
    type: split,
    byDefault: { share: 0.5 },
    label: 'Split',
    phrase: (split) => splitText(split),
    help: 'Where the part from which directions are learnt ends and the part that gives the scores begins.',
  },
  costBps: {
    type: numberFrom(0, 1000),
    byDefault: 5,
    label: 'Costs',
    help: 'Basis points of what is traded, one way, for the Sharpe ratio after costs.',
    group: 'more',
    unit: 'bps',
  },
  shifts: {
    type: wholeNumber(9, 999),
    byDefault: 39,
    label: 'Shifts',
    phrase: counted('shift'),
    help: 'Worlds without an effect, made by shifting the returns in time, with whose best the winner is compared.',
    group: 'more',
  },
} satisfies Fields

export type ScreenStudy = Values<typeof fields>

/** Memory for the ranks of shifted returns, in bytes. */
export const BYTES_OF_SHIFTS = 96 * 2 ** 20
/** Memory for a time of one symbol: orders, ranks and returns of a horizon, in bytes. */
const BYTES_PER_TIME = 64

export const screen = {
  title: 'Screen',
  description: 'Which of all columns tells the next returns of a symbol, beside the best of noise?',
  fields,
  recipe:
    'Try {columns} in {templates} on {source}, bars of {interval}, {delayBars} later for {horizons}; learn the directions on {split} and score them on the rest, from {start} to {end}.',
  treatsSymbolsAlone: true,
  formulas: ({ columns, templates, price }: ScreenStudy) => [
    ...(columns ?? []).map((column, at) => ({ field: `columns[${at}]`, formula: column })),
    ...templates.map((template, at) => ({
      field: `templates[${at}]`,
      formula: template,
      provided: [COLUMN_NAME],
      isTemplate: true,
    })),
    { field: 'price', formula: price },
  ],
  ownBytes: ({ horizons }: ScreenStudy, times: number) =>
    BYTES_OF_SHIFTS + BYTES_PER_TIME * times * (horizons.length + 1),
}

/** Counts the times of the first part: those before the split. */
export function splitTimes(
  { split }: Pick<ScreenStudy, 'split'>,
  { timeCount, firstSlot, intervalMs }: { timeCount: number; firstSlot: number; intervalMs: number },
): number {
  if ('day' in split) {
    const slot = Math.ceil((parseDay(split.day) ?? 0) / intervalMs)
    return Math.min(timeCount, Math.max(0, slot - firstSlot))
  }
  const product = timeCount * split.share
  const rounded = Math.round(product)
  return Math.abs(product - rounded) <= 1e-9 ? rounded : Math.floor(product)
}
