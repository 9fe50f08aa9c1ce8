import * as z from '../../schemas/lazySchemas.ts'
import type { EventPaths, Section, SymbolRows, TimeCoverage } from '../../lab/inspectPanel.ts'
import type { StudyResult } from '../../lab/runStudy.ts'
import type { LabKind } from '../../lab/portfolio/portfolioStudy.ts'
import type { PortfolioResult } from '../../lab/portfolio/testResult.ts'
import { portfolioExchanges, smoothings } from '../../catalog/portfolioEndpoints.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import type { DownloadRequest } from './downloads.ts'

const id = z.string().min(1).max(100)
const name = z.string().trim().min(1, 'must not be empty').max(120)
/** Place of a file; a zero byte ends a path for the system, so that it would name another file. */
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'has a zero byte')

/** Largest study, in characters of JSON. */
const MOST_STUDY_CHARACTERS = 200_000

const isSmallJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value).length <= MOST_STUDY_CHARACTERS
  } catch {
    return false
  }
}

/**
 * A study as the user writes it: its fields may still be wrong, because a half-typed study is kept too. Running it
 * checks them.
 */
export const labDocument = z.strictObject({
  version: z.literal(1),
  study: z.record(z.string().max(100), z.unknown()).refine(isSmallJson, 'is too large'),
  /** Files with the rows; null where they come from the cache, as `study.source` says. */
  panel: z.strictObject({ path, against: path.nullable() }).nullable(),
})
export type LabDocument = z.infer<typeof labDocument>

export interface ListedLabStudy {
  id: string
  name: string
  kind: LabKind | null
  /** Milliseconds since the epoch. */
  changedAt: number
  ranAt: number | null
}

export interface LabStudy {
  id: string
  name: string
  document: LabDocument
  /** Goes up with every change: who saves says which one it began with. */
  revision: number
}

/** The result of a study or of a tested portfolio. */
export type LabResult = StudyResult | PortfolioResult

/** The last result of a study, with what it was computed from. */
export interface StudyAnswer {
  result: LabResult
  ranAt: number
  /** The document as it was run. */
  document: LabDocument
  /** Id of the run, for `perpscope study show`. */
  runId: string
  /** Text of the rows' files when it ran; it differs from `lab.source` where they changed since. */
  fingerprint: string
  /** Mark of runs that the trial ledger counts. */
  isRecorded: boolean
  /** Number of entries that one entry of the long lists stands for; 1 where all are here. */
  thinnedBy: number
}

/** Rows of a panel file that a study would run on. */
export interface StudySourceFacts {
  rows: number
  symbols: string[]
  /** Milliseconds since the epoch; null without rows. */
  firstTime: number | null
  lastTime: number | null
  /** Names that a formula may use. */
  columns: string[]
  /** True if a run takes so little time that the answer follows the input. */
  isSmall: boolean
  /** Text that changes with the files. */
  fingerprint: string
}

/** Files of a study that are not here; the requests are those of `downloads.enqueue`. */
export interface MissingStudyFiles {
  files: number
  /** Number of these files that the subscription does not include. */
  locked: number
  requests: DownloadRequest[]
}

/** Tables of a tested portfolio that are written to files: days with equity and amounts, and weights by day and symbol. */
export const testTables = ['days', 'weights'] as const
export type TestTable = (typeof testTables)[number]
/** Forms of these tables; JSON is a matrix such as the portfolio service answers. */
export const testFormats = ['csv', 'parquet', 'json'] as const
export type TestFormat = (typeof testFormats)[number]

/** Series that the results of a tested portfolio are stored under, as the workbench names them. */
export interface TestedSeries {
  exchange: string
  symbol: string
  interval: string
  timestamp: 'exchange'
  /** Symbols with weights, those with the largest mean weight first; empty where the weights were too many to keep. */
  weights: string[]
}

/** Place in the ledger that the next run of a tested portfolio will have. */
export interface TrialPreview {
  /** Number of the trial in its family; of a grid, that of its first combination. */
  first: number
  /** Number of trials that the run makes: the combinations of a grid, else 1. */
  count: number
  /** Combinations of the same grid that an interrupted run has recorded; they are not run again. */
  recorded: number
  family: string
  familyTrials: number
  trialsOnSource: number
  trialsInLedger: number
  /** Sequence of an earlier run of the same document and seal; the same rows then make no new trial. */
  repeats: number | null
  holdout: { fromDay: string; opened: boolean } | null
}

const documentInput = { document: labDocument }
const timeMs = z.number().finite()

