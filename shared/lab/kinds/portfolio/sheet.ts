/** Describes the result of a portfolio test for every face: what it earned, from what, and how much may be luck. */
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { figures, type FigureValues } from '#shared/portfolio/figures.ts'
import {
  column,
  type Section,
  type SheetChart,
  type SheetFigures,
  type SheetTable,
  type SheetText,
  table,
} from '#shared/sheet/sheet.ts'
import { parseDay } from '#shared/time.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { figureKind, numberFormat, type NumberKind, numberText, unitLabel } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plainPlural, plural } from '#shared/units/plurals.ts'
import { slippageText } from '../../portfolio/slippageText.ts'
import type { PortfolioResult } from '../../portfolio/testResult.ts'
import { isPerCent } from '../../sourceWarnings.ts'
import { chartOf } from '../charts.ts'
export { verdict } from './verdict.ts'
import { amountKeys, amountNames, annualisedSharpe, foldSharpes, parameterText } from './testStatistics.ts'
import { baseShortener } from '../../symbolNames.ts'

/** Sections that sum a test up on a face with little room. */
export const leading = [
  'notes',
  'performance',
  'costs',
  'trading',
  'unknown',
  'testAttrition',
  'luck',
  'folds',
  'capacity',
]

export const sections = (result: PortfolioResult): Section[] => [
  notes(result),
  performanceTable(result),
  ...performanceCharts(result),
  costTable(result),
  tradingFigures(result),
  ...unknownSection(result),
  luckTable(result),
  ...foldTables(result),
  ...capacityTable(result),
  worstDayTable(result),
  symbolTable(result),
  ...fundingTable(result.data.funding),
  attritionTable(result),
  dayTable(result),
]

/** Facts that every later result must state: a sealed or opened holdout, ruin, resets and lost entries. */
function notes({ holdout, ruin, family, overfitting }: PortfolioResult): SheetText {
  const { trials, trialsInLedger, resetTime, lostEntries } = overfitting
  const lines = [
    ruin && `Ruined at ${zonedTime(ruin.time, 'utc')} with equity ${numberText('notional', ruin.equity) ?? '–'}.`,
    holdout &&
      (holdout.opened
        ? `The holdout from ${holdout.fromDay} on was opened: later changes may be fitted to these days too.`
        : `The holdout from ${holdout.fromDay} on is sealed: ${plainPlural(holdout.sealedRows, 'row was', 'rows were')} not read.`),
    `Trials: ${trials} in this family (${family.slice(0, 12)}), ${trialsInLedger} in the ledger.`,
    resetTime !== null && `Trials are counted from the reset at ${zonedTime(resetTime, 'utc')}.`,
    lostEntries &&
      `The ledger lost ${lostEntries.entries === null ? 'its entries' : plainPlural(lostEntries.entries, 'entry', 'entries')}, so trials may be missing from these figures.`,
  ]
  return { kind: 'text', id: 'notes', title: 'Notes', lines: lines.filter((line) => typeof line === 'string') }
}

