import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run as runCommandLine } from '../../../electron/cli/run.ts'
import type { Faults } from '../../../electron/sandbox/faults/faults.ts'
import { startCachedSandbox } from '../../fakes/testSandbox.ts'
import { fieldsOfValue } from './fields.ts'

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

/** The command line against a sandbox, with one data folder for all its runs. Every run is recorded. */
export interface ScenarioWorld {
  url: string
  catalogUrl: string
  dataDir: string
  /** Folder for output files. */
  folder: string
  /** Fields of the `--json` output, by command. */
  jsonFields: string[]
  /** Exit statuses by name of the run. */
  statuses: string[]
  /** Runs a command and records its exit status under a name; `--json` output is recorded by its fields. */
  run(name: string, args: readonly string[], options?: RunOptions): Promise<CommandResult>
  /** Runs a command that does not end by itself, and interrupts it at its first output. */
  runUntilReady(name: string, args: readonly string[]): Promise<CommandResult>
  setFaults(faults: Faults): void
  close(): Promise<void>
}

export interface RunOptions {
  /** API key; by default that of the highest tier. */
  key?: string
  signal?: AbortSignal
  onStdout?: (text: string) => void
}

export async function openScenarioWorld(): Promise<ScenarioWorld> {
  const sandbox = await startCachedSandbox()
  const home = mkdtempSync(join(tmpdir(), 'perpscope-promises-'))
  const [jsonFields, statuses]: [string[], string[]] = [[], []]

  const run: ScenarioWorld['run'] = async (name, args, { key = sandbox.keys['3'], signal, onStdout } = {}) => {
    const ran: CommandResult = { status: -1, stdout: '', stderr: '' }
    const stdout = {
      write(text: string) {
        ran.stdout += text
        onStdout?.(ran.stdout)
      },
    }
    const stderr = { write: (text: string) => void (ran.stderr += text) }
    const argv = ['--data-dir', join(home, 'data'), ...args]
    const surroundings = {
      stdout,
      stderr,
      env: { PERPSCOPE_API_KEY: key },
      signal: signal ?? new AbortController().signal,
    }
    ran.status = await runCommandLine(argv, surroundings)
    statuses.push(`${name}: ${ran.status}`)
    if (args.includes('--json')) jsonFields.push(...fieldsOfJson(name.replace(/ \(.*\)$/, ''), ran.stdout))
    return ran
  }
  return {
    url: sandbox.url,
    catalogUrl: sandbox.catalogUrl,
    dataDir: join(home, 'data'),
    folder: home,
    jsonFields,
    statuses,
    run,
    runUntilReady(name, args) {
      const stop = new AbortController()
      return run(name, args, { signal: stop.signal, onStdout: (text) => text.includes('\n') && stop.abort('SIGTERM') })
    },
    setFaults: sandbox.setFaults,
    async close() {
      await sandbox.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Lists the fields of a JSON document, or of every line of JSON Lines. */
function fieldsOfJson(command: string, stdout: string): string[] {
  return documentsOf(stdout)
    .flatMap((document) => fieldsOfValue(document))
    .map((field) => `${command} --json ${field}`)
}

function documentsOf(stdout: string): unknown[] {
  try {
    return [JSON.parse(stdout)]
  } catch {
    const lines = stdout.split('\n').filter(Boolean)
    return lines.map((line): unknown => JSON.parse(line))
  }
}
