import { neverCancelled } from '#shared/lab/checkpoint.ts'
import { buildPanel, type Panel } from '#shared/lab/panel.ts'
import { type ColumnRules, columnsNamed } from '#shared/lab/panelFormula.ts'
import { type OnStage, runStudy, type StudyResult } from '#shared/lab/runStudy.ts'
import type { StudyBreakdowns } from '#shared/lab/breakdowns.ts'
import { cacheRules } from '#shared/lab/cacheRules.ts'
import { formulasOf, type Study } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { type StudyWarning, warning } from '#shared/lab/studyWarnings.ts'
import type { UniverseRows } from '#shared/lab/universe.ts'
import { type CachePanel, DatasetCache, readCachePanel } from './cachePanel.ts'
import type { CachePlan } from './cachePlan.ts'
import type { PanelFile } from './panelCheck.ts'
import { namingFile, readPanelFile } from './panelFile.ts'

/** Rows of a study: a panel file, or files of the cache. */
export type StudyRows = PanelFile | CacheRows

export interface CacheRows {
  plan: CachePlan
  universe: UniverseRows | null
}

/** A study on the rows of its source. */
export interface StudyTask {
  study: Study
  rows: StudyRows
  /** Rows of the other clock; null without a comparison. */
  against: StudyRows | null
  /** Warnings of the source that are known before its rows are read. */
  warnings?: readonly StudyWarning[]
  breakdowns?: StudyBreakdowns | null
}

/** Lists the parts of a study that name files of the cache. */
export const cachedRowsOf = ({ rows, against }: StudyTask): CacheRows[] =>
  [rows, against].flatMap((each) => (each !== null && 'plan' in each ? [each] : []))

export interface OpenedPanel {
  panel: Panel
  /** Units and resampling rules of the columns; absent where the source declares none. */
  rules?: ColumnRules
  notDownloaded?: CachePanel['notDownloaded']
}

/** Decoded columns of this thread, for the next run on the same files. */
const datasets = new DatasetCache()

/** Lists the columns that the formulas of a study name. */
export const columnsOfStudy = (study: Study): string[] => columnsNamed(formulasOf(study).map(({ formula }) => formula))

/** Reads the rows of a study with the columns that it names. */
export async function openPanel(
  study: Study,
  rows: StudyRows,
  onShare: (share: number) => void = () => undefined,
): Promise<OpenedPanel> {
  if ('plan' in rows) {
    const { panel, notDownloaded } = readCachePanel(rows.plan, rows.universe, datasets, onShare)
    return { panel, rules: cacheRules(panel, rows.plan.symbols), ...(notDownloaded.files > 0 && { notDownloaded }) }
  }
  const columns = columnsOfStudy(study)
  const read = await readPanelFile(rows, columns)
  return namingFile(rows.path, () => ({ panel: buildPanel(read, studyRange(study)) }))
}

/** Runs a study on its rows; throws a `PanelError` or a `StudyError`. */
export async function runPanelStudy(
  task: StudyTask,
  onStage: OnStage,
  checkpoint = neverCancelled,
): Promise<StudyResult> {
  const { study, rows, against, breakdowns } = task
  onStage('rows', 0)
  const share = against === null ? 1 : 0.5
  const { panel, rules, notDownloaded } = await openPanel(study, rows, (done) => onStage('rows', done * share))
  const other = against && (await openPanel(study, against, (done) => onStage('rows', share + done * share)))
  const warnings = [...(task.warnings ?? [])]
  if ('path' in rows && study.source) warnings.push(warning('source-unused'))
  if (notDownloaded ?? other?.notDownloaded) warnings.push(warning('not-downloaded'))
  return runStudy(
    {
      study,
      panel,
      checkpoint,
      against: other && other.panel,
      warnings,
      ...(rules && { rules }),
      ...(other?.rules && { againstRules: other.rules }),
      ...(notDownloaded && { notDownloaded }),
      ...(breakdowns && { breakdowns }),
    },
    onStage,
  )
}
