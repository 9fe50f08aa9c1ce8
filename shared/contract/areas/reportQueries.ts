import { fundingBases } from '../../funding/fundingPeriods.ts'
import * as z from '../../schemas/lazySchemas.ts'
import { openableWorkspace } from '../../workspace/workspaceSchema.ts'
import { planFields } from './book.ts'

export const reportName = z.string().min(1).max(300)
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
/**
 * A file next to the report. The path is relative, because another user's report must not name a path on this machine.
 */
const relativePath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?![/\\])(?![a-z]:)[^\0\\]+$/i, 'must be a relative path')
const instant = z.number().min(-8.64e15).max(8.64e15)

export const tearSheetQuery = z.strictObject({
  kind: z.literal('tearsheet'),
  portfolio: reportName.nullable(),
  smoothing: reportName.nullable(),
  exchange: reportName.nullable(),
  benchmark: reportName.nullable(),
  riskFree: z.number().gt(-1).max(10),
  rolling: z.int().min(2).max(10_000).nullable(),
  start: day.nullable(),
  end: day.nullable(),
  returns: z
    .strictObject({
      file: relativePath,
      unit: z.enum(['percent', 'fraction']).nullable(),
      cost: z.string().max(40).nullable(),
    })
    .nullable(),
})

export const workbench = z.strictObject({
  kind: z.literal('workbench'),
  name: z.string().max(300),
  document: openableWorkspace,
  startMs: instant,
  endMs: instant,
})

export const study = z.strictObject({
  kind: z.literal('study'),
  document: z.unknown(),
  panel: relativePath.nullable(),
  against: relativePath.nullable(),
  funding: z
    .array(
      z.strictObject({
        symbol: z.string().max(600),
        from: z.number(),
        to: z.number(),
        every: z.string().max(40).nullable(),
        basis: z.enum(fundingBases).nullable(),
        offset: z.string().max(40).optional(),
        ratePer: z.string().max(40).optional(),
      }),
    )
    .max(1_000_000)
    .optional(),
})

export const plan = z.strictObject({ kind: z.literal('plan'), ...planFields })

export const calibration = z.strictObject({ kind: z.literal('calibration') })

export const chartKinds = ['line', 'bar', 'scatter', 'histogram', 'heat'] as const
export type SqlChartKind = (typeof chartKinds)[number]

const columnName = z.string().max(1000)

/** Kind of a chart of a result and its columns by name; empty for none. */
export const chartChoice = z.strictObject({
  kind: z.enum(chartKinds),
  x: columnName,
  y: columnName,
  /** Column that splits the rows into lines, or into the rows of a heat map. */
  split: columnName,
})
export type ChartChoice = z.output<typeof chartChoice>

export const sqlResult = z.strictObject({
  kind: z.literal('sql'),
  /** Name of the query, if it has one. */
  name: z.string().max(300).optional(),
  sql: z.string().max(1_000_000),
  parameters: z.record(z.string().max(300), z.string().max(10_000)),
  /** Chart of the result; without it, its numbers are drawn over its times. */
  chart: chartChoice.optional(),
})
