import { formatTime, zonedTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
const minuteText = (timeMs: number) => formatTime(timeMs, 'utc', 'minute')
const numberOrDash = (kind: NumberKind, value: number | null) => (value === null ? '–' : numberFormat(kind)(value))
const numbersText = (first: number, last: number) =>
  first === last ? formatCount(first) : `${formatCount(first)}–${formatCount(last)}`

export const testText = {
  slippageModel: {
    label: 'Slippage model',
    fixed: 'Fixed',
    root: 'Square root of size',
    size: 'Linear',
    hint: 'The square-root model needs a volatility and a volume, the linear one an impact per notional; all are formulas.',
  },
  gridHint:
    'Write {n} in the signal to try several numbers. The result is a walk-forward: each fold uses the combination that was best on its training days.',
  gridSize: (size: number) => `${plural(size, 'combination')}: each counts as a trial.`,
  gridSigns: 'A negative number counts as a different formula, so its trials belong to a different family.',

  trial: {
    /** The number is that of the tab which the run adds. */
    run: (tab: number) => `Run trial ${formatCount(tab)}`,
    runGrid: (count: number) => `Run ${plural(count, 'trial')}`,
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
    family: (trials: number, effectiveTrials: number | null) =>
      `${plural(trials, 'trial')} of this family${effectiveTrials === null ? '' : `, like ${numberOrDash('figure', effectiveTrials)} independent ones`}`,
    ofTrials: (trials: number) => `of ${plural(trials, 'trial')}`,
    likeTrials: (trials: number | null) =>
      trials === null ? '' : `like ${numberOrDash('figure', trials)} independent trials`,
    familyHint:
      'The trials (N) of this family in the ledger: tests of one idea, which differ in numbers only. Given how alike their returns are, they count like N′ independent ones.',
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
    days: (days: number) => `this test has ${plural(days, 'day')}`,
    noTrackRecord: 'none: Sharpe is not above 0',
  },

  unknowns: {
    title: 'What is not known',
    none: 'All costs that this test includes are known.',
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
    comparedOn: ({ days, firstDay, lastDay }: { days: number; firstDay: string; lastDay: string }) =>
      `Compared on ${plural(days, 'common day')}, ${firstDay} to ${lastDay}`,
  },
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
      name: 'Last run',
      kind: 'Kind',
      test: 'Name',
      signal: 'Signal',
      rule: 'Weights',
      interval: 'Interval',
      runs: 'Runs',
      trials: 'Trials',
      best: 'Best Sharpe',
      median: 'Median',
      deflated: 'Best deflated',
      holdout: 'Holdout',
      last: 'Ran',
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
      registered: 'Registered',
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
