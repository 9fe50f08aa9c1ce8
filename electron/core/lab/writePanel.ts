import { alignSeries } from '#shared/formula/alignSeries.ts'
import { type Checkpoint, noCheckpoint } from '#shared/lab/checkpoint.ts'
import { type PanelSize, timeAt } from '#shared/lab/panel.ts'
import { type ColumnRules, evaluateField, type FieldFormula } from '#shared/lab/panelFormula.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { valueFormulasOf } from '#shared/lab/kinds.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import type { PortfolioInput } from '#shared/lab/portfolio/runPortfolio.ts'
import type { OnStage } from '#shared/lab/studyInput.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { neededDiskBytes } from '#shared/lab/studyMemory.ts'
import { type StudyMatrix, type StudyPanel, type TimeBlock, timeBlocks, memoryPanel } from '#shared/lab/studyPanel.ts'
import { type PanelRows, writePanelRows } from './panelRows.ts'
import { type OpenedPanel, openPanel } from './panelStudy.ts'
import { planSize, type StudyTask } from './studyTask.ts'
import { refuseWithoutRoom } from './spill.ts'

/** Number of rows that are encoded together: one row group of the Parquet file. */
const ROWS_PER_PART = 2 ** 17

interface PanelValues {
  name: string
  values: StudyMatrix
}

/**
 * Writes the rows, the members and the formula values of a study, by time and symbol; returns the number of rows.
 * Cells that do not fit into memory go through a temporary file.
 */
export async function writePanel(
  task: StudyTask,
  outPath: string,
  onStage: OnStage = () => undefined,
  checkpoint = noCheckpoint,
): Promise<number> {
  const { rows } = task
  if (task.study.kind === 'clocks') throw new StudyError('kind', 'a study of clocks has no panel to write.')
  if ('plan' in rows) refuseWithoutColumnRoom(task, planSize(rows.plan))
  const onShare = (share: number) => onStage('rows', share)
  onShare(0)
  const opened = await openPanel(task, rows, { checkpoint, onShare })
  try {
    const { panel } = opened
    if (!('plan' in rows)) refuseWithoutColumnRoom(task, sizeOf(panel))
    onStage('formulas', 0)
    return await writeValues(opened, valueFormulasOf(task.study), outPath, { onStage, checkpoint })
  } finally {
    opened.close()
  }
}

/**
 * Writes the rows, the members and the signal of a tested portfolio; returns the number of rows. The signal is left out
 * for a grid, and if it is a mere number.
 */
export function writeTestPanel(
  { signal, price, parameters }: PortfolioStudy,
  { panel, rules }: Pick<PortfolioInput, 'panel' | 'rules'>,
  outPath: string,
): Promise<number> {
  const formulas = [
    { field: 'price', formula: price },
    ...(parameters || columnsNamed([signal]).length === 0 ? [] : [{ field: 'signal', formula: signal }]),
  ]
  const context = { onStage: () => undefined, checkpoint: noCheckpoint }
  return writeValues({ panel: memoryPanel(panel), ...(rules && { rules }) }, formulas, outPath, context)
}

/** Writes the rows of a panel with the values of formulas; returns the number of rows. */
function writeValues(
  { panel, rules }: Pick<OpenedPanel, 'panel' | 'rules'>,
  formulas: readonly FieldFormula[],
  outPath: string,
  context: PartsContext,
): Promise<number> {
  const values = valuesOf(panel, formulas, rules, context.checkpoint)
  const shape = { columns: values.map(({ name }) => name), hasMember: panel.member !== null }
  return writePanelRows(shape, partsOf(panel, values, context), outPath)
}

const sizeOf = ({ timeCount, symbols, seriesNames, intervalMs }: StudyPanel): PanelSize => ({
  timeCount,
  symbolCount: symbols.length,
  columnCount: seriesNames.length,
  intervalMs,
})

