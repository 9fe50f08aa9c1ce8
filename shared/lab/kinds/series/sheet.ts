import { column, type Section, type SheetFigures, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { formatNumber, formatPercent } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import {
  alongColumns,
  type AlongRow,
  attritionTables,
  chartCases,
  horizonColumn,
  intervalChart,
  meanInterval,
  returnColumns,
  rowsOf,
  symbolColumn,
} from '../alongSections.ts'
import { barChart, timeChart } from '../charts.ts'
import { coverageFigure, figure, numberColumns, summary, weekdayNames } from '../sections.ts'
import { samplings } from '../signal/fields.ts'
import {
  addedAttrition,
  bpsText,
  errorText,
  isSignificant,
  joinedParts,
  lastingText,
  nothingUsedText,
  ratioText,
  strengthText,
  unansweredText,
} from '../verdicts.ts'

type SeriesResult = ResultOf<'series'>
type SymbolResult = SeriesResult['symbols'][number]
type Horizon = SymbolResult['horizons'][number]
type Pooled = NonNullable<SeriesResult['pooled']>[number]

export const leading = ['summary', 'ic', 'pooled', 'buckets']

const DETECTABLE =
  'The smallest rank IC that this study finds with a power of 80 % at the 5 % level, by the number of samples'

/** The answer in one sentence. */
export function verdict(result: SeriesResult): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { symbols, pooled } = result
  const attrition = addedAttrition(symbols.map(({ horizons }) => horizons[0].attrition))
  if (attrition.used === 0) return nothingUsedText(attrition)
  return pooled ? pooledVerdict(result, pooled) : symbolVerdict(result, symbols[0])
}

function symbolVerdict({ study }: SeriesResult, { horizons }: SymbolResult): string {
  const [{ horizon, ic, spread }] = horizons
  const { spearman, low, high, p, n } = ic.nonOverlapping
  const bars = plural(horizon, 'bar')
  if (n < 2) return `Too few samples to judge the signal: ${plural(n, 'sample')} at ${bars}.`
  if (spearman === null)
    return `There is no IC at ${bars}: the signal, or the return, is equal in ${plural(n, 'sample')}.`
  const seen = ic.detectable === null ? '' : `; this study would have seen ${ratioText(ic.detectable)}`
  const icText = `IC ${ratioText(spearman)}${errorText(low, high)} at ${bars} (${plural(n, 'sample')})`
  if (low === null && p === null) return `Too few samples to judge the signal: ${icText}${seen}.`
  if (!isSignificant(p)) return `The signal does not tell the next return: ${icText}${seen}.`
  const inverse = spearman < 0 ? ', the other way round' : ''
  const worth = spread === null ? '' : `worth ${bpsText(spread.mean)} between the outer buckets`
  const tests = horizons.map((one) => ({ horizon: one.horizon, p: one.ic.nonOverlapping.p }))
  const parts = joinedParts(icText, worth, lastingText(tests, study.interval))
  return `The signal tells the next return ${strengthText(spearman)}${inverse}: ${parts}${seen}.`
}

function pooledVerdict({ study, symbols }: SeriesResult, pooled: readonly Pooled[]): string {
  const [{ horizon, n, mean, low, high, p, positive }] = pooled
  const over = `over ${plural(n, 'symbol')} at ${plural(horizon, 'bar')}`
  if (mean === null || positive === null)
    return `There is no IC at ${plural(horizon, 'bar')} of any of ${plural(symbols.length, 'symbol')}: ${noCorrelationText(symbols)}.`
  const icText = `mean IC ${ratioText(mean)}${errorText(low, high)} ${over}, above 0 for ${formatPercent(positive, 0)} %`
  if (p === null) return `Too few symbols to judge the signal: ${icText}.`
  if (!isSignificant(p)) return `The signal does not tell the next returns of the symbols alike: ${icText}.`
  const inverse = mean < 0 ? ', the other way round' : ''
  const tests = pooled.map((one) => ({ horizon: one.horizon, p: one.p }))
  return `The signal tells the next returns of the symbols ${strengthText(mean)}${inverse}: ${joinedParts(icText, lastingText(tests, study.interval))}.`
}

/** Says why no symbol has a correlation at the first horizon. */
function noCorrelationText(symbols: readonly SymbolResult[]): string {
  const isFew = ({ horizons }: SymbolResult) => horizons[0].ic.nonOverlapping.n < 2
  if (symbols.every(isFew)) return 'none has two samples'
  const equal = 'the signal, or the return, is equal in all samples'
  return symbols.some(isFew) ? `none has two samples, or ${equal}` : equal
}

