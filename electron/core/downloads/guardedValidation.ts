/**
 * Validates files in guarded processes, with limits by size and period, and remembers files that crashed the program.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'
import { createGuard, type GuardLimits, GuardStopped } from '#core/guard/guard.ts'
import type { StartProcess } from '#core/ports.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { restoredError, taskError, type TaskError } from '#core/threads/taskError.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import type { PeriodLimits, TableToCheck, ValidatedFile, ValidateOptions } from './verifyFile.ts'

export interface FileToValidate extends ValidateOptions {
  path: string
  /** Path of a metric file that this one replaces, to say where they differ. */
  before?: string
}

export type ValidationResult = { validated: ValidatedFile } | TaskError

/** Work of a guarded process: files to validate, or one table whose columns are to be read once. */
export type ValidationTask = readonly FileToValidate[] | TableToCheck

const isTable = (task: ValidationTask): task is TableToCheck => 'columns' in task

/** Validates files in separate processes, because an unvalidated file may crash or stall its reader. */
interface GuardedValidation {
  /** Returns one result per file, even for a file that crashed its process. */
  validate(files: readonly FileToValidate[], signal?: AbortSignal): Promise<ValidationResult[]>
  /** Reads the columns of a table; rejects with `corrupt-file` if that fails or crashes the process. */
  checkTable(table: TableToCheck, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

interface GuardedValidationOptions {
  start: StartProcess
  processes: number
  /** Time that files wait before another process is started; 0 by default, so it is started immediately. */
  growAfterMs?: number
  journal: ValidationJournal
  /** Entry of the process; tests pass one that misbehaves. */
  entry?: URL
}

export function createGuardedValidation(options: GuardedValidationOptions): GuardedValidation {
  const {
    start,
    processes,
    growAfterMs = 0,
    journal,
    entry = threadEntry('validationProcess', import.meta.url),
  } = options
  const guard = createGuard<ValidationTask, ValidationResult[]>({
    start,
    entry,
    name: 'Perpscope file reader',
    processes,
    growAfterMs,
    limitsOf: (task) => limitsOfAll(isTable(task) ? [{ path: task.path, deep: true }] : task),
    idleMs: IDLE_MS,
  })

  /**
   * Runs a task on one file.
   * @returns the results, or the problem of a file that crashed or stalled its process
   */
  async function runAlone(
    path: string,
    task: ValidationTask,
    signal?: AbortSignal,
  ): Promise<ValidationResult[] | TaskError> {
    let reasonText = ''
    // A process may crash for other reasons, such as a lack of memory; a file that crashes two is to blame.
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        return await guard.run(task, signal)
      } catch (thrown) {
        if (!(thrown instanceof GuardStopped)) throw thrown
        reasonText = thrown.reasonText
        if (thrown.reason === 'time') break
        if (thrown.reason === 'stalled') return taskError(new AppError('internal', `${path}: ${reasonText}.`))
      }
    }
    return taskError(new AppError('corrupt-file', `${path}: ${reasonText}.`))
  }

  async function validateAlone(file: FileToValidate, signal?: AbortSignal): Promise<ValidationResult> {
    const results = await runAlone(file.path, [file], signal)
    return 'error' in results ? results : results[0]
  }

  async function validateTogether(files: readonly FileToValidate[], signal?: AbortSignal) {
    if (files.length === 1) return [await validateAlone(files[0], signal)]
    try {
      return await guard.run(files, signal)
    } catch (thrown) {
      if (!(thrown instanceof GuardStopped)) throw thrown
      // Any of these files may be to blame, so each is read alone.
      return await Promise.all(files.map((file) => validateAlone(file, signal)))
    }
  }

  return {
    async validate(files, signal) {
      const recordEnd = journal.begin(files.map(({ path }) => path))
      try {
        return await validateTogether(files, signal)
      } finally {
        recordEnd()
      }
    },
    async checkTable(table, signal) {
      const results = await runAlone(table.path, table, signal)
      if ('error' in results) throw restoredError(results)
    },
    close: guard.close,
  }
}

/**
 * Idle time after which a process ends; pauses within a queue are shorter, and starting a process takes as long as
 * validating several hundred small files.
 */
