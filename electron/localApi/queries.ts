import { z } from 'zod'
import { schemaOf } from '#shared/schemas/lazySchemas.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

const name = z.string().min(1).max(300)
const dayOrInstant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'is neither a day, such as 2026-08-01, nor an instant with its zone, such as 2026-08-01T12:00:00Z',
  })
  .describe('A UTC day (included), or an instant with its zone (excluded if it is the end).')

const placeAndRange = {
  exchange: name,
  symbol: name,
  interval: z.string().min(1).max(20),
  timestamp: z.enum(timestampSources).default('exchange').describe('Clock of the rows.'),
  start: dayOrInstant,
  end: dayOrInstant,
}

const MOST_ROWS = 1_000_000

export const coverageQuery = z.strictObject({
  kind: z.enum(['metrics', 'raw']).optional(),
  dataset: name.optional(),
  exchange: name.optional(),
  symbol: name.optional(),
  interval: z.string().max(20).optional(),
  timestamp: z.string().max(20).optional(),
})
export type CoverageQuery = z.infer<typeof coverageQuery>

export const seriesQuery = z.strictObject({
  dataset: name,
  ...placeAndRange,
  columns: z.array(name).max(100).optional().describe('Columns besides time (default: all).'),
  limit: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .default(100_000)
    .describe('Maximum number of rows; provenance.next says where to continue.'),
})
export type SeriesQuery = z.infer<typeof seriesQuery>

export const formulaQuery = z.strictObject({
  formula: z.string().min(1).max(10_000).describe('Names are dataset.column, such as funding.funding_rate.'),
  ...placeAndRange,
})
export type FormulaQuery = z.infer<typeof formulaQuery>

export const sqlQuery = z.strictObject({
  sql: z.string().min(1).max(500_000).describe('One SELECT over the tables of the dictionary.'),
  parameters: z
    .record(z.string().regex(/^(?:[\p{L}_][\p{L}\p{N}_]{0,99}|\d{1,4})$/u), z.string().max(10_000))
    .default({})
    .describe('Values of the parameters ($name), as text.'),
  limit: z.int().min(0).max(MOST_ROWS).default(100_000),
})
export type SqlApiQuery = z.infer<typeof sqlQuery>

const FIRST_MS = Date.UTC(1900, 0)
const LAST_MS = Date.UTC(2200, 0)

/** Parses a range; an end that is a day is included, an end that is an instant is not. */
export function timeRange(start: string, end: string): TimeRange {
  const startMs = parseDay(start) ?? Date.parse(start)
  const endDayMs = parseDay(end)
  const endMs = endDayMs === null ? Date.parse(end) : endDayMs + MS_PER_DAY
  if (!(endMs > startMs)) throw new AppError('bad-input', 'The range ends before it begins.')
  if (startMs < FIRST_MS || endMs > LAST_MS)
    throw new AppError('bad-input', 'The range is outside the years 1900 to 2200.')
  return { startMs, endMs }
}

/** Describes an input as JSON Schema; formats are named without their long patterns. */
export function jsonSchemaOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(schemaOf(input), {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return schema
}
