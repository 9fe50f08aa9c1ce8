import { timestampSources } from '#shared/catalog/intervals.ts'
import { portfolioExchanges } from '#shared/catalog/portfolioEndpoints.ts'
import { venues } from '#shared/catalog/venues.ts'
import { parseInterval } from '#shared/time.ts'
import { parseInstant, studyRange } from './studyRange.ts'
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

/** Reads the value of a field, or throws a `StudyError` that names `path`. */
type Reader = (value: unknown, path: string) => unknown

interface Field {
  read: Reader
  /** Returns the default; a field without one is needed. */
  byDefault?: () => unknown
}

type Fields = Readonly<Record<string, Field>>

const needed = (read: Reader): Field => ({ read })
const optional = (read: Reader, byDefault: unknown): Field => ({ read, byDefault: () => structuredClone(byDefault) })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const orNull =
  (read: Reader): Reader =>
  (value, path) =>
    value === null ? null : read(value, path)

const text: Reader = (value, path) => {
  if (typeof value !== 'string') throw new StudyError(path, 'must be a text.')
  if (value === '') throw new StudyError(path, 'must not be empty.')
  return value
}

const whole =
  (least: number, most: number): Reader =>
  (value, path) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new StudyError(path, `must be a whole number from ${least} to ${most}.`)
  }

const flag: Reader = (value, path) => {
  if (typeof value !== 'boolean') throw new StudyError(path, 'must be true or false.')
  return value
}

const oneOf =
  (values: readonly (string | number)[]): Reader =>
  (value, path) => {
    if (values.some((one) => one === value)) return value
    throw new StudyError(path, `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}.`)
  }

function listOf(read: Reader, most = Infinity): Reader {
  return (value, path) => {
    if (!Array.isArray(value) || value.length === 0) throw new StudyError(path, 'must be a list that is not empty.')
    if (value.length > most) throw new StudyError(path, `must have at most ${most} entries.`)
    const read1 = value.map((one, at) => read(one, `${path}[${at}]`))
    if (new Set(read1).size < read1.length) throw new StudyError(path, 'names something twice.')
    return read1
  }
}

function ascending(read: Reader, most: number): Reader {
  const list = listOf(read, most)
  return (value, path) => {
    const values = list(value, path) as number[]
    if (values.some((one, at) => at > 0 && one <= values[at - 1])) throw new StudyError(path, 'must be ascending.')
    return values
  }
}

const finite: Reader = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new StudyError(path, 'must be a number.')
  return value
}

const interval: Reader = (value, path) => {
  if (typeof value === 'string' && parseInterval(value) !== null) return value
  throw new StudyError(path, 'must be an interval that divides a day, such as 15m, 1h or 1d.')
}

const instant: Reader = (value, path) => {
  if (typeof value === 'string' && parseInstant(value) !== null) return value
  throw new StudyError(path, 'must be a UTC day such as 2026-03-01 or an instant such as 2026-03-01T12:00Z.')
}

/** Reads an object whose fields are all known; a field that is not listed is refused by its path. */
const record =
  (fields: Fields): Reader =>
  (value, path) => {
    if (!isRecord(value)) throw new StudyError(path, 'must be an object.')
    return readFields(value, fields, `${path}.`)
  }

function readFields(value: Record<string, unknown>, fields: Fields, prefix: string): Record<string, unknown> {
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) throw new StudyError(`${prefix}${name}`, 'is not a field of this study.')
  }
  const result: Record<string, unknown> = {}
  for (const [name, { read, byDefault }] of Object.entries(fields)) {
    const path = `${prefix}${name}`
    if (Object.hasOwn(value, name)) result[name] = read(value[name], path)
    else if (byDefault) result[name] = byDefault()
    else throw new StudyError(path, 'is needed.')
  }
  return result
}

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
  regime: optional(orNull(record({ overlay: needed(text), cuts: needed(ascending(finite, 10)) })), null),
  groups: optional(orNull(groups), null),
})

const sourceFields: Fields = {
  exchanges: needed(listOf(oneOf(venues))),
  symbols: optional(orNull(listOf(text)), null),
  universe: optional(
    orNull(
      record({ size: needed(oneOf(universeSizes)), exchange: optional(oneOf(portfolioExchanges), 'unconstrained') }),
    ),
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
    delayBars: optional(whole(0, 1000), 1),
    horizons: optional(ascending(whole(1, 10_000), 20), [1, 4, 24]),
    quantiles: optional(whole(2, 20), 5),
    sampling: optional(oneOf(samplings), 'nonOverlapping'),
  },
  events: {
    when: needed(text),
    price: optional(text, 'close'),
    delayBars: optional(whole(0, 1000), 1),
    edge: optional(flag, true),
    cooldownBars: optional(whole(0, 10_000), 0),
    before: optional(whole(0, 1000), 12),
    after: optional(whole(1, 1000), 24),
    adjust: optional(oneOf(adjustments), 'none'),
  },
  leadlag: {
    value: optional(text, 'diff(log(close))'),
    reference: optional(orNull(text), null),
    maxLag: optional(whole(0, 500), 12),
  },
  seasonality: {
    value: optional(text, 'diff(log(close))'),
    by: optional(oneOf(seasonalityKeys), 'hourWeekday'),
    center: optional(flag, false),
  },
}

/** Defaults of formulas where the rows come from the cache, whose columns are named by their dataset. */
const cacheFormulas: Readonly<Record<string, string>> = {
  price: 'ohlcv.close',
  value: 'diff(log(ohlcv.close))',
}

/**
 * Checks a study document and fills in its defaults; throws a `StudyError` that names the first bad field.
 * @param fromCache the rows come from the cache, whose formulas have defaults of their own
 */
export function parseStudy(document: unknown, { fromCache }: { fromCache: boolean }): Study {
  if (!isRecord(document)) throw new StudyError('study', 'must be a JSON object.')
  const { version, kind } = document
  if (version === undefined) throw new StudyError('version', 'is needed.')
  if (kind === undefined) throw new StudyError('kind', 'is needed.')
  oneOf([1])(version, 'version')
  oneOf(studyKinds)(kind, 'kind')
  const own = kindFields[kind as StudyKind]
  const given = fromCache ? withCacheFormulas(document, own) : document
  const study = readFields(given, { ...studyFields(kind as StudyKind), ...own }, '') as unknown as Study
  checkRange(study)
  return study
}

function withCacheFormulas(document: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const defaults = Object.entries(cacheFormulas).filter(([name]) => Object.hasOwn(fields, name))
  return { ...Object.fromEntries(defaults), ...document }
}

function checkRange(study: Study): void {
  const { startMs, endMs } = studyRange(study)
  if (!(endMs > startMs)) throw new StudyError('end', 'must be after start.')
  if (!study.source) return
  if (study.start === null) throw new StudyError('start', 'is needed where the rows come from the cache.')
  if (study.end === null) throw new StudyError('end', 'is needed where the rows come from the cache.')
}
