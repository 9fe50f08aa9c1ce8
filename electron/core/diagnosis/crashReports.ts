import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from '#shared/schemas/lazySchemas.ts'
import type { CrashReport } from '#shared/contract/areas/app.ts'
import type { Redactor } from '#core/clients/redact.ts'
import type { Clock } from '#core/ports.ts'

/** A failure that is to be reported: which process, why, and the stack if there is one. */
export type Crash = Pick<CrashReport, 'process' | 'reason' | 'detail'>

/**
 * Reports on crashed processes. The reports stay in the data folder and are sent nowhere; no memory dumps are taken,
 * because dumps contain keys.
 */
export interface CrashReports {
  /** Writes a report; never throws, because a failed report must not break the rest of the program. */
  write(crash: Crash): void
  /** Lists the reports, newest first. */
  list(): CrashReport[]
  remove(): void
}

interface CrashReportDeps {
  dataDir: string
  version: string
  clock: Clock
  redactor: Pick<Redactor, 'text'>
}

/**
 * Describes a failure by its class and stack, without its message, which may quote the data being read. The message is
 * in the log.
 */
export function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  const code = 'code' in thrown && typeof thrown.code === 'string' ? ` (${thrown.code})` : ''
  const frames = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [`${thrown.name}${code}`, ...frames].join('\n')
}

const MOST_REPORTS = 20
const MOST_CHARACTERS = 16_000

const reportSchema = z.object({
  time: z.number(),
  process: z.string(),
  reason: z.string(),
  version: z.string(),
  detail: z.string(),
})

export function createCrashReports({ dataDir, version, clock, redactor }: CrashReportDeps): CrashReports {
  const folder = join(dataDir, 'crashes')
  /** Lists the file names of the reports, oldest first; each name begins with the time of the crash. */
  const names = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  const clean = (text: string) => withoutHome(redactor.text(text)).slice(0, MOST_CHARACTERS)

  function read(name: string): CrashReport[] {
    try {
      return [reportSchema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))]
    } catch {
      return []
    }
  }

  return {
    write({ process, reason, detail }) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        chmodSync(folder, 0o700)
        const time = clock.nowMs()
        const report: CrashReport = { time, process, reason: clean(reason), version, detail: clean(detail) }
        const name = `${new Date(time).toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.json`
        writeFileSync(join(folder, name), JSON.stringify(report, null, 2), { mode: 0o600 })
        for (const oldName of names().slice(0, -MOST_REPORTS)) rmSync(join(folder, oldName), { force: true })
      } catch {
        // The failure is already in the log.
      }
    },
    list() {
      try {
        return names().reverse().flatMap(read)
      } catch {
        return []
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Replaces the home folder, because its path often contains the user's name. */
function withoutHome(text: string, home = homedir()): string {
  return home.length > 1 ? text.replaceAll(home, '~') : text
}
