import { existsSync, statSync } from 'node:fs'
import { answerWork } from '#core/guard/answerWork.ts'
import {
  alongSectionOf,
  bucketTimesIn,
  type EventPaths,
  evaluateStudy,
  eventPathsOf,
  eventSectionOf,
  type PricePath,
  type PriceQuery,
  pricePathOf,
  type Section,
  sectionOf,
  type StudyMatrices,
  type SymbolRows,
  symbolRowsOf,
  type TimeCoverage,
  timeCoverageOf,
  valueSectionOf,
} from '#shared/lab/inspectPanel.ts'
import type { BucketQuery, BucketTimes } from '#shared/lab/kinds/series/bucketTimes.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { isValueColumn } from './panelHeader.ts'
import type { PanelFile } from './panelCheck.ts'
import { readPanelBatches } from './panelFile.ts'
import { type OpenedPanel, openPanel } from './panelStudy.ts'
import type { CacheRows, StudyTask } from './studyTask.ts'
import { answerOrRefusal, type StudyRefusal } from '#shared/contract/studyRefusal.ts'

/**
 * Entry of the thread or process that answers queries about the cells of a study. It keeps the last panel open, because
 * several queries on one panel are common.
 */

answerWork<InspectTask, InspectAnswer>(inspect)

/** Queries about the cells of a study, with the types of their answers. */
export interface Inspections {
  section: { query: { horizon: number; timeMs: number }; result: Section }
  paths: { query: object; result: EventPaths }
  bucket: { query: BucketQuery; result: BucketTimes }
  symbol: { query: { symbol: string; startMs: number; endMs: number }; result: SymbolRows }
  price: { query: PriceQuery; result: PricePath }
  coverage: { query: object; result: TimeCoverage }
}

type CellTask = { [Kind in keyof Inspections]: { kind: Kind; query: Inspections[Kind]['query']; task: StudyTask } }
export type InspectTask = CellTask[keyof Inspections] | { kind: 'file'; file: PanelFile }

/** Facts about a panel file, independent of any study. */
export interface PanelFileFacts {
  rows: number
  symbols: string[]
  firstTime: number | null
  lastTime: number | null
  columns: string[]
  sizeBytes: number
  changedMs: number
}

export type InspectAnswer = { result: Inspections[keyof Inspections]['result'] | PanelFileFacts } | StudyRefusal

function inspect(request: InspectTask): Promise<InspectAnswer> {
  return answerOrRefusal(async () => ({
    result: request.kind === 'file' ? await factsOf(request.file) : await answerOf(request),
  }))
}

async function answerOf(request: CellTask[keyof Inspections]) {
  if (request.task.study.kind === 'clocks') throw new StudyError('kind', 'a study of clocks keeps no cells to show.')
  const { panel, matrices } = await openEvaluated(request.task)
  const { study } = request.task
  if (request.kind === 'symbol') return symbolRowsOf(panel, matrices, request.query)
  if (request.kind === 'price') {
    if (!matrices.has('price')) throw new StudyError('kind', 'this kind of study has no price.')
    return pricePathOf(panel, matrices, request.query)
  }
  if (request.kind === 'coverage') return timeCoverageOf(panel, study, matrices)
  if (request.kind === 'section') {
    if (study.kind === 'events') return eventSectionOf(panel, study, matrices, request.query.timeMs)
    if (study.kind === 'series' || study.kind === 'spells') return alongSectionOf(panel, study, matrices, request.query)
    if (study.kind !== 'signal') return valueSectionOf(panel, matrices, request.query.timeMs)
    return sectionOf(panel, study, matrices, request.query)
  }
  if (request.kind === 'bucket') {
    if (study.kind !== 'series') throw new StudyError('kind', 'only a series has buckets of times.')
    return bucketTimesIn(panel, study, matrices, request.query)
  }
  if (study.kind !== 'events') throw new StudyError('kind', 'only an event study has paths.')
  return eventPathsOf(panel, study, matrices)
}

interface EvaluatedPanel extends OpenedPanel {
  key: string
  matrices: StudyMatrices
}

let lastPanel: EvaluatedPanel | null = null

async function openEvaluated(task: StudyTask): Promise<EvaluatedPanel> {
  const { study, rows } = task
  const key = JSON.stringify([study, 'path' in rows ? stampOf(rows.path) : stampOfCache(rows)])
  if (lastPanel?.key === key) return lastPanel
  // Closes the previous panel first, because two large ones may not fit into memory.
  lastPanel?.close()
  lastPanel = null
  const open = await openPanel(task, rows)
  try {
    lastPanel = { ...open, key, matrices: evaluateStudy(open.panel, study, open.rules) }
    return lastPanel
  } catch (error) {
    open.close()
    throw error
  }
}

/** Returns a key that changes with the cached files of a study and with the number of days of its universe. */
const stampOfCache = ({ plan, universe }: CacheRows) => [plan.datasets.map(({ key }) => key), universe?.days.length]

/** Returns a key that changes with a file; null if the file is missing, which its reader then reports. */
function stampOf(path: string) {
  if (!existsSync(path)) return null
  const { size, mtimeMs } = statSync(path)
  return [path, size, mtimeMs]
}

/** Facts of the last panel file, which are asked for again after each run. */
let lastFacts: { key: string; facts: PanelFileFacts } | null = null

async function factsOf(file: PanelFile): Promise<PanelFileFacts> {
  const key = JSON.stringify(stampOf(file.path))
  if (lastFacts?.key !== key) lastFacts = { key, facts: await readFacts(file) }
  return lastFacts.facts
}

async function readFacts(file: PanelFile): Promise<PanelFileFacts> {
  let rows = 0
  let [earliest, latest] = [Infinity, -Infinity]
  const seenCodes = new Set<number>()
  const { names, columnNames } = await readPanelBatches(file, [], ({ times, symbols }) => {
    rows += times.length
    for (const time of times) {
      if (time < earliest) earliest = time
      if (time > latest) latest = time
    }
    for (const symbol of symbols) seenCodes.add(symbol)
  })
  const { size, mtimeMs } = statSync(file.path)
  return {
    rows,
    symbols: names.filter((_, index) => seenCodes.has(index)).sort(),
    firstTime: Number.isFinite(earliest) ? earliest : null,
    lastTime: Number.isFinite(latest) ? latest : null,
    columns: columnNames.filter(isValueColumn),
    sizeBytes: size,
    changedMs: mtimeMs,
  }
}
