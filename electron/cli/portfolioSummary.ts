import type { GridPartResult, PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { isPerCent } from '#shared/lab/sourceWarnings.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { roundToDigits } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { tableLines } from './print.ts'
import { portfolioSummaryText as text } from './text/messages.ts'

const DIGITS = 5
/** Smaller absolute values are shown as 0, because they are rounding errors of sums that should be 0. */
const ROUNDING_ERROR = 1e-12
const NONE = '–'
const figureText = (value: number | null): string => {
  // An infinite sum counts as missing, because a stored result has null in its place.
  if (value === null || !Number.isFinite(value)) return NONE
  return Math.abs(value) < ROUNDING_ERROR ? '0' : String(roundToDigits(value, DIGITS))
}

/** Builds the lines that sum up a tested portfolio; `--json` has everything. */
export function portfolioSummary(result: PortfolioResult): string[] {
  const { data, days, ruin, holdout } = result
  return [
    `${plainPlural(data.symbols, 'symbol')}, ${plainPlural(data.times, 'bar')}, ${plainPlural(days.length, 'day')}${days.length === 0 ? '' : ` from ${days[0]} to ${days[days.length - 1]}`}`,
    ...(ruin ? [text.ruined(zonedTime(ruin.time, 'utc'))] : []),
    ...(holdout
      ? [holdout.opened ? text.opened(holdout.fromDay) : text.sealed(holdout.fromDay, holdout.sealedRows)]
      : []),
    '',
    ...figureLines(result),
    '',
    ...costLines(result),
    '',
    ...attritionLines(result),
    '',
    ...luckLines(result),
    ...foldLines(result),
    ...capacityLines(result),
  ]
}

const shownFigures = [
  ['TOTAL RETURN', 'totalReturn'],
  ['CAGR', 'cagr'],
  ['VOLATILITY', 'volatility'],
  ['SHARPE', 'sharpe'],
  ['SORTINO', 'sortino'],
  ['MAX DRAWDOWN', 'maxDrawdown'],
  ['CALMAR', 'calmar'],
  ['WIN RATE', 'winRate'],
] as const

/** Builds the table of figures; if the exposure is scaled, further columns have the figures without the scaling. */
function figureLines({ figures, unscaled }: PortfolioResult): string[] {
  const columns = [
    { title: 'NET', values: figures.net },
    { title: 'GROSS', values: figures.gross },
    ...(unscaled
      ? [
          { title: 'NET UNSCALED', values: unscaled.net },
          { title: 'GROSS UNSCALED', values: unscaled.gross },
        ]
      : []),
  ]
  const rows = shownFigures.map(([name, id]) => [name, ...columns.map(({ values }) => figureText(values[id] ?? null))])
  return tableLines([['', ...columns.map(({ title }) => title)], ...rows])
}

function costLines({
  costs,
  study,
  turnover,
  drift,
  exposure,
  breakEvenFeeBps,
  hitRate,
  participation,
  unknown,
  assumed,
}: PortfolioResult): string[] {
  const parts = ['price', 'funding', 'fee', 'spread', 'slippage', 'total'] as const
  const rows = parts.map((part) => {
    const amount = figureText(costs[part])
    return [part.toUpperCase(), amount, amount === NONE ? NONE : figureText(costs[part] / study.capital)]
  })
  return [
    ...tableLines([['', 'AMOUNT', 'SHARE OF CAPITAL'], ...rows]),
    '',
    text.turnover(
      turnover.rebalances,
      turnover.trades,
      figureText(turnover.oneWayAnnual),
      figureText(drift.oneWayAnnual),
    ),
    text.exposure(figureText(exposure.mean.gross), figureText(exposure.mean.net), figureText(exposure.maxGross)),
    text.breakEven(figureText(breakEvenFeeBps), figureText(hitRate)),
    ...(costs.traded === 0 ? [text.neverHeld] : []),
    ...(omittedCosts(study).length > 0 ? [text.leftOut(omittedCosts(study))] : []),
    ...(participation
      ? [
          text.participation(
            figureText(participation.median),
            figureText(participation.p95),
            figureText(participation.max),
          ),
        ]
      : []),
    ...(unknown.fundingShare > 0 ? [text.unknownFunding(figureText(unknown.fundingShare))] : []),
    ...(assumed.fundingShare > 0 ? [text.assumedFunding(figureText(assumed.fundingShare))] : []),
    ...(unknown.spreadNotional > 0 ? [text.unknownSpread(figureText(unknown.spreadNotional / costs.traded))] : []),
    ...(unknown.slippageNotional > 0
      ? [text.unknownSlippage(figureText(unknown.slippageNotional / costs.traded))]
      : []),
    ...('sigma' in study.costs.slippage && isPerCent(study.costs.slippage.sigma) ? [text.percentSigma] : []),
  ]
}

/** Lists the cost components that a test does not subtract from its net result. */
const omittedCosts = ({ funding, costs: { spreadBps, slippage } }: PortfolioResult['study']): string[] => [
  ...(funding === 'none' ? ['funding'] : []),
  ...(spreadBps === 0 || spreadBps === '0' ? ['spread'] : []),
  ...('bps' in slippage && slippage.bps === 0 ? ['slippage'] : []),
]

const attritionIds = [
  'bars',
  'decisions',
  'skipped',
  'flat',
  'ineligible',
  'untraded',
  'settled',
  'capShort',
  'missingPrice',
] as const

/**
 * Builds the table of bars, decisions and positions, counted by what became of them; counts of 0 are left out, except
 * those of all bars and all decisions.
 */
function attritionLines({ attrition }: PortfolioResult): string[] {
  const ids = attritionIds.filter((id) => id === 'bars' || id === 'decisions' || attrition[id] > 0)
  return tableLines([['ATTRITION', 'COUNT'], ...ids.map((id) => [text.attrition[id], String(attrition[id])])])
}

function luckLines({ overfitting, family }: PortfolioResult): string[] {
  const { trials, trialsOnSource, trialsInLedger, effectiveTrials, pbo, resetTime, lostEntries } = overfitting
  const rows = [
    [text.deflated(trials), figureText(overfitting.deflated)],
    ...(effectiveTrials === null
      ? []
      : [[text.deflatedEffective(figureText(effectiveTrials)), figureText(overfitting.deflatedEffective)]]),
    [text.deflatedOnSource(trialsOnSource), figureText(overfitting.deflatedOnSource)],
    [text.probabilistic, figureText(overfitting.probabilistic)],
    [text.trackRecord, figureText(overfitting.minimumTrackRecordDays)],
    [text.backtest, figureText(overfitting.minimumBacktestDays)],
    ...(pbo ? [[text.pbo(pbo.splits), figureText(pbo.pbo)]] : []),
  ]
  return [
    text.family(family.slice(0, 12), trials, trialsInLedger),
    ...tableLines(rows),
    ...(resetTime === null ? [] : [text.reset(zonedTime(resetTime, 'utc'))]),
    ...(lostEntries ? [text.lost(lostEntries.entries)] : []),
    text.noise,
  ]
}

function foldLines({ walkForward }: PortfolioResult): string[] {
  if (!walkForward) return []
  const rows = walkForward.folds.map(({ fromDay, toDay, trainDays, chosen, trainSharpe }) => [
    `${fromDay} to ${toDay}`,
    String(trainDays),
    chosen ? parametersText(chosen) : '–',
    figureText(trainSharpe),
  ])
  return ['', ...tableLines([['FOLD', 'TRAIN DAYS', 'CHOSEN', 'TRAIN SHARPE/DAY'], ...rows])]
}

const parametersText = (parameters: Record<string, number>) =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

function capacityLines({ capacity }: PortfolioResult): string[] {
  if (!capacity) return []
  const rows = capacity.map((level) =>
    [level.capital, level.sharpe, level.totalReturn, level.maxParticipation].map(figureText),
  )
  return ['', ...tableLines([['CAPITAL', 'NET SHARPE', 'TOTAL RETURN', 'MAX PARTICIPATION'], ...rows])]
}

/** Builds the lines about one part of a grid. */
export function partLines({ grid }: GridPartResult): string[] {
  const rows = grid.map(({ parameters, sharpe, days, sequence }) => [
    String(sequence),
    parametersText(parameters),
    figureText(sharpe),
    String(days),
  ])
  return tableLines([['ENTRY', 'PARAMETERS', 'SHARPE/DAY', 'DAYS'], ...rows])
}
