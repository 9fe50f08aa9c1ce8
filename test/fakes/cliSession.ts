import { spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { run as runCommandLine } from '../../electron/cli/run.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../electron/sandbox/server.ts'
import { compileCacheEnv } from './compileCacheEnv.ts'
import { openCachedWorkThread } from './cachedWorkThread.ts'
import { openTestStore } from './openTestStore.ts'
import { dataFolder } from './dataFolder.ts'
import { program } from './commandLine.ts'

export interface CliSession {
  sandbox: Sandbox
  dataDir: string
  start(args: readonly string[], key?: string): StartedCommand
  run(args: readonly string[], key?: string): Promise<EndedCommand>
  /** Runs a command inside the test's process, which is faster but allows no signals. */
  runHere(args: readonly string[], options?: { signal?: AbortSignal; key?: string }): Promise<EndedCommand>
}

export interface StartedCommand {
  pid: number
  ended: Promise<EndedCommand>
  interrupt(signal?: NodeJS.Signals): void
  firstLine: Promise<string>
  /** Resolves when stderr contains this message. */
  printed(message: RegExp): Promise<void>
  /** Stops reading the command's output. */
  closeStdout(): void
}

export interface EndedCommand {
  status: number | null
  lines: Record<string, unknown>[]
  stdout: string
  stderr: string
}

function linesOf(args: readonly string[], stdout: string): Record<string, unknown>[] {
  // An array of rows is one document over many lines.
  const isLines = args.includes('--json') && !stdout.startsWith('[\n')
  const texts = isLines ? stdout.trim().split('\n').filter(Boolean) : []
  return texts.map((line) => JSON.parse(line) as Record<string, unknown>)
}

/**
 * Starts a sandbox and a terminal session connected to it. The sandbox uses this machine's clock, because the command
 * line does.
 */
export async function cliSession(options: SandboxOptions = {}): Promise<CliSession> {
  const sandbox = await startSandbox({ openThread: openCachedWorkThread, ...options })
  const dataDir = dataFolder()
  onTestFinished(() => sandbox.close())
  const start: CliSession['start'] = (args, key = sandbox.keys['3']) => {
    const env = {
      PATH: process.env.PATH,
      HOME: dataDir,
      PERPSCOPE_DATA_DIR: dataDir,
      PERPSCOPE_API_KEY: key,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      ...compileCacheEnv,
    }
    const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    let [stdout, stderr] = ['', '']
    const { promise: firstLine, resolve } = Promise.withResolvers<string>()
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString()
      if (stdout.includes('\n')) resolve(stdout.split('\n')[0])
    })
    const listeners = new Set<() => void>()
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
      for (const look of listeners) look()
    })
    const printed: StartedCommand['printed'] = (message) =>
      new Promise((resolve) => {
        const look = () => message.test(stderr) && resolve()
        listeners.add(look)
        look()
      })
    const ended = new Promise<EndedCommand>((end) =>
      child.on('close', (status) => {
        end({ status, stdout, stderr, lines: linesOf(args, stdout) })
      }),
    )
    return {
      pid: child.pid!,
      ended,
      firstLine,
      printed,
      interrupt: (signal = 'SIGINT') => void child.kill(signal),
      closeStdout: () => void child.stdout.destroy(),
    }
  }
  const run: CliSession['run'] = (args, key) => start(args, key).ended
  const runHere: CliSession['runHere'] = async (args, { signal = new AbortController().signal, key } = {}) => {
    const written = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
    const env = { PERPSCOPE_API_KEY: key ?? sandbox.keys['3'] }
    const argv = [...args, '--data-dir', dataDir]
    const status = await runCommandLine(argv, { stdout: sink('stdout'), stderr: sink('stderr'), env, signal })
    return { status, ...written, lines: linesOf(args, written.stdout) }
  }
  const { connections } = openTestStore(dataDir)
  const fields = { name: 'desk', metricsUrl: sandbox.url, portfolioUrl: '', catalogLocation: '', tier: null }
  connections.use(connections.add(fields).id)
  return { sandbox, dataDir, start, run, runHere }
}
