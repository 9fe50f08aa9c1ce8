import { z } from 'zod'
import type { StudyResult } from '../../lab/runStudy.ts'
import type { StudyKind } from '../../lab/studyDocument.ts'
import { call } from '../spec.ts'

const id = z.string().min(1).max(100)
const name = z.string().trim().min(1, 'must not be empty').max(120)
const path = z.string().min(1).max(4096)

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
 * A study as the person writes it: its fields may still be wrong, because a half-typed study is kept too. Running it
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
  kind: StudyKind | null
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

/** The last result of a study, with what it was computed from. */
export interface StudyAnswer {
  result: StudyResult
  ranAt: number
  /** The document as it was run. */
  document: LabDocument
  /** Hash of the study without its name; `perpscope study show` finds the run by its first digits. */
  documentHash: string
  /** Mark of runs that the trial ledger counts. */
  isRecorded: boolean
  /** Lists of the result that hold every n-th entry only, because they are too long to draw; 1 where all are here. */
  thinnedBy: number
}

const documentInput = { document: labDocument }

export const labCalls = {
  /** The last changed first. */
  'lab.list': call(z.strictObject({}))<ListedLabStudy[]>(),
  'lab.read': call(z.strictObject({ id }))<LabStudy>(),
  /** A name that is taken gets a number: `Carry 2`. */
  'lab.create': call(z.strictObject({ name, ...documentInput }))<LabStudy>(),
  /** Refused (`conflict`) where another window saved since `revision`; without one it is written in any case. */
  'lab.save': call(z.strictObject({ id, ...documentInput, revision: z.int().optional() }))<{ revision: number }>(),
  'lab.rename': call(z.strictObject({ id, name }))<LabStudy>(),
  'lab.remove': call(z.strictObject({ id }))<null>(),
  /** Saves the study as a file that `perpscope study run` takes too; null if the person declined. */
  'lab.export': call(z.strictObject({ name, ...documentInput }))<{ name: string; path: string | null } | null>(),
  /** A received file becomes a study of its own; the file then counts as taken in. */
  'lab.import': call(z.strictObject({ file: id }))<LabStudy>(),
}
