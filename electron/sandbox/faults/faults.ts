import { plantedRows, type QualityFaults } from './qualityFaults.ts'

/**
 * Everything that can go wrong on demand, as one plain JSON value: given at start (`--faults`), or sent while running.
 * `rules` spoil single answers on the wire; the other fields change what the services say.
 */

const errorBodyShapes = ['error', 'message', 'detail', 'detailList', 'description', 'html', 'empty', 'nested'] as const
export type ErrorBodyShape = (typeof errorBodyShapes)[number]

/**
 * Effects of a fault on one answer. Where several rules hit the same request, their effects add up (the last one wins
 * per field).
 */
export interface FaultEffects {
  latencyMs?: number
  bytesPerSecond?: number
  /** Answers with this status instead of the real answer. */
  status?: number
  /** Seconds of a Retry-After header; sent as an HTTP date where `retryAfterDate`. */
  retryAfter?: number
  retryAfterDate?: boolean
  /** The connection is dropped without an answer. */
  drop?: boolean
  /** A web page, status 200, instead of the real body. */
  html?: boolean
  /** The connection is cut after so many bytes of the body. */
  cutAfterBytes?: number
  /** No further byte after so many of the body; the connection stays open. */
  stallAfterBytes?: number
  /** Bytes in the middle of the body are changed on the way. */
  corrupt?: boolean
  /** Content-Length is off by this; a shorter one cuts the body to fit, a longer one ends too early. */
  lengthOffset?: number
  /** The storage answers as if the link had expired. */
  expired?: boolean
  /** The storage sends no ETag. */
  noEtag?: boolean
  /** The storage answers with a redirect to another of its links. */
  redirect?: boolean
}

export interface FaultRule extends FaultEffects {
  /** The API or the storage of the files; both where absent. */
  on?: 'api' | 'storage'
  /** Hits only requests whose path holds this text. */
  path?: string
  /** Lets the first so many matching requests pass. */
  skip?: number
  /** Largest number of requests that it affects. */
  times?: number
  /** Hits this share (0..1) of the matching requests, the same ones in every run. */
  chance?: number
}

/** Deviations of the content of metric files from the tidy form. */
export interface FileFaults {
  /** Some rows appear twice; the first of the two is outdated. */
  duplicates?: boolean
  unsorted?: boolean
  /** Undefined ratios are written as NaN and Infinity. */
  nonFinite?: boolean
  /** One column that no document names. */
  extraColumn?: boolean
  time?: TimeType
  /** Faults of data quality. */
  quality?: QualityFaults
}

const timeTypes = ['int64', 'ms', 'us', 'ns', 'naiveMs', 'naiveUs', 'naiveNs'] as const
export type TimeType = (typeof timeTypes)[number]

export interface Faults {
  rules?: FaultRule[]
  /** The shape of error bodies. */
  errorBody?: ErrorBodyShape
  /** Every key is refused with 401. */
  rejectKeys?: boolean
  /** Every key counts as this tier at most. */
  tierCap?: number
  linkLifetimeSeconds?: number
  files?: FileFaults
  /** Files published again: the content of paths holding `path` (all where absent) depends on `revision`. */
  republished?: { path?: string; revision: number }
  /** Months that have daily files also have a monthly one. */
  bothPartitions?: boolean
  /** First day of daily files, for a service that changed over on another date. */
  dailyFilesFrom?: string
  /** The catalog names a dataset and a category that no document knows; intervals no document knows are served too. */
  unknownDataset?: boolean
  /** Nulls of the portfolio service are written as NaN. */
  jsonNaN?: boolean
  /** Portfolio histories end so many days before the last end of day, as for a key without a subscription. */
  historyEndsDaysAgo?: number
}

type Kind = 'number' | 'flag' | 'text' | readonly string[] | Shape
interface Shape {
  [name: string]: Kind
}

const effects: Shape = {
  latencyMs: 'number',
  bytesPerSecond: 'number',
  status: 'number',
  retryAfter: 'number',
  retryAfterDate: 'flag',
  html: 'flag',
  cutAfterBytes: 'number',
  stallAfterBytes: 'number',
  corrupt: 'flag',
  lengthOffset: 'number',
  expired: 'flag',
  redirect: 'flag',
  drop: 'flag',
  noEtag: 'flag',
}
const ruleShape: Shape = {
  on: ['api', 'storage'],
  path: 'text',
  skip: 'number',
  times: 'number',
  chance: 'number',
  ...effects,
}
const qualityShape: Shape = Object.fromEntries(Object.keys(plantedRows).map((name) => [name, 'flag']))
const faultsShape: Shape = {
  errorBody: errorBodyShapes,
  rejectKeys: 'flag',
  tierCap: 'number',
  linkLifetimeSeconds: 'number',
  files: {
    duplicates: 'flag',
    unsorted: 'flag',
    nonFinite: 'flag',
    extraColumn: 'flag',
    time: timeTypes,
    quality: qualityShape,
  },
  republished: { path: 'text', revision: 'number' },
  bothPartitions: 'flag',
  dailyFilesFrom: 'text',
  unknownDataset: 'flag',
  jsonNaN: 'flag',
  historyEndsDaysAgo: 'number',
}

export class FaultsError extends Error {}

function check(value: unknown, kind: Kind, at: string): void {
  if (kind === 'number' && typeof value === 'number' && Number.isFinite(value)) return
  if (kind === 'flag' && typeof value === 'boolean') return
  if (kind === 'text' && typeof value === 'string') return
  if (kind instanceof Array) {
    if (kind.includes(value as string)) return
    throw new FaultsError(`${at} must be one of ${kind.join(', ')}`)
  }
  if (typeof kind === 'object') return checkObject(value, kind as Shape, at)
  throw new FaultsError(`${at} must be a ${kind}`)
}

function checkObject(value: unknown, shape: Shape, at: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FaultsError(`${at} must be an object`)
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!Object.hasOwn(shape, name)) {
      const known = [...(shape === faultsShape ? ['rules'] : []), ...Object.keys(shape)]
      throw new FaultsError(`${at} has no field ${name}; it has ${known.join(', ')}`)
    }
    check(inner, shape[name], `${at}.${name}`)
  }
}

/** Checks a value from outside; a FaultsError says what is wrong with it. */
export function parseFaults(value: unknown): Faults {
  const { rules, ...rest } = (value ?? {}) as { rules?: unknown }
  checkObject(Array.isArray(value) ? value : rest, faultsShape, 'faults')
  if (rules !== undefined) {
    if (!Array.isArray(rules)) throw new FaultsError('faults.rules must be a list')
    rules.forEach((rule, index) => checkObject(rule, ruleShape, `faults.rules[${index}]`))
  }
  return value as Faults
}
