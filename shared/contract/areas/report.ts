import { z } from 'zod'
import { workspaceDocument } from '../../workspace/workspace.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import type { Saved } from './requests.ts'

const name = z.string().min(1).max(300)
const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
/** A file beside the report: a relative path, because a report of someone else names no place of this machine. */
const besidePath = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^(?![/\\])(?![a-z]:)[^\0\\]+$/i, 'must be a relative path')
const instant = z.number().min(-8.64e15).max(8.64e15)

const tearSheet = z.strictObject({
  kind: z.literal('tearsheet'),
  portfolio: name.nullable(),
  smoothing: name.nullable(),
  exchange: name.nullable(),
  benchmark: name.nullable(),
  riskFree: z.number().gt(-1).max(10),
  rolling: z.int().min(2).max(10_000).nullable(),
  start: day.nullable(),
  end: day.nullable(),
  returns: z
    .strictObject({
      file: besidePath,
      unit: z.enum(['percent', 'fraction']).nullable(),
      cost: z.string().max(40).nullable(),
    })
    .nullable(),
})

const workbench = z.strictObject({
  kind: z.literal('workbench'),
  name: z.string().max(300),
  document: workspaceDocument,
  startMs: instant,
  endMs: instant,
})

const study = z.strictObject({
  kind: z.literal('study'),
  document: z.unknown(),
  panel: besidePath.nullable(),
  against: besidePath.nullable(),
})

const sqlResult = z.strictObject({
  kind: z.literal('sql'),
  sql: z.string().max(1_000_000),
  parameters: z.record(z.string().max(300), z.string().max(10_000)),
})

export const partQuery = z.discriminatedUnion('kind', [tearSheet, workbench, study, sqlResult])

/** Checks the query of a report, which may come from a stranger's file. */
export const reportQuery = z.discriminatedUnion('kind', [
  tearSheet,
  workbench,
  study,
  sqlResult,
  z.strictObject({
    kind: z.literal('board'),
    name,
    parts: z
      .array(z.union([partQuery, z.strictObject({ kind: z.literal('text'), markdown: z.string().max(100_000) })]))
      .max(60),
  }),
])

/** Paths of a window's study are those of this machine, because its files were chosen here. */
const windowStudy = study.extend({
  panel: z.string().min(1).max(4000).nullable(),
  against: z.string().min(1).max(4000).nullable(),
})

/** A report that a window asks for; the range of a workspace is what it shows. */
const windowQuery = z.discriminatedUnion('kind', [tearSheet, workbench, windowStudy, sqlResult])

/** A saved report. */
export interface SavedReport extends Saved {
  /** Number of files that its numbers come from. */
  sources: number
}

export const reportCalls = {
  /** Computes a result anew and saves it as one HTML file with its sources; null if the person closed the dialog. */
  'report.save': call(z.strictObject({ connectionId, query: windowQuery }))<SavedReport | null>(),
}
