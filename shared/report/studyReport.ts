import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { portfolioTableRows } from '#shared/lab/portfolio/portfolioTables.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { studyTableRows, type TableRow } from '#shared/lab/studyTables.ts'
import { parseDay } from '#shared/time.ts'
import { dayOf } from '#shared/time.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import {
  definitionVersions,
  figureName,
  plainCell,
  reportTime,
  type ReportChart,
  type ReportContent,
  reportNumber,
  type ReportPart,
  type ReportTable,
} from './reportContent.ts'

/** Maximum number of rows per table, to keep reports small. */
const MOST_ROWS = 500
/** Maximum number of cells of a result's tables in a report. */
const MOST_CELLS = 9000
/** A table with more columns than this and at most this many rows is transposed. */
const TRANSPOSE_LIMITS = { columns: 16, rows: 12 }
/** Maximum number of points of a line over time, to keep it readable and reports small. */
const MOST_POINTS = 600

type StudyContent = Pick<ReportContent, 'title' | 'subtitle' | 'parts' | 'definitions' | 'warnings'>

/** Builds a report of a study or tested portfolio. */
export const studyReport = (result: StudyResult | PortfolioResult): StudyContent =>
  result.kind === 'portfolio' ? portfolioReport(result as PortfolioResult) : labReport(result as StudyResult)

const kindNames: Readonly<Record<string, string>> = {
  signal: 'Signal study',
  events: 'Event study',
  leadlag: 'Lead–lag study',
  seasonality: 'Seasonality study',
  portfolio: 'Tested portfolio',
}

interface DataFacts {
  symbols: number
  times: number
  rows: number
  firstTime: number
  lastTime: number
}

const subtitleOf = ({ symbols, times, rows, firstTime, lastTime }: DataFacts): string =>
  `${plainPlural(symbols, 'symbol')}, ${plainPlural(times, 'time')}, ${plainPlural(rows, 'row')}, ${dayOf(firstTime)} to ${dayOf(lastTime)}`

function labReport(result: StudyResult): StudyContent {
  const { study, data, warnings, kind } = result
  const tables = studyTableRows(result).filter(({ name }) => name !== 'series' && name !== 'warnings')
  return {
    title: `${kindNames[kind]}${study.name ? `: ${study.name}` : ''}`,
    subtitle: subtitleOf(data),
    parts: [...studyCharts(result), documentPart(study), ...tablesWithin(tables)],
    definitions: definitionVersions([`study.${kind}`]),
    warnings: warnings.map(({ message }) => message),
  }
}

const documentPart = (study: unknown): ReportPart => ({
  kind: 'code',
  title: 'Document',
  text: JSON.stringify(study, null, 2),
})

/** Converts tables of a result to tables of a report within the limits; a note counts the rows that are left out. */
function tablesWithin(tables: readonly { name: string; rows: TableRow[] }[]): ReportTable[] {
  let cellsLeft = MOST_CELLS
  return tables.map(({ name, rows }) => {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const shown = rows.slice(0, Math.max(0, Math.min(MOST_ROWS, Math.floor(cellsLeft / Math.max(1, columns.length)))))
    cellsLeft -= shown.length * columns.length
    const rowsLeft = rows.length - shown.length
    const isTransposed = columns.length > TRANSPOSE_LIMITS.columns && shown.length <= TRANSPOSE_LIMITS.rows
    return {
      kind: 'table',
      title: figureName(name),
      ...(isTransposed ? transposed(columns, shown) : upright(columns, shown)),
      ...(rowsLeft > 0 && {
        note: `${plainPlural(rowsLeft, 'more row')}: “perpscope study run --out DIR” writes all of them.`,
      }),
    }
  })
}

type Cells = Pick<ReportTable, 'columns' | 'rows'>

const upright = (columns: readonly string[], rows: readonly TableRow[]): Cells => ({
  columns: columns.map(figureName),
  rows: rows.map((row) => columns.map((column) => cellOf(column, row[column] ?? null))),
})

/** Transposes rows to columns; the first figure, such as the horizon, is the header. */
const transposed = ([first, ...others]: readonly string[], rows: readonly TableRow[]): Cells => ({
  columns: [figureName(first), ...rows.map((row) => String(row[first] ?? ''))],
  rows: others.map((column) => [figureName(column), ...rows.map((row) => cellOf(column, row[column] ?? null))]),
})

/** Converts a value to a cell; times are numbers in the result and become instants. */
function cellOf(column: string, value: string | number | null) {
  const isTime = typeof value === 'number' && /^(?:times?|.*Time)$/.test(column) && value > 1e11
  return isTime ? reportTime(value) : plainCell(value)
}

const numbersOf = (values: readonly (number | null | undefined)[]) => Float64Array.from(values, (value) => value ?? NaN)
const positions = (count: number) => Float64Array.from({ length: count }, (_, at) => at)

