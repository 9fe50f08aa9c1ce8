import type { LabResult } from '#shared/lab/labResult.ts'
import * as z from '../../schemas/lazySchemas.ts'
import type { EventPaths, PricePath, Section, SymbolRows, TimeCoverage } from '../../lab/inspectPanel.ts'
import type { BucketTimes } from '../../lab/kinds/series/bucketTimes.ts'
import { smoothings } from '../../catalog/portfolioEndpoints.ts'
import { documentName as name } from '../documentName.ts'
import type { OpenedDocument } from '../documents/documentKind.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import type { DownloadRequest } from './downloads.ts'

const id = z.string().min(1).max(100)
/** Path of a file. A zero byte is refused, because the system would end the path there and open another file. */
const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'has a zero byte')

/** Maximum size of a study, in characters of JSON. */
const MOST_STUDY_CHARACTERS = 200_000

const isSmallJson = (value: unknown): boolean => {
  try {
    return JSON.stringify(value).length <= MOST_STUDY_CHARACTERS
  } catch {
    return false
  }
}

const MOST_NAME_CHARACTERS = 100

/** Accepts every name, unlike a record of zod, which drops `__proto__` without a word. */
const isRecordOfShortNames = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).every((name) => name.length <= MOST_NAME_CHARACTERS)

/** A study as the user edits it. Fields may be invalid, because half-typed studies are saved too; a run checks them. */
export const labDocument = z.strictObject({
  version: z.literal(1),
  study: z
    .custom<Record<string, unknown>>(isRecordOfShortNames, 'is not an object')
    .refine(isSmallJson, 'is too large'),
  /** Files with the rows; null if the rows come from the cache, as `study.source` says. */
  panel: z.strictObject({ path, against: path.nullable() }).nullable(),
})
export type LabDocument = z.infer<typeof labDocument>

/** The latest result of a study, and what it was computed from. */
export interface StudyAnswer {
  result: LabResult
  ranAt: number
  /** The document at the time of the run. */
  document: LabDocument
  /** Number of the trial within its study, from 1. */
  trial: number
  /** Id of the run, for `perpscope study show`. */
  runId: string
  /**
   * Fingerprint of the rows' files at the time of the run; it differs from the fingerprint in `lab.source` if the files
   * have changed since.
   */
  fingerprint: string
  /** True if the run is recorded in the ledger. */
  isRecorded: boolean
  /** Number of valid times that each entry of the coefficients represents; 1 if all are listed. */
  thinnedBy: number
}

/** A run of a study, whose answer is kept unless it had to make room. */
export interface KeptTrial {
  /** From 1. */
  trial: number
  ranAt: number
  /** The document at the time of the run. */
  document: LabDocument
  /** False if its answer was removed, because newer ones needed its room. */
  isKept: boolean
}

/** Facts about the rows that a study would use, from its panel file or from the cache. */
export interface StudySourceFacts {
  rows: number
  symbols: string[]
  /** Milliseconds since the epoch; null without rows and for rows of the cache. */
  firstTime: number | null
  lastTime: number | null
  /** Column names that a formula may use. */
  columns: string[]
  /** True if a run is fast enough to follow the user's typing. */
  isSmall: boolean
  /** Fingerprint that changes with the files. */
  fingerprint: string
}

/** Files of a study that are not cached, with the requests for `downloads.enqueue` that fetch them. */
export interface MissingStudyFiles {
  files: number
  /** Number of these files that the subscription does not include. */
  locked: number
  requests: DownloadRequest[]
}

/** Tables of a tested portfolio that can be exported: days with equity and amounts, and weights by day and symbol. */
export const testTables = ['days', 'weights'] as const
export type TestTable = (typeof testTables)[number]
/** Formats of these tables; JSON is a matrix in the shape of the portfolio service. */
export const testFormats = ['csv', 'parquet', 'json'] as const
export type TestFormat = (typeof testFormats)[number]

/** Stored series of a tested portfolio's results, as the workbench names them. */
export interface TestedSeries {
  exchange: string
  symbol: string
  interval: string
  timestamp: 'exchange'
  /** Symbols with weights, largest mean weight first; empty if there were too many weights to store. */
  weightSymbols: string[]
}

/** Trial, or trials of a grid, that the next run of a tested portfolio will add to the ledger. */
export interface TrialPreview {
  /** Number, within the family, of the first trial that the run adds. */
  first: number
  /** Number of trials that the run adds: the combinations of a grid, else 1. */
  count: number
  /** Number of combinations that an interrupted run of the grid already recorded; they are not run again. */
  recorded: number
  family: string
  familyTrials: number
  trialsOnSource: number
  trialsInLedger: number
  /**
   * Sequence number of an earlier run with the same document and holdout, or null; a repeat on the same rows adds no
   * trial.
   */
  repeats: number | null
  holdout: { fromDay: string; opened: boolean } | null
}

