import * as z from '../../schemas/lazySchemas.ts'
import { ownDataTexts as texts } from '../fieldTexts.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'

export const MOST_OWN_BYTES = 2 * 2 ** 30
/** Rows of a file that are shown before it is added. */
export const PREVIEW_ROWS = 200

const name = z.string().min(1).max(100).describe(texts.name)
const column = z.string().min(1).max(300)
const duration = z.string().min(1).max(20)

/** How the files of an own dataset are read; whatever is absent is guessed. */
const choices = {
  time: column.optional().describe(texts.time),
  symbol: column.optional().describe(texts.symbol),
  exchange: column.optional().describe(texts.exchange),
  interval: duration.optional().describe(texts.interval),
  events: z.boolean().default(false).describe(texts.events),
  knownAfter: duration.default('0d').describe(texts.knownAfter),
  units: z.record(column, z.string().max(100)).default({}).describe(texts.unit),
  label: column.optional().describe(texts.label),
  columns: z.array(column).min(1).max(4096).optional().describe(texts.columns),
}

/** How an own dataset is made, without its rows: a document that a folder keeps. */
export const ownRecipe = z.strictObject({
  version: z.literal(1),
  /** None if the rows came from standard input or a page, which cannot be read again. */
  paths: z.array(z.string().min(1).max(4096)).max(10_000),
  ...choices,
})

/** Received files by id, or paths of this machine, which only the command line and the desktop may name. */
const files = {
  files: z.array(z.string().min(1).max(100)).max(10_000).default([]),
  paths: z.array(z.string().min(1).max(4096)).max(10_000).default([]),
}

/** One's own dataset as programs see it. */
export interface OwnDatasetFacts {
  version: 1
  name: string
  /** Its name in formulas and pickers. */
  dataset: string
  kind: 'regular' | 'events'
  /** Interval of the rows; null of events. */
  interval: string | null
  time: { column: string; unit: 'instant' | 's' | 'ms' | 'us' }
  symbol: { column: string } | { value: string } | null
  exchange: { column: string } | { value: string } | null
  knownAfter: string
  columns: { name: string; unit: string | null }[]
  label: string | null
  rows: number
  duplicates: number
  firstTime: string | null
  lastTime: string | null
  /** Symbols that no service offers and no cached file has. */
  unknownSymbols: string[]
  leftOut: string[]
  files: { path: string; bytes: number; sha256: string }[]
  /** What refers to the dataset. */
  references: string[]
  /** True where the documents folder brought another recipe, which the next refresh follows. */
  newRecipe?: true
}

/** What a file would become, before it is added. */
export interface OwnDataPreview {
  /** Names of all columns. */
  names: string[]
  /** The first rows as they are written; empty where the file is Parquet and cannot be shown. */
  head: Frame
  /** What was found with these choices; null where the files cannot be added, for the reason in `problem`. */
  facts: Omit<OwnDatasetFacts, 'references'> | null
  problem: string | null
  /** What is told about columns, rows and symbols. */
  notes: string[]
  /** When a row will be known, in a sentence. */
  known: string | null
}

export const dataCalls = {
  /** Lists one's own datasets by name. */
  'data.list': call(z.strictObject({}), {
    label: 'Own datasets',
    help: 'Lists the datasets that were made from files of one’s own.',
    route: 'GET /v1/data',
    source: 'files of one’s own',
  })<Omit<OwnDatasetFacts, 'files'>[]>(),
  'data.show': call(z.strictObject({ name }), {
    label: 'Own dataset',
    help: 'Shows one dataset of one’s own: its columns, units and files, when its rows are known, and what refers to it.',
    route: 'GET /v1/data/{name}',
    example: { name: 'flows' },
    source: 'files of one’s own',
  })<OwnDatasetFacts>(),
  /** Makes a dataset of files, completely or not at all. */
  'data.add': call(
    z.strictObject({
      name,
      ...files,
      ...choices,
      /** True for files that will be gone, such as what came from standard input, so that they cannot be read again. */
      once: z.boolean().default(false),
    }),
  )<{ added: OwnDatasetFacts; notes: string[] }>(),
  /** Reads files as `data.add` would, and keeps nothing. */
  'data.preview': call(z.strictObject({ name: z.string().max(100), ...files, ...choices }))<OwnDataPreview>(),
  /** Reads the files of a dataset again, or those at other paths from now on. */
  'data.refresh': call(z.strictObject({ name, paths: files.paths }))<{
    name: string
    /** Files and folders that were read. */
    paths: readonly string[]
    added: number
    changed: number
    removed: number
  }>(),
  /** Reads rows of all instruments by their labels; more come from `nextMs` on. */
  'data.rows': call(
    z.strictObject({
      name,
      columns: z.array(column).max(4096).default([]),
      startMs: z.number(),
      endMs: z.number(),
      limitRows: z.int().min(1).max(1_000_000).default(200_000),
    }),
  )<{ rows: Frame; nextMs: number | null }>(),
  'data.remove': call(z.strictObject({ name }))<null>(),
}
