import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { App } from '#core/app.ts'
import { filesBefore } from '#core/engines/importComputed.ts'
import type { ComputedSeriesName } from '#core/engines/partitionFolders.ts'
import { attemptWrite } from '#shared/contract/writeError.ts'
import { codeOf } from '#shared/units/fileKind.ts'
import { terminalText } from '#shared/units/terminalText.ts'
import type { ExitStatus } from './command.ts'
import { importComputedFiles } from './computedImport.ts'
import { Failure } from './failure.ts'
import type { Output } from './print.ts'
import { printedScript } from './printedScript.ts'
import { splitCommand } from './splitCommand.ts'
import { failureText, progressText, usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

export interface SubmittedJob {
  command: string
  /** Folder for the results; if undefined, a temporary folder is used. */
  out: string | undefined
  /** Returns the script that writes its results into a folder. */
  script(out: string): Promise<string>
  series: readonly ComputedSeriesName[]
  raw: string
  connectionId: string
}

type ScriptArguments = Parameters<typeof printedScript>

/** Describes the job that computes a selection: its script, and the series that it must write. */
export function submittedJob(
  options: ScriptArguments[1] & { submit: string; timestamp: ComputedSeriesName['timestamp'] },
  request: ScriptArguments[2],
  connectionId: string,
  pairs: readonly { exchange: string; symbol: string }[],
): SubmittedJob {
  const { datasets, interval, timestamp, raw, out } = options
  if (raw === undefined) throw new UsageError(usageText.printNeedsRaw)
  if (out?.startsWith('s3://')) throw new UsageError(usageText.submitNeedsFolder)
  return {
    command: options.submit,
    out,
    raw: raw.startsWith('table:') || raw.startsWith('s3://') ? raw : resolve(raw),
    connectionId,
    script: (folder) => printedScript('spark', { ...options, out: folder }, request, () => Promise.resolve(pairs)),
    series: pairs.flatMap(({ exchange, symbol }) =>
      datasets.map((dataset) => ({ dataset, exchange, symbol, interval, timestamp })),
    ),
  }
}

/** Runs the script of a job with the user's command, and imports the files that the job wrote. */
export async function runSubmittedJob(
  app: App,
  job: SubmittedJob,
  out: Output,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const tokens = splitCommand(job.command, 'submit')
  const jobFolder = mkdtempSync(join(tmpdir(), 'perpscope-job-'))
  try {
    const folder = job.out === undefined ? join(jobFolder, 'out') : resolve(job.out)
    attemptWrite(folder, () => mkdirSync(folder, { recursive: true }))
    const sql = await job.script(folder)
    const file = join(jobFolder, 'job.sql')
    attemptWrite(file, () => writeFileSync(file, sql, { mode: 0o600 }))
    const existingFiles = await filesBefore(folder, signal)
    await runJob([...tokens, '-f', file], join(jobFolder, 'job.log'), sql.split(';\n').length - 1, out, signal)
    const sqlSha256 = createHash('sha256').update(sql).digest('hex')
    const origin = { engine: 'spark', sqlSha256, source: [job.raw] }
    return await importComputedFiles(
      app,
      { connectionId: job.connectionId, folder, origin, onlySeries: job.series, before: existingFiles },
      out,
      signal,
    )
  } finally {
    rmSync(jobFolder, { recursive: true, force: true })
  }
}

/** Time in which a cancelled command must stop before it is killed. */
const STOP_TIMEOUT_MS = 5000
const MOST_OUTPUT_CHARACTERS = 8000

/** Runs a command until it ends; if the run is cancelled, the command and its child processes are stopped. */
async function runJob(
  [program, ...args]: string[],
  logPath: string,
  statements: number,
  out: Output,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  // The job writes to a file, because it may outlive this process, and writing to a pipe without a reader would end it.
  const output = openSync(logPath, 'w')
  const child = spawn(program, args, { stdio: ['ignore', output, output], detached: process.platform !== 'win32' })
  closeSync(output)
  // A negative id means the whole process group, so that the programs started by a script such as spark-sql end too.
  const kill = (signalName: NodeJS.Signals) => {
    try {
      if (process.platform === 'win32' || child.pid === undefined) child.kill(signalName)
      else process.kill(-child.pid, signalName)
    } catch {
      // The process group has ended already.
    }
  }
  let killTimer: NodeJS.Timeout | undefined
  const cancel = () => {
    kill('SIGTERM')
    killTimer = setTimeout(() => kill('SIGKILL'), STOP_TIMEOUT_MS)
  }
  signal.addEventListener('abort', cancel, { once: true })
  let outputEnd = ''
  let doneStatements = 0
  const showProgress = (chunk: string) => {
    outputEnd = (outputEnd + chunk).slice(-MOST_OUTPUT_CHARACTERS)
    doneStatements += chunk.match(/Time taken: [\d.]+ seconds/g)?.length ?? 0
    const stage = [...chunk.matchAll(/\[Stage (\d+):[^\]]*\((\d+) \+ \d+\) \/ (\d+)\]/g)].at(-1)
    if (stage) out.progress({ done: Number(stage[2]), total: Number(stage[3]), message: progressText.stage(stage[1]) })
    else
      out.progress({ done: Math.min(doneStatements, statements), total: statements, message: progressText.statements })
  }
  const follower = followFile(logPath, showProgress)
  try {
    const { code, killedBy } = await new Promise<{ code: number | null; killedBy: string | null }>((settle, reject) => {
      child.once('error', reject)
      child.once('close', (code, killedBy) => settle({ code, killedBy }))
    })
    follower.readNew()
    signal.throwIfAborted()
    if (code !== 0) throw new Failure(failureText.jobFailed(program, killedBy ?? Number(code), reasonIn(outputEnd)))
  } catch (thrown) {
    if (thrown instanceof Failure || signal.aborted) throw thrown
    throw new Failure(failureText.jobNotStarted(program, codeOf(thrown)))
  } finally {
    clearTimeout(killTimer)
    follower.close()
    signal.removeEventListener('abort', cancel)
    // Programs that the command started may still run in its process group and would continue to write.
    if (signal.aborted) kill('SIGKILL')
  }
}

/** Time between reads of a growing file. */
const FOLLOW_MS = 250
const READ_BYTES = 65_536

/** Calls `onText` with each piece of text that is appended to a file. */
function followFile(path: string, onText: (text: string) => void) {
  const file = openSync(path, 'r')
  const decoder = new TextDecoder()
  const bytes = Buffer.alloc(READ_BYTES)
  const readNew = () => {
    for (let count = readSync(file, bytes); count > 0; count = readSync(file, bytes))
      onText(decoder.decode(bytes.subarray(0, count), { stream: true }))
  }
  const timer = setInterval(readNew, FOLLOW_MS)
  return {
    readNew,
    close() {
      clearInterval(timer)
      closeSync(file)
    },
  }
}

/** Picks the most informative line of the output: the first error among the last lines, else the last line. */
function reasonIn(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => terminalText(line).trim())
    .filter((line) => line !== '' && !/^(at |\[Stage )/.test(line))
  const line = lines.find((each) => /\b(error|exception|denied|not found)\b|\[[A-Z_]+\]/i.test(each)) ?? lines.at(-1)
  return (line ?? '').slice(0, 400)
}
