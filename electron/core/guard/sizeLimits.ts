import type { GuardLimits } from './guard.ts'

const MEGABYTE = 2 ** 20
/** Time on the clock per processor time, and beyond it, for a machine with much else to do. */
const WALL_FACTOR = 20
const WALL_MS = 120_000

/** Processor time and memory of a task: a base, and more for every byte that it reads. */
export interface SizeRule {
  cpuMs: number
  cpuMsPerMegabyte: number
  memoryBytes: number
  memoryPerByte: number
  mostMemoryBytes: number
}

/** Computes the limits of a task that reads so many bytes. */
export function limitsForBytes(rule: SizeRule, bytes: number): GuardLimits {
  const cpuMs = rule.cpuMs + (rule.cpuMsPerMegabyte * bytes) / MEGABYTE
  const memoryBytes = Math.min(rule.mostMemoryBytes, rule.memoryBytes + rule.memoryPerByte * bytes)
  return { cpuMs, wallMs: WALL_MS + WALL_FACTOR * cpuMs, memoryBytes }
}