const documentInput = { document: labDocument }
/** Number of a trial of the study; without it, the latest. */
const trial = z.int().min(1).optional()
const timeMs = z.number().finite()

const identifier = z.string().trim().min(1).max(300)
const subjectFields = {
  /** Id of the portfolio or factor. */
  id: identifier,
  smoothing: z.enum(smoothings).optional(),
  exchange: z.string().max(300).optional(),
}
const portfolioSubject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('weights'), ...subjectFields }),
  z.strictObject({ kind: z.literal('factor'), ...subjectFields, tickers: z.array(identifier).min(1).max(2000) }),
])
/** Weights or a factor of the portfolio service, from which a panel is made. */
export type PortfolioSubject = z.infer<typeof portfolioSubject>

export const labCalls = {
  /**
   * Creates a study or test on a new panel: a portfolio’s weights or a factor, with prices and the members of a
   * universe by date. Without a network it uses cached answers.
   */
  'lab.fromPortfolio': call(
    z.strictObject({
      connectionId,
      name,
      subject: portfolioSubject,
      universe: z.strictObject({ size: z.enum(['20', '30', '40']), exchange: z.string().max(300) }).nullable(),
      kind: z.enum(['signal', 'portfolio']),
    }),
  )<OpenedDocument<LabDocument>>(),
  /** Turns a received CSV or Parquet file into the panel of a study. */
  'lab.takePanel': call(z.strictObject({ file: id }))<{ path: string }>(),
  /** Describes the rows of a study; null for a study of cached rows that a run would refuse. */
  'lab.source': call(z.strictObject(documentInput))<StudySourceFacts | null>(),
  /**
   * Counts the files that a study of cached data needs and that are not cached, with the requests that download them.
   */
  'lab.missing': call(z.strictObject(documentInput))<MissingStudyFiles>(),
  /** Returns an answer of a study without using the network or reading files; null if there is none. */
  'lab.answer': call(z.strictObject({ id, trial }))<StudyAnswer | null>(),
  /** Lists the trials of a study whose answers are kept, in the order of their numbers. */
  'lab.trials': call(z.strictObject({ id }))<KeptTrial[]>(),
  /** Runs a study and reports progress by stage. An invalid study is refused with `bad-input` and the field's name. */
  'lab.run': call(
    z.strictObject({
      id,
      ...documentInput,
      /**
       * True to open the sealed days of a tested portfolio for its whole family; the ledger records the opening before
       * any of these days is read.
       */
      openHoldout: z.boolean().default(false),
      /** True for a run that nobody asked for, while the user types; it replaces the one before if that was one too. */
      isAutomatic: z.boolean().default(false),
    }),
  )<StudyAnswer>(),
  /** Tells which trial the next run of a tested portfolio will be; null if its document is incomplete. */
  'lab.trial': call(z.strictObject(documentInput))<TrialPreview | null>(),
  /** Exports a table of a result of a tested portfolio to a file; null if the user cancelled. */
  'lab.exportTest': call(z.strictObject({ id, trial, table: z.enum(testTables), format: z.enum(testFormats) }))<{
    name: string
    path: string | null
  } | null>(),
  /** Stores daily figures and weights of a result of a tested portfolio as series; later runs replace them. */
  'lab.chartTest': call(z.strictObject({ id, trial }))<TestedSeries>(),
  /** Lists every symbol of a signal study at one time: its signal, prices, return and group, or why it is missing. */
  'lab.section': call(z.strictObject({ ...documentInput, horizon: z.int().min(1).max(10_000), timeMs }))<Section>(),
  /** Returns the paths around individual events of an event study. */
  'lab.paths': call(z.strictObject(documentInput))<EventPaths>(),
  /** Lists the times behind a bucket of a series, with the signals and the returns that follow them. */
  'lab.bucket': call(
    z.strictObject({
      ...documentInput,
      symbol: z.string().min(1).max(400),
      horizon: z.int().min(1).max(10_000),
      /** From 1 for the lowest signal; 0 for the bars without a bucket, null for all. */
      bucket: z.int().min(0).max(20).nullable(),
    }),
  )<BucketTimes>(),
  /** Returns the price of a symbol in a study, thinned: over the whole range, or over a part of it. */
  'lab.price': call(
    z.strictObject({
      ...documentInput,
      symbol: z.string().min(1).max(400),
      startMs: timeMs.optional(),
      endMs: timeMs.optional(),
    }),
  )<PricePath>(),
  /** Returns the rows of one symbol in a range, with the values of the study's formulas. */
  'lab.symbol': call(
    z.strictObject({ ...documentInput, symbol: z.string().min(1).max(400), startMs: timeMs, endMs: timeMs }),
  )<SymbolRows>(),
  /** Counts members, and those with a value of the study's first formula, at each time. */
  'lab.coverage': call(z.strictObject(documentInput))<TimeCoverage>(),
}
