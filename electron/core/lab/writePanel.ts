import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import { type Panel, type PanelColumn, symbolSeries, timeAt } from '#shared/lab/panel.ts'
import { exactCsvCell } from '#shared/units/csvCell.ts'
import { behindLinks } from '#core/behindLinks.ts'
import { numberCells } from '#core/parquet/negativeZero.ts'
import { evaluateOnPanel } from '#shared/lab/panelFormula.ts'
import { formulasOf } from '#shared/lab/studyDocument.ts'
import { openWholePanel, type StudyTask } from './panelStudy.ts'

/** Rows of a panel as the study used them, by time and symbol. */
export interface PanelRows {
  times: number[]
  symbols: string[]
  columns: { name: string; values: (number | null)[] }[]
  /** Membership by row; null if the panel has no such column. */
  member: boolean[] | null
}

/** Writes the rows, the members and the values of the formulas of a study; returns the number of rows. */
export async function writePanel(task: StudyTask, outPath: string): Promise<number> {
  const { study, rows: source } = task
  const { panel, rules } = await openWholePanel(study, source)
  const formulas = formulasOf(study)
    .filter(({ field, formula }) => field !== 'price' || !panel.columns.has(formula))
    .map(({ field, formula }) => ({ name: field, matrix: evaluateOnPanel(panel, field, formula, rules) }))
  return writePanelRows(rowsOf(panel, formulas), outPath)
}

/** Writes rows as a CSV or Parquet file, whole or not at all; returns their number. */
export function writePanelRows(rows: PanelRows, outPath: string): number {
  const target = behindLinks(outPath)
  const partPath = `${target}.part`
  try {
    writeFileSync(partPath, extname(outPath).toLowerCase() === '.csv' ? csvOf(rows) : parquetOf(rows))
    renameSync(partPath, target)
  } finally {
    rmSync(partPath, { force: true })
  }
  return rows.times.length
}

/** Puts a column of longer intervals on the grid of the panel: what was known at the end of each row. */
function onGridOf(panel: Panel, column: PanelColumn): PanelColumn {
  if (!column.grids) return column
  const { symbols, times, intervalMs, firstSlot } = panel
  const values = new Float64Array(symbols.length * times)
  const valid = new Uint8Array(values.length)
  symbols.forEach((_, symbol) => {
    const aligned = alignSeries(symbolSeries(panel, column, symbol), { intervalMs, firstSlot, rows: times })
    values.set(aligned.values, symbol * times)
    if (aligned.valid) valid.set(aligned.valid, symbol * times)
    else valid.fill(1, symbol * times, (symbol + 1) * times)
  })
  return { values, valid }
}

/** Collects the cells that have a row; a formula takes the place of a column of the same name. */
function rowsOf(panel: Panel, formulas: readonly { name: string; matrix: Float64Array }[]): PanelRows {
  const width = panel.symbols.length
  const cells: { time: number; symbol: number }[] = []
  for (let cell = 0; cell < panel.hasRow.length; cell++) {
    if (panel.hasRow[cell]) cells.push({ time: Math.floor(cell / width), symbol: cell % width })
  }
  const names = new Set(formulas.map(({ name }) => name))
  const columns = [...panel.columns]
    .filter(([name]) => !names.has(name))
    .map(([name, column]) => {
      const { values, valid } = onGridOf(panel, column)
      return {
        name,
        values: cells.map(({ time, symbol }) => {
          const at = symbol * panel.times + time
          return valid[at] ? values[at] : null
        }),
      }
    })
  const computed = formulas.map(({ name, matrix }) => ({
    name,
    values: cells.map(({ time, symbol }) => {
      const value = matrix[time * width + symbol]
      return Number.isNaN(value) ? null : value
    }),
  }))
  return {
    times: cells.map(({ time }) => timeAt(panel, time)),
    symbols: cells.map(({ symbol }) => panel.symbols[symbol]),
    columns: [...columns, ...computed],
    member: panel.member && cells.map(({ time, symbol }) => panel.member?.[time * width + symbol] === 1),
  }
}

/** Texts stay exactly as they are, because programs read the file again. */
function csvOf({ times, symbols, columns, member }: PanelRows): string {
  const header = ['time', 'symbol', ...columns.map(({ name }) => name), ...(member ? ['member'] : [])]
  const lines = times.map((time, row) =>
    [
      time,
      exactCsvCell(symbols[row]),
      ...columns.map(({ values }) => exactCsvCell(values[row])),
      ...(member ? [member[row]] : []),
    ].join(','),
  )
  return [header.map(exactCsvCell).join(','), ...lines, ''].join('\n')
}

function parquetOf({ times, symbols, columns, member }: PanelRows): Uint8Array {
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'time', data: BigInt64Array.from(times, BigInt), type: 'INT64', nullable: false },
      { name: 'symbol', data: symbols, type: 'STRING', nullable: false },
      ...columns.map(({ name, values }) => ({ ...numberCells(name, values), type: 'DOUBLE' as const, nullable: true })),
      ...(member ? [{ name: 'member', data: member, type: 'BOOLEAN' as const, nullable: false }] : []),
    ],
  })
  return new Uint8Array(buffer)
}
