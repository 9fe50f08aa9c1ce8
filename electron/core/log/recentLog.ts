import type { Clock, Logger } from '#core/ports.ts'

interface RecentLog extends Logger {
  /** The latest warnings and errors of this run, newest last. */
  lines: readonly string[]
}

const MAX_LINES = 50

/** Forwards everything and keeps the latest warnings and errors for the diagnostics. */
export function createRecentLog(log: Logger, clock: Clock): RecentLog {
  const lines: string[] = []
  return {
    lines,
    write(level, message) {
      if (level === 'warn' || level === 'error') {
        lines.push(`${new Date(clock.nowMs()).toISOString()} ${level} ${message.split('\n', 1)[0]}`)
        if (lines.length > MAX_LINES) lines.shift()
      }
      log.write(level, message)
    },
  }
}
