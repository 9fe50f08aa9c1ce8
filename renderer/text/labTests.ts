import { formatTime, zonedTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
const minuteText = (timeMs: number) => formatTime(timeMs, 'utc', 'minute')
const numberOrDash = (kind: NumberKind, value: number | null) => (value === null ? '–' : numberFormat(kind)(value))
const numbersText = (first: number, last: number) =>
  first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`
const oneOfTrialsText = (trials: number) =>
  agree(trials, 'the only trial of its family', `one of the N = ${formatCount(trials)} trials of its family`)
const effectiveTrialsText = (effectiveTrials: number | null) =>
  effectiveTrials === null ? '' : ` (N′ = ${numberOrDash('figure', effectiveTrials)})`

/** Label and one sentence for each field of a tested portfolio, by its place in the document. */
export const testFieldText: Record<string, { label: string; hint: string }> = {
  'weights.rule': { label: 'Weights', hint: 'How the signal of a symbol becomes its weight.' },
  'weights.longOnly': { label: 'Long only', hint: 'Takes no short positions; the long side gets the whole exposure.' },
  'weights.clip': { label: 'Clip', hint: 'Z-scores are clipped at this many standard deviations.' },
  'weights.quantiles': { label: 'Groups', hint: 'The highest group is held long, the lowest short.' },
  'weights.leverage': { label: 'Leverage', hint: 'Gross exposure as a multiple of equity; scales every weight.' },
  'weights.cap': {
    label: 'Cap',
    hint: 'Largest weight of one symbol; the excess goes to the other symbols on the same side.',
  },
  'rebalance.every': { label: 'Rebalance', hint: 'Time between two decisions, such as 8h, 1d or 7d.' },
  'rebalance.offset': {
    label: 'Offset',
    hint: 'How long after the start of each period decisions are made. Periods start at midnight UTC, those of 7d on a Thursday, so that an offset of 4d means Monday.',
  },
  smoothing: {
    label: 'Smoothing',
    hint: 'Span, in rebalances, of an exponential moving average of the weights; 1 means none.',
  },
  band: { label: 'No-trade band', hint: 'A position is traded only if its weight is off target by more than this.' },
  capital: {
    label: 'Capital',
    hint: 'Equity at the start, in the quote currency; matters where costs grow with size.',
  },
  settleAfterBars: {
    label: 'Settle after',
    hint: 'Bars without a price after which a position is closed at its last price.',
  },
  funding: { label: 'Funding', hint: 'Required: missing funding is reported as unknown, never silently taken as 0.' },
  fundingRate: { label: 'Funding rate', hint: 'The rate paid in a bar: longs pay a positive rate, shorts receive it.' },
  'costs.feeBps': { label: 'Fee', hint: 'Basis points of the traded notional; a negative fee is a rebate.' },
  'costs.spreadBps': {
    label: 'Spread',
    hint: 'The whole spread in basis points, a number or a formula; each trade pays half of it.',
  },
  'costs.slippage.bps': { label: 'Slippage', hint: 'Basis points of the traded notional, in addition to the spread.' },
  'costs.slippage.k': {
    label: 'Impact coefficient',
    hint: 'Slippage is this coefficient · volatility · √(trade / volume).',
  },
  'costs.slippage.sigma': {
    label: 'Volatility',
    hint: 'Formula for the standard deviation of a bar’s return, as a fraction, such as std(logret(ohlcv.close), 24); pct gives per cent instead.',
  },
  'costs.volume': {
    label: 'Volume',
    hint: 'Formula for the notional traded in a bar, in quote currency; used for participation.',
  },
  'capacity.levels': {
    label: 'Capital levels',
    hint: 'Amounts of capital, separated by commas, with which the same test is run again. They add no trials.',
  },
  riskFree: { label: 'Risk-free rate', hint: 'Annual, as a fraction: 0.04 is 4 %.' },
  'pbo.blocks': { label: 'PBO blocks', hint: 'Even number of blocks for the probability of backtest overfitting.' },
  'holdout.fromDay': {
    label: 'Sealed from',
    hint: 'First UTC day of the holdout: until you open it, no test of this family reads this day or any later one.',
  },
  'walkForward.folds': {
    label: 'Folds',
    hint: 'Number of periods tested one after the other, each with the combination that was best on its training days.',
  },
  'walkForward.train': {
    label: 'Train on',
    hint: 'Days to train on: only those before a fold, or those on both sides of it.',
  },
  'walkForward.embargoDays': {
    label: 'Embargo',
    hint: 'Days after a fold, beyond the purge, that are left out of training.',
  },
  'walkForward.lookbackBars': {
    label: 'Look-back',
    hint: 'Number of bars before the current one that the signal reads; needed only if the formula does not show it.',
  },
  'source.fundingEvery': {
    label: 'Funding every',
    hint: 'Funding period to assume where nothing shows the right one, such as 8h. Without it, such funding counts as unknown.',
  },
  'source.exposureBy.overlay': {
    label: 'Scale by',
    hint: 'Id of the risk regime or overlay, from the portfolio service, that scales the exposure; the result is shown with and without it.',
  },
  'source.exposureBy.portfolio': {
    label: 'Overlay of',
    hint: 'Portfolio that the overlay belongs to; empty for a risk regime.',
  },
  'source.exposureBy.scale.cuts': {
    label: 'Cuts',
    hint: 'Ascending cut points that split the overlay into states, such as 0.5, 1. Empty: the value itself is the multiplier.',
  },
  'source.exposureBy.scale.factors': {
    label: 'Multipliers',
    hint: 'Exposure in each state, from the lowest state to the highest, such as 1, 0.5, 0; there is one more than there are cuts.',
  },
}

export const testFieldChoices: Record<string, string> = {
  rank: 'Rank',
  zscore: 'Z-score',
  quantile: 'Quantile',
  direct: 'Direct',
  required: 'Required',
  zero: 'Missing counts as 0',
  past: 'The past',
  around: 'Both sides',
}

export const testText = {
  kind: {
    title: 'Portfolio test',
    description: 'What would a portfolio built on this signal have earned after fees, spread, slippage and funding?',
  },
  sections: {
    weights: 'Weights',
    trading: 'Trading',
    costs: 'Costs',
    luck: 'Holdout and luck',
    grid: 'Grid and walk-forward',
  },
  slippageModel: {
    label: 'Slippage model',
    fixed: 'Fixed',
    root: 'Square root of size',
    hint: 'The square-root model needs a volatility and a volume; both are formulas.',
  },
  parameter: (name: string) => `{${name}}`,
  parameterHint: 'Numbers to try, separated by commas. Every combination is a trial.',
  gridHint:
    'Write {n} in the signal to try several numbers. The result is a walk-forward: each fold uses the combination that was best on its training days.',
  gridSize: (size: number) => `${plural(size, 'combination')}: each counts as a trial.`,
  gridSigns: 'A negative number counts as a different formula, so its trials belong to a different family.',

  trial: {
    run: (first: number) => `Run trial ${formatCount(first)}`,
    runGrid: (first: number, last: number) =>
      `Run ${agree(last - first + 1, 'trial', 'trials')} ${numbersText(first, last)}`,
    repeat: 'Run again',
    hint: 'Ctrl+Enter or Cmd+Enter. A test never runs automatically: every run with new settings is a trial that deflates the Sharpe ratio.',
    next: (first: number, trialsOnSource: number) =>
      trialsOnSource === 0
        ? 'The first trial of its family'
        : `Trial ${formatCount(first)} of its family, number ${formatCount(trialsOnSource + 1)} on this source and interval`,
    nextGrid: (first: number, last: number) =>
      `${agree(last - first + 1, 'Trial', 'Trials')} ${numbersText(first, last)} of its family`,
    repeats: (sequence: number) =>
      `Already recorded as entry ${formatCount(sequence)}; another run on the same rows is not a new trial`,
    resumes: (recorded: number, all: number) =>
      `${formatCount(recorded)} of ${plural(all, 'combination')} ${agree(recorded, 'is', 'are')} recorded; the run continues from there`,
    incomplete: 'Complete the test to see its trial number',
    grid: (done: number, total: number) => `Combination ${formatCount(done)} of ${formatCount(total)}`,
    running: 'Running',
  },

  holdout: {
    sealed: (day: string, rows: number) => `Sealed from ${day}: ${plural(rows, 'row')} not read`,
    opened: (day: string) => `Holdout from ${day} was opened`,
    openedHint: 'The sealed days have been seen, so any later change is fitted to them too.',
    open: 'Open the holdout …',
    title: 'Open the sealed days?',
    body: (day: string) =>
      `From now on nothing is sealed for this family of tests. The ledger records the opening, and every later result shows that the days from ${day} were opened. This cannot be undone.`,
    confirm: 'Open and run',
  },

  verdict: {
    title: 'Verdict',
    strong: 'More than luck can explain',
    weak: 'Luck may explain this',
    none: 'Too few days to judge',
    neverHeld: 'It never held a position',
    whyNeverHeld:
      'No decision gave a weight that could be traded: the signal did not vary, a quantile group was empty, or there was no price. The attrition below shows which.',
    lostToCosts: 'Costs exceeded the gain',
    lost: 'It lost money',
    first: 'First trial of its family',
    noTraining: 'No fold could be trained',
    ruin: 'Ruined',
    whyNoTraining: (days: number) =>
      `The signal reaches back so far that ${plural(days, 'day before each fold is', 'days before each fold are')} left out of training, and no training days remain. Use more days, fewer folds or shorter windows, or set the look-back yourself.`,
    ofTrials: (trials: number, highest: string) =>
      trials === 1
        ? 'Nothing to deflate yet: this is the only trial of its family. Each formula is a separate family, so also look at all trials on this source and interval.'
        : `By luck alone, the best of ${plural(trials, 'trial')} is expected to reach a Sharpe ratio of ${highest}.`,
    family: (trials: number, effectiveTrials: number | null) =>
      `N ${formatCount(trials)}${effectiveTrials === null ? '' : `, N′ ${numberOrDash('figure', effectiveTrials)}`}`,
    behind: (trials: number, effectiveTrials: number | null) =>
      `Sharpe ratio of ${oneOfTrialsText(trials)}${effectiveTrialsText(effectiveTrials)}`,
    everySharpe: (trials: number, effectiveTrials: number | null) =>
      `Every Sharpe ratio here belongs to ${oneOfTrialsText(trials)}${effectiveTrialsText(effectiveTrials)}.`,
    familyHint:
      'N is the number of trials of this family in the ledger; N′ is the number of independent trials that they are equivalent to, given their correlation.',
    onSource: (trials: number) => `${plural(trials, 'trial')} on this source`,
    noise:
      'On noise (400 families of 200 variants over 2 years), the best variant’s deflated Sharpe is above 0.95 in 2 % of the families, its probabilistic Sharpe in 87 %.',
    reset: (timeMs: number, zone: Zone) => `Trials were reset on ${zonedTime(timeMs, zone)}`,
    lostEntries: (entries: number | null) =>
      entries === null ? 'The ledger lost its entries' : `The ledger lost ${plural(entries, 'entry', 'entries')}`,
    walkForward: 'Walk-forward over the folds',
    ruined: (timeMs: number, equity: string) => `Ruined at ${minuteText(timeMs)} UTC with equity ${equity}`,
  },

  stats: {
    net: {
      name: 'Net Sharpe',
      formula: 'Mean / standard deviation of the daily net returns in excess of the risk-free rate · √365',
    },
    gross: {
      name: 'Gross Sharpe',
      formula: 'Like Net Sharpe, but with the returns before funding and costs, for the same positions and equity',
    },
    deflated: {
      name: 'Deflated Sharpe',
      formula:
        'Probability that the true Sharpe ratio is above what the best of all N trials of the family reaches by luck. Above 0.95 is strong.',
    },
    onSource: {
      name: 'Deflated by all trials',
      formula:
        'Deflated Sharpe whose N counts every trial on this source and interval since the last reset, because a different formula is a different family. All panel files count as one source.',
    },
    effective: {
      name: 'Deflated by N′',
      formula: 'Deflated Sharpe with the effective number of trials N′ = ρ + (1 − ρ)·N instead of N',
    },
    probabilistic: {
      name: 'Probabilistic Sharpe',
      formula: 'Probability that the true Sharpe ratio is above 0, as if this were the only trial',
    },
    trackRecord: {
      name: 'Minimum track record',
      formula: 'Days after which this Sharpe ratio is above 0 with 95 % confidence',
    },
    backtest: {
      name: 'Minimum backtest',
      formula:
        '365·e(N)² days, where e(N) is the expected maximum of N standard normal draws: over a shorter test, the best of N trials without skill is expected to show an annual Sharpe ratio of 1 or more',
    },
    pbo: {
      name: 'PBO',
      formula:
        'Probability of backtest overfitting: share of the splits in which the best in-sample trial ranks below the median out of sample',
    },
    breakEven: {
      name: 'Break-even fee',
      formula:
        'Fee at which the returns of all bars add up to 0: Σ (price + funding + spread + slippage) / equity, divided by Σ traded / equity; spread and slippage are negative',
    },
    turnover: { name: 'Annual turnover', formula: 'One-way: half of traded notional / equity · 365 / days' },
    drift: {
      name: 'Drift turnover',
      formula:
        'Turnover beyond the changes of the targets, because prices moved the weights since the last trade: ½Σ(traded / equity − Σ|target − last target|) · 365 / days. The Explain tab charges only the changes of the targets; drift turnover is what it leaves out. It is below 0 if prices moved the weights towards the targets.',
    },
    driftCost: (cost: string) => `costs ${cost} in quote currency`,
    exposure: { name: 'Mean gross exposure', formula: 'Mean of Σ|position| / equity over all bars' },
    netExposure: { name: 'Mean net exposure', formula: 'Mean of Σ position / equity over all bars' },
    maxGross: { name: 'Max gross exposure', formula: 'Largest Σ|position| / equity of any bar' },
    hitRate: {
      name: 'Hit rate',
      formula: 'Share of positions that gained from one rebalance to the next, by price alone',
    },
    unknownFunding: {
      name: 'Funding unknown',
      formula:
        'Share of the held notional whose funding rate is missing; net contains no funding for it, so the true net may be higher or lower',
    },
    participation: {
      name: 'Participation, p95',
      formula:
        'Largest trade of a bar / volume of its symbol in that bar: the 95th percentile over all bars with trades',
    },
    trades: { name: 'Trades', formula: 'Number of trades, not counting settlements' },
    days: (days: number) => `this test has ${plural(days, 'day')}`,
    noTrackRecord: 'none: Sharpe is not above 0',
    paid: (bps: number) => `paid ${numberOrDash('figure', bps)}`,
    rebalances: (rebalances: number) => `in ${plural(rebalances, 'rebalance')}`,
  },

  unknowns: {
    title: 'What is not known',
    none: 'All costs that this test includes are known.',
    funding: (share: string) =>
      `Funding is unknown for ${share} % of the held notional: net, deflated Sharpe and break-even fee exclude it.`,
    assumed: (share: string) =>
      `For ${share} % of the notional at funding times, the period is inferred or assumed: see the funding periods below.`,
    noFunding: 'Funding is switched off: net excludes it.',
    zeroFunding: (share: string) =>
      `Funding is missing for ${share} % of the held notional and counts as 0, as you chose.`,
    spread: (notional: string, share: string) =>
      `The spread is unknown for ${share} % of the traded notional (${notional} in quote currency) and counts as 0.`,
    noSpread: 'No spread is given: net excludes it.',
    slippage: (notional: string, share: string) =>
      `The slippage is unknown for ${share} % of the traded notional (${notional} in quote currency) and counts as 0.`,
    beyondVolume: (share: string) =>
      `The largest trade is ${share} % of the volume of its bar: it could not have been executed at this size. Test with less capital, more symbols or less frequent rebalancing.`,
    percentSigma:
      'The volatility is in per cent (pct gives per cent), but slippage needs a fraction, so slippage is 100 times too large. Use logret, or divide by 100.',
    noSlippage: 'No slippage is given: net excludes it.',
    noVolume: 'No volume is given: participation is unknown, and costs do not grow with size.',
    fixedSlippage:
      'Slippage is fixed, so the capacity curve cannot fall with size. Choose “Square root of size” to see the limit.',
    volume: (trades: number) =>
      `${plural(trades, 'trade')} ${agree(trades, 'has', 'have')} no volume: participation excludes ${agree(trades, 'it', 'them')}.`,
  },

  figures: {
    equity: {
      title: 'Equity, net and gross',
      note: 'Gross excludes funding and costs, with the same positions',
      definition:
        'The product of 1 + daily return. Gross excludes funding and costs, with the same positions. The lower pane shows the drawdown from the last peak.',
    },
    exposure: {
      title: 'Exposure',
      note: 'Σ position / equity at the last bar of each day',
      definition: 'Σ position / equity at the last bar of each day: gross, net, long and short.',
    },
    profitAndLoss: {
      title: 'Profit and loss by part',
      definition:
        'Sums over all bars of price moves, funding, fee, spread and slippage, as a share of the initial capital. Together they make up the change in equity.',
    },
    profitAndLossByDay: {
      title: 'Cumulative profit and loss by part',
      note: 'Running sum of each part in the quote currency',
      definition: 'The running sum of each part in the quote currency.',
    },
    symbols: { title: 'Contribution by symbol', definition: 'Profit and loss of a symbol after all its costs.' },
    capacity: {
      title: 'Capacity',
      axis: 'Capital · largest participation',
      definition:
        'The net Sharpe ratio of this test with other amounts of capital. With size-dependent slippage it falls as trades grow relative to volume.',
    },
    grid: {
      title: 'Grid out of sample',
      definition:
        'The annualised Sharpe ratio of each combination on the days of all folds. A single high value among low ones is luck; a broad plateau may not be.',
    },
    folds: {
      title: 'Out of sample by fold',
      definition:
        'The annualised Sharpe ratio on the days of each fold, with the combination chosen on its training days.',
    },
    pbo: {
      title: 'PBO: out-of-sample rank of the best in-sample trial',
      definition:
        'The logit of the out-of-sample rank of the best in-sample trial, for each split. A value below 0 means that the trial ranked below the median.',
    },
    trials: {
      title: 'Trials against noise',
      definition:
        'Annualised Sharpe ratios of all trials, and the counts expected without skill: normal with standard deviation √(365 / (days − 1)).',
    },
  },

  series: {
    net: 'Net',
    gross: 'Gross',
    without: 'Without scaling',
    netOnCommonDays: 'Net, common days',
    long: 'Long',
    short: 'Short',
    underwater: 'Drawdown',
    price: 'Price',
    funding: 'Funding',
    fee: 'Fee',
    spread: 'Spread',
    slippage: 'Slippage',
    total: 'Total',
    traded: 'Traded',
    sharpe: 'Net Sharpe',
    trials: 'Trials',
    noise: 'Expected from noise',
    splits: 'Splits',
    train: 'Training',
    test: 'Out of sample',
  } as Record<string, string>,

  tables: {
    tearSheet: { title: 'Tear sheet', note: 'Net and gross on the same positions' },
    figure: 'Figure',
    meaning: 'Definition',
    symbols: { title: 'By symbol', note: 'Quote currency' },
    funding: {
      title: 'Funding periods',
      note: 'Observed in raw events, announced with the instruments, inferred from changes of the served rate, or asked for',
    },
    every: 'Every',
    basis: 'Known from',
    unknownPeriod: 'unknown',
    symbol: 'Symbol',
    barsHeld: 'Bars held',
    days: { title: 'By day', note: 'Quote currency; newest first' },
    day: 'Day',
    equity: 'Equity',
    worst: { title: 'Worst days', note: 'With the largest weights at the start of each day' },
    largest: 'Held',
    positions: 'Positions',
    luck: { title: 'How much is luck', note: 'Sharpe ratios here are per day' },
    value: 'Value',
    folds: { title: 'Folds', note: '' },
    foldColumns: {
      from: 'From',
      to: 'To',
      trainDays: 'Training days',
      chosen: 'Chosen',
      train: 'Training Sharpe',
      test: 'Test Sharpe',
    },
    grid: { title: 'Combinations', note: '' },
    deflated: 'Deflated',
    capacity: { title: 'Capacity by capital', note: '' },
    capital: 'Capital',
    totalReturn: 'Total return',
    participation: 'Largest participation',
    ruined: 'Ruined',
    comparedOn: ({ days, firstDay, lastDay }: { days: number; firstDay: string; lastDay: string }) =>
      `Compared on ${plural(days, 'common day')}, ${firstDay} to ${lastDay}`,
    attrition: { title: 'Attrition', note: 'What became of decisions and positions' },
    count: 'Count',
  },
  attrition: {
    bars: ['Bars', 'Bars from the start of the range to its end, or to ruin'],
    decisions: ['Decisions', 'Bars at which targets were due, including skipped ones'],
    skipped: ['Skipped', 'Decisions at which no member had a signal; positions stayed'],
    flat: ['Flat', 'Decisions that closed everything'],
    ineligible: ['No signal', 'Members without a signal, summed over the decisions'],
    untraded: ['Not traded', 'Targets of symbols without a price at the trade bar'],
    settled: ['Settled', 'Positions closed because their price was missing for too long'],
    capShort: ['Unallocated by the cap', 'Decisions in which the cap left exposure unallocated'],
    missingPrice: ['No price', 'Bars in which a held symbol had no price'],
  } as Record<string, readonly [string, string]>,
  luck: {
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
  } as Record<string, readonly [string, string]>,

  grid: {
    byParameters: 'By parameter',
    byFold: 'By fold',
    shown: 'Heat map',
    sharpe: 'Sharpe',
    marked: 'A dot marks the combination that the fold used',
    purge: (bars: number, days: number) =>
      `Left out of training next to each fold: ${plural(bars, 'bar')} (${plural(days, 'day')})`,
  },
  compare: {
    label: 'Compare with',
    nothing: 'Nothing',
    test: (name: string) => `Test: ${name}`,
    portfolio: 'Served portfolio …',
    benchmark: 'Price of a ticker …',
    problem: (what: string, why: string) => `${what}: ${why}`,
    noDays: 'The two series have no days in common.',
  },
  export: {
    daysCsv: 'Days with equity, exposure and amounts (CSV)',
    daysParquet: 'Days with equity, exposure and amounts (Parquet)',
    weightsCsv: 'Daily weights by symbol (CSV)',
    weightsParquet: 'Daily weights by symbol (Parquet)',
    weightsJson: 'Daily weights in the format of the portfolio service (JSON)',
  },

  workbench: {
    add: 'Add to workbench',
    equity: 'Equity',
    exposure: 'Exposure',
    costs: 'Costs, cumulative',
    positions: 'Weights',
  },

  trials: {
    tab: 'Trials',
    studies: 'Studies',
    label: 'Lab',
    title: 'Trials',
    intro:
      'Every test is recorded before its result is shown. The more you try, the better the best result looks by luck; these counts are used to deflate it.',
    none: 'No trials yet',
    noneBody: 'A portfolio test becomes a trial when you run it.',
    testAgain: 'New test of this signal',
    copySignal: 'Copy signal',
    stats: {
      trials: { name: 'Trials', formula: 'Distinct tests and combinations since the last reset' },
      families: {
        name: 'Families',
        formula: 'Ideas: groups of tests that differ only in numbers, range, costs or rebalancing',
      },
      entries: {
        name: 'Entries',
        formula: 'Lines of the ledger, including repeats, studies, resets and opened holdouts',
      },
      best: {
        name: 'Best Sharpe',
        formula: 'Highest annualised Sharpe ratio of all trials, at the risk-free rate of the last test',
      },
      noise: {
        name: 'Best of noise',
        formula:
          'Annualised Sharpe ratio that the best of as many independent trials without skill is expected to reach',
      },
      median: { name: 'Median Sharpe', formula: 'Half of the trials are below it' },
    },
    families: 'Families',
    familiesNote: 'Open a family to see its trials',
    columns: {
      name: 'Last test',
      test: 'Test',
      signal: 'Signal',
      rule: 'Weights',
      interval: 'Interval',
      trials: 'Trials',
      best: 'Best Sharpe',
      median: 'Median',
      deflated: 'Best deflated',
      holdout: 'Holdout',
      last: 'Last run',
      sequence: 'No.',
      time: 'Time',
      role: 'Role',
      counts: 'Trial',
      sharpe: 'Sharpe',
      days: 'Days',
      totalReturn: 'Total return',
      maxDrawdown: 'Drawdown',
      who: 'Run by',
    },
    roles: {
      test: 'Test',
      combination: 'Combination',
      'walk-forward': 'Walk-forward',
      holdoutOpened: 'Holdout opened',
    } as Record<string, string>,
    faces: { window: 'Window', cli: 'Command line', other: 'Other' } as Record<string, string>,
    yes: 'yes',
    beforeReset: 'before the reset',
    repeat: (sequence: number) => `repeats ${formatCount(sequence)}`,
    notCounted: 'no',
    sealedFrom: (day: string) => `sealed from ${day}`,
    fromDay: (day: string) => `from ${day}`,
    openedFrom: (day: string) => `opened from ${day}`,
    family: (name: string) => `Trials of ${name}`,
    cut: (shown: number) => `The last ${formatCount(shown)} are shown; “perpscope ledger list” lists them all.`,
    all: 'All families',
    provenance: (entries: number) => `Ledger of trials · ${plural(entries, 'entry', 'entries')}`,
    copy: 'Plain copy',
    copyHint: 'One line for each entry, written before a result is shown; keep it under version control.',
    copyPath: 'Copy path',
    copied: 'Path copied',
    reset: 'Reset …',
    resetTitle: 'Restart the trial count?',
    resetBody:
      'Entries stay in the ledger, but earlier trials no longer deflate later results. The reset is recorded, and every later result says so. Sealed days stay sealed.',
    reason: 'Reason',
    reasonNeeded: 'Give a reason; it is shown with every later result.',
    confirmReset: 'Reset',
    resetDone: (sequence: number) => `Reset recorded as entry ${formatCount(sequence)}`,
    wasReset: (timeMs: number, reason: string, zone: Zone) => `Reset on ${zonedTime(timeMs, zone)}: ${reason}`,
    merge: 'Merge a ledger …',
    merged: (added: number, all: number) =>
      added === 0
        ? `Nothing new: ${plural(all, 'entry', 'entries')} already known`
        : `${plural(added, 'entry', 'entries')} added, ${formatCount(all - added)} already known`,
    verify: 'Verify',
    verifying: 'Verifying …',
    intact: (entries: number) => `${plural(entries, 'entry', 'entries')}; the chain and its copy are intact`,
    broken: (sequence: number, problem: string) => `Entry ${formatCount(sequence)} is broken: ${problem}`,
    lost: (entries: number | null, timeMs: number, zone: Zone) =>
      `${entries === null ? 'All entries' : plural(entries, 'entry', 'entries')} before ${zonedTime(timeMs, zone)} ${agree(entries ?? 2, 'is', 'are')} lost. Later results say so.`,
  },

  commands: {
    trials: 'Lab: trials',
    trialsMenu: 'Trials',
    chartTest: 'Lab: add the result to the workbench',
  },
  cell: (names: string, sharpe: number | null, deflated: number | null) =>
    `${names}: annualised Sharpe ratio ${numberOrDash('figure', sharpe)}, deflated ${numberOrDash('figure', deflated)}`,
} as const