const IDLE_MS = 60_000
const MEGABYTE = 2 ** 20
/** Memory limit for a file up to a megabyte; an idle process takes some 70 MB. */
const SMALL_FILE_MEMORY_BYTES = 300 * MEGABYTE
const MEMORY_PER_BYTE = 10
const MOST_MEMORY_BYTES = 4 * 2 ** 30
const SMALL_FILE_CPU_MS = 2000
/** CPU limit per further megabyte; ordinary files of a hundred megabytes take one to three seconds. */
const CPU_MS_PER_MEGABYTE = 200
const DEEP_FACTOR = 4
/** Wall-clock time allowed per unit of CPU time, because the machine may be busy. */
const WALL_FACTOR = 20
/** Fixed part of the allowed wall-clock time, because a sleeping disk may have to start. */
const WALL_MS = 120_000

const limitsOfFile = ({ path, deep }: FileToValidate) =>
  limitsOfSize(statSync(path, { throwIfNoEntry: false })?.size ?? 0, deep)

/** Returns the limits for validating a file of this size. */
export function limitsOfSize(bytes: number, deep = false): Pick<GuardLimits, 'cpuMs' | 'memoryBytes'> {
  const megabytes = bytes / MEGABYTE
  const extraMegabytes = Math.max(0, megabytes - 1)
  // All values of a megabyte are read within a tenth of a second, so only larger files need more for it.
  const cpuMs = SMALL_FILE_CPU_MS + extraMegabytes * CPU_MS_PER_MEGABYTE * (deep ? DEEP_FACTOR : 1)
  const memoryBytes = Math.min(MOST_MEMORY_BYTES, SMALL_FILE_MEMORY_BYTES + extraMegabytes * MEGABYTE * MEMORY_PER_BYTE)
  return { cpuMs, memoryBytes }
}

/** CPU time that each file of a batch adds to the limit, many times the time that an ordinary small file takes. */
const CPU_MS_PER_FILE = 100

/**
 * Adds up the limits of a batch: its files are read one after the other, so their times add up but their memory does
 * not.
 */
function limitsOfAll(files: readonly FileToValidate[]): GuardLimits {
  const limits = files.map(limitsOfFile)
  const extraCpuMs = limits.reduce((sum, { cpuMs }) => sum + cpuMs - SMALL_FILE_CPU_MS, 0)
  const cpuMs = SMALL_FILE_CPU_MS + extraCpuMs + files.length * CPU_MS_PER_FILE
  const memoryBytes = Math.max(...limits.map((each) => each.memoryBytes))
  return { cpuMs, wallMs: WALL_MS + WALL_FACTOR * cpuMs, memoryBytes }
}

const SECONDS_PER_DAY = 86_400
/** Number of rows allowed per timestamp. */
const ROWS_PER_TIME = 2

/**
 * Returns the maximum number of rows of a valid metric file of a period: a month of 15s has 178,560, and twice as many
 * with duplicates. Undefined for raw events, whose number no period limits.
 */
export function mostRowsOf({ kind, interval }: OwnedSeries, period: Period): number | undefined {
  const days = periodDays(period)
  const seconds = parseInterval(interval)
  if (kind === 'raw' || !days || !seconds) return undefined
  return Math.ceil((ROWS_PER_TIME * (days.end - days.start) * SECONDS_PER_DAY) / seconds)
}

/** Returns the limits that a period sets for the rows of its file; none for raw events. */
export function periodLimitsOf(series: OwnedSeries, period: Period): PeriodLimits {
  const mostRows = mostRowsOf(series, period)
  const days = periodDays(period)
  if (mostRows === undefined || !days) return {}
  return { mostRows, rowsWithin: { startMs: days.start * MS_PER_DAY, endMs: days.end * MS_PER_DAY } }
}

/** Allowance for the footer, texts and everything else that does not grow with the rows. */
const FIXED_BYTES = 16 * MEGABYTE
/** Bytes allowed per row: the widest dataset has 37 columns of eight bytes, and compression adds little at worst. */
const BYTES_PER_ROW = 1024
/** Limit for raw events, whose files never come near this size; a larger file is an error or an attack. */
const MOST_BYTES = 16 * 1024 * MEGABYTE

/** Returns the maximum size of a valid file of a period; a service that declares or sends more is cut off. */
export function mostBytesOf(series: OwnedSeries, period: Period): number {
  const mostRows = mostRowsOf(series, period)
  return mostRows === undefined ? MOST_BYTES : FIXED_BYTES + BYTES_PER_ROW * mostRows
}

/**
 * Remembers which files are being validated, so that one that crashes the whole program is not tried forever: a file
 * that was being validated during two crashes is quarantined.
 */