const mainFigures = ['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'winRate']

/** Other returns to compare with, on the days that both have. */
export interface ComparedFigures {
  label: string
  test: FigureValues
  other: FigureValues
  days: number
}

interface FigureColumn {
  key: string
  title: string
  values: FigureValues
}

/** Figures with costs, without them and, if the exposure is scaled, without the scaling. */
const figureColumns = ({ figures: { net, gross }, unscaled }: PortfolioResult): FigureColumn[] => [
  { key: 'net', title: 'Net', values: net },
  { key: 'gross', title: 'Gross', values: gross },
  ...(unscaled ? [{ key: 'without', title: 'Without scaling', values: unscaled.net }] : []),
]

type Described = (typeof figures)[number]

const figureTable = (
  id: string,
  title: string,
  columns: readonly FigureColumn[],
  rows: readonly Described[],
  hasDefinitions: boolean,
): SheetTable =>
  table<Described>(
    { id, title, note: 'Net and gross on the same positions' },
    [
      column('figure', 'Figure', 'text', ({ name }) => name, { widthPx: 170 }),
      ...columns.map((each) =>
        column<Described>(each.key, each.title, 'text', (figure) => figureText(figure, each.values), {
          widthPx: Math.min(260, Math.max(110, 24 + 8 * each.title.length)),
          align: 'right',
        }),
      ),
      ...(hasDefinitions
        ? [
            column<Described>('definition', 'Definition', 'text', ({ formula }) => formula, {
              widthPx: 420,
              widestPx: 900,
              explains: true,
            }),
          ]
        : []),
    ],
    rows,
  )

function figureText({ id, unit }: Described, values: FigureValues): string | null {
  const text = numberText(figureKind(unit), values[id] ?? null)
  return text === null ? null : [text, unitLabel(unit)].filter(Boolean).join(' ')
}

const performanceTable = (result: PortfolioResult): SheetTable =>
  figureTable(
    'performance',
    'Performance',
    figureColumns(result),
    mainFigures.flatMap((id) => figures.find((figure) => figure.id === id) ?? []),
    false,
  )

/**
 * All figures of a test with their definitions. A comparison adds its own figures on the common days and, if the test
 * has more days than these, the figures of the test on the common days.
 */
export const tearSheetTable = (result: PortfolioResult, compared: ComparedFigures | null): SheetTable =>
  figureTable(
    'tearSheet',
    'Tear sheet',
    [
      ...figureColumns(result),
      ...(compared && compared.days < result.days.length
        ? [{ key: 'common', title: 'Net, common days', values: compared.test }]
        : []),
      ...(compared ? [{ key: 'compared', title: compared.label, values: compared.other }] : []),
    ],
    figures,
    true,
  )

function performanceCharts({ days, equity, net, gross, exposure }: PortfolioResult): SheetChart[] {
  if (days.length === 0) return []
  const x = Float64Array.from(days, (day) => parseDay(day) ?? NaN)
  const chart = (id: string, title: string, kind: NumberKind, lines: Record<string, readonly (number | null)[]>) =>
    chartOf({ id, title, style: 'line', names: null }, x, lines, kind)
  return [
    chart('equity', 'Equity', 'notional', { Equity: equity }),
    chart('returns', 'Returns by day', 'return', { Net: net, Gross: gross }),
    chart('exposure', 'Exposure', 'ratio', { Gross: exposure.gross, Net: exposure.net }),
  ]
}

const costParts = [...amountKeys, 'total', 'traded'] as const
type CostPart = (typeof costParts)[number]

function costTable({ costs, study }: PortfolioResult): SheetTable {
  // A missing amount is null in a stored result, and no share of it can be said.
  const shareOf = (amount: number) => (Number.isFinite(amount) ? amount / study.capital : null)
  return table<CostPart>(
    { id: 'costs', title: 'Where the result comes from', note: slippageText(study.costs) },
    [
      column('part', 'Part', 'text', (part) => amountNames[part]),
      column('amount', 'Amount', 'notional', (part) => costs[part]),
      column('share', 'Share of capital', 'percentFigure', (part) => shareOf(costs[part])),
    ],
    costParts,
  )
}

/** Exposures below this count as 0, because a sum of floating-point weights that cancel out is not exactly 0. */
const LEAST_EXPOSURE = 1e-9
const exposureValue = (value: number | null) => (value !== null && Math.abs(value) < LEAST_EXPOSURE ? 0 : value)

/** How the test traded: turnover, exposure, hit rate and participation. */
export function tradingFigures(result: PortfolioResult): SheetFigures {
  const { turnover, exposure, breakEvenFeeBps, hitRate, participation, study, unknown } = result
  // Answers stored by an earlier version have no drift.
  const drift: PortfolioResult['drift'] | undefined = result.drift
  return {
    ...{ kind: 'figures', id: 'trading', title: 'Trading' },
    figures: [
      {
        ...{ id: 'breakEven', name: 'Break-even fee', kind: 'figure', value: breakEvenFeeBps, unit: 'bps' },
        note: `paid ${numberFormat('figure')(study.costs.feeBps)}`,
        formula:
          'Fee at which the returns of all bars add up to 0: Σ (price + funding + spread + slippage) / equity, divided by Σ traded / equity; spread and slippage are negative',
      },
      {
        ...{ id: 'turnover', name: 'Annual turnover', kind: 'figure', value: turnover.oneWayAnnual, unit: '×' },
        formula: 'One-way: half of traded notional / equity · 365 / days',
      },
      {
        ...{ id: 'drift', name: 'Drift turnover', kind: 'figure', value: drift?.oneWayAnnual ?? null, unit: '×' },
        note: `costs ${numberText('notional', drift?.cost ?? null) ?? '–'} in quote currency`,
        formula:
          'Turnover beyond the changes of the targets, because prices moved the weights since the last trade: ½Σ(traded / equity − Σ|target − last target|) · 365 / days. The Explain tab charges only the changes of the targets; drift turnover is what it leaves out. It is below 0 if prices moved the weights towards the targets.',
      },
      {
        ...{ id: 'trades', name: 'Trades', kind: 'count', value: turnover.trades },
        note: `in ${plural(turnover.rebalances, 'rebalance')}`,
        formula: 'Number of trades, not counting settlements',
      },
      {
        ...{ id: 'exposure', name: 'Mean gross exposure', kind: 'figure', value: exposureValue(exposure.mean.gross) },
        formula: 'Mean of Σ|position| / equity over all bars',
      },
      {
        ...{ id: 'netExposure', name: 'Mean net exposure', kind: 'figure', value: exposureValue(exposure.mean.net) },
        formula: 'Mean of Σ position / equity over all bars',
      },
      {
        ...{ id: 'maxGross', name: 'Max gross exposure', kind: 'figure', value: exposureValue(exposure.maxGross) },
        formula: 'Largest Σ|position| / equity of any bar',
      },
      {
        ...{ id: 'hitRate', name: 'Hit rate', kind: 'percentFigure', value: hitRate },
        formula: 'Share of positions that gained from one rebalance to the next, by price alone',
      },
      {
        ...{ id: 'unknownFunding', name: 'Funding unknown', kind: 'percentFigure' },
        value: study.funding === 'none' ? null : unknown.fundingShare,
        formula:
          'Share of the held notional whose funding rate is missing; net contains no funding for it, so the true net may be higher or lower',
      },
      {
        ...{
          id: 'participation',
          name: 'Participation, p95',
          kind: 'percentFigure',
          value: participation?.p95 ?? null,
        },
        formula:
          'Largest trade of a bar / volume of its symbol in that bar: the 95th percentile over all bars with trades',
      },
    ],
  }
}

const isZero = (cost: unknown) => cost === 0 || cost === '0'
const shareText = numberFormat('share')

/** Says which costs are unknown, left out or doubtful; empty if none is. */
export function unknownLines(result: PortfolioResult): string[] {
  const { study, unknown, participation, costs: amounts } = result
  // Answers stored by an earlier version say nothing of it.
  const assumed: PortfolioResult['assumed'] | undefined = result.assumed
  const { funding, costs } = study
  const { fundingShare, spreadNotional, slippageNotional, volumeTrades } = unknown
  const ofTraded = (amount: number) =>
    `${shareText(amount / amounts.traded)} % of the traded notional (${numberFormat('notional')(amount)} in quote currency)`
  const held = `${shareText(fundingShare)} % of the held notional`
  return [
    funding === 'none' && 'Funding is switched off: net excludes it.',
    funding === 'required' &&
      fundingShare > 0 &&
      `Funding is unknown for ${held}: net, deflated Sharpe and break-even fee exclude it.`,
    funding === 'zero' && fundingShare > 0 && `Funding is missing for ${held} and counts as 0, as you chose.`,
    assumed !== undefined &&
      assumed.fundingShare > 0 &&
      `For ${shareText(assumed.fundingShare)} % of the notional at funding times, the period is inferred or assumed: see the funding periods below.`,
    isZero(costs.spreadBps) && 'No spread is given: net excludes it.',
    spreadNotional > 0 && `The spread is unknown for ${ofTraded(spreadNotional)} and counts as 0.`,
    'bps' in costs.slippage && costs.slippage.bps === 0 && 'No slippage is given: net excludes it.',
    slippageNotional > 0 && `The slippage is unknown for ${ofTraded(slippageNotional)} and counts as 0.`,
    costs.volume === null &&
      `No volume is given: participation is unknown${'perNotional' in costs.slippage ? '' : ', and costs do not grow with size'}.`,
    study.capacity !== null &&
      'bps' in costs.slippage &&
      'Slippage is fixed, so the capacity curve cannot fall with size. Choose “Square root of size” to see the limit.',
    volumeTrades > 0 &&
      `${plural(volumeTrades, 'trade')} ${agree(volumeTrades, 'has', 'have')} no volume: participation excludes ${agree(volumeTrades, 'it', 'them')}.`,
    (participation?.max ?? 0) > 1 &&
      `The largest trade is ${shareText(participation?.max ?? 0)} % of the volume of its bar: it could not have been executed at this size. Test with less capital, more symbols or less frequent rebalancing.`,
    'sigma' in costs.slippage &&
      isPerCent(costs.slippage.sigma) &&
      'costs.slippage.sigma is in per cent (pct gives per cent), but slippage needs a fraction, so slippage is 100 times too large. Use logret, or divide by 100.',
  ].filter((line) => typeof line === 'string')
}

function unknownSection(result: PortfolioResult): SheetText[] {
  const lines = unknownLines(result)
  return lines.length > 0 ? [{ kind: 'text', id: 'unknown', title: 'What is not known', lines }] : []
}

/** Figures from the ledger, each with its name and definition. */
const luckFigures: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  sharpe: [
    'Sharpe ratio per day',
    'Mean / standard deviation of the daily net returns in excess of the risk-free rate',
  ],
  days: ['Days', 'Number of daily net returns'],
  skewness: ['Skewness', 'Sample skewness; a normal distribution has 0'],
  kurtosis: ['Kurtosis', 'Sample kurtosis, not excess kurtosis; a normal distribution has 3'],
  trials: ['Trials N', 'Trials of this family in the ledger, this one included'],
  averageCorrelation: ['Mean correlation ρ', 'Over the daily returns of all pairs of trials in the family'],
  effectiveTrials: ['Effective trials N′', 'ρ + (1 − ρ)·N with ρ limited to 0 … 1'],
  trialsOnSource: [
    'Trials on this source',
    'Of any family, on the same source and interval; all panel files count as one source',
  ],
  trialsInLedger: ['Trials in the ledger', 'Of all families since the last reset'],
  sharpeVariance: ['Variance of the Sharpe ratios', 'Over the trials of the family, per day'],
  expectedMaximum: ['Expected maximum SR₀', '√variance · e(N): what the best of N reaches by luck, per day'],
  probabilistic: ['Probabilistic Sharpe', 'PSR(0)'],
  deflated: ['Deflated Sharpe', 'PSR(SR₀)'],
  deflatedEffective: ['Deflated by N′', 'PSR(√variance · e(N′))'],
  deflatedOnSource: ['Deflated by all trials', 'PSR with all trials of the source and interval'],
  minimumTrackRecordDays: ['Minimum track record, days', 'For a Sharpe ratio above 0 with 95 % confidence'],
  minimumBacktestDays: ['Minimum backtest, days', '365·e(N)²'],
  pbo: ['PBO', 'Share of the splits in which the best in-sample trial ranks below the median out of sample'],
  lossShare: ['Out-of-sample loss', 'Share of the splits in which the best in-sample trial loses out of sample'],
}

