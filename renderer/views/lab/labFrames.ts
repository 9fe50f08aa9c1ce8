import { type Column, type Frame, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { decimalsFor, formatNumber } from '#shared/units/numbers.ts'
import type { Section, SymbolRows } from '#shared/lab/inspectPanel.ts'
import type { Estimate } from '#shared/lab/samples.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { labText } from '../../text/lab.ts'
import type { EventResult, LeadLagResult, SeasonalityResult } from './answerFigures.ts'
import type { SignalResult } from './signalFigures.ts'
import { symbolWidthPx } from './symbolNames.ts'

const { guards, section: sectionText, pairs: pairText, season: seasonText, events: eventText } = labText

const SMALLEST_SHOWN = 0.0001

/** Formats a p-value with three significant digits; one below 0.0001 as < 0.0001. */
export const probabilityText = (p: number | null): string | null => {
  if (p === null) return null
  return p < SMALLEST_SHOWN ? `< ${SMALLEST_SHOWN}` : formatNumber(p, Math.max(0, decimalsFor(p, 3)))
}

/** A table of an answer: its rows, and how its columns are shown. */
export interface LabTable {
  frame: Frame
  columns: TableColumn[]
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
const horizonColumn = (title: string, rows: readonly { horizon: number }[]) =>
  numberCells(
    'horizon',
    title,
    rows.map(({ horizon }) => horizon),
    'count',
  )
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

/** Finds the reason that excludes the most cells; null if some cells are used. */
export function mainExclusion(
  attrition: Readonly<Record<string, number>>,
): { reason: string; cells: number; all: number } | null {
  const [[, all], ...reasons] = Object.entries(attrition)
  if (attrition.used > 0) return null
  const [reason, cells] = reasons.reduce((most, each) => (each[1] > most[1] ? each : most))
  return { reason: guards.reasons[reason]?.[0] ?? reason, cells, all }
}

/** Lists every reason with the number and the fraction of cells that have it. */
export function attritionTable(attrition: Readonly<Record<string, number>>): LabTable {
  const entries = Object.entries(attrition)
  const all = entries.at(0)?.[1] ?? 0
  const textOf = (reason: string) => guards.reasons[reason] ?? [reason, '']
  return tableOf([
    textCells(
      'reason',
      guards.reason,
      entries.map(([reason]) => textOf(reason)[0]),
      130,
    ),
    numberCells(
      'cells',
      guards.cells,
      entries.map(([, cells]) => cells),
      'count',
    ),
    numberCells(
      'share',
      guards.share,
      entries.map(([, cells]) => (all === 0 ? null : cells / all)),
      'share',
    ),
    textCells(
      'meaning',
      guards.whatItMeans,
      entries.map(([reason]) => textOf(reason)[1]),
      330,
    ),
  ])
}

/** Lists the rank and Pearson ICs of every horizon by sampling method; the headline uses the first method. */
export function estimatesTable({ horizons }: SignalResult): LabTable {
  const t = guards.estimateColumns
  const rows = horizons.flatMap(({ horizon, rankIc, pearsonIc }) => [
    {
      horizon,
      sampling: labText.choices.nonOverlapping,
      rank: rankIc.nonOverlapping,
      pearson: pearsonIc.nonOverlapping,
    },
    { horizon, sampling: `${labText.choices.all} (Newey–West)`, rank: rankIc.all, pearson: pearsonIc.all },
    { horizon, sampling: guards.naive, rank: rankIc.naive, pearson: pearsonIc.naive },
  ])
  const estimateCells = (
    key: 'n' | 'mean' | 'low' | 'high' | 't' | 'p' | 'ratio' | 'hitRate',
    kind?: TableColumn['kind'],
  ) =>
    numberCells(
      key,
      t[key],
      rows.map(({ rank }) => rank[key]),
      kind ?? 'ratio',
    )
  return tableOf([
    horizonColumn(t.horizon, rows),
    textCells(
      'sampling',
      t.sampling,
      rows.map(({ sampling }) => sampling),
      170,
    ),
    estimateCells('n', 'count'),
    estimateCells('mean'),
    estimateCells('low'),
    estimateCells('high'),
    estimateCells('t'),
    estimateCells('p'),
    estimateCells('ratio'),
    estimateCells('hitRate', 'share'),
    numberCells(
      'pearson',
      t.pearson,
      rows.map(({ pearson }) => pearson.mean),
      'ratio',
    ),
  ])
}

/** Lists the difference between the two clocks by horizon; null if they were not compared. */
export function clocksTable({ comparison }: SignalResult): LabTable | null {
  if (!comparison) return null
  const t = guards.clockColumns
  const rows = comparison.horizons
  const differencesOf = (pick: (estimate: Estimate) => number | null) =>
    rows.map((row) => pick(row.difference.nonOverlapping))
  return tableOf([
    horizonColumn(t.horizon, rows),
    numberCells(
      'n',
      t.n,
      rows.map(({ n }) => n),
      'count',
    ),
    numberCells(
      'base',
      t.base,
      rows.map(({ base }) => base),
      'ratio',
    ),
    numberCells(
      'against',
      t.against,
      rows.map(({ against }) => against),
      'ratio',
    ),
    numberCells(
      'difference',
      t.difference,
      differencesOf(({ mean }) => mean),
      'ratio',
    ),
    numberCells(
      't',
      t.t,
      differencesOf((estimate) => estimate.t),
      'ratio',
    ),
    numberCells(
      'p',
      t.p,
      differencesOf(({ p }) => p),
      'ratio',
    ),
  ])
}

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
    symbolWidthPx(rows.map(({ symbol }) => symbol)),
  )
  const reasons = textCells(
    'reason',
    t.reason,
    rows.map(({ reason }) => guards.reasons[reason][0]),
    130,
  )
  const column = (key: 'group' | 'signal' | 'entry' | 'exit' | 'change', title: string, kind?: TableColumn['kind']) =>
    numberCells(
      key,
      title,
      rows.map((row) => row[key]),
      kind,
    )
  if (!isSignal) return tableOf([symbols, reasons, column('signal', t.value)])
  return tableOf([
    symbols,
    reasons,
    column('group', t.group, 'count'),
    column('signal', t.signal),
    column('entry', t.entry, 'price'),
    column('exit', t.exit, 'price'),
    column('change', t.change, 'share'),
  ])
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

/**
 * Lists the events with their change at the last bar.
 * @param paths paths of all events in the same order; null if they are not all available
 */
export function eventTable(
  { events: { times, symbols }, path }: EventResult,
  paths: readonly { values: readonly (number | null)[] }[] | null,
): LabTable {
  const changes = paths?.map(({ values }) => values.at(-1) ?? null)
  const lastBar = path.at(-1)?.offset ?? 0
  return tableOf([
    timeCells('time', eventText.columns.time, times),
    textCells('symbol', eventText.columns.symbol, symbols, symbolWidthPx(symbols)),
    ...(changes ? [numberCells('change', eventText.columns.change(lastBar), changes, 'share')] : []),
  ])
}

/** Lists the pairs, in the given order. */
export function pairTable(pairs: LeadLagResult['pairs']): LabTable {
  const t = pairText.columns
  const bestLag = (pair: LeadLagResult['pairs'][number]) => pair.lags.find(({ lag }) => lag === pair.best?.lag) ?? null
  return tableOf([
    textCells(
      'a',
      t.a,
      pairs.map(({ a }) => a),
      symbolWidthPx(pairs.map(({ a }) => a)),
    ),
    textCells(
      'b',
      t.b,
      pairs.map(({ b }) => b),
      symbolWidthPx(pairs.map(({ b }) => b)),
    ),
    numberCells(
      'lag',
      t.lag,
      pairs.map(({ best }) => best?.lag ?? null),
      'count',
    ),
    numberCells(
      'r',
      t.r,
      pairs.map(({ best }) => best?.r ?? null),
      'ratio',
    ),
    numberCells(
      'q',
      t.q,
      pairs.map(({ best }) => best?.q ?? null),
      'ratio',
    ),
    numberCells(
      'n',
      t.n,
      pairs.map((pair) => bestLag(pair)?.n ?? null),
      'count',
    ),
    numberCells(
      'effectiveN',
      t.effectiveN,
      pairs.map((pair) => bestLag(pair)?.effectiveN ?? null),
      'volume',
    ),
  ])
}

const seasonKeys = ['weekday', 'hour', 'dayOfMonth', 'minutesToFunding'] as const

/** Lists the calendar cells with their tests. */
export function seasonTable({ cells }: SeasonalityResult): LabTable {
  const keys = seasonKeys.filter((key) => cells.some((cell) => cell[key] !== undefined))
  const statistics = ['n', 'mean', 'median', 'sd', 't', 'p', 'q'] as const
  return tableOf([
    ...keys.map((key) =>
      numberCells(
        key,
        seasonText.columns[key],
        cells.map((cell) => cell[key] ?? null),
        'count',
      ),
    ),
    ...statistics.map((key) =>
      numberCells(
        key,
        seasonText.columns[key],
        cells.map((cell) => cell[key]),
        key === 'n' ? 'count' : 'statistic',
      ),
    ),
  ])
}
