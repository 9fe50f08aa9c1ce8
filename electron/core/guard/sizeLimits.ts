import type { GuardLimits } from './guard.ts'

const MEGABYTE = 2 ** 20
/** Time on the clock per processor time, and beyond it, for a machine with much else to do. */
const WALL_FACTOR = 20
const WALL_MS = 120_000

/** Processor time and memory of a task: a base, and more for every byte that it reads. */
interface SizeRule {
  cpuMs: number
  cpuMsPerMegabyte: number
  megabytes: number
  bytesPerByte: number
  mostGigabytes: number
}

/** Rules by what a process reads, with room above what the largest honest files took. */
const sizeRules = {
  /** Lists of numbers take some ten times their text until they are packed; ten megabytes take a tenth of a second. */
  json: { cpuMs: 5000, cpuMsPerMegabyte: 200, megabytes: 400, bytesPerByte: 20, mostGigabytes: 3 },
  /** A day of a million events takes some two seconds and 300 MB. */
  compute: { cpuMs: 20_000, cpuMsPerMegabyte: 1000, megabytes: 600, bytesPerByte: 20, mostGigabytes: 4 },
  /** A file of five million trades (a hundred megabytes) takes some ten seconds and 600 MB. */
  import: { cpuMs: 10_000, cpuMsPerMegabyte: 1000, megabytes: 400, bytesPerByte: 20, mostGigabytes: 4 },
} satisfies Record<string, SizeRule>

/** Computes the limits of a task that reads so many bytes. */
export function limitsForBytes(work: keyof typeof sizeRules, bytes: number): GuardLimits {
  const { cpuMs: leastMs, cpuMsPerMegabyte, megabytes, bytesPerByte, mostGigabytes } = sizeRules[work]
  const cpuMs = leastMs + (cpuMsPerMegabyte * bytes) / MEGABYTE
  const memoryBytes = Math.min(mostGigabytes * 2 ** 30, megabytes * MEGABYTE + bytesPerByte * bytes)
  return { cpuMs, wallMs: WALL_MS + WALL_FACTOR * cpuMs, memoryBytes }
}