/** Throws a `PanelError` if the disk has no room for the cells of a study and its columns. */
function refuseWithoutColumnRoom({ study, scratchFolder }: StudyTask, size: PanelSize): void {
  const bytes = neededDiskBytes(study, size)
  const columnBytes = Float64Array.BYTES_PER_ELEMENT * size.columnCount * size.timeCount * size.symbolCount
  refuseWithoutRoom(scratchFolder, bytes === 0 ? 0 : bytes + columnBytes)
}

/** Finds the values to write; a formula replaces a column of the same name. */
function valuesOf(
  panel: StudyPanel,
  fieldFormulas: readonly FieldFormula[],
  rules: ColumnRules | undefined,
  checkpoint: Checkpoint,
): PanelValues[] {
  const formulas = fieldFormulas
    .filter(({ field, formula }) => field !== 'price' || !panel.seriesNames.includes(formula))
    .map(({ field, formula }) => ({
      name: field,
      values: evaluateField(panel, { field, formula }, rules, checkpoint),
    }))
  const takenNames = new Set(formulas.map(({ name }) => name))
  const columns = panel.seriesNames.filter((name) => !takenNames.has(name))
  return [...columnValues(panel, columns, checkpoint), ...formulas]
}

/**
 * Reads columns onto the grid, symbol by symbol; a column of a longer interval has the value known at the end of each
 * row.
 */
function columnValues(panel: StudyPanel, names: readonly string[], checkpoint: Checkpoint): PanelValues[] {
  const { symbols, tileSymbols, intervalMs, firstSlot, timeCount } = panel
  const columns = names.map((name) => ({ name, values: panel.newMatrix() }))
  for (let first = 0; first < symbols.length; first += tileSymbols) {
    checkpoint()
    const tile = symbols.slice(first, first + tileSymbols)
    for (const { name, values } of columns) {
      const aligned = tile.map((_, index) =>
        alignSeries(panel.series(name, first + index)!, { intervalMs, firstSlot, rows: timeCount }),
      )
      values.writeSymbols(first, aligned)
    }
  }
  return columns
}

interface PartsContext {
  onStage: OnStage
  checkpoint: Checkpoint
}

/** Collects the cells that have a row, by time and symbol. */
function* partsOf(
  panel: StudyPanel,
  values: readonly PanelValues[],
  { onStage, checkpoint }: PartsContext,
): Generator<PanelRows> {
  const timesPerPart = Math.max(1, Math.floor(ROWS_PER_PART / panel.symbols.length))
  for (const block of timeBlocks(panel)) {
    onStage('writing', block.from / panel.timeCount)
    const cells = blockCells(panel, values, block)
    for (let { from } = block; from < block.to; from += timesPerPart) {
      checkpoint()
      const rows = rowsOf(panel, cells, { from, to: Math.min(block.to, from + timesPerPart) })
      if (rows.times.length > 0) yield rows
    }
  }
}

interface BlockCells {
  from: number
  hasRow: Uint8Array
  member: Uint8Array | null
  values: readonly Float64Array[]
}

const blockCells = (panel: StudyPanel, values: readonly PanelValues[], { from, to }: TimeBlock): BlockCells => ({
  from,
  hasRow: panel.hasRow.rows(from, to),
  member: panel.member && panel.member.rows(from, to),
  values: values.map((one) => one.values.rows(from, to)),
})

function rowsOf(panel: StudyPanel, { from, hasRow, member, values }: BlockCells, part: TimeBlock): PanelRows {
  const width = panel.symbols.length
  const cells: number[] = []
  for (let cell = (part.from - from) * width; cell < (part.to - from) * width; cell++)
    if (hasRow[cell]) cells.push(cell)
  return {
    times: cells.map((cell) => timeAt(panel, from + Math.floor(cell / width))),
    symbols: cells.map((cell) => panel.symbols[cell % width]),
    columns: values.map((column) => cells.map((cell) => column[cell])),
    member: member && cells.map((cell) => member[cell] === 1),
  }
}
