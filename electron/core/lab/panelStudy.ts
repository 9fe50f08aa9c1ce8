import { type Checkpoint, noCheckpoint } from '#shared/lab/checkpoint.ts'
import { MOST_IN_MEMORY_BYTES, studyBytes } from '#shared/lab/panel.ts'
import type { ColumnRules } from '#shared/lab/panelFormula.ts'
import { runStudy, type StudyResult } from '#shared/lab/runStudy.ts'
import type { OnStage, StudyInput } from '#shared/lab/studyInput.ts'
import { cacheRules } from '#shared/lab/cacheRules.ts'
import type { ClockStudy } from '#shared/lab/kinds/clocks/fields.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { ScreenStudy } from '#shared/lab/kinds/screen/fields.ts'
import { scoreColumns } from '#shared/lab/kinds/screen/scoreColumns.ts'
import type { ScreenPart } from '#shared/lab/kinds/screen/screenPart.ts'
import { type StudyPanel, memoryPanel } from '#shared/lab/studyPanel.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import { openCacheBlocks } from './blockPanel.ts'
import { type CachePanel, DatasetCache, readCachePanel } from './cachePanel.ts'
import { openFilePanel } from './filePanel.ts'
import { openClocks } from './clockStudy.ts'
import { ownUnits, withOwnSeries } from './ownPanel.ts'
import { SpillFile } from './spill.ts'
import { type CacheRows, planSize, type StudyRows, type StudyTask } from './studyTask.ts'

/** Parts of a task that determine how its rows are opened. */
type OpeningTask = Pick<StudyTask, 'study' | 'scratchFolder' | 'mostMemoryBytes'>

export interface OpenedPanel {
  panel: StudyPanel
  /** Units and resampling rules of the columns; absent if the source declares none. */
  rules?: ColumnRules
  notDownloaded?: CachePanel['notDownloaded']
  /** Frees the disk space of the cells. */
  close(): void
}

interface PanelOpenOptions {
  onShare?: (share: number) => void
  checkpoint?: Checkpoint
}

/** Decoded columns of this thread, kept for the next run on the same files. */
const datasetCache = new DatasetCache()

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
  const studyRows = (rowPanel: StudyPanel, { notDownloaded }: Pick<CachePanel, 'notDownloaded'>) => {
    const panel = withOwnSeries(rowPanel, plan)
    return {
      panel,
      rules: cacheRules(panel, plan.symbols, ownUnits(plan)),
      ...(notDownloaded.files > 0 && { notDownloaded }),
    }
  }
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

/** A screen whose columns are divided among threads. */
interface DividedScreen {
  /** Part of this thread, whose columns come first. */
  own: StudyTask
  /** Waits for the parts of the other threads. */
  others(): Promise<ScreenPart[]>
}

/** Scores the columns of a screen, or of a part of it, on its opened rows. */
export const scorePart = (
  { study, columns, firstColumn }: StudyTask,
  { panel, rules }: Pick<OpenedPanel, 'panel' | 'rules'>,
  { onStage, checkpoint }: { onStage: OnStage; checkpoint: Checkpoint },
): ScreenPart =>
  scoreColumns({
    study: study as ScreenStudy,
    panel,
    input: {
      ...(rules && { rules }),
      ...(columns && { columns }),
      ...(firstColumn !== undefined && { firstColumn }),
    },
    onStage,
    checkpoint,
  })

/** How the long lists of a result are kept until they leave the thread. */
export type Packing = Pick<StudyInput, 'onHorizon' | 'numberList'>

/** Runs a study on its rows; throws a `PanelError` or a `StudyError`. */
export async function runPanelStudy(
  task: StudyTask,
  onStage: OnStage,
  checkpoint = noCheckpoint,
  packing: Packing = {},
  divided: DividedScreen | null = null,
): Promise<StudyResult> {
  const { study, columns, against, breakdowns, funding } = task
  const { rows } = divided?.own ?? task
  onStage('rows', 0)
  if (study.kind === 'clocks') return runClockStudy(task, study, onStage, checkpoint)
  const share = against === null ? 1 : 0.5
  using opened = new OpenPanels()
  const open = async (one: StudyRows, from: number) =>
    opened.add(await openPanel(task, one, { checkpoint, onShare: (done) => onStage('rows', from + done * share) }))
  const { panel, rules, notDownloaded } = await open(rows, 0)
  const openedAgainst = against && (await open(against, share))
  const warnings = [...(task.warnings ?? [])]
  if ('path' in rows && study.source) warnings.push(warning('source-unused'))
  if (notDownloaded ?? openedAgainst?.notDownloaded) warnings.push(warning('not-downloaded'))
  const screenParts = divided && [
    scorePart(divided.own, { panel, ...(rules && { rules }) }, { onStage, checkpoint }),
    ...(await divided.others()),
  ]
  return runStudy(
    {
      study,
      panel,
      checkpoint,
      against: openedAgainst && openedAgainst.panel,
      warnings,
      ...(columns && { columns }),
      ...(screenParts && { screenParts }),
      ...(rules && { rules }),
      ...(openedAgainst?.rules && { againstRules: openedAgainst.rules }),
      ...(notDownloaded && { notDownloaded }),
      ...(breakdowns && { breakdowns }),
      ...(funding && { funding }),
      ...packing,
    },
    onStage,
  )
}

/** Compares the clocks on their cached rows, reading a few columns of a symbol at a time. */
function runClockStudy(
  { rows, against, warnings = [] }: StudyTask,
  study: ClockStudy,
  onStage: OnStage,
  checkpoint: Checkpoint,
): StudyResult {
  if (against === null || !('plan' in rows && 'plan' in against))
    throw new StudyError('panel', 'is not read: the rows of both clocks stand in the cache only.')
  const onShare = (share: number) => onStage('rows', share)
  const { panel, clocks, notDownloaded } = openClocks(study, { exchange: rows, true: against }, { checkpoint, onShare })
  const isMissing = notDownloaded.files > 0
  return runStudy(
    {
      ...{ study, panel, checkpoint, clocks, against: null },
      warnings: [...warnings, ...(isMissing ? [warning('not-downloaded')] : [])],
      ...(isMissing && { notDownloaded }),
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
