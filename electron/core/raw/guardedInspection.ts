import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createGuard, type GuardLimits, GuardStopped } from '#core/guard/guard.ts'
import { limitsForBytes } from '#core/guard/sizeLimits.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import { type GivenIdentity, type Inspection, unreadable } from './inspectFile.ts'

export interface FileToInspect {
  path: string
  given: GivenIdentity
}

/** Inspects files in separate processes, because imported files may come from anywhere. */
export interface GuardedInspection {
  inspect(file: FileToInspect, signal: AbortSignal, onProgress: OnProgress): Promise<Inspection>
  close(): Promise<void>
}

const MOST_PROCESSES = 2
/** Idle time after which a process ends: an import follows at once, which needs the memory for its own processes. */
const IDLE_MS = 250

const limitsOf = ({ path }: FileToInspect): GuardLimits =>
  limitsForBytes('import', statSync(path, { throwIfNoEntry: false })?.size ?? 0)

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
    idleMs: IDLE_MS,
  })
  return {
    inspect: (file, signal, onProgress) =>
      guard.run(file, signal, onProgress).catch((thrown: unknown) => {
        if (!(thrown instanceof GuardStopped)) throw thrown
        return unreadable(file.path, file.given, `It cannot be read: ${thrown.reasonText}.`)
      }),
    close: guard.close,
  }
}