interface ValidationJournal {
  /**
   * Records the files before they are read.
   * @returns a function that records that they were read
   */
  begin(paths: readonly string[]): () => void
  /**
   * Tells whether the program crashed twice while validating the file, and then forgets the crashes, so that the file
   * is tried again later.
   */
  takePoisonous(path: string): boolean
  /** Removes the journal file of this process; called at a regular exit. */
  close(): void
}

/** A journal that records nothing, for tests and for pools without a data folder. */
export const noJournal: ValidationJournal = { begin: () => () => {}, takePoisonous: () => false, close: () => {} }

const FOLDER = 'validating'
const CRASHES_FILE = 'ended.json'
const MOST_CRASHES = 2

/** Opens the journal of a data folder; the journal has one file per running process. */
export function openValidationJournal(dataDir: string, pid = process.pid): ValidationJournal {
  const folder = join(dataDir, FOLDER)
  const ownFile = join(folder, `${pid}.json`)
  const crashCounts = readCrashCounts(folder)
  collectCrashes(folder, pid, crashCounts)
  const countByPath = new Map<string, number>()
  const writer = createJournalWriter(folder, ownFile)

  function change(paths: readonly string[], by: number): void {
    for (const path of paths) {
      const count = (countByPath.get(path) ?? 0) + by
      if (count > 0) countByPath.set(path, count)
      else countByPath.delete(path)
    }
    writer.write(JSON.stringify([...countByPath.keys()]))
  }

  return {
    begin(paths) {
      change(paths, 1)
      return () => change(paths, -1)
    },
    takePoisonous(path) {
      if ((crashCounts.get(path) ?? 0) < MOST_CRASHES) return false
      crashCounts.delete(path)
      writeCrashCounts(folder, crashCounts)
      return true
    },
    close: writer.close,
  }
}

/**
 * Creates the writer of a process's journal file. The file stays open and is overwritten in place, padded with spaces,
 * because truncating it would make file systems flush the old content, and every batch of downloads would wait for
 * that.
 */
function createJournalWriter(folder: string, path: string) {
  let descriptor: number | null = null
  let longestBytes = 0
  let isClosed = false
  return {
    write(text: string): void {
      if (isClosed) return
      try {
        if (descriptor === null) {
          mkdirSync(folder, { recursive: true, mode: 0o700 })
          descriptor = openSync(path, 'w', 0o600)
        }
        const bytes = Buffer.from(text)
        longestBytes = Math.max(longestBytes, bytes.length)
        writeSync(
          descriptor,
          Buffer.concat([bytes, Buffer.alloc(longestBytes - bytes.length, ' ')]),
          0,
          longestBytes,
          0,
        )
      } catch {
        // Ignored, because in an unwritable folder storing the downloads fails too, with a better message.
      }
    },
    close(): void {
      isClosed = true
      if (descriptor === null) return
      closeSync(descriptor)
      rmSync(path, { force: true })
    },
  }
}

/** Adds a crash to `crashCounts` for every file that a crashed process left in its journal. */
function collectCrashes(folder: string, ownPid: number, crashCounts: Map<string, number>): void {
  const journalFiles = namesIn(folder).filter((name) => /^\d+\.json$/.test(name))
  const endedFiles = journalFiles.filter((name) => parseInt(name, 10) === ownPid || !isRunning(parseInt(name, 10)))
  const paths = endedFiles.flatMap((name) => readList(join(folder, name)))
  if (paths.length > 0) {
    for (const path of paths) crashCounts.set(path, (crashCounts.get(path) ?? 0) + 1)
    writeCrashCounts(folder, crashCounts)
  }
  for (const name of endedFiles) rmSync(join(folder, name), { force: true })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function readList(path: string): string[] {
  const list = readJson(path)
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : []
}

function readCrashCounts(folder: string): Map<string, number> {
  const counts = readJson(join(folder, CRASHES_FILE))
  if (typeof counts !== 'object' || counts === null) return new Map()
  return new Map(Object.entries(counts).filter(([, count]) => typeof count === 'number'))
}

function writeCrashCounts(folder: string, crashCounts: ReadonlyMap<string, number>): void {
  try {
    writeFileSync(join(folder, CRASHES_FILE), JSON.stringify(Object.fromEntries(crashCounts)), { mode: 0o600 })
  } catch {
    // The count is lost, so the file is tried once more.
  }
}
