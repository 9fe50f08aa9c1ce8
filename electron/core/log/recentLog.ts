import type { Clock, Logger } from '#core/ports.ts'

export interface RecentLog extends Logger {
  /** The latest warnings and errors of this run, newest last. */
  troubles: readonly string[]
}

const MAX_LINES = 50

/** Forwards everything and keeps the latest warnings and errors for the diagnostics. */
export function createRecentLog(log: Logger, clock: Clock): RecentLog {
  const troubles: string[] = []
  return {
    troubles,
    write(level, message) {
      if (level === 'warn' || level === 'error') {
        troubles.push(`${new Date(clock.nowMs()).toISOString()} ${level} ${message.split('\n', 1)[0]}`)
        if (troubles.length > MAX_LINES) troubles.shift()
      }
      log.write(level, message)
    },
  }
}
