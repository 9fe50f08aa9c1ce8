import { timestampSources } from '#shared/catalog/intervals.ts'
import {
  ascendingListOf,
  type Fields,
  finiteNumber,
  flag,
  instant,
  interval,
  isRecord,
  listOf,
  needed,
  oneOf,
  optional,
  orNull,
  type Reader,
  readFields,
  record,
  text,
  wholeNumber,
} from './documentFields.ts'
import { studyRange } from './studyRange.ts'
import {
  adjustments,
  samplings,
  seasonalityKeys,
  type Study,
  StudyError,
  type StudyKind,
  studyKinds,
  universeSizes,
} from './studyDocument.ts'

const groups: Reader = (value, path) => {
  if (!isRecord(value)) throw new StudyError(path, 'must be an object of lists of symbols.')
  const readSymbols = listOf(text)
  return Object.fromEntries(
    Object.entries(value).map(([name, symbols]) => {
      if (name === '') throw new StudyError(path, 'has a group without a name.')
      return [name, readSymbols(symbols, `${path}.${name}`)]
    }),
  )
}

const breakdown = record({
  regime: optional(orNull(record({ overlay: needed(text), cuts: needed(ascendingListOf(finiteNumber, 10)) })), null),
  groups: optional(orNull(groups), null),
})

export const sourceFields: Fields = {
  exchanges: needed(listOf(text)),
  symbols: optional(orNull(listOf(text)), null),
  universe: optional(
    orNull(record({ size: needed(oneOf(universeSizes)), exchange: optional(text, 'unconstrained') })),
    null,
  ),
  timestamp: needed(oneOf(timestampSources)),
  against: optional(orNull(oneOf(timestampSources)), null),
}

const studyFields = (kind: StudyKind): Fields => ({
  version: needed(oneOf([1])),
  kind: needed(oneOf([kind])),
  name: optional(orNull(text), null),
  interval: needed(interval),
  start: optional(orNull(instant), null),
  end: optional(orNull(instant), null),
  source: optional(
    orNull(record(kind === 'signal' ? { ...sourceFields, by: optional(orNull(breakdown), null) } : sourceFields)),
    null,
  ),
})

const kindFields: Record<StudyKind, Fields> = {
  signal: {
    signal: needed(text),
    price: optional(text, 'close'),
    delayBars: optional(wholeNumber(0, 1000), 1),
    horizons: optional(ascendingListOf(wholeNumber(1, 10_000), 20), [1, 4, 24]),
    quantiles: optional(wholeNumber(2, 20), 5),
    sampling: optional(oneOf(samplings), 'nonOverlapping'),
  },
  events: {
    when: needed(text),
    price: optional(text, 'close'),
    delayBars: optional(wholeNumber(0, 1000), 1),
    edge: optional(flag, true),
    cooldownBars: optional(wholeNumber(0, 10_000), 0),
    before: optional(wholeNumber(0, 1000), 12),
    after: optional(wholeNumber(1, 1000), 24),
    adjust: optional(oneOf(adjustments), 'none'),
  },
  leadlag: {
    value: optional(text, 'diff(log(close))'),
    reference: optional(orNull(text), null),
    maxLag: optional(wholeNumber(0, 500), 12),
  },
  seasonality: {
    value: optional(text, 'diff(log(close))'),
    by: optional(oneOf(seasonalityKeys), 'hourWeekday'),
    center: optional(flag, false),
  },
}

/** Default formulas for rows from the cache, where column names contain the dataset. */
const cacheFormulas: Readonly<Record<string, string>> = {
  price: 'ohlcv.close',
  value: 'diff(log(ohlcv.close))',
}

/**
 * Validates a study document and fills in its defaults; throws a `StudyError` that names the first invalid field.
 * @param fromCache whether the rows come from the cache, whose default formulas differ
 */
export function parseStudy(document: unknown, { fromCache }: { fromCache: boolean }): Study {
  if (!isRecord(document)) throw new StudyError('study', 'must be a JSON object.')
  const { version, kind } = document
  if (version === undefined) throw new StudyError('version', 'is needed.')
  if (kind === undefined) throw new StudyError('kind', 'is needed.')
  oneOf([1])(version, 'version')
  oneOf(studyKinds)(kind, 'kind')
  const fieldsOfKind = kindFields[kind as StudyKind]
  const documentToRead = fromCache ? withCacheFormulas(document, fieldsOfKind) : document
  const study = readFields(
    documentToRead,
    { ...studyFields(kind as StudyKind), ...fieldsOfKind },
    '',
  ) as unknown as Study
  checkRange(study, fromCache)
  return study
}

function withCacheFormulas(document: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const defaults = Object.entries(cacheFormulas).filter(([name]) => Object.hasOwn(fields, name))
  return { ...Object.fromEntries(defaults), ...document }
}

/** Checks that the range is not empty, and that it has a start and an end if the rows come from the cache. */
export function checkRange(study: Pick<Study, 'interval' | 'start' | 'end' | 'source'>, fromCache: boolean): void {
  const { startMs, endMs } = studyRange(study)
  if (!(endMs > startMs)) throw new StudyError('end', 'must be after start.')
  if (!fromCache || !study.source) return
  if (study.start === null) throw new StudyError('start', 'is needed if the rows come from the cache.')
  if (study.end === null) throw new StudyError('end', 'is needed if the rows come from the cache.')
}
