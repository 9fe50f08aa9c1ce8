import * as z from '../schemas/lazySchemas.ts'
import { timestampSources } from '../catalog/intervals.ts'
import { formulaCostProblem } from './documentCost.ts'
import {
  axisChoices,
  axisSides,
  distributionKinds,
  isAxisRange,
  MOST_AXIS_VALUE,
  origins,
  scaleNames,
  seriesStyles,
  shownUnits,
  transforms,
} from './chartStyle.ts'
import {
  DOCUMENT_VERSION,
  MOST_COLUMNS,
  MOST_DRAWINGS,
  MOST_LINK_CHARACTERS,
  MOST_PANES,
  MOST_SCANS,
  MOST_SERIES,
} from './workspaceLimits.ts'

const MOST_NOTES = 2000

const id = z.string().min(1).max(40)
const name = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => text.isWellFormed(), 'contains an incomplete character')
/** A time that a Date can represent. */
const timeMs = z.number().min(-8.64e15).max(8.64e15)
const rangeFields = { startMs: timeMs, endMs: timeMs }
const runsForward = ({ startMs, endMs }: { startMs: number; endMs: number }) => startMs < endMs

/** A column of one instrument's rows, independent of the connection. */
const columnSource = z.strictObject({
  kind: z.literal('column'),
  dataset: name,
  column: name,
  exchange: name,
  symbol: name,
  interval: z.string().min(1).max(20),
  timestamp: z.enum(timestampSources),
  /** Longer interval to which rows are resampled by the column's own rule; empty for no resampling. */
  resampleTo: z.string().max(20).default(''),
  /** Origin of the data: from the service, or computed here from raw events. */
  origin: z.enum(origins).default('service'),
  /** True to draw rows of an own dataset where they were known; absent to draw them at their own times. */
  asKnown: z.boolean().optional(),
  /** True for a column of an own dataset whose rows stand beside every instrument, so that labels name none. */
  everyInstrument: z.literal(true).optional(),
})
/** An instrument with the interval and clock of its rows. */
const instrument = z.strictObject({
  exchange: name,
  symbol: name,
  interval: z.string().min(1).max(20),
  timestamp: z.enum(timestampSources),
})
const formulaSource = z.strictObject({
  kind: z.literal('formula'),
  formula: z.string().max(10_000),
  /** Instrument whose columns the formula names as `dataset.column`; absent if it names only series of the workspace. */
  on: instrument.optional(),
})

/** Values that an axis can show. */
const axisValue = z.number().min(-MOST_AXIS_VALUE).max(MOST_AXIS_VALUE)
/** Unit of an axis; bounds and drawings are ignored while the axis shows another unit. */
const axisUnit = z.string().max(300)

/** What the area between a line and this is filled to: 0, a level of its axis, or another series on its axis. */
const fill = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('zero') }),
  z.strictObject({ to: z.literal('level'), value: axisValue, unit: axisUnit }),
  z.strictObject({ to: z.literal('series'), series: id }),
])

const entry = z.strictObject({
  id,
  /** Name in formulas: `a`, `b` … */
  name: z.string().regex(/^[a-z][a-z0-9_]{0,19}$/, 'must be a short name of letters and digits'),
  /** Custom label; empty for the label of the source. */
  label: z.string().max(200).default(''),
  source: z.discriminatedUnion('kind', [columnSource, formulaSource]),
  style: z.enum(seriesStyles).default('line'),
  axis: z.enum(axisChoices).default('auto'),
  transform: z.enum(transforms).default('none'),
  /** Index in the series palette. */
  colour: z.int().min(0).max(1000).default(0),
  hidden: z.boolean().default(false),
  /** Display unit, if it differs from the series' own. */
  unit: z.enum(shownUnits).optional(),
  fill: fill.optional(),
})

const lockedAxis = z
  .strictObject({ low: axisValue, high: axisValue, unit: axisUnit })
  .refine(isAxisRange, 'ends at or below its start')

const pane = z.strictObject({
  id,
  title: z.string().max(200).default(''),
  scale: z.enum(scaleNames).default('linear'),
  series: z.array(entry).max(MOST_SERIES),
  /** Bounds of axes that the user locked. */
  locked: z.strictObject({ left: lockedAxis.optional(), right: lockedAxis.optional() }).optional(),
  /** True if axes span the 1st to the 99th percentile of the drawn values. */
  robust: z.boolean().optional(),
  /** What the pane shows of the values in view; absent for their lines. */
  distribution: z.enum(distributionKinds).optional(),
  /** True while the pane is shown in its own window. */
  apart: z.boolean().optional(),
})

const drawingFields = { id, paneId: id, label: z.string().max(200).default('') }
const side = z.enum(axisSides)

/** A drawing on a pane: a level of an axis, a straight line between two points, or a range of time. */
const drawing = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('level'), ...drawingFields, side, unit: axisUnit, value: axisValue }),
  z
    .strictObject({
      kind: z.literal('line'),
      ...drawingFields,
      side,
      unit: axisUnit,
      ...rangeFields,
      startValue: axisValue,
      endValue: axisValue,
    })
    .refine(runsForward, 'ends before it begins'),
  z
    .strictObject({ kind: z.literal('range'), ...drawingFields, ...rangeFields })
    .refine(runsForward, 'ends before it begins'),
])

