import { crossSectionCalls } from './panelFormula.ts'
import { gibText, MOST_MEMORY_BYTES, MOST_IN_MEMORY_BYTES, PanelError, type PanelSize, studyBytes } from './panel.ts'
import { formulasOf, kindFacts, type Study } from './kinds.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { plainPlural } from '#shared/units/plurals.ts'

type CellCounts = Omit<PanelSize, 'intervalMs'>

/** Number of cells of a matrix that a block-wise study keeps in memory. */
export const FILE_BLOCK_CELLS = 2 ** 21
/**
 * Memory of a block-wise study that does not grow with its size: code, the cells of a block and the values of some
 * symbols.
 */
const BASE_BYTES = 256 * 2 ** 20
/** Number of series per symbol that a formula needs at a time, besides those of its columns. */
const SERIES_PER_FORMULA = 8
const BYTES_PER_VALUE = 9
/** Estimates the memory of a study whose cells are kept in a file, in bytes. */
function blockBytes(study: Study, { timeCount, symbolCount, columnCount }: CellCounts): number {
  const symbolBytes = BYTES_PER_VALUE * timeCount * (columnCount + SERIES_PER_FORMULA)
  return BASE_BYTES + symbolBytes + (kindFacts(study.kind).ownBytes?.(study, timeCount, symbolCount) ?? 0)
}

/** Estimates the memory that the next run of a study takes, in bytes. */
export function neededBytes(study: Study, size: CellCounts): number {
  const inMemoryBytes = studyBytes(size.timeCount * size.symbolCount, size.columnCount)
  return inMemoryBytes <= MOST_IN_MEMORY_BYTES ? inMemoryBytes : blockBytes(study, size)
}

/** Estimates the disk space that a study's cells take during a run, in bytes; 0 if they fit into memory. */
export function neededDiskBytes(study: Study, { timeCount, symbolCount, columnCount }: CellCounts): number {
  const cells = timeCount * symbolCount
  if (studyBytes(cells, columnCount) <= MOST_IN_MEMORY_BYTES) return 0
  const formulas = formulasOf(study)
  const crossSectionCallCount = Math.max(...formulas.map(({ formula }) => crossSectionCalls(formula)))
  return cells * (1 + 8 * (formulas.length + crossSectionCallCount + (crossSectionCallCount > 0 ? 1 : 0)))
}

/** Throws a `PanelError` if a study needs more memory than the limit even block by block; the message says how much. */
export function refuseLargeStudy(study: Study, size: PanelSize): void {
  const bytes = neededBytes(study, size)
  if (bytes <= MOST_MEMORY_BYTES) return
  const days = Math.round((size.timeCount * size.intervalMs) / MS_PER_DAY)
  throw new PanelError(
    `${plainPlural(size.symbolCount, 'symbol')} × ${plainPlural(size.timeCount, 'interval')} over ${plainPlural(days, 'day')} need about ${gibText(bytes)} of memory; a study may take ${gibText(MOST_MEMORY_BYTES)}. Narrow start and end, name fewer symbols or horizons, or choose a longer interval.`,
  )
}
