import { mutateJson } from './mutateJson.ts'

/**
 * Part of the program that reads untrusted input, and how to attack it. A fuzz run draws seeds, mutates them and feeds
 * them to the part.
 */
export interface FuzzTarget {
  name: string
  /** Returns valid inputs, from which the mutations start. */
  seeds(): readonly Uint8Array[]
  /** Feeds a batch of mutants to the part. @returns a finding for each mutant that broke a rule */
  feed(mutants: readonly Mutant[]): Promise<Finding[]>
  /** Pieces of text with a meaning for the part; mutations insert and repeat them. */
  tokens?: readonly string[]
  /**
   * True if the seeds are JSON. Half of the mutants then stay valid JSON, so that their content is attacked and not
   * only their syntax.
   */
  isJson?: boolean
  /** Number of mutants per batch; 1 by default. */
  batch?: number
  /** Returns the peak memory and the longest processor time of reading a mutant, if they are measured. */
  worst?(): { peakBytes: number; cpuMs: number }
  close(): Promise<void>
}

export interface Mutant {
  /** Number of the mutant in its run; it determines the bytes together with the run's seed. */
  index: number
  bytes: Uint8Array
}

export interface Finding {
  index: number
  message: string
}

/** Returns a generator of numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const tellingBytes = [0, 1, 0x0f, 0x19, 0x7f, 0x80, 0xf9, 0xff]

/** Changes a copy of valid bytes in one to four places, half of them near the end, where Parquet has its footer. */
export function mutate(seed: Uint8Array, random: () => number, tokens: readonly string[] = []): Uint8Array {
  let bytes: Uint8Array = seed.slice()
  const below = (limit: number) => Math.floor(random() * limit)
  const place = () =>
    random() < 0.5 ? below(bytes.length) : Math.max(0, bytes.length - 1 - below(Math.min(bytes.length, 2048)))
  const changes = 1 + below(4)
  for (let change = 0; change < changes && bytes.length > 0; change++) {
    const at = place()
    if (tokens.length > 0 && random() < 0.5) {
      bytes = withToken(bytes, at, tokens[below(tokens.length)], random)
      continue
    }
    const kind = below(6)
    if (kind === 0) bytes[at] ^= 1 << below(8)
    else if (kind === 1) bytes[at] = below(256)
    else if (kind === 2) bytes[at] = tellingBytes[below(tellingBytes.length)]
    else if (kind === 3) bytes.fill(tellingBytes[below(tellingBytes.length)], at, at + 1 + below(12))
    else if (kind === 4) bytes.copyWithin(at, place(), place())
    else bytes = random() < 0.5 ? without(bytes, at, 1 + below(16)) : withDoubledBytes(bytes, at, 1 + below(64))
  }
  return bytes
}

/** Inserts a token once, or repeats it so often that an algorithm of quadratic cost becomes slow. */
function withToken(bytes: Uint8Array, at: number, token: string, random: () => number): Uint8Array {
  const times = random() < 0.9 ? 1 + Math.floor(random() * 3) : 2 ** Math.floor(random() * 14)
  const piece = new TextEncoder().encode(token.repeat(times))
  const longer = new Uint8Array(bytes.length + piece.length)
  longer.set(bytes.subarray(0, at))
  longer.set(piece, at)
  longer.set(bytes.subarray(at), at + piece.length)
  return longer
}

const without = (bytes: Uint8Array, at: number, count: number) =>
  new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + count)])

function withDoubledBytes(bytes: Uint8Array, at: number, count: number): Uint8Array {
  const longer = new Uint8Array(bytes.length + bytes.subarray(at, at + count).length)
  longer.set(bytes.subarray(0, at + count))
  longer.set(bytes.subarray(at), at + bytes.subarray(at, at + count).length)
  return longer
}

/** Returns the mutant with this number, so that a finding can be reproduced from the seed and the number. */
export function mutantAt({ seeds, tokens, isJson = false }: MutantSource, seed: number, index: number): Uint8Array {
  const random = seededRandom(seed * 1_000_003 + index)
  const from = seeds[Math.floor(random() * seeds.length)]
  if (isJson && random() < 0.5) return new TextEncoder().encode(mutateJson(new TextDecoder().decode(from), random))
  return mutate(from, random, tokens)
}

/** Fields of a target from which mutants are made; `seeds` are created once for many mutants. */
export interface MutantSource extends Pick<FuzzTarget, 'tokens' | 'isJson'> {
  seeds: readonly Uint8Array[]
}

export const mutantSource = ({ seeds, tokens, isJson }: FuzzTarget): MutantSource => ({
  seeds: seeds(),
  ...(tokens && { tokens }),
  ...(isJson && { isJson }),
})

export interface FuzzRun {
  seed: number
  count: number
  onProgress?: (done: number) => void
}

/** Runs a target. @returns all findings */
export async function fuzz(target: FuzzTarget, { seed, count, onProgress = () => {} }: FuzzRun): Promise<Finding[]> {
  const from = mutantSource(target)
  const size = target.batch ?? 1
  const issues: Finding[] = []
  for (let at = 0; at < count; at += size) {
    const indexes = Array.from({ length: Math.min(size, count - at) }, (_, offset) => at + offset)
    issues.push(...(await target.feed(indexes.map((index) => ({ index, bytes: mutantAt(from, seed, index) })))))
    onProgress(at + indexes.length)
  }
  return issues
}

/** Feeds earlier findings to a target again. @returns name and message of each that still breaks a rule */
export async function replay(target: FuzzTarget, fixtures: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const names = [...fixtures.keys()]
  const broken: string[] = []
  for (const [index, name] of names.entries()) {
    const issues = await target.feed([{ index, bytes: fixtures.get(name)! }])
    broken.push(...issues.map(({ message }) => `${name}: ${message}`))
  }
  return broken
}
