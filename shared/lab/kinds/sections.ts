import {
  column,
  type ReadColumn,
  type SheetFigure,
  type SheetTable,
  type SheetText,
  table,
} from '#shared/sheet/sheet.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'

/** Reasons for which a cell is left out, each with its name and its meaning. */
const cellReasons: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  cells: ['All cells', 'Times × symbols of the grid'],
  trueCells: ['All true cells', 'Cells in which the condition is true'],
  notMember: ['Not a member', 'The symbol was not in the universe at this time'],
  noRow: ['No row', 'There is no row for this symbol at this time'],
  warmUp: ['Warm-up', 'A window of the formula was not full yet'],
  noSignal: ['No signal', 'The formula has no value here'],
  noValue: ['No value', 'The formula has no value here'],
  noEntryPrice: ['No entry price', 'There is no price at the time of entry'],
  noExitPrice: ['No exit price', 'There is no price at the time of exit'],
  beyondEnd: ['Beyond the end', 'Entry or exit lies after the last row'],
  thinTime: ['Too few symbols', 'Fewer symbols had all values at this time than the study needs'],
  noSpread: ['No spread', 'The spread is missing or below 0 here'],
  noImpact: ['No impact', 'The impact is missing or below 0 here'],
  notTrue: ['Not true', 'The condition is 0 here'],
  notEdge: ['Not the first bar', 'The condition was already true one bar before'],
  cooldown: ['Cool-down', 'Too soon after the last event of the symbol'],
  used: ['Used', 'The answer is computed from these cells'],
}

export const reasonName = (reason: string): string => cellReasons[reason]?.[0] ?? reason

/** Finds the reason that excludes the most cells; null if some cells are used. */
export function mainExclusion(
  attrition: Readonly<Record<string, number>>,
): { reason: string; cells: number; all: number } | null {
  const [[, all], ...reasons] = Object.entries(attrition)
  if (attrition.used > 0) return null
  const [reason, cells] = reasons.reduce((most, each) => (each[1] > most[1] ? each : most))
  return { reason: reasonName(reason), cells, all }
}

/** Lists every reason with the number and the fraction of cells that have it. */
export function attritionTable(attrition: Readonly<Record<string, number>>): SheetTable {
  const [[, all] = ['', 0], ...others] = Object.entries(attrition)
  const rows: [string, number][] = [[Object.keys(attrition)[0] ?? '', all], ...others]
  const cell = column<[string, number]>
  return table(
    { id: 'attrition', title: 'Attrition', note: 'Every cell counts once, under the first reason that applies' },
    [
      cell('reason', 'Reason', 'text', ([reason]) => reasonName(reason), { widthPx: 130 }),
      cell('cells', 'Cells', 'count', ([, cells]) => cells),
      cell('share', 'Share', 'share', ([, cells]) => (all === 0 ? null : cells / all)),
      cell('meaning', 'Meaning', 'text', ([reason]) => cellReasons[reason]?.[1] ?? '', {
        widthPx: 330,
        explains: true,
      }),
    ],
    rows,
  )
}

export const figure = (
  id: string,
  name: string,
  kind: NumberKind,
  value: number | null,
  formula: string,
): SheetFigure => ({ id, name, kind, value, formula })

/** Column with the symbol of a row, where a result has several. */
export const symbolColumn = <Row extends { symbol: string }>(symbols: readonly unknown[]): ReadColumn<Row>[] =>
  symbols.length === 1 ? [] : [column<Row>('symbol', 'Symbol', 'text', ({ symbol }) => symbol, { widthPx: 220 })]

/** Lists the cells of each symbol by reason; those of a single symbol with what the reasons mean. */
export function symbolAttrition(
  symbols: readonly { symbol: string; attrition: Readonly<Record<string, number>> }[],
): SheetTable {
  if (symbols.length === 1) return attritionTable(symbols[0].attrition)
  const reasons = Object.keys(symbols.at(0)?.attrition ?? {})
  const cell = column<(typeof symbols)[number]>
  return table(
    { id: 'attrition', title: 'Attrition', note: 'Every cell counts once, under the first reason that applies' },
    [
      cell('symbol', 'Symbol', 'text', ({ symbol }) => symbol, { widthPx: 260 }),
      ...reasons.map((reason) => cell(reason, reasonName(reason), 'count', ({ attrition }) => attrition[reason])),
    ],
    symbols,
  )
}

/** Counts the tests of a scan, and those that are significant after false-discovery control. */
export const testFigures = ({ count, significant }: { count: number; significant: number }): SheetFigure[] => [
  figure('tests', 'Tests', 'count', count, 'Number of tests with a p-value'),
  figure(
    'significant',
    'Significant',
    'count',
    significant,
    'Tests with q ≤ 0.05 after Benjamini and Hochberg’s false-discovery-rate control over all tests',
  ),
]

/** Number columns of rows that have the figures under their keys. */
export const numberColumns = <Key extends string>(
  titles: Readonly<Record<Key, string>>,
  kindOf: (key: string) => NumberKind,
): ReadColumn<Record<Key, number | null | undefined>>[] =>
  (Object.keys(titles) as Key[]).map((key) =>
    column(key, titles[key], key === 'p' || key === 'q' ? 'probability' : kindOf(key), (row) => row[key]),
  )

export const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** Values of a line or of bars, NaN where one is missing. */
export const numbersOf = (values: readonly (number | null | undefined)[]): Float64Array =>
  Float64Array.from(values, (value) => value ?? NaN)

export const coverageFigure = ({ share }: { share: number | null }): SheetFigure =>
  figure('coverage', 'Coverage', 'percentFigure', share, 'Share of the members’ cells that have a value')

/** Sentences that come first: what was found, and how its numbers are to be read. */
export const summary = (...lines: string[]): SheetText => ({ kind: 'text', id: 'summary', title: 'Summary', lines })

export const testLine = ({ count, significant }: { count: number; significant: number }): string =>
  `${plainPlural(count, 'test')}, ${significant} significant at a false-discovery rate of 5 %`
