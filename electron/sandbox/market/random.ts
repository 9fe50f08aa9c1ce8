/**
 * Deterministic randomness: a stream is named by its keys (seed, words, numbers) and gives the same draws wherever and
 * whenever it is asked. Not for secrets.
 */

export type Key = number | string

function scramble(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97)
  return (h ^ (h >>> 15)) >>> 0
}

/** An unsigned 32-bit hash of a text's UTF-16 units. */
export function hashText(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return scramble(h)
}

/** Joins a key to a hash: an unsigned 32-bit number that changes with either. */
export function mix(hash: number, key: Key): number {
  const part = typeof key === 'string' ? hashText(key) : scramble((key | 0) ^ 0x5bd1e995)
  return scramble((Math.imul(hash, 0x9e3779b1) + part) | 0)
}

/** One hash of several keys. */
export function hashOf(...keys: Key[]): number {
  let hash = 0x2545f491
  for (const key of keys) hash = mix(hash, key)
  return hash
}

/** A uniform number in [0, 1) straight from keys, for single draws that need no stream. */
export function uniformOf(...keys: Key[]): number {
  return hashOf(...keys) / 4294967296
}

/** A standard normal number straight from keys. */
export function normalOf(...keys: Key[]): number {
  const hash = hashOf(...keys)
  const u = (hash + 1) / 4294967297
  return Math.sqrt(-2 * Math.log(u)) * Math.cos((2 * Math.PI * mix(hash, 1)) / 4294967296)
}

/** A small fast generator with 128 bits of state. */
export class RandomStream {
  #a: number
  #b: number
  #c: number
  #counter = 1
  #spare = Number.NaN

  constructor(...keys: Key[]) {
    const hash = hashOf(...keys)
    this.#a = mix(hash, 1)
    this.#b = mix(hash, 2)
    this.#c = mix(hash, 3)
    for (let i = 0; i < 8; i++) this.bits()
  }

  /** 32 random bits as an unsigned number. */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** Uniform in [0, 1). */
  uniform(): number {
    return this.bits() / 4294967296
  }

  /** Uniform in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.uniform()
  }

  /** A whole number in [0, count). */
  below(count: number): number {
    return Math.floor(this.uniform() * count)
  }

  chance(probability: number): boolean {
    return this.uniform() < probability
  }

  /** Standard normal. */
  normal(): number {
    if (!Number.isNaN(this.#spare)) {
      const spare = this.#spare
      this.#spare = Number.NaN
      return spare
    }
    const radius = Math.sqrt(-2 * Math.log((this.bits() + 1) / 4294967297))
    const angle = 2 * Math.PI * this.uniform()
    this.#spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }

  /** Fat-tailed with variance about 1: Student's t with four degrees of freedom, cut at ±8. */
  heavyTail(): number {
    const u = ((this.bits() + 1) / 4294967297) * ((this.bits() + 1) / 4294967297)
    const value = this.normal() / Math.sqrt(-Math.log(u))
    return Math.max(-8, Math.min(8, value))
  }

  /** Exponential with mean 1. */
  exponential(): number {
    return -Math.log((this.bits() + 1) / 4294967297)
  }

  /** Pareto above 1: P(X > x) = x^−shape. */
  pareto(shape: number): number {
    return ((this.bits() + 1) / 4294967297) ** (-1 / shape)
  }
}