/** Most figures from the ledger are counts, without decimals, or probabilities. */
const luckText = (value: unknown): string | null =>
  typeof value === 'number' ? numberText(Number.isInteger(value) ? 'count' : 'statistic', value) : null

function luckTable({ overfitting }: PortfolioResult): SheetTable {
  const { pbo, ...rest } = overfitting
  const values: Record<string, unknown> = { ...rest, pbo: pbo?.pbo ?? null, lossShare: pbo?.lossShare ?? null }
  return table<string>(
    { id: 'luck', title: 'How much is luck', note: 'Sharpe ratios here are per day' },
    [
      column('figure', 'Figure', 'text', (id) => luckFigures[id][0], { widthPx: 230 }),
      column('value', 'Value', 'text', (id) => luckText(values[id]), { widthPx: 110, align: 'right' }),
      column('meaning', 'Definition', 'text', (id) => luckFigures[id][1], { widthPx: 460, explains: true }),
    ],
    Object.keys(luckFigures),
  )
}

function foldTables(result: PortfolioResult): SheetTable[] {
  const { walkForward, gridOutOfSample = [] } = result
  if (!walkForward) return []
  const { folds, grid, purgeBars, purgeDays } = walkForward
  const sharpes = foldSharpes(result)
  const combinations = grid.map((row, at) => ({ ...row, outOfSample: gridOutOfSample.at(at)?.sharpe ?? null }))
  type Fold = (typeof folds)[number]
  type Combination = (typeof combinations)[number]
  return [
    table<Fold>(
      {
        ...{ id: 'folds', title: 'Folds' },
        note: `Left out of training next to each fold: ${plural(purgeBars, 'bar')} (${plural(purgeDays, 'day')})`,
      },
      [
        column('from', 'From', 'text', ({ fromDay }) => fromDay, { widthPx: 100 }),
        column('to', 'To', 'text', ({ toDay }) => toDay, { widthPx: 100 }),
        column('trainDays', 'Training days', 'count', ({ trainDays }) => trainDays),
        column('chosen', 'Chosen', 'text', ({ chosen }) => chosen && parameterText(chosen), { widthPx: 160 }),
        column('train', 'Training Sharpe', 'figure', ({ trainSharpe }) => annualisedSharpe(trainSharpe)),
        column('test', 'Test Sharpe', 'figure', (fold) => sharpes[folds.indexOf(fold)]),
      ],
      folds,
    ),
    table<Combination>(
      { id: 'grid', title: 'Combinations' },
      [
        ...Object.keys(grid.at(0)?.parameters ?? {}).map((name) =>
          column<Combination>(
            `p.${name}`,
            `{${name}}`,
            grid.every(({ parameters }) => Number.isInteger(parameters[name])) ? 'count' : 'statistic',
            ({ parameters }) => parameters[name],
            { isName: true },
          ),
        ),
        column('test', 'Test Sharpe', 'figure', ({ outOfSample }) => annualisedSharpe(outOfSample)),
        column('sharpe', 'Sharpe', 'figure', ({ sharpe }) => annualisedSharpe(sharpe)),
        column('deflated', 'Deflated', 'figure', ({ deflated }) => deflated),
        column('days', 'Days', 'count', ({ days }) => days),
      ],
      combinations,
    ),
  ]
}