const ticker = z.string().trim().min(1).max(300)
const subjectFields = {
  /** The portfolio or the factor. */
  id: ticker,
  smoothing: z.enum(smoothings).optional(),
  exchange: z.enum(portfolioExchanges).optional(),
}
const portfolioSubject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('weights'), ...subjectFields }),
  z.strictObject({ kind: z.literal('factor'), ...subjectFields, tickers: z.array(ticker).min(1).max(2000) }),
])
/** Weights or a factor of the portfolio service, which a panel is made of. */
export type PortfolioSubject = z.infer<typeof portfolioSubject>

export const labCalls = {
  /** Lists the studies, last changed first. */
  'lab.list': call(z.strictObject({}))<ListedLabStudy[]>(),
  'lab.read': call(z.strictObject({ id }))<LabStudy>(),
  /** A name that is taken gets a number: `Carry 2`. */
  'lab.create': call(z.strictObject({ name, ...documentInput }))<LabStudy>(),
  /** Refused (`conflict`) where another window saved since `revision`; without one it is written in any case. */
  'lab.save': call(z.strictObject({ id, ...documentInput, revision: z.int().optional() }))<{ revision: number }>(),
  /**
   * Writes a panel of a portfolio’s weights or a factor, with prices and the members of a universe by date, and creates a
   * study or test on it. Without a network it takes what is cached.
   */
  'lab.fromPortfolio': call(
    z.strictObject({
      connectionId,
      name,
      subject: portfolioSubject,
      universe: z.strictObject({ size: z.enum(['20', '30', '40']), exchange: z.enum(portfolioExchanges) }).nullable(),
      kind: z.enum(['signal', 'portfolio']),
    }),
  )<LabStudy>(),
  'lab.rename': call(z.strictObject({ id, name }))<LabStudy>(),
  'lab.remove': call(z.strictObject({ id }))<null>(),
  /** Saves the study as a file that `perpscope study run` takes too; null if the user declined. */
  'lab.export': call(z.strictObject({ name, ...documentInput }))<{ name: string; path: string | null } | null>(),
  /** A received file becomes a study of its own; the file then counts as imported. */
  'lab.import': call(z.strictObject({ file: id }))<LabStudy>(),
  /** Turns a received CSV or Parquet file into the panel of a study. */
  'lab.takePanel': call(z.strictObject({ file: id }))<{ path: string }>(),
  /** Finds what the rows of a study are; null where nothing is known before the run. */
  'lab.source': call(z.strictObject(documentInput))<StudySourceFacts | null>(),
  /** Counts the files that a study of the cache would read and that are not here, with the requests that download them. */
  'lab.missing': call(z.strictObject(documentInput))<MissingStudyFiles>(),
  /** The last answer of a study, which needs neither network nor files; null if it never ran. */
  'lab.answer': call(z.strictObject({ id }))<StudyAnswer | null>(),
  /** Runs a study with progress by stage. A bad study is refused with `bad-input` and the name of the field. */
  'lab.run': call(
    z.strictObject({
      id,
      ...documentInput,
      /** Opens the sealed days of a tested portfolio for its whole family, which the ledger records before anything is read. */
      openHoldout: z.boolean().default(false),
    }),
  )<StudyAnswer>(),
  /** Tells which trial the next run of a tested portfolio will be; null where its document is not complete yet. */
  'lab.trial': call(z.strictObject(documentInput))<TrialPreview | null>(),
  /** Writes a table of the last result of a tested portfolio to a file; null if the user declined. */
  'lab.exportTest': call(z.strictObject({ id, table: z.enum(testTables), format: z.enum(testFormats) }))<{
    name: string
    path: string | null
  } | null>(),
  /** Stores days and weights of the last result of a tested portfolio as series; later runs of the test replace them. */
  'lab.chartTest': call(z.strictObject({ id }))<TestedSeries>(),
  /** Lists every symbol at one time of a signal study: its signal, prices, return and group, or why it is missing. */
  'lab.section': call(z.strictObject({ ...documentInput, horizon: z.int().min(1).max(10_000), timeMs }))<Section>(),
  /** Single paths around the events of an event study. */
  'lab.paths': call(z.strictObject(documentInput))<EventPaths>(),
  /** The rows of one symbol in a range, with the values of the study's formulas. */
  'lab.symbol': call(
    z.strictObject({ ...documentInput, symbol: z.string().min(1).max(400), startMs: timeMs, endMs: timeMs }),
  )<SymbolRows>(),
  /** Members and present values of the study's first formula by time. */
  'lab.coverage': call(z.strictObject(documentInput))<TimeCoverage>(),
}
