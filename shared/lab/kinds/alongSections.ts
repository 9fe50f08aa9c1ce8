/** Sections that studies of single symbols along time have in common. */
import { column, type ReadColumn, type SheetChart, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { ReturnFigures } from '../along/describeReturns.ts'
import { attritionTable, numberColumns, numbersOf, reasonName } from './sections.ts'

/** What the rows of a table belong to. */
export interface AlongRow {
  symbol: string
  horizon: number
}

export const horizonColumn = <Row extends { horizon: number }>(): ReadColumn<Row> =>
  column<Row>('horizon', 'Horizon', 'count', ({ horizon }) => horizon, { hint: 'Bars from entry to exit' })

export const symbolColumn = <Row extends { symbol: string }>(): ReadColumn<Row> =>
  column<Row>('symbol', 'Symbol', 'text', ({ symbol }) => symbol)

/** Columns that say which symbol and horizon a row belongs to. */
export const alongColumns = <Row extends AlongRow>(): ReadColumn<Row>[] => [symbolColumn<Row>(), horizonColumn<Row>()]

/** Columns of what follows some cells. */
export const returnColumns = <Row extends ReturnFigures>(): ReadColumn<Row>[] => [
  column<Row>('cells', 'Cells', 'count', ({ cells }) => cells),
  column<Row>('n', 'n', 'count', ({ n }) => n, { hint: 'Samples among the cells' }),
  ...numberColumns({ mean: 'Mean', low: 'Low', high: 'High', median: 'Median', hitRate: 'Hit rate' }, () => 'share'),
  ...numberColumns({ t: 't', p: 'p' }, () => 'ratio'),
  ...numberColumns({ sd: 'Std', se: 'Standard error' }, () => 'share'),
  column<Row>('volatility', 'Volatility', 'share', ({ volatility }) => volatility, {
    hint: 'Mean deviation of the returns of single bars on the way',
  }),
  column<Row>('drawdown', 'Drawdown', 'share', ({ drawdown }) => drawdown.mean, {
    hint: 'Mean of the lowest change since the entry',
  }),
  column<Row>('worst', 'Worst', 'share', ({ drawdown }) => drawdown.worst),
  column<Row>('runUp', 'Run-up', 'share', ({ runUp }) => runUp.mean, {
    hint: 'Mean of the highest change since the entry',
  }),
  column<Row>('best', 'Best', 'share', ({ runUp }) => runUp.best),
]

type Bars = Readonly<Record<string, readonly Interval[]>>

/** A value with the ends of its interval. */
interface Interval {
  value: number | null
  low: number | null
  high: number | null
}

export const meanInterval = ({ mean, low, high }: Pick<ReturnFigures, 'mean' | 'low' | 'high'>): Interval => ({
  value: mean,
  low,
  high,
})

/** Draws values over names as bars with their 95 % intervals. */
export const intervalChart = (
  head: Pick<SheetChart, 'id' | 'title' | 'choice' | 'note'>,
  names: readonly string[],
  bars: Bars,
  kind: 'share' | 'estimate',
): SheetChart => ({
  kind: 'chart',
  ...head,
  style: 'bars',
  names,
  series: Object.entries(bars).map(([label, values]) => ({
    ...{ id: label, label, kind, valid: null },
    x: Float64Array.from(values, (_, at) => at),
    values: numbersOf(values.map(({ value }) => value)),
    interval: {
      low: numbersOf(values.map(({ low }) => low)),
      high: numbersOf(values.map(({ high }) => high)),
    },
  })),
})

/** Number of symbols and horizons whose charts are described at most; their tables have all. */
const MOST_CHARTS = 24

interface SymbolWith<Horizon> {
  symbol: string
  horizons: readonly Horizon[]
}

/** Lists every symbol and horizon, each with the name by which charts offer it. */
export const chartCases = <Horizon extends { horizon: number }>(symbols: readonly SymbolWith<Horizon>[]) =>
  symbols
    .flatMap(({ symbol, horizons }) =>
      horizons.map((one) => ({
        ...{ symbol, one },
        key: symbols.length > 1 ? `${symbol}.${one.horizon}` : String(one.horizon),
        option: `${symbols.length > 1 ? `${symbol}, ` : ''}${plainPlural(one.horizon, 'bar')}`,
      })),
    )
    .slice(0, MOST_CHARTS)

/** Rows of each symbol and horizon, which they name. */
export const rowsOf = <Horizon extends { horizon: number }, Row extends object>(
  symbols: readonly SymbolWith<Horizon>[],
  pick: (horizon: Horizon) => readonly Row[],
): (Row & AlongRow)[] =>
  symbols.flatMap(({ symbol, horizons }) =>
    horizons.flatMap((one) => pick(one).map((row) => ({ ...row, symbol, horizon: one.horizon }))),
  )

type Attrition = Readonly<Record<string, number>>

/** Counts the cells of one symbol by reason, horizon by horizon, or those of several symbols in one table. */
export function attritionTables(
  symbols: readonly SymbolWith<{ horizon: number; attrition: Attrition }>[],
): SheetTable[] {
  const [first, ...others] = symbols
  if (others.length === 0)
    return first.horizons.map(({ horizon, attrition }) => ({
      ...attritionTable(attrition),
      ...(first.horizons.length > 1 && {
        ...{ id: `attrition.${horizon}`, title: `Attrition, horizon of ${horizon}` },
        choice: { group: 'attrition', title: 'Attrition', label: 'Horizon', option: plainPlural(horizon, 'bar') },
      }),
    }))
  const rows = rowsOf(symbols, ({ attrition }) => [{ attrition }])
  return [
    table(
      { id: 'attrition', title: 'Attrition', note: 'Every cell counts once, under the first reason that applies' },
      [...alongColumns<(typeof rows)[number]>(), ...reasonColumns<(typeof rows)[number]>(rows)],
      rows,
    ),
  ]
}

/** A column for each reason for which cells are left out. */
export const reasonColumns = <Row extends { attrition: Attrition }>(rows: readonly Row[]): ReadColumn<Row>[] =>
  Object.keys(rows.at(0)?.attrition ?? {}).map((reason) =>
    column<Row>(reason, reasonName(reason), 'count', ({ attrition }) => attrition[reason]),
  )