/** The figures that lead: those of the first horizon. */
function figures({ symbols, pooled }: SeriesResult): SheetFigures {
  const head = { kind: 'figures' as const, id: 'figures', title: 'Figures' }
  const interval = '95 % interval by Fisher’s transformation'
  const [{ coverage, horizons }] = symbols
  const [{ horizon, ic }] = horizons
  const { n, spearman, low, high, p } = ic.nonOverlapping
  const name = `IC at ${plural(horizon, 'bar')}`
  if (pooled) {
    const [first] = pooled
    return {
      ...head,
      figures: [
        figure(
          'ic',
          `Mean ${name}`,
          'estimate',
          first.mean,
          'Mean of the symbols’ rank ICs over non-overlapping samples',
        ),
        figure('low', '95 % interval, low', 'estimate', first.low, 'Mean ± t × standard error over the symbols'),
        figure('high', '95 % interval, high', 'estimate', first.high, 'Mean ± t × standard error over the symbols'),
        figure('p', 'p', 'probability', first.p, 'Two-sided p-value from Student’s t with n − 1 degrees of freedom'),
        figure('positive', 'Above 0', 'percentFigure', first.positive, 'Share of the symbols with an IC above 0'),
        figure('symbols', 'Symbols', 'count', first.n, 'Number of symbols with an IC'),
      ],
    }
  }
  return {
    ...head,
    figures: [
      figure('ic', name, 'estimate', spearman, 'Rank correlation of signal and return over non-overlapping samples'),
      figure('low', '95 % interval, low', 'estimate', low, interval),
      figure('high', '95 % interval, high', 'estimate', high, interval),
      figure('detectable', 'Would have seen', 'estimate', ic.detectable, DETECTABLE),
      figure('p', 'p', 'probability', p, 'Two-sided p-value from Student’s t with n − 2 degrees of freedom'),
      figure('n', 'Samples', 'count', n, 'Non-overlapping samples'),
      coverageFigure(coverage),
    ],
  }
}

function icTable(symbols: readonly SymbolResult[]): SheetTable {
  const rows = rowsOf(symbols, (one) => [{ one }])
  const cell = column<(typeof rows)[number]>
  return table(
    {
      id: 'ic',
      title: 'Rank IC',
      note: 'Non-overlapping samples; “would have seen” is the smallest IC found with 80 % power',
    },
    [
      ...alongColumns<(typeof rows)[number]>(),
      cell('ic', 'IC', 'estimate', ({ one }) => one.ic.nonOverlapping.spearman),
      cell('low', 'Low', 'estimate', ({ one }) => one.ic.nonOverlapping.low),
      cell('high', 'High', 'estimate', ({ one }) => one.ic.nonOverlapping.high),
      cell('detectable', 'Would have seen', 'estimate', ({ one }) => one.ic.detectable, { hint: DETECTABLE }),
      cell('n', 'n', 'count', ({ one }) => one.ic.nonOverlapping.n),
      cell('p', 'p', 'probability', ({ one }) => one.ic.nonOverlapping.p),
      cell('spread', 'Spread', 'share', ({ one }) => one.spread?.mean, {
        hint: 'Mean return of the highest bucket minus that of the lowest',
      }),
      cell('monotonic', 'Monotonic', 'estimate', ({ one }) => one.monotonic, {
        hint: 'Rank correlation of the buckets’ numbers and their mean returns',
      }),
      cell('used', 'Cells used', 'count', ({ one }) => one.attrition.used),
      cell('unplaced', 'Without a bucket', 'count', ({ one }) => one.unplaced),
    ],
    rows,
  )
}

function samplingTable(symbols: readonly SymbolResult[]): SheetTable {
  const rows = rowsOf(symbols, ({ ic }) => [
    { sampling: samplings.nonOverlapping, ...ic.nonOverlapping, effectiveN: null },
    { sampling: samplings.all, ...ic.all },
  ])
  type Row = (typeof rows)[number]
  return table(
    { id: 'sampling', title: 'IC by sampling', note: 'All times: tested with the effective number of samples' },
    [
      ...alongColumns<Row>(),
      column<Row>('sampling', 'Samples', 'text', (row) => row.sampling, { widthPx: 140 }),
      column<Row>('n', 'n', 'count', ({ n }) => n),
      ...numberColumns(
        { spearman: 'Rank IC', pearson: 'Pearson IC', effectiveN: 'Effective n', t: 't', p: 'p' },
        () => 'statistic',
      ),
    ],
    rows,
  )
}

