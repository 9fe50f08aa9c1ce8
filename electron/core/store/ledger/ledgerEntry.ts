import { fundingBases } from '#shared/funding/fundingPeriods.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { type KillCriterion, killFigures } from '#shared/lab/forward/killCriterion.ts'
import { labKinds } from '#shared/lab/kinds.ts'
import { parseDay } from '#shared/time.ts'
import { parseBoundedJson } from '#shared/units/jsonLimits.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { isInstant } from '../storedJson.ts'
import type { RecordedStudy } from './studyIdentity.ts'
import { hashOf, sha256 } from './canonicalJson.ts'

export type LedgerFace = 'window' | 'cli' | 'other'
export type RunRole = 'test' | 'combination' | 'walk-forward' | 'study' | 'screen' | 'blend'

interface EntryBase {
  /** Number of the entry in its chain, from 1 without gaps; a reset does not restart the numbers. */
  sequence: number
  /** Milliseconds since the epoch. */
  time: number
  who: LedgerFace
  /** Hash of the previous entry; null for the first. */
  previous: string | null
  hash: string
}

interface RunSummary {
  days: number
  /** Sharpe ratio per day. */
  sharpe: number | null
  totalReturn: number | null
  maxDrawdown: number | null
  ruined: boolean
}

export interface LedgerInput {
  name: string
  sha256: string
  bytes: number
}

/** What is recorded of the samples of a signal study, in time order. */
export interface RecordedIc {
  samples: number
  mean: number | null
  deviation: number | null
}

export interface RunEntry extends EntryBase {
  event: 'run'
  kind: RecordedStudy['kind']
  role: RunRole
  documentHash: string
  study: RecordedStudy
  inputs: LedgerInput[]
  family: string
  /** Identity of the run, as `keyOf` computes it. */
  key: string
  isTrial: boolean
  /** Sequence number of the run that this one repeats, the first with its key; null if this run is the first. */
  repeats: number | null
  holdoutFromDay: string | null
  summary: RunSummary | null
  returnsSha256: string | null
  /** First day of the returns. */
  firstDay: string | null
  /** Grid that a combination belongs to; the grid's size is on the disk before any of the grid's results is shown. */
  grid: { documentHash: string; combinations: number } | null
  /** Number of formulas that a screen tried; absent from other entries. */
  cells?: number
  /** Columns of a screen whose document names none. */
  columns?: string[]
  /** Last day of the rows that were used; null without rows, absent from entries of earlier versions. */
  dataTo?: string | null
  /** Last day of which the cache held a file of any series that the run reads; null if it read none of the cache. */
  seenTo?: string | null
  /** Sequence number of the first registration of the document that came before this run; null without one. */
  registration?: number | null
  /** Number of earlier runs of the family. */
  familyRuns?: number
  /** Funding periods that the run went by; absent if it went by none, or if an earlier entry has the same. */
  fundingPeriods?: readonly FundingRow[]
  /** Rank ICs of the non-overlapping samples of a signal study; absent from other entries. */
  rankIc?: RecordedIc
}

/** What was expected of a document before its first run. */
export interface RegisteredEntry extends EntryBase {
  event: 'registered'
  documentHash: string
  family: string
  /** `up`, `down`, `none`, or the expectation in words. */
  expect: string
  kill: KillCriterion | null
  note: string | null
  /** True if the document had been run before, so that this does not count as a registration. */
  late: boolean
}

interface HoldoutEntry extends EntryBase {
  event: 'holdoutOpened'
  family: string
  holdoutFromDay: string
}

interface ResetEntry extends EntryBase {
  event: 'reset'
  reason: string
}

export type LedgerEntry = RunEntry | HoldoutEntry | ResetEntry | RegisteredEntry

type WithoutChain<Entry> = Entry extends LedgerEntry
  ? Omit<Entry, 'sequence' | 'time' | 'who' | 'previous' | 'hash'>
  : never
/** An entry before it is added to the chain. */
export type EntryDraft = WithoutChain<LedgerEntry>

/** Contents that entries refer to by hash, each stored once. */
export interface Attachments {
  /** Daily net returns. */
  returns?: Float64Array
  /** The cached files that were read, as a JSON value. */
  files?: unknown
}

/** Hashes an entry without its own hash. */
export const entryHash = ({ hash: _hash, ...entry }: LedgerEntry): string => hashOf(entry)

/** Encodes the returns as little-endian bytes. */
export function returnsBytes(returns: Float64Array): Buffer {
  const bytes = Buffer.alloc(returns.length * 8)
  returns.forEach((value, at) => bytes.writeDoubleLE(value, at * 8))
  return bytes
}

export function returnsFromBytes(bytes: Buffer): Float64Array {
  return Float64Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleLE(at * 8))
}

/** A line of the plain-text copy: an entry, with the attachments that it is the first to refer to. */
export interface LedgerLine {
  entry: LedgerEntry
  /** Hash of the chain's first entry if the chain comes from another machine; null for this machine's entries. */
  chain: string | null
  /** When an entry of another machine was merged, in milliseconds since the epoch; absent from own entries. */
  mergedAt?: number
  files?: unknown
  returns?: Buffer
}

/** Writes a line of the copy, including the newline. */
export function writeLine({ entry, chain, mergedAt, files, returns }: LedgerLine): string {
  const extra = {
    ...(chain !== null && { chain }),
    ...(mergedAt !== undefined && { mergedAt }),
    ...(files !== undefined && { files }),
    ...(returns && { returns: returns.toString('base64') }),
  }
  return `${JSON.stringify({ ...entry, ...extra })}\n`
}

