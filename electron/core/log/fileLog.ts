import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { redactKnown } from '#core/clients/redact.ts'
import { terminalText } from '#shared/units/terminalText.ts'
import { systemClock, type Clock, type Logger } from '#core/ports.ts'

export interface FileLogOptions {
  clock?: Clock
  /** Size at which the log file is rotated. */
  maxBytes?: number
  /** Number of rotated log files that are kept. */
  keptFiles?: number
}

/**
 * Writes lines to `<dataDir>/logs/perpscope.log`, shared by all processes of the folder. Writing never throws, because
 * a log that cannot be written must not break the work.
 */
export function createFileLog(
  dataDir: string,
  { clock = systemClock, maxBytes = 2_000_000, keptFiles = 3 }: FileLogOptions = {},
): Logger {
  const path = join(dataDir, 'logs', 'perpscope.log')
  const rotatedPath = (age: number) => join(dataDir, 'logs', `perpscope.${age}.log`)

  function rotate(): void {
    rmSync(rotatedPath(keptFiles), { force: true })
    for (let age = keptFiles - 1; age >= 1; age--) {
      if (statSync(rotatedPath(age), { throwIfNoEntry: false })) renameSync(rotatedPath(age), rotatedPath(age + 1))
    }
    renameSync(path, rotatedPath(1))
  }

  return {
    write(level, message) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
        if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) rotate()
        const time = new Date(clock.nowMs()).toISOString()
        appendFileSync(path, `${time} ${process.pid} ${level} ${oneEntry(redactKnown(message))}\n`, { mode: 0o600 })
      } catch {
        // The disk is full or the folder read-only. Whatever else writes to the folder reports that.
      }
    },
  }
}

/** Indents all lines but the first, so that one message cannot look like two. */
function oneEntry(message: string): string {
  return terminalText(message.replaceAll('\t', ' ')).trimEnd().replaceAll('\n', '\n    ')
}
