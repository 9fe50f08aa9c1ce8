import { dayOptionsText as text } from './text/commands.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable } from './command.ts'
import { UsageError } from './usageError.ts'

/** A range of days; both bounds are included, and each may be left out. */
export const dayOptions = {
  start: { type: 'text', value: 'DATE', description: text.options.start },
  end: { type: 'text', value: 'DATE', description: text.options.end },
} as const satisfies OptionTable

export function dayRange({ start, end }: { start?: string; end?: string }): { start?: string; end?: string } {
  for (const [name, text] of Object.entries({ start, end }))
    if (text !== undefined && parseDay(text) === null)
      throw new UsageError(`--${name} must be a day, YYYY-MM-DD, not “${text.slice(0, 60)}”.`)
  if (start && end && start > end) throw new UsageError('--start must not lie after --end.')
  return { start, end }
}
