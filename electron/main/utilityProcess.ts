import { fileURLToPath } from 'node:url'
import { app, utilityProcess } from 'electron'
import { guardedEnvironment, processUsage } from '#core/guard/guardedProcess.ts'
import type { ProcessUsage, StartProcess } from '#core/ports.ts'

/**
 * Starts a guarded process as an Electron utility process, because the packaged program refuses to run as plain Node.
 */
export const startUtilityProcess: StartProcess = (entry, name) => {
  const child = utilityProcess.fork(fileURLToPath(entry), [], {
    serviceName: name,
    stdio: 'ignore',
    env: guardedEnvironment(),
  })
  // A fatal error of V8, such as running out of memory, is followed by the exit of the process, which is handled.
  // Without a listener this event would throw here.
  child.on('error', () => {})
  return {
    send: (message) => child.postMessage(message),
    onMessage: (listener) => void child.on('message', listener),
    onEnd: (listener) => void child.once('exit', listener),
    usage: () => usageOf(child.pid),
    kill() {
      // A process that is still starting has no id yet.
      if (child.pid === undefined) child.once('spawn', () => kill(child.pid!))
      else kill(child.pid)
    },
    // Electron ends its utility processes when it quits, and none of them keeps it running.
    keepHostAlive() {},
  }
}

/**
 * Kills a process by signal, because `UtilityProcess.kill` only asks politely, which a process in an endless loop does
 * not notice.
 */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}

async function usageOf(pid: number | undefined): Promise<ProcessUsage | null> {
  if (pid === undefined) return null
  if (process.platform !== 'win32') return processUsage(pid)
  const metric = app.getAppMetrics().find((process) => process.pid === pid)
  if (!metric) return null
  const seconds = metric.cpu.cumulativeCPUUsage
  return { memoryBytes: metric.memory.workingSetSize * 1024, cpuMs: seconds === undefined ? null : seconds * 1000 }
}
