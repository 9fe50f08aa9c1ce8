import type { NumberKind } from '#shared/units/numberKinds.ts'
import { column, type ReadColumn, type Section, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { plainPlural, plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import { barChart, timeChart } from '../charts.ts'
import { attritionTable, coverageFigure, numberColumns, summary, weekdayNames } from '../sections.ts'
import {
  bpsText,
  detectableMean,
  errorText,
  isSignificant,
  joinedParts,
  lastingText,
  nothingUsedText,
  ratioText,
  strengthText,
  unansweredText,
} from '../verdicts.ts'
import { samplings } from './fields.ts'

type SignalResult = ResultOf<'signal'>
type Horizon = SignalResult['horizons'][number]

export const leading = ['summary', 'horizons']

/** The answer in one sentence, from the first horizon. */
export function verdict(result: SignalResult): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { horizons, study } = result
  const [{ horizon, rankIc, spread, attrition }] = horizons
  if (attrition.used === 0) return nothingUsedText(attrition)
  const { mean, low, high, p, n, se } = rankIc.nonOverlapping
  const bars = plural(horizon, 'bar')
  if (mean === null)
    return `There is no rank IC at ${bars}: at each time the signal, or the return, is equal across the symbols.`
  const icText = `IC ${ratioText(mean)}${errorText(low, high)} at ${bars} (${plural(n, 'sample')})`
  if (p === null) return `Too few samples to judge the ranks: ${icText}.`
  const detectable = detectableMean(se)
  const seen = detectable === null ? '' : `; this study would have seen ${ratioText(detectable)}`
  if (!isSignificant(p)) return `Ranks do not tell the next returns: ${icText}${seen}.`
  const inverse = mean < 0 ? ', the other way round' : ''
  const worth = spread.mean === null ? '' : `worth ${bpsText(spread.mean)} between the ends`
  const tests = horizons.map((one) => ({ horizon: one.horizon, p: one.rankIc.nonOverlapping.p }))
  const parts = joinedParts(icText, worth, lastingText(tests, study.interval))
  return `Ranks tell the next returns ${strengthText(mean)}${inverse}: ${parts}${seen}.`
}

interface Row {
  horizon: number
}
const horizonColumn = <R extends Row>(): ReadColumn<R> =>
  column<R>('horizon', 'Horizon', 'count', ({ horizon }) => horizon)

/** Rows of each horizon, which they name. */
const rowsOf = <R extends object>(
  horizons: readonly Horizon[],
  pick: (horizon: Horizon) => readonly R[],
): (R & Row)[] => horizons.flatMap((one) => pick(one).map((row) => ({ ...row, horizon: one.horizon })))

const estimateTitles = {
  n: 'n',
  mean: 'Mean',
  low: 'Low',
  high: 'High',
  t: 't',
  p: 'p',
  sd: 'Std',
  se: 'Standard error',
}
const kindAs =
  (kind: NumberKind) =>
  (key: string): NumberKind =>
    key === 'n' ? 'count' : key === 'hitRate' ? 'share' : key === 't' || key === 'p' ? 'ratio' : kind

function horizonTable(horizons: readonly Horizon[]): SheetTable {
  const cell = column<Horizon>
  return table(
    { id: 'horizons', title: 'Horizons' },
    [
      horizonColumn<Horizon>(),
      cell('n', 'n', 'count', ({ rankIc }) => rankIc.nonOverlapping.n),
      cell('mean', 'Rank IC', 'ratio', ({ rankIc }) => rankIc.nonOverlapping.mean),
      cell('t', 't', 'ratio', ({ rankIc }) => rankIc.nonOverlapping.t),
      cell('p', 'p', 'probability', ({ rankIc }) => rankIc.nonOverlapping.p),
      cell('low', 'Low', 'ratio', ({ rankIc }) => rankIc.nonOverlapping.low),
      cell('high', 'High', 'ratio', ({ rankIc }) => rankIc.nonOverlapping.high),
      cell('spread', 'Spread', 'share', ({ spread }) => spread.mean),
      cell('used', 'Cells used', 'count', ({ attrition }) => attrition.used),
    ],
    horizons,
  )
}

function timeTable(horizons: readonly Horizon[]): SheetTable {
  const cell = column<Horizon>
  return table(
    { id: 'times', title: 'Times by horizon' },
    [
      cell('horizon', 'Horizon', 'count', ({ horizon }) => horizon),
      cell('all', 'All', 'count', ({ times }) => times.all),
      cell('used', 'Used', 'count', ({ times }) => times.used),
      cell('thin', 'Too few symbols', 'count', ({ times }) => times.thin),
      cell('empty', 'No symbol', 'count', ({ times }) => times.empty),
      cell('autocorrelation', 'Rank autocorrelation', 'ratio', (one) => one.rankAutocorrelation.mean),
      cell('compared', 'Times compared', 'count', (one) => one.rankAutocorrelation.n),
    ],
    horizons,
  )
}

/** Lists the ICs of every horizon by sampling method; the headline uses the first method. */
function estimateTable(horizons: readonly Horizon[], key: 'rankIc' | 'pearsonIc', title: string): SheetTable {
  const rows = rowsOf(horizons, ({ [key]: ic }) => [
    { sampling: samplings.nonOverlapping, ...ic.nonOverlapping },
    { sampling: `${samplings.all} (Newey–West)`, ...ic.all },
    { sampling: 'Naive (overlapping)', ...ic.naive },
  ])
  return table(
    { id: key, title: `${title} by sampling` },
    [
      horizonColumn<(typeof rows)[number]>(),
      column<(typeof rows)[number]>('sampling', 'Samples', 'text', ({ sampling }) => sampling, { widthPx: 170 }),
      ...numberColumns({ ...estimateTitles, mean: title, ratio: 'ICIR', hitRate: 'Hit rate' }, kindAs('ratio')),
    ],
    rows,
  )
}

function quantileTables(horizons: readonly Horizon[]): SheetTable[] {
  const quantiles = rowsOf(horizons, ({ quantiles }) => quantiles)
  const turnover = rowsOf(horizons, ({ turnover }) => turnover)
  return [
    table(
      { id: 'quantiles', title: 'Return by quantile' },
      [
        horizonColumn<(typeof quantiles)[number]>(),
        ...numberColumns({ quantile: 'Quantile' }, () => 'count'),
        ...numberColumns({ members: 'Symbols' }, () => 'ratio'),
        ...numberColumns(estimateTitles, kindAs('share')),
      ],
      quantiles,
    ),
    table(
      { id: 'spread', title: 'Spread of the outer quantiles' },
      [horizonColumn<Row & Horizon['spread']>(), ...numberColumns(estimateTitles, kindAs('share'))],
      rowsOf(horizons, ({ spread }) => [spread]),
    ),
    table(
      { id: 'turnover', title: 'Turnover by quantile' },
      [
        horizonColumn<(typeof turnover)[number]>(),
        ...numberColumns({ quantile: 'Quantile', n: 'n' }, () => 'count'),
        ...numberColumns({ mean: 'Turnover' }, () => 'share'),
      ],
      turnover,
    ),
  ]
}

interface MeanIc {
  n: number
  mean: number | null
  sd: number | null
}

function meansTable(
  id: string,
  title: string,
  horizons: readonly Horizon[],
  pick: (horizon: Horizon) => readonly (MeanIc & { name: string })[],
): SheetTable[] {
  const rows = rowsOf(horizons, pick)
  if (rows.length === 0) return []
  return [
    table(
      { id, title },
      [
        horizonColumn<(typeof rows)[number]>(),
        column<(typeof rows)[number]>('name', 'Name', 'text', ({ name }) => name),
        ...numberColumns({ n: 'n', mean: 'Rank IC', sd: 'Std' }, kindAs('ratio')),
      ],
      rows,
    ),
  ]
}

const breakdownRows = (rows: readonly (MeanIc & { key: string | number })[] = []) =>
  rows.map((row) => ({ ...row, name: String(row.key) }))

function pathTable(horizons: readonly Horizon[]): SheetTable {
  const rows = rowsOf(horizons, ({ path }) =>
    path.times.map((time, at) => ({
      time,
      values: path.quantiles.map((values) => values[at]),
      spread: path.spread[at],
    })),
  )
  const quantiles = horizons[0].path.quantiles.length
  return table(
    { id: 'path', title: 'Growth of 1 by quantile' },
    [
      horizonColumn<(typeof rows)[number]>(),
      column<(typeof rows)[number]>('time', 'Time', 'time', ({ time }) => time),
      ...Array.from({ length: quantiles }, (_, at) =>
        column<(typeof rows)[number]>(`q${at + 1}`, `Quantile ${at + 1}`, 'ratio', ({ values }) => values[at]),
      ),
      column<(typeof rows)[number]>('spread', 'Spread', 'ratio', ({ spread }) => spread),
    ],
    rows,
  )
}

/** Lists the difference between the two clocks by horizon; nothing if they were not compared. */
function clockTables({ comparison }: SignalResult): SheetTable[] {
  if (!comparison) return []
  const { horizons } = comparison
  const cell = column<(typeof horizons)[number]>
  const rows = horizons.flatMap(({ horizon, difference }) => [
    { horizon, sampling: samplings.nonOverlapping, ...difference.nonOverlapping },
    { horizon, sampling: `${samplings.all} (Newey–West)`, ...difference.all },
  ])
  return [
    table(
      { id: 'clocks', title: 'Both clocks', note: 'The same study on the rows of the other clock' },
      [
        cell('horizon', 'Horizon', 'count', ({ horizon }) => horizon),
        cell('n', 'Times', 'count', ({ n }) => n),
        cell('base', 'This clock', 'ratio', ({ base }) => base),
        cell('against', 'Other clock', 'ratio', ({ against }) => against),
        cell('difference', 'Difference', 'ratio', ({ difference }) => difference.nonOverlapping.mean),
        cell('t', 't', 'ratio', ({ difference }) => difference.nonOverlapping.t),
        cell('p', 'p', 'probability', ({ difference }) => difference.nonOverlapping.p),
      ],
      horizons,
    ),
    table(
      { id: 'clockEstimates', title: 'Difference of the clocks by sampling' },
      [
        horizonColumn<(typeof rows)[number]>(),
        column<(typeof rows)[number]>('sampling', 'Samples', 'text', ({ sampling }) => sampling),
        ...numberColumns(estimateTitles, kindAs('ratio')),
      ],
      rows,
    ),
  ]
}

function charts(horizons: readonly Horizon[]): Section[] {
  const names = horizons.map(({ horizon }) => plainPlural(horizon, 'bar'))
  const [{ horizon, series, path, byMonth }] = horizons
  const of = `horizon of ${plainPlural(horizon, 'bar')}`
  const quantiles = Object.fromEntries(path.quantiles.map((values, at) => [`Quantile ${at + 1}`, values]))
  const drawn = [
    barChart(
      'icByMonth',
      `Rank IC by month, ${of}`,
      byMonth.map(({ month }) => month),
      {
        'Mean rank IC': byMonth.map(({ mean }) => mean),
      },
    ),
    timeChart('ic', `Rank IC through time, ${of}`, series.times, { 'Rank IC': series.rank }),
    timeChart('growth', `Growth of 1 by quantile, ${of}`, path.times, { ...quantiles, Spread: path.spread }, 'ratio'),
  ]
  return [
    barChart('icByHorizon', 'Rank IC by horizon', names, {
      'Mean rank IC': horizons.map(({ rankIc }) => rankIc.nonOverlapping.mean),
    }),
    barChart('spreadByHorizon', 'Spread of the outer quantiles by horizon', names, {
      'Mean spread': horizons.map(({ spread }) => spread.mean),
    }),
    ...drawn.filter(({ series: [line] }) => line.x.length > 1),
  ]
}

export function sections(result: SignalResult): Section[] {
  const { horizons, coverage } = result
  return [
    summary(
      'Horizons in bars, samples that do not overlap; spread: mean return of the top quantile minus the bottom one.',
    ),
    { kind: 'figures', id: 'figures', title: 'Figures', figures: [coverageFigure(coverage)] },
    ...charts(horizons),
    horizonTable(horizons),
    timeTable(horizons),
    estimateTable(horizons, 'rankIc', 'Rank IC'),
    estimateTable(horizons, 'pearsonIc', 'Pearson IC'),
    ...clockTables(result),
    ...quantileTables(horizons),
    ...meansTable('byMonth', 'Rank IC by month', horizons, ({ byMonth }) =>
      byMonth.map((row) => ({ ...row, name: row.month })),
    ),
    ...meansTable('byWeekday', 'Rank IC by weekday', horizons, ({ byWeekday }) =>
      byWeekday.map((row) => ({ ...row, name: weekdayNames[row.weekday - 1] })),
    ),
    ...meansTable('byHour', 'Rank IC by hour', horizons, ({ byHour }) =>
      byHour.map((row) => ({ ...row, name: String(row.hour) })),
    ),
    ...meansTable('byGroup', 'Rank IC by group', horizons, ({ byGroup }) => breakdownRows(byGroup)),
    ...meansTable('byRegime', 'Rank IC by regime', horizons, ({ byRegime }) => breakdownRows(byRegime)),
    pathTable(horizons),
    ...horizons.map(({ horizon, attrition }) => ({
      ...attritionTable(attrition),
      ...(horizons.length > 1 && { id: `attrition.${horizon}`, title: `Attrition, horizon of ${horizon}` }),
    })),
  ]
}
