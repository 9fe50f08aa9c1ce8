import { reasonName } from '#shared/lab/kinds/sections.ts'
import type { TableColumn } from '#shared/sheet/columns.ts'
import { type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import type { Section, SymbolRows } from '#shared/lab/inspectPanel.ts'
import type { BucketTimes } from '#shared/lab/kinds/series/bucketTimes.ts'
import { labText } from '../../text/lab.ts'
import { withShortSymbols } from '#shared/lab/shortSections.ts'

const { section: sectionText } = labText

/** A table of an answer: its rows, and how its columns are shown. */
export interface LabTable {
  frame: Frame
  columns: readonly TableColumn[]
}

export const tableOf = (columns: readonly { column: Column; shown: Omit<TableColumn, 'key'> }[]): LabTable => ({
  frame: { rows: columns.at(0)?.column.values.length ?? 0, columns: columns.map(({ column }) => column) },
  columns: columns.map(({ column, shown }) => ({ key: column.name, ...shown })),
})

export const numberCells = (
  key: string,
  title: string,
  values: readonly (number | null)[],
  kind: TableColumn['kind'] = 'statistic',
) => ({ column: numberColumn(key, values), shown: { title, kind } })
export const textCells = (
  key: string,
  title: string,
  values: readonly (string | null)[],
  widthPx?: number,
  widestPx?: number,
) => ({
  column: textColumn(key, values),
  shown: {
    title,
    kind: 'text' as const,
    ...(widthPx !== undefined && { widthPx }),
    ...(widestPx !== undefined && { widestPx }),
  },
})
export const timeCells = (key: string, title: string, values: readonly number[]) => ({
  column: timeColumn(key, values),
  shown: { title, kind: 'time' as const },
})

/**
 * Lists the cross-section at one time: its symbols with their reasons and values and, for a signal study, their groups,
 * entries, exits and returns.
 */
export function sectionTable(rows: Section['rows'], isSignal: boolean): LabTable {
  const t = sectionText.columns
  const symbols = textCells(
    'symbol',
    t.symbol,
    rows.map(({ symbol }) => symbol),
  )
  const reasons = textCells(
    'reason',
    t.reason,
    rows.map(({ reason }) => reasonName(reason)),
    130,
  )
  const column = (key: 'group' | 'signal' | 'entry' | 'exit' | 'change', title: string, kind?: TableColumn['kind']) =>
    numberCells(
      key,
      title,
      rows.map((row) => row[key]),
      kind,
    )
  if (!isSignal) return withShortSymbols(tableOf([symbols, reasons, column('signal', t.value)]))
  const table = tableOf([
    symbols,
    reasons,
    column('group', t.group, 'count'),
    column('signal', t.signal),
    column('entry', t.entry, 'price'),
    column('exit', t.exit, 'price'),
    column('change', t.change, 'share'),
  ])
  return withShortSymbols(table)
}

/** Lists the rows of a symbol, with all columns and formulas. */
export function symbolTable({ times, columns, hasRow, member }: SymbolRows): LabTable {
  const t = labText.symbol
  const yesNoTexts = (values: readonly boolean[]) => values.map((value) => (value ? t.yes : t.no))
  return tableOf([
    timeCells('time', t.time, times),
    ...columns.map(({ name, isFormula, values }, at) =>
      numberCells(`${at}`, isFormula ? t.formula(name) : name, values),
    ),
    textCells('row', t.hasRow, yesNoTexts(hasRow), 60),
    textCells('member', t.member, yesNoTexts(member), 70),
  ])
}

/** Lists the times behind a bucket, with the signals and the returns that follow them. */
export function bucketTable({ times, signal, returns, isSample }: BucketTimes): LabTable {
  const { bucket: t } = labText
  const sample = textCells('sample', t.columns.sample, isSample.map(t.sample), 90)
  return tableOf([
    timeCells('time', t.columns.time, times),
    numberCells('signal', t.columns.signal, signal),
    numberCells('change', t.columns.change, returns, 'share'),
    { ...sample, shown: { ...sample.shown, hint: t.sampleHint } },
  ])
}
