import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createGuard, type GuardLimits, GuardStopped } from '#core/guard/guard.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { OnDone } from '#core/threads/taskQueue.ts'
import { type GivenIdentity, type Inspection, unreadable } from './inspectFile.ts'

export interface FileToInspect {
  path: string
  given: GivenIdentity
}

/** Inspects files in processes of their own, because what a person imports may come from anywhere. */
export interface GuardedInspection {
  inspect(file: FileToInspect, signal: AbortSignal, onDone: OnDone): Promise<Inspection>
  close(): Promise<void>
}

const MEGABYTE = 2 ** 20
/** A file of five million trades (a hundred megabytes) takes some ten seconds and 600 MB. */
const CPU_MS = 10_000
const CPU_MS_PER_MEGABYTE = 1000
/** Time on the clock per processor time, and beyond it, for a machine with much else to do. */
const WALL_FACTOR = 20
const WALL_MS = 120_000
const MEMORY_BYTES = 400 * MEGABYTE
const MEMORY_PER_BYTE = 20
const MOST_MEMORY_BYTES = 4 * 2 ** 30
const MOST_PROCESSES = 2

function limitsOf({ path }: FileToInspect): GuardLimits {
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const cpuMs = CPU_MS + (CPU_MS_PER_MEGABYTE * sizeBytes) / MEGABYTE
  const memoryBytes = Math.min(MOST_MEMORY_BYTES, MEMORY_BYTES + MEMORY_PER_BYTE * sizeBytes)
  return { cpuMs, wallMs: WALL_MS + WALL_FACTOR * cpuMs, memoryBytes }
}

export function createGuardedInspection(
  start: StartProcess = startNodeProcess,
  entry = threadEntry('inspectProcess', import.meta.url),
): GuardedInspection {
  const processes = Math.min(MOST_PROCESSES, availableParallelism())
  const guard = createGuard<FileToInspect, Inspection>({
    start,
    entry,
    name: 'Perpscope importer',
    processes,
    limitsOf,
  })
  return {
    inspect: (file, signal, onDone) =>
      guard.run(file, signal, onDone).catch((thrown: unknown) => {
        if (!(thrown instanceof GuardStopped)) throw thrown
        return unreadable(file.path, file.given, `It cannot be read: ${thrown.reasonText}.`)
      }),
    close: guard.close,
  }
}
