import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { redactPatterns } from '#core/clients/redact.ts'
import { terminalText } from '#shared/units/terminalText.ts'
import { systemClock, type Clock, type Logger } from '#core/ports.ts'

export interface FileLogOptions {
  clock?: Clock
  /** A file that has grown to this size is put away and a new one begun. */
  maxBytes?: number
  /** Number of rotated log files that are kept. */
  kept?: number
}

/**
 * Lines in `<dataDir>/logs/perpscope.log`, shared by all processes of the folder. Never throws: a log that cannot be
 * written must not take the work down with it.
 */
export function createFileLog(
  dataDir: string,
  { clock = systemClock, maxBytes = 2_000_000, kept = 3 }: FileLogOptions = {},
): Logger {
  const path = join(dataDir, 'logs', 'perpscope.log')
  const older = (age: number) => join(dataDir, 'logs', `perpscope.${age}.log`)

  function rotate(): void {
    rmSync(older(kept), { force: true })
    for (let age = kept - 1; age >= 1; age--) {
      if (statSync(older(age), { throwIfNoEntry: false })) renameSync(older(age), older(age + 1))
    }
    renameSync(path, older(1))
  }

  return {
    write(level, message) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) rotate()
        const time = new Date(clock.nowMs()).toISOString()
        appendFileSync(path, `${time} ${process.pid} ${level} ${oneEntry(redactPatterns(message))}\n`, { mode: 0o600 })
      } catch {
        // The disk is full or the folder read-only, which others that use the folder report.
      }
    },
  }
}

/** Following lines are indented, so that no message can pass for two. */
function oneEntry(message: string): string {
  return terminalText(message.replaceAll('\t', ' ')).trimEnd().replaceAll('\n', '\n    ')
}