function namedChart(
  title: string,
  names: readonly string[],
  lines: Record<string, readonly (number | null)[]>,
  style: ReportChart['style'] = 'bars',
): ReportChart {
  const x = positions(names.length)
  const series = Object.entries(lines).map(([label, values]) => ({
    label,
    numberKind: 'statistic' as const,
    x,
    values: numbersOf(values),
  }))
  return { kind: 'chart', title, style, names, series }
}

function studyCharts(result: StudyResult): ReportChart[] {
  if ('horizons' in result) {
    const { horizons } = result
    const names = horizons.map(({ horizon }) => plainPlural(horizon, 'bar'))
    return [
      namedChart('Rank IC by horizon', names, {
        'Mean rank IC': horizons.map(({ rankIc }) => rankIc.nonOverlapping.mean),
      }),
      namedChart('Spread of the outer quantiles by horizon', names, {
        'Mean spread': horizons.map(({ spread }) => spread.mean),
      }),
      ...horizonCharts(horizons[0]),
    ]
  }
  if ('path' in result) {
    const { path } = result
    const lines = { Mean: path.map(({ mean }) => mean), Median: path.map(({ median }) => median) }
    return [
      namedChart(
        'Path around the events',
        path.map(({ offset }) => String(offset)),
        lines,
        'line',
      ),
    ]
  }
  if ('cells' in result) {
    const { cells } = result
    const names = cells.map(({ weekday, hour, dayOfMonth, minutesToFunding }) =>
      [weekday, hour, dayOfMonth, minutesToFunding].filter((each) => each !== undefined).join('/'),
    )
    return [namedChart('Mean by time', names, { Mean: cells.map(({ mean }) => mean) })]
  }
  return []
}

type Horizon = Extract<StudyResult, { horizons: unknown }>['horizons'][number]

/** Builds the charts of one horizon: the IC by month and over time, and the growth of the quantiles. */
function horizonCharts({ horizon, series, path, byMonth }: Horizon): ReportChart[] {
  const horizonText = `horizon of ${plainPlural(horizon, 'bar')}`
  const quantiles = Object.fromEntries(path.quantiles.map((values, at) => [`Quantile ${at + 1}`, values]))
  return [
    namedChart(
      `Rank IC by month, ${horizonText}`,
      byMonth.map(({ month }) => month),
      { 'Mean rank IC': byMonth.map(({ mean }) => mean) },
    ),
    timeChart(`Rank IC through time, ${horizonText}`, 'statistic', series.times, { 'Rank IC': series.rank }),
    timeChart(`Growth of 1 by quantile, ${horizonText}`, 'ratio', path.times, { ...quantiles, Spread: path.spread }),
  ].filter(({ series: [line] }) => line.x.length > 1)
}

/** Draws lines over time; if there are many points, only every n-th is drawn and the title says so. */
function timeChart(
  title: string,
  numberKind: ReportChart['series'][number]['numberKind'],
  times: readonly number[],
  lines: Record<string, readonly (number | null)[]>,
): ReportChart {
  const step = Math.max(1, Math.ceil(times.length / MOST_POINTS))
  const shown = <Value>(values: readonly Value[]) => values.filter((_, at) => at % step === 0)
  const x = Float64Array.from(shown(times))
  return {
    kind: 'chart',
    title: step === 1 ? title : `${title} (1 in ${step} times drawn)`,
    style: 'line',
    names: null,
    series: Object.entries(lines).map(([label, values]) => ({
      label,
      numberKind,
      x,
      values: numbersOf(shown(values)),
    })),
  }
}

const shownFigures = [
  ['Total return', 'totalReturn', 'share'],
  ['CAGR', 'cagr', 'share'],
  ['Volatility', 'volatility', 'share'],
  ['Sharpe ratio', 'sharpe', 'ratio'],
  ['Sortino ratio', 'sortino', 'ratio'],
  ['Maximum drawdown', 'maxDrawdown', 'share'],
  ['Calmar ratio', 'calmar', 'ratio'],
  ['Win rate', 'winRate', 'share'],
] as const

function portfolioReport(result: PortfolioResult): StudyContent {
  const { study, data, warnings, figures, unscaled, family, documentHash } = result
  const columns = {
    Net: figures.net,
    Gross: figures.gross,
    ...(unscaled && { 'Net, unscaled': unscaled.net, 'Gross, unscaled': unscaled.gross }),
  }
  const rows = shownFigures.map(([name, id, unit]) => [
    name,
    ...Object.values(columns).map((values) => reportNumber(values[id], unit)),
  ])
  const tables = portfolioTableRows(result).filter(({ name }) => !['days', 'bars', 'warnings'].includes(name))
  return {
    title: `Tested portfolio${study.name ? `: ${study.name}` : ''}`,
    subtitle: subtitleOf(data),
    parts: [
      { kind: 'table', title: 'Figures', columns: ['Figure', ...Object.keys(columns)], rows, note: familyNote(result) },
      ...portfolioCharts(result),
      attributionTable(result),
      ...unknownTable(result),
      overfittingTable(result),
      {
        kind: 'text',
        title: 'Ledger',
        lines: [`Family ${family}`, `Document ${documentHash}`, ...ledgerLines(result)],
      },
      documentPart(study),
      ...tablesWithin(tables),
    ],
    definitions: definitionVersions(['study.portfolio', ...shownFigures.map(([, id]) => `tearsheet.${id}`)]),
    warnings: warnings.map(({ message }) => message),
  }
}

