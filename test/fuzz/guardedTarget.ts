import { createGuard, GuardStopped } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import { checks, type CheckName } from './check.ts'
import type { FuzzResult, FuzzTask } from './fuzzProcess.ts'
import type { Finding, FuzzTarget, Mutant } from './target.ts'

/** Limits on processor time and memory; a batch of mutants has the same limits as a single mutant. */
export const MOST_CPU_MS = 2000
export const MOST_BYTES = 300 * 2 ** 20
/** Additional processor time for a process that still has to load the check. */
const LOADING_MS = 1000
const BATCH = 20

/**
 * Runs a check in a guarded process: no mutant may take 2 s of processor time or 300 MB, end the process or break a
 * rule.
 */
export async function guardedTarget(name: CheckName): Promise<FuzzTarget> {
  const check = await checks[name]()
  const seeds = check.seeds()
  let isLoaded = false
  const worst = { peakBytes: 0, cpuMs: 0 }
  const guard = createGuard<FuzzTask, FuzzResult>({
    start: startNodeProcess,
    entry: new URL('./fuzzProcess.ts', import.meta.url),
    name: 'Perpscope fuzzing',
    processes: 1,
    limitsOf: () => ({
      cpuMs: MOST_CPU_MS + (isLoaded ? 0 : LOADING_MS),
      wallMs: 60_000,
      memoryBytes: MOST_BYTES,
    }),
  })

  /** Runs the mutants together; if the process is stopped, runs each mutant alone to find the one that caused it. */
  async function run(mutants: readonly Mutant[]): Promise<Finding[]> {
    try {
      const result = await guard.run({ check: name, inputs: mutants.map(({ bytes }) => bytes) })
      isLoaded = true
      worst.peakBytes = Math.max(worst.peakBytes, result.peakBytes)
      worst.cpuMs = Math.max(worst.cpuMs, result.mostCpuMs)
      const issues = result.broken.map(({ at, message }) => ({ index: mutants[at].index, message }))
      if (result.peakBytes > MOST_BYTES && mutants.length === 1)
        issues.push({ index: mutants[0].index, message: `took ${Math.round(result.peakBytes / 2 ** 20)} MB` })
      return issues
    } catch (thrown) {
      if (!(thrown instanceof GuardStopped)) throw thrown
      isLoaded = false
      // A busy machine stalls the process, so the mutants are not to blame and run again.
      if (thrown.reason === 'stalled') return run(mutants)
      if (mutants.length === 1) return [{ index: mutants[0].index, message: thrown.reasonText }]
      const alone: Finding[] = []
      for (const mutant of mutants) alone.push(...(await run([mutant])))
      return alone
    }
  }

  return {
    name,
    batch: BATCH,
    ...(check.tokens && { tokens: check.tokens }),
    ...(check.isJson && { isJson: check.isJson }),
    seeds: () => seeds,
    feed: run,
    worst: () => worst,
    close: () => guard.close(),
  }
}
