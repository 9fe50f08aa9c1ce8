import { plantedRows, type QualityFaults } from './qualityFaults.ts'

/**
 * Everything that can go wrong on demand, as one plain JSON value, passed at the start (`--faults`) or while running.
 * `rules` disturb individual responses in transit; the other fields change what the services return.
 */

const errorBodyShapes = ['error', 'message', 'detail', 'detailList', 'description', 'html', 'empty', 'nested'] as const
export type ErrorBodyShape = (typeof errorBodyShapes)[number]

/**
 * Effects of a fault on one response. If several rules match the same request, their effects are combined (the last one
 * wins per field).
 */
export interface FaultEffects {
  latencyMs?: number
  bytesPerSecond?: number
  /** Responds with this status instead of the real response. */
  status?: number
  /** Seconds of a Retry-After header; sent as an HTTP date if `retryAfterDate` is set. */
  retryAfter?: number
  retryAfterDate?: boolean
  /** Drops the connection without a response. */
  drop?: boolean
  /** Sends a web page with status 200 instead of the real body. */
  html?: boolean
  /** Cuts the connection after this many bytes of the body. */
  cutAfterBytes?: number
  /** Sends nothing more after this many bytes of the body, and keeps the connection open. */
  stallAfterBytes?: number
  /** Changes bytes in the middle of the body in transit. */
  corrupt?: boolean
  /**
   * Adds this to Content-Length: with a negative value the body is cut to fit, with a positive one it ends too early.
   */
  lengthOffset?: number
  /** Makes the storage respond as if the link had expired. */
  expired?: boolean
  /** Makes the storage omit the ETag. */
  noEtag?: boolean
  /** Makes the storage redirect to another link to the same file. */
  redirect?: boolean
}

export interface FaultRule extends FaultEffects {
  /** Limits the rule to the API or to the file storage; both if absent. */
  on?: 'api' | 'storage'
  /** Limits the rule to requests whose path contains this text. */
  path?: string
  /** Number of matching requests to let pass before the rule takes effect. */
  skip?: number
  /** Maximum number of requests to affect. */
  times?: number
  /** Affects this share (0..1) of the matching requests, the same ones in every run. */
  chance?: number
}

/** Deviations in the content of metric files. */
export interface FileFaults {
  /** Repeats some rows; the first row of each pair is outdated. */
  duplicates?: boolean
  unsorted?: boolean
  /** Writes undefined ratios as NaN and Infinity. */
  nonFinite?: boolean
  /** Adds an undocumented column. */
  extraColumn?: boolean
  time?: TimeColumnType
  quality?: QualityFaults
}

const timeTypes = ['int64', 'ms', 'us', 'ns', 'naiveMs', 'naiveUs', 'naiveNs'] as const
export type TimeColumnType = (typeof timeTypes)[number]

export interface Faults {
  rules?: FaultRule[]
  /** Format of error bodies. */
  errorBody?: ErrorBodyShape
  /** Refuses every key with 401. */
  rejectKeys?: boolean
  /** Treats every key of a higher tier as one of this tier. */
  tierCap?: number
  linkLifetimeSeconds?: number
  files?: FileFaults
  /** Republishes files: the content of paths that contain `path` (all if absent) depends on `revision`. */
  republished?: { path?: string; revision: number }
  /** Adds a monthly file to months that have daily files. */
  bothPartitions?: boolean
  /** First day of daily files, for a service that switched to them on a different date. */
  dailyFilesFrom?: string
  /**
   * Serves raw events only as release 0.2.0 did, at `/raw/files` and `/raw/catalog.json` without `missing` and `bytes`
   * (`old`), or without `/raw/files` (`new`).
   */
  rawEvents?: 'old' | 'new'
  /** Adds an undocumented dataset, category and intervals. */
  unknownDataset?: boolean
  /** Writes nulls of the portfolio service as NaN. */
  jsonNaN?: boolean
  /** Ends portfolio histories this many days early, as for a key without a subscription. */
  historyEndsDaysAgo?: number
}

type Kind = 'number' | 'flag' | 'text' | readonly string[] | Shape
interface Shape {
  [name: string]: Kind
}

const effectsShape: Shape = {
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
  ...effectsShape,
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
  rawEvents: ['old', 'new'],
  unknownDataset: 'flag',
  jsonNaN: 'flag',
  historyEndsDaysAgo: 'number',
}

export class FaultsError extends Error {}

function check(value: unknown, kind: Kind, path: string): void {
  if (kind === 'number' && typeof value === 'number' && Number.isFinite(value)) return
  if (kind === 'flag' && typeof value === 'boolean') return
  if (kind === 'text' && typeof value === 'string') return
  if (kind instanceof Array) {
    if (kind.includes(value as string)) return
    throw new FaultsError(`${path} must be one of ${kind.join(', ')}`)
  }
  if (typeof kind === 'object') return checkObject(value, kind as Shape, path)
  throw new FaultsError(`${path} must be a ${kind}`)
}

function checkObject(value: unknown, shape: Shape, path: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FaultsError(`${path} must be an object`)
  }
  for (const [name, inner] of Object.entries(value)) {
    if (!Object.hasOwn(shape, name)) {
      const known = [...(shape === faultsShape ? ['rules'] : []), ...Object.keys(shape)]
      throw new FaultsError(`${path} has no field ${name}; it has ${known.join(', ')}`)
    }
    check(inner, shape[name], `${path}.${name}`)
  }
}

/** Validates a value from outside; throws a FaultsError that says what is wrong with it. */
export function parseFaults(value: unknown): Faults {
  const { rules, ...rest } = (value ?? {}) as { rules?: unknown }
  checkObject(Array.isArray(value) ? value : rest, faultsShape, 'faults')
  if (rules !== undefined) {
    if (!Array.isArray(rules)) throw new FaultsError('faults.rules must be a list')
    rules.forEach((rule, index) => checkObject(rule, ruleShape, `faults.rules[${index}]`))
  }
  return value as Faults
}