/** Parses a line of the copy; null if it is not an entry or its hashes do not match. */
export function readLine(text: string): LedgerLine | null {
  let line: unknown
  try {
    line = parseBoundedJson(text)
  } catch {
    return null
  }
  if (!isRecord(line)) return null
  const { chain = null, mergedAt, files, returns, ...entry } = line
  if (!isEntry(entry) || entryHash(entry) !== entry.hash) return null
  const bytes = typeof returns === 'string' ? Buffer.from(returns, 'base64') : undefined
  if (bytes && bytes.length % 8 !== 0) return null
  if (bytes && (entry.event !== 'run' || sha256(bytes) !== entry.returnsSha256)) return null
  if (files !== undefined && !(entry.event === 'run' && entry.inputs.some((input) => input.sha256 === hashOf(files)))) {
    return null
  }
  return {
    entry,
    chain: typeof chain === 'string' ? chain : null,
    ...(typeof mergedAt === 'number' && isInstant(mergedAt) && { mergedAt }),
    ...(files !== undefined && { files }),
    ...(bytes && { returns: bytes }),
  }
}

/** Sorts the lines of each chain by number; each chain keeps the positions that it has among all lines. */
export function sortChains(lines: readonly LedgerLine[]): LedgerLine[] {
  const chainOf = ({ chain }: LedgerLine) => chain ?? ''
  const sorted = Map.groupBy(
    lines.toSorted((a, b) => b.entry.sequence - a.entry.sequence),
    chainOf,
  )
  return lines.flatMap((line) => sorted.get(chainOf(line))?.pop() ?? [])
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const orNull = (isFit: (value: unknown) => boolean) => (value: unknown) => value === null || isFit(value)
const orAbsent = (isFit: (value: unknown) => boolean) => (value: unknown) => value === undefined || isFit(value)
const isDay = (value: unknown): boolean => isText(value) && parseDay(value) !== null
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Returns a validator for objects that checks each of these fields; other fields are allowed. */
const fits = (fields: Record<string, (value: unknown) => boolean>) => (value: unknown) =>
  isRecord(value) && Object.entries(fields).every(([name, isFit]) => isFit(value[name]))

const isInput = fits({ name: isText, sha256: isText, bytes: isNumber })
const isSummary = fits({
  days: isNumber,
  sharpe: orNull(isNumber),
  totalReturn: orNull(isNumber),
  maxDrawdown: orNull(isNumber),
  ruined: isBoolean,
})
const isKill = fits({
  figure: (figure) => killFigures.some((each) => each === figure),
  below: isNumber,
  afterDays: (days) => Number.isSafeInteger(days),
})
const isFundingRow = fits({
  symbol: isText,
  from: isNumber,
  to: isNumber,
  every: orNull(isText),
  basis: orNull((basis) => fundingBases.some((each) => each === basis)),
  offset: orAbsent(isText),
  ratePer: orAbsent(isText),
})
const isRecordedIc = fits({ samples: isNumber, mean: orNull(isNumber), deviation: orNull(isNumber) })
const isStudy = fits({ kind: (kind) => labKinds.some((each) => each === kind), name: orNull(isText) })

const checkByEvent: Record<LedgerEntry['event'], (value: unknown) => boolean> = {
  run: fits({
    kind: isText,
    role: isText,
    documentHash: isText,
    study: isStudy,
    inputs: (inputs) => Array.isArray(inputs) && inputs.every(isInput),
    family: isText,
    key: isText,
    isTrial: isBoolean,
    repeats: orNull(isNumber),
    holdoutFromDay: orNull(isText),
    summary: orNull(isSummary),
    returnsSha256: orNull(isText),
    firstDay: orNull(isText),
    grid: orNull(fits({ documentHash: isText, combinations: isNumber })),
    cells: orAbsent(isNumber),
    columns: orAbsent((columns) => Array.isArray(columns) && columns.every(isText)),
    dataTo: orAbsent(orNull(isDay)),
    seenTo: orAbsent(orNull(isDay)),
    registration: orAbsent(orNull(isNumber)),
    familyRuns: orAbsent(isNumber),
    fundingPeriods: orAbsent((rows) => Array.isArray(rows) && rows.every(isFundingRow)),
    rankIc: orAbsent(isRecordedIc),
  }),
  registered: fits({
    documentHash: isText,
    family: isText,
    expect: isText,
    kill: orNull(isKill),
    note: orNull(isText),
    late: isBoolean,
  }),
  holdoutOpened: fits({ family: isText, holdoutFromDay: isText }),
  reset: fits({ reason: isText }),
}

const hasChainFields = fits({
  sequence: (sequence) => Number.isSafeInteger(sequence),
  time: (time) => isNumber(time) && isInstant(time),
  who: isText,
  previous: orNull(isText),
  hash: isText,
})

/**
 * Tells whether a value has every field that an entry of its kind needs; a valid hash alone proves nothing, because
 * anybody can compute one.
 */
export const isEntry = (value: unknown): value is LedgerEntry =>
  isRecord(value) &&
  isText(value.event) &&
  Object.hasOwn(checkByEvent, value.event) &&
  hasChainFields(value) &&
  checkByEvent[value.event as LedgerEntry['event']](value)