function bucketTables(symbols: readonly SymbolResult[]): SheetTable[] {
  const buckets = rowsOf(symbols, (one) => one.buckets)
  const thresholds = rowsOf(symbols, (one) => one.thresholds ?? [])
  const all = rowsOf(symbols, (one) => [one.all])
  const spreads = rowsOf(symbols, ({ spread }) => (spread === null ? [] : [spread]))
  return [
    table(
      { id: 'buckets', title: 'Return by bucket' },
      [
        ...alongColumns<(typeof buckets)[number]>(),
        column<(typeof buckets)[number]>('bucket', 'Bucket', 'count', ({ bucket }) => bucket, {
          hint: 'From the lowest signal to the highest',
        }),
        ...returnColumns<(typeof buckets)[number]>(),
      ],
      buckets,
    ),
    ...(thresholds.length === 0
      ? []
      : [
          table(
            { id: 'thresholds', title: 'Return at or above a threshold' },
            [
              ...alongColumns<(typeof thresholds)[number]>(),
              column<(typeof thresholds)[number]>('threshold', 'Signal ≥', 'statistic', ({ threshold }) => threshold),
              ...returnColumns<(typeof thresholds)[number]>(),
            ],
            thresholds,
          ),
        ]),
    table(
      { id: 'all', title: 'Return of all cells' },
      [...alongColumns<(typeof all)[number]>(), ...returnColumns<(typeof all)[number]>()],
      all,
    ),
    table(
      {
        ...{ id: 'spread', title: 'Spread of the outer buckets', note: 'Highest bucket minus the lowest' },
        empty: 'An outer bucket has too few samples.',
      },
      [
        ...alongColumns<(typeof spreads)[number]>(),
        ...numberColumns({ mean: 'Mean', se: 'Standard error' }, () => 'share'),
        ...numberColumns({ t: 't', p: 'p' }, () => 'ratio'),
      ],
      spreads,
    ),
  ]
}

interface CalendarIc {
  name: string
  n: number
  spearman: number | null
}

function calendarTable(
  head: { id: string; title: string },
  symbols: readonly SymbolResult[],
  pick: (horizon: Horizon) => CalendarIc[],
): SheetTable {
  type Row = AlongRow & CalendarIc
  return table(
    head,
    [
      ...alongColumns<Row>(),
      column<Row>('name', 'Name', 'text', ({ name }) => name),
      column<Row>('n', 'n', 'count', ({ n }) => n),
      column<Row>('spearman', 'Rank IC', 'estimate', ({ spearman }) => spearman),
    ],
    rowsOf(symbols, pick),
  )
}

const months = ({ byMonth }: Horizon): CalendarIc[] => byMonth.map(({ month, ...row }) => ({ name: month, ...row }))
const hours = ({ byHour }: Horizon): CalendarIc[] => byHour.map(({ hour, ...row }) => ({ name: String(hour), ...row }))
const weekdays = ({ byWeekday }: Horizon): CalendarIc[] =>
  byWeekday.map(({ weekday, ...row }) => ({ name: weekdayNames[weekday - 1], ...row }))

/** Maximum number of samples in the table of the paths; a file of the result has all. */
const MOST_PATH_ROWS = 20_000

function pathTable(symbols: readonly SymbolResult[]): SheetTable {
  const samples = symbols.flatMap(({ horizons }) => horizons.map(({ path }) => path.times.length))
  const every = Math.max(1, Math.ceil(samples.reduce((sum, count) => sum + count, 0) / MOST_PATH_ROWS))
  const rows = rowsOf(symbols, ({ path: { times, buckets } }) => {
    const listed = Array.from({ length: Math.ceil(times.length / every) }, (_, block) =>
      Math.min(times.length, (block + 1) * every),
    )
    return listed.map((end) => ({ time: times[end - 1], values: buckets.map((values) => values[end - 1]) }))
  })
  type Row = (typeof rows)[number]
  const note = 'Over the non-overlapping samples of each bucket, without costs'
  return table(
    {
      ...{ id: 'path', title: 'Growth of 1 by bucket' },
      note: every === 1 ? note : `${note}; 1 in ${every} samples is listed`,
    },
    [
      ...alongColumns<Row>(),
      column<Row>('time', 'Time', 'time', ({ time }) => time),
      ...symbols[0].horizons[0].path.buckets.map((_, at) =>
        column<Row>(`b${at + 1}`, String(at + 1), 'ratio', ({ values }) => values[at]),
      ),
    ],
    rows,
  )
}

function pooledTables({ pooled }: SeriesResult): SheetTable[] {
  if (!pooled) return []
  return [
    table(
      { id: 'pooled', title: 'Rank IC over the symbols', note: 'One IC a symbol, from its non-overlapping samples' },
      [
        horizonColumn<Pooled>(),
        column<Pooled>('n', 'Symbols', 'count', ({ n }) => n),
        ...numberColumns(
          { mean: 'Mean IC', low: 'Low', high: 'High', t: 't', p: 'p', sd: 'Std', se: 'Standard error' },
          () => 'estimate',
        ),
        column<Pooled>('positive', 'Above 0', 'share', ({ positive }) => positive),
      ],
      pooled,
    ),
  ]
}