function capacityTable({ capacity }: PortfolioResult): SheetTable[] {
  if (!capacity) return []
  type Level = (typeof capacity)[number]
  return [
    table<Level>(
      { id: 'capacity', title: 'Capacity by capital' },
      [
        column('capital', 'Capital', 'notional', ({ capital }) => capital),
        column('sharpe', 'Net Sharpe', 'figure', ({ sharpe }) => sharpe),
        column('totalReturn', 'Total return', 'share', ({ totalReturn }) => totalReturn),
        column('participation', 'Largest participation', 'share', ({ maxParticipation }) => maxParticipation),
        column('ruined', 'Ruined', 'text', ({ ruined }) => (ruined ? 'yes' : ''), { widthPx: 80 }),
      ],
      capacity,
    ),
  ]
}

function worstDayTable({ worstDays, symbols }: PortfolioResult): SheetTable {
  type Day = (typeof worstDays)[number]
  const shorten = baseShortener(symbols.map(({ symbol }) => symbol))
  const held = ({ weights, positions }: Day) =>
    [
      ...weights.map(({ symbol, weight }) => `${shorten(symbol)} ${numberText('percentFigure', weight) ?? '–'} %`),
      positions > weights.length ? '…' : '',
    ]
      .filter(Boolean)
      .join(', ')
  return table<Day>(
    { id: 'worstDays', title: 'Worst days', note: 'With the largest weights at the start of each day' },
    [
      column('day', 'Day', 'text', ({ day }) => day, { widthPx: 100 }),
      column('net', 'Net', 'share', ({ net }) => net),
      column('positions', 'Positions', 'count', ({ positions }) => positions),
      column('largest', 'Held', 'text', held, { widthPx: 620, widestPx: 1200 }),
    ],
    worstDays,
  )
}