/** Source of the background shading: states of a risk regime or overlay of the portfolio service. */
const shading = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('regime'), overlay: name }),
  z.strictObject({ kind: z.literal('overlay'), portfolio: name, overlay: name }),
])

/** Maximum number of formula columns in a scan. */
const MOST_SCAN_FORMULAS = 8

/** A comparison of all symbols of a venue, as entered in its form. */
const savedScan = z.strictObject({
  name: z.string().min(1).max(100),
  dataset: name,
  column: name,
  exchange: name,
  interval: z.string().min(1).max(20),
  timestamp: z.enum(timestampSources),
  origin: z.enum(origins).default('service'),
  way: z.enum(['moment', 'mean']).default('moment'),
  formulas: z
    .array(z.strictObject({ name: z.string().min(1).max(100), formula: z.string().min(1).max(2000) }))
    .max(MOST_SCAN_FORMULAS)
    .default([]),
})
export type SavedScan = z.output<typeof savedScan>

export const workspaceDocument = z.strictObject({
  version: z.literal(DOCUMENT_VERSION),
  /** Visible range; null for all data. */
  range: z.strictObject(rangeFields).refine(runsForward, 'ends before it begins').nullable().default(null),
  panes: z.array(pane).max(MOST_PANES).default([]),
  /** Number of pane columns; absent for one. */
  columns: z.int().min(1).max(MOST_COLUMNS).optional(),
  shading: shading.nullable().default(null),
  /** Saved scans; absent for none. */
  scans: z.array(savedScan).max(MOST_SCANS).optional(),
  /** Time zone of axes, tables and exports; null for the zone of the settings. */
  zone: z.enum(['utc', 'local']).nullable().default(null),
  notes: z
    .array(z.strictObject({ id, timeMs, text: z.string().max(2000) }))
    .max(MOST_NOTES)
    .default([]),
  measures: z
    .array(z.strictObject({ id, paneId: id, ...rangeFields }).refine(runsForward, 'ends before it begins'))
    .max(MOST_NOTES)
    .default([]),
  drawings: z.array(drawing).max(MOST_DRAWINGS).optional(),
  /** Link that a quick look was opened from; absent in a workspace that the user created or kept. */
  quickLook: z.string().min(1).max(MOST_LINK_CHARACTERS).optional(),
})

export type WorkspaceDocument = z.output<typeof workspaceDocument>
/** A document without its range in view. */
export type WorkspaceContent = Omit<WorkspaceDocument, 'range'>
export type WorkspacePane = WorkspaceDocument['panes'][number]
export type SeriesEntry = WorkspacePane['series'][number]
export type SeriesSource = SeriesEntry['source']
export type Fill = z.output<typeof fill>
export type FormulaInstrument = z.output<typeof instrument>
export type ColumnSource = Extract<SeriesSource, { kind: 'column' }>
export type Drawing = z.output<typeof drawing>
/** A drawing without its id. */
export type NewDrawing = Drawing extends infer Each ? (Each extends Drawing ? Omit<Each, 'id'> : never) : never
export type Shading = NonNullable<WorkspaceDocument['shading']>

/** Parses a document, or explains why it is invalid. */
export function readDocument(value: unknown): { document: WorkspaceDocument } | { problem: string } {
  const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined
  if (typeof version === 'number' && version > DOCUMENT_VERSION)
    return { problem: 'It was written by a newer version of Perpscope; update Perpscope to open it.' }
  const parsed = workspaceDocument.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `${issue.path.join('.') || 'The document'}: ${issue.message}` }
  }
  const problem = documentProblem(parsed.data)
  return problem === null ? { document: parsed.data } : { problem }
}

/**
 * Explains why a valid document cannot be opened; null if it can. Ids and names have to be unique, because edits could
 * otherwise change the wrong series.
 */
function documentProblem(document: WorkspaceDocument): string | null {
  const series = document.panes.flatMap((each) => each.series)
  const kinds = [
    ['pane id', document.panes.map((each) => each.id)],
    ['series id', series.map((each) => each.id)],
    ['series name', series.map((each) => each.name)],
    ['name of a scan', (document.scans ?? []).map((each) => each.name)],
    ['drawing id', (document.drawings ?? []).map((each) => each.id)],
  ] as const
  for (const [kind, all] of kinds) if (new Set(all).size < all.length) return `The same ${kind} occurs twice`
  return formulaCostProblem(
    series.map(({ name: called, source }) => ({
      name: called,
      formula: source.kind === 'formula' ? source.formula : null,
    })),
  )
}

/**
 * Schema of a workspace inside another document, such as a board or report, with the same checks as for a stored
 * workspace.
 */
export const openableWorkspace = workspaceDocument.refine((document) => documentProblem(document) === null, {
  error: ({ input }) => documentProblem(input as WorkspaceDocument) ?? '',
})