/** Reports how many trials are behind the Sharpe ratios, and the deflated Sharpe ratio. */
function familyNote({ overfitting: { trials, effectiveTrials, trialsOnSource, deflated } }: PortfolioResult): string {
  const effectiveText = effectiveTrials === null ? '' : ` (${numberText('figure', effectiveTrials)} effective)`
  const deflatedText = deflated === null ? '' : `; deflated Sharpe ${numberText('estimate', deflated)}`
  return `${plainPlural(trials, 'trial')} of this family${effectiveText}, ${trialsOnSource} on this source and interval${deflatedText}.`
}

/** Lists facts that every later result must state: a sealed or opened holdout, ledger resets, lost entries, ruin. */
function ledgerLines({ holdout, ruin, overfitting: { resetTime, lostEntries } }: PortfolioResult): string[] {
  const lines = [
    holdout &&
      (holdout.opened
        ? `The holdout from ${holdout.fromDay} was opened: later changes may be fitted to these days too.`
        : `The days from ${holdout.fromDay} on are sealed: no number of this report uses them.`),
    resetTime !== null && `Trials were reset on ${reportTime(resetTime).text}; earlier ones are not counted.`,
    lostEntries &&
      `The ledger lost ${lostEntries.entries === null ? 'its entries' : plainPlural(lostEntries.entries, 'entry', 'entries')}.`,
    ruin && `Ruined at ${reportTime(ruin.time).text} with equity ${numberText('notional', ruin.equity)}.`,
  ]
  return lines.filter((line) => typeof line === 'string')
}

/** Lists what is unknown about the costs, such as trades without a volume; empty if nothing is. */
function unknownTable({ unknown, assumed }: PortfolioResult): ReportTable[] {
  const { fundingShare, spreadNotional, slippageNotional, volumeTrades } = unknown
  const rows = [
    { name: 'Share of the held notional without funding', value: fundingShare, kind: 'share' as const },
    {
      name: 'Share of the notional at funding times whose period is inferred or assumed',
      value: assumed.fundingShare,
      kind: 'share' as const,
    },
    { name: 'Traded notional without a spread', value: spreadNotional, kind: 'notional' as const },
    { name: 'Traded notional without slippage', value: slippageNotional, kind: 'notional' as const },
    { name: 'Trades without a volume', value: volumeTrades, kind: 'count' as const },
  ].filter(({ value }) => value > 0)
  if (rows.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'What is not known',
      columns: ['Unknown', 'Amount'],
      rows: rows.map(({ name, value, kind }) => [name, reportNumber(value, kind)]),
    },
  ]
}

function portfolioCharts({ days, equity, net, gross, exposure }: PortfolioResult): ReportChart[] {
  const x = Float64Array.from(days, (day) => parseDay(day) ?? NaN)
  if (x.length === 0) return []
  const chart = (
    title: string,
    numberKind: 'notional' | 'return' | 'ratio',
    lines: Record<string, readonly (number | null)[]>,
  ): ReportChart => ({
    kind: 'chart',
    title,
    style: 'line',
    names: null,
    series: Object.entries(lines).map(([label, values]) => ({ label, numberKind, x, values: numbersOf(values) })),
  })
  return [
    chart('Equity', 'notional', { Equity: equity }),
    chart('Returns by day', 'return', { Net: net, Gross: gross }),
    chart('Exposure', 'ratio', { Gross: exposure.gross, Net: exposure.net }),
  ]
}

function attributionTable({ costs }: PortfolioResult): ReportTable {
  const parts = ['price', 'funding', 'fee', 'spread', 'slippage', 'total', 'traded'] as const
  return {
    kind: 'table',
    title: 'Where the result comes from',
    columns: ['Part', 'Amount'],
    rows: parts.map((part) => [figureName(part), reportNumber(costs[part], 'notional')]),
  }
}

/** Lists the overfitting figures from the ledger. */
function overfittingTable({ overfitting }: PortfolioResult): ReportTable {
  const { resetTime: _time, ...figures } = overfitting
  const rows = Object.entries(figures).flatMap(([name, value]) =>
    value === null || typeof value === 'number' ? [[figureName(name), plainCell(value)]] : [],
  )
  const pboRows = overfitting.pbo ? [['Probability of backtest overfitting', plainCell(overfitting.pbo.pbo)]] : []
  return { kind: 'table', title: 'Trials and luck', columns: ['Figure', 'Value'], rows: [...rows, ...pboRows] }
}
