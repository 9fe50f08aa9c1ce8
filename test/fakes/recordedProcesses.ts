import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'

/** Starts guarded processes and records what each was asked to do, as JSON. */
export function recordedProcesses() {
  const tasks: string[] = []
  const start: StartProcess = (entry, name) => {
    const started = startNodeProcess(entry, name)
    const send = (message: unknown) => {
      tasks.push(JSON.stringify((message as { task: unknown }).task))
      started.send(message)
    }
    return { ...started, send }
  }
  return { start, tasks }
}