function symbolTable({ symbols }: PortfolioResult): SheetTable {
  type Row = (typeof symbols)[number]
  const amount = (key: 'total' | 'traded' | (typeof amountKeys)[number]) =>
    column<Row>(key, amountNames[key], 'notional', (row) => row[key])
  return table<Row>(
    { id: 'testSymbols', title: 'By symbol', note: 'Quote currency' },
    [
      column('symbol', 'Symbol', 'text', ({ symbol }) => symbol, { widthPx: 240, widestPx: 300 }),
      amount('total'),
      ...amountKeys.map(amount),
      amount('traded'),
      column('barsHeld', 'Bars held', 'count', ({ barsHeld }) => barsHeld),
    ],
    symbols.toSorted((a, b) => b.total - a.total),
  )
}

/** Funding periods of the symbols and how each is known; nothing for the rows of a panel. */
export const fundingTable = (rows: readonly FundingRow[] | undefined): SheetTable[] =>
  rows === undefined
    ? []
    : [
        table<FundingRow>(
          {
            ...{ id: 'testFunding', title: 'Funding periods' },
            note: 'Observed in raw events, announced with the instruments, inferred from changes of the served rate, or asked for',
          },
          [
            column('symbol', 'Symbol', 'text', ({ symbol }) => symbol, { widthPx: 240 }),
            column('from', 'From', 'time', ({ from }) => from),
            column('to', 'To', 'time', ({ to }) => to),
            column('every', 'Every', 'text', ({ every }) => every ?? 'unknown', { widthPx: 100 }),
            column('basis', 'Known from', 'text', ({ basis }) => basis, { widthPx: 120 }),
          ],
          rows,
        ),
      ]

