import { execFile, fork, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { GuardedProcess, ProcessUsage, StartProcess } from '#core/ports.ts'

/** Environment variables that the child needs to run. All others are withheld, above all the API key. */
const passedVariables = [
  'PATH',
  'SystemRoot',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'LANG',
  'NODE_COMPILE_CACHE',
]

/** Returns the environment of a guarded process. */
export const guardedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    passedVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )

/** Starts a guarded process under plain Node. */
export const startNodeProcess: StartProcess = (entry) => {
  const child = fork(fileURLToPath(entry), [], {
    serialization: 'advanced',
    execArgv: [],
    env: guardedEnvironment(),
    // The child's output is not needed, and a fatal error of V8 prints pages of text.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A failed start or a closed channel is followed by the exit of the process, which is handled.
  child.on('error', () => {})
  return nodeProcess(child)
}

function nodeProcess(child: ChildProcess): GuardedProcess {
  return {
    send(message) {
      if (child.connected) child.send(message as object, () => {})
    },
    onMessage: (listener) => void child.on('message', listener),
    onEnd(listener) {
      if (child.pid === undefined) setImmediate(listener)
      else child.once('exit', listener)
    },
    usage: () => (child.pid === undefined ? Promise.resolve(null) : processUsage(child.pid)),
    kill: () => void child.kill('SIGKILL'),
    keepHostAlive(isNeeded) {
      if (isNeeded) {
        child.ref()
        child.channel?.ref()
      } else {
        child.unref()
        child.channel?.unref()
      }
    },
  }
}

/**
 * Clock ticks per second and memory page size of Linux, which Node does not report. Both are fixed, except for the page
 * size on arm64, which depends on the system.
 */
const TICKS_PER_SECOND = 100
const PAGE_BYTES = process.arch === 'arm64' ? null : 4096
const run = promisify(execFile)

/** Asks the system for the resources a process has used; null if it has ended or the system does not report them. */
export async function processUsage(pid: number): Promise<ProcessUsage | null> {
  try {
    if (process.platform === 'linux') return linuxUsage(pid)
    if (process.platform === 'win32') return await windowsUsage(pid)
    const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)])
    const [, kilobytes, time] = /(\d+)\s+([\d:.]+)/.exec(stdout) ?? []
    return kilobytes ? { memoryBytes: Number(kilobytes) * 1024, cpuMs: durationMs(time) } : null
  } catch {
    return null
  }
}

function linuxUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The program name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
  if (PAGE_BYTES !== null) return { memoryBytes: Number(fields[21]) * PAGE_BYTES, cpuMs }
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return { memoryBytes: Number(kilobytes ?? 0) * 1024, cpuMs }
}

async function windowsUsage(pid: number): Promise<ProcessUsage | null> {
  const { stdout } = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])
  const kilobytes = /"([\d.,\s]+)[^\d"]*"\s*$/.exec(stdout.trim())?.[1].replaceAll(/\D/g, '')
  return kilobytes ? { memoryBytes: Number(kilobytes) * 1024, cpuMs: null } : null
}

/** Parses a duration such as `1:02.50` or `1:02:03` to milliseconds. */
const durationMs = (text: string) => text.split(':').reduce((total, part) => total * 60 + Number(part), 0) * 1000
