import { column, type Section, type SheetChart, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { quantileOf } from '../../samples.ts'
import type { ResultOf } from '../../runStudy.ts'
import { barChart } from '../charts.ts'
import { figure, numberColumns, summary, symbolColumn } from '../sections.ts'

type ClockResult = ResultOf<'clocks'>
type SymbolClocks = ClockResult['symbols'][number]
type Column = SymbolClocks['columns'][number] & { symbol: string }

export const leading = ['summary', 'datasets']

/** Number of columns that are drawn; the table has all. */
const MOST_BARS = 24
/** Number of symbols that are drawn at most. */
const MOST_CHARTS = 24

const allColumns = ({ symbols }: ClockResult): Column[] =>
  symbols.flatMap(({ symbol, columns }) => columns.map((column) => ({ ...column, symbol })))

const number = (value: number | null): string => (value === 0 ? '0' : (numberText('estimate', value) ?? '–'))

const byShift = (a: { shift: number | null }, b: { shift: number | null }) => (b.shift ?? -1) - (a.shift ?? -1)

/** Says which column the arrival clock moves most, and how far the middle one. */
export function verdict(result: ClockResult): string {
  const columns = allColumns(result)
  const scored = columns.filter(({ shift }) => shift !== null).sort(byShift)
  const isSingle = result.symbols.length === 1
  if (scored.length === 0) return noScore(columns)
  const [first] = scored
  const equal = scored.filter(({ shift }) => shift === 0).length
  const all = plainPlural(scored.length, 'column')
  if (first.shift === 0) return `The clocks agree: none of ${all} differs at any common time.`
  const where = isSingle ? '' : ` of ${first.symbol}`
  const shifts = Float64Array.from(scored, ({ shift }) => shift ?? NaN).sort()
  const middle = scored.length > 1 ? `, the middle one of ${all} by ${number(quantileOf(shifts, 0.5))}` : ''
  const same = equal > 0 ? `; ${plainPlural(equal, 'does', 'do')} not move` : ''
  return `The arrival clock moves ${first.column}${where} most, by ${number(first.shift)} of its deviations on average (correlation of the clocks ${number(first.pearson)})${middle}${same}.`
}

function noScore(columns: readonly Column[]): string {
  if (columns.length === 0) return 'No column is cached by both clocks.'
  const most = columns.reduce((largest, { n }) => Math.max(largest, n), 0)
  return most < 100
    ? `No column is scored: ${plainPlural(most, 'common time')} at most, 100 are needed.`
    : `No column is scored: none of ${plainPlural(columns.length, 'column')} varies over enough common times.`
}

function columnTable(columns: readonly Column[], symbols: ClockResult['symbols']): SheetTable {
  return table(
    {
      id: 'columns',
      title: 'Columns',
      note: 'Shift: mean distance of the clocks in deviations of the column by the exchange clock',
    },
    [
      ...symbolColumn<Column>(symbols),
      column<Column>('column', 'Column', 'text', (one) => one.column, { widthPx: 220 }),
      column<Column>('shift', 'Shift', 'estimate', ({ shift }) => shift, { heat: { scale: 'sequential', low: 0 } }),
      column<Column>('pearson', 'Correlation', 'estimate', ({ pearson }) => pearson),
      column<Column>('meanDifference', 'Mean difference', 'statistic', ({ meanDifference }) => meanDifference),
      ...numberColumns({ n: 'n', onlyExchange: 'Only exchange', onlyTrue: 'Only arrival' }, () => 'count'),
    ],
    columns,
  )
}

function datasetTable({ symbols }: ClockResult): SheetTable {
  const rows = symbols.flatMap(({ symbol, datasets }) => datasets.map((dataset) => ({ ...dataset, symbol })))
  const cell = column<(typeof rows)[number]>
  return table(
    { id: 'datasets', title: 'Datasets', note: 'Mean shift of the columns that have one' },
    [
      ...symbolColumn<(typeof rows)[number]>(symbols),
      cell('dataset', 'Dataset', 'text', ({ dataset }) => dataset, { widthPx: 160 }),
      cell('columns', 'Columns', 'count', ({ columns }) => columns),
      cell('shift', 'Shift', 'estimate', ({ shift }) => shift),
    ],
    rows,
  )
}

/** Draws the columns of each symbol that move most; a window shows one symbol at a time. */
function shiftCharts({ symbols }: ClockResult): SheetChart[] {
  const isSingle = symbols.length === 1
  const withShifts = symbols.map(({ symbol, columns }) => ({ symbol, scored: columns.filter(hasShift) }))
  return withShifts
    .filter(({ scored }) => scored.length > 0)
    .slice(0, MOST_CHARTS)
    .map(({ symbol, scored }) => {
      const drawn = scored.slice(0, MOST_BARS)
      const title =
        drawn.length < scored.length ? `Shift of the ${drawn.length} columns that move most` : 'Shift by column'
      const names = drawn.map(({ column }) => column)
      const bars = { Shift: drawn.map(({ shift }) => shift) }
      if (isSingle) return barChart('shifts', title, names, bars)
      return {
        ...barChart(`shifts.${symbol}`, `${title}, ${symbol}`, names, bars),
        choice: { group: 'shifts', title: 'Shift by column', label: 'Symbol', option: symbol },
      }
    })
}

const hasShift = ({ shift }: { shift: number | null }): boolean => shift !== null

export function sections(result: ClockResult): Section[] {
  const columns = allColumns(result).sort(byShift)
  const scored = columns.filter(({ shift }) => shift !== null)
  const shifts = Float64Array.from(scored, ({ shift }) => shift ?? NaN).sort()
  return [
    summary(
      'Shift: how far the arrival clock moves a value on average, in deviations of the column by the exchange clock; 0 where both clocks agree.',
    ),
    {
      ...{ kind: 'figures', id: 'figures', title: 'Figures' },
      figures: [
        figure('columns', 'Columns', 'count', columns.length, 'Columns of numbers that are cached by both clocks'),
        figure('scored', 'Scored', 'count', scored.length, 'Columns with a shift: at least 100 common times that vary'),
        figure('largest', 'Largest shift', 'estimate', scored.at(0)?.shift ?? null, 'Largest shift of a column'),
        figure('median', 'Median shift', 'estimate', quantileOf(shifts, 0.5), 'Median shift of the scored columns'),
      ],
    },
    ...shiftCharts(result),
    datasetTable(result),
    columnTable(columns, result.symbols),
  ]
}