const attritionReasons: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  bars: ['Bars', 'Bars from the start of the range to its end, or to ruin'],
  decisions: ['Decisions', 'Bars at which targets were due, including skipped ones'],
  skipped: ['Skipped', 'Decisions at which no member had a signal; positions stayed'],
  flat: ['Flat', 'Decisions that closed everything'],
  ineligible: ['No signal', 'Members without a signal, summed over the decisions'],
  untraded: ['Not traded', 'Targets of symbols without a price at the trade bar'],
  settled: ['Settled', 'Positions closed because their price was missing for too long'],
  capShort: ['Unallocated by the cap', 'Decisions in which the cap left exposure unallocated'],
  missingPrice: ['No price', 'Bars in which a held symbol had no price'],
}

/** Counts what became of bars, decisions and positions; what never happened has no line. */
const attritionTable = ({ attrition }: PortfolioResult): SheetTable =>
  table<[string, number]>(
    { id: 'testAttrition', title: 'Attrition', note: 'What became of decisions and positions' },
    [
      column('reason', 'Reason', 'text', ([reason]) => attritionReasons[reason][0], { widthPx: 130 }),
      column('count', 'Count', 'count', ([, count]) => count),
      column('meaning', 'Definition', 'text', ([reason]) => attritionReasons[reason][1], {
        widthPx: 460,
        explains: true,
      }),
    ],
    Object.entries(attrition).filter(([reason, count]) => count > 0 || ['bars', 'decisions'].includes(reason)),
  )

/** The days, newest first. */
function dayTable({ days, net, gross, equity, amounts, exposure }: PortfolioResult): SheetTable {
  const amount = (key: (typeof amountKeys)[number] | 'traded') =>
    column<number>(key, amountNames[key], 'notional', (at) => amounts[key][at])
  return table<number>(
    { id: 'testDays', title: 'By day', note: 'Quote currency; newest first' },
    [
      column('day', 'Day', 'text', (at) => days[at], { widthPx: 100 }),
      column('net', 'Net', 'share', (at) => net[at]),
      column('gross', 'Gross', 'share', (at) => gross[at]),
      column('equity', 'Equity', 'notional', (at) => equity[at]),
      ...amountKeys.map(amount),
      amount('traded'),
      column('exposure', 'Exposure', 'ratio', (at) => exposure.gross[at]),
    ],
    [...days.keys()].reverse(),
  )
}

/** Says how many trials are behind the Sharpe ratios of a test. */
export const trialsBehind = ({ trials, effectiveTrials }: PortfolioResult['overfitting']): string =>
  `${trials === 1 ? 'the only trial of its family' : `one of the N = ${formatNumber(trials, 0)} trials of its family`}${effectiveTrials === null ? '' : ` (N′ = ${numberFormat('figure')(effectiveTrials)})`}`
