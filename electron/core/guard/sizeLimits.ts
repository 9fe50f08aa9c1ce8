import type { GuardLimits } from './guard.ts'

const MEGABYTE = 2 ** 20
/** Wall-clock time allowed per unit of CPU time, because the machine may be busy. */
const WALL_FACTOR = 20
/** Fixed part of the allowed wall-clock time, independent of the CPU time. */
const WALL_MS = 120_000

/** Limits of CPU time and memory: a base, and more for every byte to read. */
interface SizeRule {
  cpuMs: number
  cpuMsPerMegabyte: number
  memoryMegabytes: number
  bytesPerByte: number
  mostMemoryGigabytes: number
}

/** Rules by kind of work, with a margin above what the largest ordinary files took. */
const sizeRules = {
  /**
   * JSON: lists of numbers take about ten times the size of their text until they are packed; ten megabytes take a
   * tenth of a second.
   */
  json: { cpuMs: 5000, cpuMsPerMegabyte: 200, memoryMegabytes: 400, bytesPerByte: 20, mostMemoryGigabytes: 3 },
  /** Computation: a day of a million events takes about two seconds and 300 MB. */
  compute: { cpuMs: 20_000, cpuMsPerMegabyte: 1000, memoryMegabytes: 600, bytesPerByte: 20, mostMemoryGigabytes: 4 },
  /** Import: a file of five million trades (a hundred megabytes) takes about ten seconds and 600 MB. */
  import: { cpuMs: 10_000, cpuMsPerMegabyte: 1000, memoryMegabytes: 400, bytesPerByte: 20, mostMemoryGigabytes: 4 },
} satisfies Record<string, SizeRule>

/** Computes the limits of a task that reads this many bytes. */
export function limitsForBytes(work: keyof typeof sizeRules, bytes: number): GuardLimits {
  const { cpuMs: baseMs, cpuMsPerMegabyte, memoryMegabytes, bytesPerByte, mostMemoryGigabytes } = sizeRules[work]
  const cpuMs = baseMs + (cpuMsPerMegabyte * bytes) / MEGABYTE
  const memoryBytes = Math.min(mostMemoryGigabytes * 2 ** 30, memoryMegabytes * MEGABYTE + bytesPerByte * bytes)
  return { cpuMs, wallMs: WALL_MS + WALL_FACTOR * cpuMs, memoryBytes }
}
