import { usageText } from './text/messages.ts'
import { dayOptionsText as text } from './text/commands.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable } from './command.ts'
import { UsageError } from './usageError.ts'

/** Options of a range of days with optional bounds, both included. */
export const dayOptions = {
  start: { type: 'text', value: 'DATE', description: text.options.start },
  end: { type: 'text', value: 'DATE', description: text.options.end },
} as const satisfies OptionTable

export function dayRange({ start, end }: { start?: string; end?: string }): { start?: string; end?: string } {
  for (const [name, text] of Object.entries({ start, end }))
    if (text !== undefined && parseDay(text) === null) throw new UsageError(usageText.notDay(name, text))
  if (start && end && start > end) throw new UsageError(usageText.endBeforeStart)
  return { start, end }
}
