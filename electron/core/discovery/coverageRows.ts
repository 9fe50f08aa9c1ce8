import { z } from 'zod'
import { isUsableName } from '#core/clients/redact.ts'
import type { RawCoverageRow } from '#core/store/coverageStore.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { parseDay } from '#shared/time.ts'
import { firstProblems } from './firstProblems.ts'

const calendarDay = z.string().refine((text) => parseDay(text) !== null)
const entry = z.looseObject({ first: calendarDay, last: calendarDay, days: z.int().min(0) })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Turns the nested object dataset → venue → symbol → {first, last, days} into rows. What makes no sense is left out and
 * told, the rest is used.
 */
export function coverageRows(datasets: unknown): { rows: RawCoverageRow[]; problems: string[] } {
  const rows: RawCoverageRow[] = []
  const wrong: string[] = []
  if (!isObject(datasets)) return { rows, problems: ['the document has no coverage'] }
  for (const [dataset, venues] of Object.entries(datasets)) {
    if (!isObject(venues)) wrong.push(dataset)
    else for (const [exchange, symbols] of Object.entries(venues)) readVenue(dataset, exchange, symbols)
  }

  function readVenue(dataset: string, exchange: string, symbols: unknown): void {
    if (!isObject(symbols)) return void wrong.push(`${dataset} · ${exchange}`)
    for (const [symbol, value] of Object.entries(symbols)) {
      const parsed = entry.safeParse(value)
      const isNamed = [dataset, exchange, symbol].every(isUsableName)
      if (!isNamed || !parsed.success || parsed.data.last < parsed.data.first) {
        wrong.push(`${dataset} · ${exchange} · ${symbol}`)
        continue
      }
      const { first, last, days } = parsed.data
      rows.push({ dataset, exchange, symbol, firstDay: dayNumberOf(first), lastDay: dayNumberOf(last), days })
    }
  }

  return {
    rows,
    problems: firstProblems(
      wrong.map((where) => `the coverage of ${where.toWellFormed()} makes no sense and was left out`),
    ),
  }
}
