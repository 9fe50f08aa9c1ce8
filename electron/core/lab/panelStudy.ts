import { type Checkpoint, noCheckpoint } from '#shared/lab/checkpoint.ts'
import { MOST_IN_MEMORY_BYTES, type PanelSize, studyBytes } from '#shared/lab/panel.ts'
import { type ColumnRules, columnsNamed } from '#shared/lab/panelFormula.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { type OnStage, runStudy, type StudyInput, type StudyResult } from '#shared/lab/runStudy.ts'
import type { BreakdownInput } from '#shared/lab/breakdowns.ts'
import { cacheRules } from '#shared/lab/cacheRules.ts'
import { formulasOf, type Study } from '#shared/lab/studyDocument.ts'
import { type StudyPanel, memoryPanel } from '#shared/lab/studyPanel.ts'
import { type StudyWarning, warning } from '#shared/lab/studyWarnings.ts'
import type { UniverseRows } from '#shared/lab/universe.ts'
import { openCacheBlocks } from './blockPanel.ts'
import { type CachePanel, DatasetCache, readCachePanel } from './cachePanel.ts'
import type { CachePlan } from './cachePlan.ts'
import type { PanelFile } from './panelCheck.ts'
import { openFilePanel } from './filePanel.ts'
import { SpillFile } from './spill.ts'

/** Rows of a study: a panel file, or cached files. */
export type StudyRows = PanelFile | CacheRows

export interface CacheRows {
  plan: CachePlan
  universe: UniverseRows | null
}

/** A study and the rows that it runs on. */
export interface StudyTask {
  study: Study
  rows: StudyRows
  /** Rows of the other clock; null if clocks are not compared. */
  against: StudyRows | null
  /** Warnings about the source that are known before its rows are read. */
  warnings?: readonly StudyWarning[]
  breakdowns?: BreakdownInput | null
  /** Funding periods of the symbols; null or absent if the study does not depend on them. */
  funding?: FundingRow[] | null
  /** Folder for the cells of a study that does not fit into memory. */
  scratchFolder: string
  /** Memory limit for the cells before they are moved to a file; tests make it small. */
  mostMemoryBytes?: number
}

/** Parts of a task that determine how its rows are opened. */
export type OpeningTask = Pick<StudyTask, 'study' | 'scratchFolder' | 'mostMemoryBytes'>

/** Lists the rows of a study that come from the cache. */
export const cachedRowsOf = ({ rows, against }: StudyTask): CacheRows[] =>
  [rows, against].flatMap((each) => (each !== null && 'plan' in each ? [each] : []))

export interface OpenedPanel {
  panel: StudyPanel
  /** Units and resampling rules of the columns; absent if the source declares none. */
  rules?: ColumnRules
  notDownloaded?: CachePanel['notDownloaded']
  /** Frees the disk space of the cells. */
  close(): void
}

export interface PanelOpenOptions {
  onShare?: (share: number) => void
  checkpoint?: Checkpoint
}

/** Decoded columns of this thread, kept for the next run on the same files. */
const datasetCache = new DatasetCache()

/** Lists the columns that the formulas of a study name. */
export const columnsOfStudy = (study: Study): string[] => columnsNamed(formulasOf(study).map(({ formula }) => formula))

/** Reads the rows of a study with the columns that it names; the cells of a large study stay on disk. */
export async function openPanel(
  task: OpeningTask,
  rows: StudyRows,
  options: PanelOpenOptions = {},
): Promise<OpenedPanel> {
  if ('plan' in rows) return openCache(task, rows, options)
  return openFilePanel(task.study, rows, { ...task, ...options })
}

function openCache(task: OpeningTask, { plan, universe }: CacheRows, options: PanelOpenOptions): OpenedPanel {
  const { onShare = () => undefined, checkpoint = noCheckpoint } = options
  const { timeCount, symbolCount, columnCount } = planSize(plan)
  const fitsMemory = studyBytes(timeCount * symbolCount, columnCount) <= (task.mostMemoryBytes ?? MOST_IN_MEMORY_BYTES)
  const studyRows = (panel: StudyPanel, { notDownloaded }: Pick<CachePanel, 'notDownloaded'>) => ({
    panel,
    rules: cacheRules(panel, plan.symbols),
    ...(notDownloaded.files > 0 && { notDownloaded }),
  })
  if (fitsMemory) {
    const cachePanel = readCachePanel(plan, universe, datasetCache, onShare)
    return { ...studyRows(memoryPanel(cachePanel.panel), cachePanel), close: () => undefined }
  }
  datasetCache.clear()
  const spill = new SpillFile(task.scratchFolder)
  try {
    const blocks = openCacheBlocks(plan, universe, { spill, checkpoint, onShare })
    return { ...studyRows(blocks.panel, blocks), close: () => spill.close() }
  } catch (error) {
    spill.close()
    throw error
  }
}

/** Computes the size of a plan's panel before any rows are read. */
export function planSize({ datasets, symbols, intervalMs }: CachePlan): PanelSize {
  const timeCount = Math.max(0, ...datasets.map((dataset) => (dataset.intervalMs === intervalMs ? dataset.rows : 0)))
  const columnCount = datasets.reduce((sum, dataset) => sum + dataset.columns.length, 0)
  return { timeCount, symbolCount: symbols.length, columnCount, intervalMs }
}

/** Runs a study on its rows; throws a `PanelError` or a `StudyError`. */
export async function runPanelStudy(
  task: StudyTask,
  onStage: OnStage,
  checkpoint = noCheckpoint,
  onHorizon: StudyInput['onHorizon'] = undefined,
): Promise<StudyResult> {
  const { study, rows, against, breakdowns, funding } = task
  onStage('rows', 0)
  const share = against === null ? 1 : 0.5
  using opened = new OpenPanels()
  const open = async (one: StudyRows, from: number) =>
    opened.add(await openPanel(task, one, { checkpoint, onShare: (done) => onStage('rows', from + done * share) }))
  const { panel, rules, notDownloaded } = await open(rows, 0)
  const openedAgainst = against && (await open(against, share))
  const warnings = [...(task.warnings ?? [])]
  if ('path' in rows && study.source) warnings.push(warning('source-unused'))
  if (notDownloaded ?? openedAgainst?.notDownloaded) warnings.push(warning('not-downloaded'))
  return runStudy(
    {
      study,
      panel,
      checkpoint,
      against: openedAgainst && openedAgainst.panel,
      warnings,
      ...(rules && { rules }),
      ...(openedAgainst?.rules && { againstRules: openedAgainst.rules }),
      ...(notDownloaded && { notDownloaded }),
      ...(breakdowns && { breakdowns }),
      ...(funding && { funding }),
      ...(onHorizon && { onHorizon }),
    },
    onStage,
  )
}

/** Panels that are closed however the run ends. */
class OpenPanels implements Disposable {
  readonly #panels: OpenedPanel[] = []

  add(panel: OpenedPanel): OpenedPanel {
    this.#panels.push(panel)
    return panel
  }

  [Symbol.dispose](): void {
    for (const panel of this.#panels) panel.close()
  }
}
