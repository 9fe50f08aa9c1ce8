import type { RecordedStudy } from './studyIdentity.ts'
import { hashOf, sha256 } from './canonicalJson.ts'

export type LedgerFace = 'window' | 'cli' | 'other'
export type RunRole = 'test' | 'combination' | 'walk-forward' | 'study'

interface EntryBase {
  /** From 1, without gaps, over resets. */
  sequence: number
  /** Milliseconds since the epoch. */
  time: number
  who: LedgerFace
  /** Hash of the entry before; null for the first. */
  previous: string | null
  hash: string
}

export interface RunSummary {
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

export interface RunEntry extends EntryBase {
  event: 'run'
  kind: RecordedStudy['kind']
  role: RunRole
  documentHash: string
  study: RecordedStudy
  inputs: LedgerInput[]
  family: string
  key: string
  isTrial: boolean
  /** Sequence of the first run of the same key; null for the first. */
  repeats: number | null
  holdoutFromDay: string | null
  summary: RunSummary | null
  returnsSha256: string | null
  /** First day of the returns. */
  firstDay: string | null
  /** Grid that a combination belongs to; its size is on the disk before any of its results is shown. */
  grid: { documentHash: string; combinations: number } | null
}

export interface HoldoutEntry extends EntryBase {
  event: 'holdoutOpened'
  family: string
  holdoutFromDay: string
}

export interface ResetEntry extends EntryBase {
  event: 'reset'
  reason: string
}

export type LedgerEntry = RunEntry | HoldoutEntry | ResetEntry

type WithoutChain<Entry> = Entry extends LedgerEntry
  ? Omit<Entry, 'sequence' | 'time' | 'who' | 'previous' | 'hash'>
  : never
/** An entry before it has its place in the chain. */
export type EntryDraft = WithoutChain<LedgerEntry>

/** Contents that entries name by their hash, each stored once. */
export interface Attachments {
  /** Daily net returns. */
  returns?: Float64Array
  /** The files that were read from the cache, as a JSON value. */
  files?: unknown
}

/** Hashes an entry without its own hash. */
export const entryHash = ({ hash: _hash, ...entry }: LedgerEntry): string => hashOf(entry)

/** Returns as bytes, little-endian. */
export function returnsBytes(returns: Float64Array): Buffer {
  const bytes = Buffer.alloc(returns.length * 8)
  returns.forEach((value, at) => bytes.writeDoubleLE(value, at * 8))
  return bytes
}

export function returnsFromBytes(bytes: Buffer): Float64Array {
  return Float64Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleLE(at * 8))
}

export const returnsHash = (returns: Float64Array): string => sha256(returnsBytes(returns))

/** A line of the copy in plain text: an entry, with what it is the first to name. */
export interface LedgerLine {
  entry: LedgerEntry
  /** First entry of another machine’s chain; null for entries of this one. */
  chain: string | null
  files?: unknown
  returns?: Buffer
}

/** Writes a line of the copy, its newline included. */
export function writeLine({ entry, chain, files, returns }: LedgerLine): string {
  const extra = {
    ...(chain !== null && { chain }),
    ...(files !== undefined && { files }),
    ...(returns && { returns: returns.toString('base64') }),
  }
  return `${JSON.stringify({ ...entry, ...extra })}\n`
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Reads a line of the copy; null where it is no entry or its hashes do not fit. */
export function readLine(text: string): LedgerLine | null {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(line)) return null
  const { chain = null, files, returns, ...rest } = line
  const entry = rest as unknown as LedgerEntry
  if (!isEntry(entry) || entryHash(entry) !== entry.hash) return null
  const bytes = typeof returns === 'string' ? Buffer.from(returns, 'base64') : undefined
  if (bytes && (entry.event !== 'run' || sha256(bytes) !== entry.returnsSha256)) return null
  if (files !== undefined && !(entry.event === 'run' && entry.inputs.some((input) => input.sha256 === hashOf(files)))) {
    return null
  }
  return {
    entry,
    chain: typeof chain === 'string' ? chain : null,
    ...(files !== undefined && { files }),
    ...(bytes && { returns: bytes }),
  }
}

const isEntry = ({ sequence, event, hash, previous }: LedgerEntry): boolean =>
  Number.isSafeInteger(sequence) &&
  ['run', 'holdoutOpened', 'reset'].includes(event) &&
  typeof hash === 'string' &&
  (previous === null || typeof previous === 'string')