/** Tells whether a chart has something to show: two names or times, and a value. */
const hasValues = (section: Section): boolean =>
  section.kind !== 'chart' ||
  section.series.some(({ values }) => values.length > 1 && values.some((value) => !Number.isNaN(value)))

/** Charts of each symbol and horizon, of which a window shows one at a time. */
function charts({ symbols }: SeriesResult): Section[] {
  const cases = chartCases(symbols)
  const drawn = new Set(cases.map(({ symbol }) => symbol)).size
  const ofSymbols = drawn < symbols.length ? `, first ${drawn} of ${symbols.length} symbols` : ''
  const choice = (group: string, title: string, option: string) =>
    cases.length > 1 ? { choice: { group, title, label: 'Horizon', option } } : {}
  const each = (
    group: string,
    title: string,
    draw: (one: Horizon, head: { id: string; title: string }) => Section,
  ): Section[] =>
    cases.map(({ one, key, option }) => ({
      ...draw(one, { id: `${group}.${key}`, title: `${title}, ${option}` }),
      ...choice(group, title, option),
    }))
  const calendar = (group: string, title: string, pick: (one: Horizon) => CalendarIc[]) =>
    each(group, title, (one, head) => {
      const rows = pick(one)
      return barChart(
        head.id,
        head.title,
        rows.map(({ name }) => name),
        { 'Rank IC': rows.map((row) => row.spearman) },
      )
    })
  return [
    ...each('bucketChart', 'Mean return by bucket', (one, head) =>
      intervalChart(
        { ...head, note: '95 % intervals' },
        one.buckets.map(({ bucket }) => String(bucket)),
        { 'Mean return': one.buckets.map(meanInterval) },
        'share',
      ),
    ),
    intervalChart(
      { id: 'icChart', title: `Rank IC by horizon${ofSymbols}`, note: '95 % intervals' },
      cases.map(({ option }) => option),
      {
        'Rank IC': cases.map(({ one }) => {
          const { spearman: value, low, high } = one.ic.nonOverlapping
          return { value, low, high }
        }),
      },
      'estimate',
    ),
    ...each('growth', 'Growth of 1 by bucket', (one, head) => {
      const lines = Object.fromEntries(one.path.buckets.map((values, at) => [String(at + 1), values]))
      return timeChart(head.id, head.title, one.path.times, lines, 'ratio')
    }),
    ...calendar('monthChart', 'Rank IC by month', months),
    ...calendar('hourChart', 'Rank IC by hour', hours),
    ...calendar('weekdayChart', 'Rank IC by weekday', weekdays),
  ]
}

function coverageTables(symbols: readonly SymbolResult[]): SheetTable[] {
  if (symbols.length < 2) return []
  return [
    table(
      { id: 'coverage', title: 'Coverage', note: 'Share of the cells of members that have a signal' },
      [
        symbolColumn<SymbolResult>(),
        column<SymbolResult>('members', 'Members', 'count', ({ coverage }) => coverage.members),
        column<SymbolResult>('present', 'With a signal', 'count', ({ coverage }) => coverage.present),
        column<SymbolResult>('share', 'Share', 'share', ({ coverage }) => coverage.share),
      ],
      symbols,
    ),
  ]
}

/** Says why no cell has a bucket; null if one has. */
function unplacedText({ study, symbols }: SeriesResult): string | null {
  const horizons = symbols.flatMap((one) => one.horizons)
  if (!horizons.every(({ unplaced, attrition }) => unplaced === attrition.used)) return null
  const { bucketBy, warmUp, buckets } = study
  const most = Math.max(...symbols.map(({ coverage }) => coverage.present))
  const needed = bucketBy === 'inSample' ? buckets : warmUp
  const within = bucketBy === 'trailing' ? ` within ${plural(study.window, 'bar')}` : ''
  return `No bar has a bucket, because that needs ${plural(needed, 'signal')}${within}, and a symbol has ${formatNumber(most, 0)} at most.`
}

export function sections(result: SeriesResult): Section[] {
  const { symbols } = result
  const unplaced = unplacedText(result)
  return [
    summary(
      'Horizons in bars; IC: rank correlation of the signal with the return that follows it, each symbol by itself along time.',
      ...(unplaced === null ? [] : [unplaced]),
    ),
    figures(result),
    ...pooledTables(result),
    ...charts(result).filter(hasValues),
    icTable(symbols),
    ...bucketTables(symbols),
    samplingTable(symbols),
    calendarTable({ id: 'byMonth', title: 'Rank IC by month' }, symbols, months),
    calendarTable({ id: 'byHour', title: 'Rank IC by hour' }, symbols, hours),
    calendarTable({ id: 'byWeekday', title: 'Rank IC by weekday' }, symbols, weekdays),
    pathTable(symbols),
    ...coverageTables(symbols),
    ...attritionTables(symbols),
  ]
}
