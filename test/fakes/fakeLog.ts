import type { Logger } from '#core/ports.ts'

export interface FakeLog extends Logger {
  lines: string[]
}

export function fakeLog(): FakeLog {
  const lines: string[] = []
  return { lines, write: (level, message) => void lines.push(`${level} ${message}`) }
}
