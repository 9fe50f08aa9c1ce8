import { inverseNormal } from './inverseNormal.ts'

/**
 * Deterministic randomness: a stream is identified by keys (seed, words, numbers) and always gives the same draws. Not
 * for secrets.
 */

export type Key = number | string

function scramble(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
  return (h ^ (h >>> 15)) >>> 0
}

/** Hashes a text's UTF-16 units to an unsigned 32-bit number. */
function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return scramble(h)
}

/** Mixes a key into a hash; the unsigned 32-bit result changes with either. */
export function mix(hash: number, key: Key): number {
  const part = typeof key === 'string' ? hashText(key) : scramble((key | 0) ^ 0x5bd1e995)
  return scramble((Math.imul(hash, 0x9e3779b1) + part) | 0)
}

/** Hashes several keys to one number. */
export function numberFromText(...keys: Key[]): number {
  let hash = 0x2545f491
  for (const key of keys) hash = mix(hash, key)
  return hash
}

/** Draws a uniform number in [0, 1) directly from keys, for draws that need no stream. */
export function uniformOf(...keys: Key[]): number {
  return numberFromText(...keys) / 4294967296
}

/** Draws a standard normal number directly from keys. */
export function normalOf(...keys: Key[]): number {
  return inverseNormal((numberFromText(...keys) + 0.5) / 4294967296)
}

const quantiles = Float64Array.from({ length: 4097 }, (_, i) => (i % 4096 === 0 ? 0 : inverseNormal(i / 4096)))

/**
 * Computes the normal quantile of (bits + ½) / 2³²: interpolated between 4,095 exact values, and exact in the two
 * tails.
 */
function normalOfBits(bits: number): number {
  const cell = bits >>> 20
  if (cell === 0 || cell === 4095) return inverseNormal((bits + 0.5) / 4294967296)
  const low = quantiles[cell]
  return low + (quantiles[cell + 1] - low) * ((bits & 0xfffff) / 0x100000)
}

/** A small fast generator with 128 bits of state, kept in a typed array because every draw writes it. */
export class RandomStream {
  /** State of the generator: three mixed words and a counter. */
  private readonly state: Int32Array

  constructor(...keys: Key[]) {
    const hash = numberFromText(...keys)
    this.state = Int32Array.of(mix(hash, 1), mix(hash, 2), mix(hash, 3), 1)
    for (let i = 0; i < 8; i++) this.bits()
  }

  /** Draws 32 random bits as an unsigned number. */
  bits(): number {
    const { state } = this
    const b = state[1]
    const c = state[2]
    const counter = state[3]
    const sum = (state[0] + b + counter) | 0
    state[3] = counter + 1
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }

  /** Draws a uniform number in [0, 1). */
  uniform(): number {
    return this.bits() / 4294967296
  }

  /** Draws a uniform number in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.uniform()
  }

  /** Draws an integer in [0, count). */
  below(count: number): number {
    return Math.floor(this.uniform() * count)
  }

  chance(probability: number): boolean {
    return this.uniform() < probability
  }

  /** Draws a standard normal number. */
  normal(): number {
    return normalOfBits(this.bits())
  }

  /**
   * Draws from a fat-tailed distribution with variance of about 1: a normal that is wide one time in twelve (excess
   * kurtosis of about 3.5).
   */
  heavyTail(): number {
    return this.normal() * (this.uniform() < 0.08 ? 2.2 : 0.84)
  }

  /** Draws an exponential number with mean 1. */
  exponential(): number {
    return -Math.log((this.bits() + 1) / 4294967297)
  }

  /** Draws a Pareto number above 1: P(X > x) = x^−shape. */
  pareto(shape: number): number {
    return ((this.bits() + 1) / 4294967297) ** (-1 / shape)
  }
}
