import { shortSymbol } from '#shared/catalog/symbols.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { formatTime, zonedTime, type Zone } from '#shared/units/instants.ts'
import { numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
/** Formats a time to the minute, or to the second if it is not a whole minute. */
const timeText = (timeMs: number) => formatTime(timeMs, 'utc', timeMs % 60_000 === 0 ? 'minute' : 'second')
const numberOrDash = (kind: NumberKind, value: number | null) => (value === null ? '–' : numberFormat(kind)(value))

export const labText = {
  title: 'Lab',
  cancel: 'Cancel',
  remove: 'Remove',

  noKind: 'no kind',

  list: {
    title: 'Studies',
    empty: 'Start from a question',
    intro:
      'A study answers one question and says how certain the answer is. The indented ones are ready to run on your connection; the others begin empty.',
    goOn: 'Go on with',
    notRun: 'It has not run yet.',
    noVerdict: 'Open it to see its answer.',
    start: 'Start from a question',
    filter: 'Filter by question, kind or data',
    noMatch: (search: string) => `No kind and no ready-made study matches “${search}”.`,
    groupNotes: {
      'Across symbols': 'which symbols do better than the others',
      'Along time': 'what happens to one symbol by itself',
      Portfolios: 'what it would have earned; each run is a trial, which the ledger counts',
    },
    needs: (datasets: readonly string[], interval: string, symbols: string) =>
      [symbols, interval, datasets.join(', ')].join(' · '),
    symbols: (symbols: readonly string[]) =>
      symbols.length === 1 ? shortSymbol(symbols[0]) : plural(symbols.length, 'symbol'),
    cachedSymbols: (count: number, areFew: boolean) =>
      `${formatNumber(count, 0)} cached symbols${areFew ? ', few' : ''}`,
    fields: (labels: readonly string[]) => `to fill in: ${labels.join(', ')}`,
    cached: 'cached',
    missing: (files: number) => `${plural(files, 'file')} to fetch`,
    playbooks: 'Playbooks: a whole board for a job, on a symbol of yours',
    new: (kind: string) => `New ${kind.toLowerCase()}`,
    openFile: 'Open from file …',
    columns: { name: 'Name', kind: 'Kind', verdict: 'Answer', changed: 'Changed', ran: 'Last run' },
    open: (name: string) => `Open ${name}`,
    gone: 'This study does not exist any more.',
    back: 'All studies',
  },

  menu: {
    label: 'Study',
    all: 'All studies',
    rename: 'Rename …',
    duplicate: 'Duplicate',
    remove: 'Remove …',
    openFile: 'Open from file …',
    saveFile: 'Save to file …',
    renameTitle: 'Rename study',
    name: 'Name',
    removeLabel: 'Remove study',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeBody: 'This removes the study and its last answer. Runs listed by “perpscope study list” stay.',
    confirmRemove: 'Remove study',
    saved: (name: string) => `Saved ${name}`,
  },

  run: {
    run: 'Run',
    again: 'Run again',
    cancel: 'Cancel',
    hint: 'Run the study (Ctrl+Enter or Cmd+Enter)',
    automatic: 'Runs automatically 0.8 s after your last change',
    counts: {
      blend: 'Runs only when you press Run, because it counts as a trial',
      screen: 'Runs only when you press Run, because every line counts in the ledger',
    },
    noRows: 'Choose a panel file or cached data',
    byButton: (bytes: number | null) =>
      `Large study${bytes === null ? '' : ` (about ${formatBytes(bytes)} of memory)`}: press Run or Ctrl+Enter`,
    stages: {
      rows: 'Reading rows',
      formulas: 'Evaluating formulas',
      horizons: 'Computing horizons',
      guards: 'Checking for look-ahead',
      comparison: 'Comparing clocks',
      events: 'Averaging events',
      pairs: 'Correlating pairs',
      calendar: 'Averaging by calendar',
      columns: 'Trying columns',
    } as Record<string, string>,
    starting: 'Starting',
    stage: (stage: string, share: number) => `${stage} … ${formatCount(share * 100)} %`,
  },

  trials: {
    label: 'Trials of this idea',
    first: 'first',
    same: 'same recipe',
    more: (changes: number) => `+${formatCount(changes)}`,
    next: 'not run yet',
    ranAt: (trial: number, timeMs: number, zone: Zone) => `Trial ${formatCount(trial)}, run ${zonedTime(timeMs, zone)}`,
    removed: 'Its answer was removed, because newer ones needed its room',
    compare: 'Compare',
    compareHint: 'Lay trials over each other: equity, figures and what differs in their recipes',
    chosen: (trial: number) => `Lay trial ${formatCount(trial)} over the others`,
    trial: (trial: number) => `Trial ${formatCount(trial)}`,
    chooseMore: 'Choose two or more trials above to lay them over each other.',
    comparison: 'Trials side by side',
    equity: 'Equity of the trials',
    equityNote: 'net of costs, from 1, and the loss from the highest equity so far',
    underwater: 'Under water',
    figures: 'Figures',
    figuresNote: (trial: number) => `behind each value, its difference to trial ${formatCount(trial)}`,
    figure: 'Figure',
    recipe: 'What differs in the recipes',
    field: 'Field',
    panel: 'Rows',
    noPanel: 'cached data',
    noDifference: 'The recipes are the same.',
  },

  question: {
    title: 'Question',
    recipe: 'Recipe',
    kind: 'Kind',
    universe: 'Universe',
    usual: 'as usual',
    openAll: 'All fields',
    closeAll: 'Only the recipe',
    none: 'none',
    noneOf: (field: string) => `No ${field.toLowerCase()}`,
    kindGroups: 'Kinds of studies',
    source: 'Rows',
    sources: { panel: 'Panel file', cache: 'Cached data' },
    panelPath: 'File',
    panelHint: 'A CSV or Parquet file with the columns time and symbol, and any number of numeric columns.',
    againstPath: 'Other clock',
    againstHint: 'A file with the same rows on the other clock, to compare the results of both. Optional.',
    browse: 'Choose …',
    facts: (rows: number, symbols: number, from: number | null, to: number | null) =>
      `${plural(rows, 'row')}, ${plural(symbols, 'symbol')}${from === null || to === null ? '' : `, ${timeText(from)} to ${timeText(to)} UTC`}`,
    columns: (names: readonly string[]) => `Columns: ${names.join(', ')}`,
    reading: 'Reading the file …',
    everySymbol: 'Every symbol with cached rows',
    symbolsHint: (symbolCount: number) =>
      symbolCount === 0
        ? 'Symbols separated by commas, spaces or line breaks. Default: every symbol with cached rows.'
        : `${plural(symbolCount, 'symbol')}, separated by commas, spaces or line breaks. Empty: every symbol with cached rows.`,
    fromList: 'Insert from list …',
    universes: {
      none: 'All symbols at all times',
      20: 'Top 20 (portfolio service)',
      30: 'Top 30 (portfolio service)',
      40: 'Top 40 (portfolio service)',
      volume: 'Top N by 30-day volume',
    } as Record<string, string>,
    top: 'Number of symbols',
    topHint:
      'At each time the universe consists of the symbols with the largest mean notional volume over the 30 days before. The first 15 days only collect volume.',
    survivorship: 'survivorship bias',
    survivorshipHint:
      'The symbols are those listed today. Symbols that were delisted earlier are missing, which flatters most results.',
    clocks: { exchange: 'Exchange time', true: 'True time' } as Record<string, string>,
    noAgainst: 'No other clock',
    noRegime: 'None',
    noLists: 'Groups are your symbol lists: make one under Watch, or save the symbols of a table as a list.',
    groupsOf: (groups: Readonly<Record<string, readonly string[]>>) =>
      Object.entries(groups)
        .map(([name, symbols]) => `${name} (${plural(symbols.length, 'symbol')})`)
        .join(', '),
    sections: {
      more: 'Options',
      weights: 'Weights',
      trading: 'Trading',
      costs: 'Costs',
      luck: 'Holdout and luck',
      grid: 'Grid and walk-forward',
    },
    defaultIs: (value: string) => `Default: ${value}.`,
    oneALine: 'One on each line',
    split: {
      label: 'Split',
      share: 'By share',
      day: 'At a day',
      hint: 'Directions are learnt in the first part; scores come from the later one.',
    },
    yes: 'yes',
    no: 'no',
    formulaHelp: 'Ctrl+Space lists columns and functions',
    completions: 'Columns and functions',
  },

  answer: {
    title: 'Answer',
    none: 'No answer yet',
    /** By the kinds that only run when the user says so. */
    countedBodies: {
      portfolio:
        'Enter a signal and choose the rows. A test never runs automatically; the button that runs it shows which trial it will be.',
      blend: 'Choose what to blend. A blend never runs automatically, because it counts as a trial.',
      screen:
        'Choose the rows. A screen never runs automatically, because every line that it tries counts in the ledger.',
    },
    noRowsBody: (columns: readonly string[]) =>
      `The study has no rows yet. Choose cached data, or a panel file with the columns ${['time', 'symbol', ...columns].join(', ')}.`,
    readyBody: (isCounted: boolean) =>
      `The recipe is complete: run it with the button above or Ctrl+Enter.${isCounted ? ' It counts as a trial, so it never runs by itself.' : ''}`,
    noneBody:
      'A study needs a formula and rows: a panel file, or cached data. Small studies run automatically; run large ones with Ctrl+Enter.',
    stale: 'Changed: run again. This answer belongs to the recipe before.',
    filesChanged: 'What this run read has changed since.',
    fundingUnknown: (symbols: number) =>
      `The funding period of ${plural(symbols, 'symbol')} is not known in all of the range. To name one here:`,
    rerun: 'Run again',
    ranAt: (timeMs: number, zone: Zone) => `Run ${zonedTime(timeMs, zone)}`,
    unrecorded: 'unrecorded',
    unrecordedHint: 'This run is not recorded in the ledger. The more you try, the more results look good by chance.',
    warnings: 'Warnings',
    warningCount: (count: number) => plural(count, 'warning'),
    problem: (field: string) =>
      `The recipe does not run yet: it says what is wrong ${field === '' ? 'at its top' : `at “${field}”`}.`,
    more: 'More',
    less: 'Less',
    facts: (symbols: number, times: number, rows: number, from: number, to: number) =>
      `${plural(symbols, 'symbol')} × ${plural(times, 'time')}, ${plural(rows, 'row')}, ${timeText(from)} to ${timeText(to)} UTC`,
    duplicates: (rows: number) => `${plural(rows, 'duplicate row')} replaced`,
    missingRows: (cells: number) => `${plural(cells, 'cell')} without a row`,
    thinned: (entriesPerRow: number) =>
      `Long lists are thinned: each row stands for ${formatCount(entriesPerRow)} consecutive entries. “perpscope study run --json” has all of them.`,
    nonOverlapping: 'non-overlapping samples',
    conventions: 'UTC days, 365 per year, sample standard deviation; risk-free rate as set in the test.',
    provenance: (name: string, source: string, ranAt: number, runId: string) =>
      [name, source, `run ${timeText(ranAt)} UTC`, runId && `id ${runId}`].filter(Boolean).join(' · '),
    panelSource: (path: string) => path.split(/[\\/]/).at(-1) ?? path,
    cacheSource: 'cached data',
    downloadLabel: (name: string) => `Study ${name}`,
    missing: (files: number, locked: number, names: string) =>
      `${plural(files, 'file')} of this study ${agree(files, 'is', 'are')} not downloaded${locked > 0 ? ` (${formatCount(locked)} not in your subscription)` : ''}${names && `: ${names}`}.`,
    /** Names what is missing of one kind of files, such as `funding 1h of 4 symbols, 2026-07-01 to 2026-08-31`. */
    missingOf: (dataset: string, symbols: readonly string[], firstDay: string, lastDay: string) =>
      `${dataset} of ${symbols.length === 1 ? symbols[0] : plural(symbols.length, 'symbol')}, ${firstDay}${lastDay === firstDay ? '' : ` to ${lastDay}`}`,
    missingClock: (clock: string) => `(${clock} time)`,
    download: 'Download these',
    queued: (files: number, isTest: boolean) =>
      `Downloading: ${plural(files, 'file')} of this study ${agree(files, 'is', 'are')} still missing. ${isTest ? `Run the test once ${agree(files, 'it is', 'they are')} downloaded; until then ${agree(files, 'its', 'their')} values count as missing.` : `The study runs automatically once ${agree(files, 'it is', 'they are')} downloaded.`}`,
    definition: 'Definition',
    definitionOf: (title: string) => `Definition of ${title}`,
    noValues: 'No values to draw',
    table: 'Table',
    tableOf: (title: string) => `Table of ${title}`,
    firstRows: (shown: number, all: number) =>
      `First ${formatCount(shown)} of ${plural(all, 'row')}; the CSV has all of them.`,
    horizon: 'Horizon',
    horizonBars: (horizon: number, interval: string) => `${horizon} × ${interval}`,
  },

  stats: {
    rankIc: { name: 'Rank IC', formula: 'Mean rank correlation of signal and return over the non-overlapping samples' },
    interval: {
      name: '95 % interval',
      formula: 'Mean ± t × standard error, where t is the 0.975 quantile of Student’s t with n − 1 degrees of freedom',
    },
    t: { name: 't', formula: 'Mean / standard error, non-overlapping samples' },
    naive: (t: string) => `naive t ${t}`,
    naiveHint: 'The t over all times as if they were independent. Overlapping windows make it too large.',
    neweyWest: (t: string) => `Newey–West ${t}`,
    p: { name: 'p', formula: 'Two-sided p-value from Student’s t with n − 1 degrees of freedom' },
    ratio: { name: 'ICIR', formula: 'Mean IC / standard deviation of the ICs' },
    hitRate: { name: 'Hit rate', formula: 'Share of ICs above 0 among those that are not 0' },
    spread: { name: 'Spread', formula: 'Mean return of the highest quantile minus that of the lowest' },
    samples: { name: 'Samples', formula: 'Number of non-overlapping times with an IC' },
    used: { name: 'Cells used', formula: 'Share of all cells (times × symbols) that the result uses' },
    coverage: { name: 'Coverage', formula: 'Share of the members’ cells that have a value' },
    autocorrelation: {
      name: 'Rank autocorrelation',
      formula: 'Mean rank correlation of the signal with its own values one sample earlier',
    },
    /** Compares the number of tests that are significant by themselves with the number expected by chance. */
    expected: (tests: number, significantTests: number | null) => {
      const chance = `chance alone gives about ${formatCount(tests * 0.05)}`
      return significantTests === null
        ? `At p ≤ 0.05, ${chance}`
        : `${formatCount(significantTests)} with p ≤ 0.05; ${chance}`
    },
  },

  figures: {
    ic: {
      title: 'Rank IC by time',
      definition:
        'The rank correlation of signal and return over the symbols of each time. The band is the 95 % interval of the mean over non-overlapping samples. Choose a time to see its symbols.',
    },
    decay: {
      title: 'Decay',
      definition:
        'The mean rank IC of each horizon with its 95 % interval, over non-overlapping samples. Choose a bar to see the answer at its horizon.',
    },
    quantiles: {
      title: 'Return by quantile',
      definition:
        'The mean return of each group of symbols from the lowest signal to the highest, with its 95 % interval. Choose a bar to see the symbols of its last sample.',
    },
    paths: {
      title: 'Cumulative return by quantile',
      definition:
        'The product of 1 + return of each group over the non-overlapping samples, before any cost. The spread is the highest minus the lowest group.',
    },
    turnover: {
      title: 'Turnover by quantile',
      definition: 'The share of a group’s symbols that were not in it one sample earlier.',
    },
    byMonth: {
      title: 'Rank IC by month',
      definition:
        'Mean rank IC of the valid times of each month (UTC). Choose a bar to see the symbols at the latest of these times.',
    },
    byHour: {
      title: 'Rank IC by hour',
      definition:
        'Mean rank IC of the valid times of each hour of the day (UTC). Choose a bar to see the symbols at the latest of these times.',
    },
    byWeekday: {
      title: 'Rank IC by weekday',
      definition:
        'Mean rank IC of the valid times of each weekday (UTC). Choose a bar to see the symbols at the latest of these times.',
    },
    byGroup: { title: 'Rank IC by group', definition: 'Rank IC over the symbols of each of your groups separately.' },
    byRegime: {
      title: 'Rank IC by regime',
      definition:
        'Mean rank IC by regime state. The state of a day is the number of cuts at or below the last regime value dated before that day.',
    },
    coverage: {
      title: 'Coverage by time',
      definition:
        'Number of members at each time, and how many of them have a value of the first formula. Choose a time to see its symbols.',
    },
    cells: {
      title: 'Symbols used by time',
      definition: 'Number of symbols with a signal and a return at each valid time. Choose a time to see its symbols.',
    },
    eventPath: {
      title: 'Average path',
      definition:
        'The mean price change relative to the entry, at each bar around it. The inner band is the 95 % interval of the mean, computed over distinct event times; the outer band contains the middle half of the events. Hover to see individual events.',
    },
    eventsByMonth: {
      title: 'Events by month',
      definition: 'Number of events in each month (UTC). Choose a bar to open its last event.',
    },
    eventsByHour: {
      title: 'Events by hour',
      definition: 'Number of events in each hour of the day (UTC). Choose a bar to open its last event.',
    },
    eventsByWeekday: {
      title: 'Events by weekday',
      definition: 'Number of events on each weekday (UTC). Choose a bar to open its last event.',
    },
    eventsBySymbol: {
      title: 'Events by symbol',
      definition:
        'Number of events of each symbol, for the 40 symbols with the most events. Choose a bar to open its last event.',
    },
    pairMatrix: {
      title: 'Strongest correlation of each pair',
      definition:
        'The correlation of the row’s symbol with the column’s, at the lag where its absolute value is largest. The small number is the lag in bars; above 0 the row leads. Pale cells are not significant after false-discovery control.',
    },
    reference: {
      title: (reference: string) => `Strongest correlation with ${reference}`,
      definition:
        'The correlation of the reference with each other symbol, at the lag where its absolute value is largest. Choose a bar to see the pair by lag.',
    },
    profile: {
      title: (a: string, b: string) => `${a} and ${b} by lag`,
      definition:
        'The correlation of the first symbol at t with the second at t + lag. At lags above 0 the first leads. If the two series were independent but each kept its autocorrelations, 95 % of the correlations would lie in the band.',
    },
    heat: {
      title: 'Mean by weekday and hour',
      definition:
        'The mean value of the members at each time, averaged over the times of the cell. A dot marks q ≤ 0.05 after false-discovery control.',
    },
    season: (by: string) => ({
      title: `Mean by ${by.toLowerCase()}`,
      definition:
        'The mean value of the members at each time, averaged over the times of the group, ± 1.96 standard errors.',
    }),
    symbol: (symbol: string) => ({
      title: symbol,
      definition: 'The rows of the symbol and the values of the study’s formulas around the chosen time.',
    }),
  },
  series: {
    ic: 'IC',
    mean: 'Mean',
    interval: '95 %',
    middleHalf: 'middle half',
    quantile: (quantile: number) => `Q${quantile}`,
    spread: 'Spread',
    turnover: 'Turnover',
    members: 'Members',
    present: 'With a value',
    used: 'Used',
    events: 'Events',
    correlation: 'r',
    chance: 'by chance',
    singleEvent: (symbol: string, timeMs: number) => `${symbol} ${timeText(timeMs)}`,
    lag: 'Lag',
    bar: 'Bar',
    rolling: (samples: number) => `Mean of ${plural(samples, 'sample')}`,
  },
  /** Says by which power of ten to multiply the values of a heat map; empty for 1. */
  scaled: (scale: number) => (scale === 1 ? '' : `Multiply values by ${scale}`),
  halves: { label: 'Show', question: 'Question', answer: 'Answer' },

  useInTest: {
    button: 'Use in a test',
    hint: 'Opens a new portfolio test on these rows that pays this spread and impact.',
    name: (study: string) => `${study}, tested`,
  },

  guards: {
    title: 'Guards',
    nothingUsed: (reason: string, cells: number, all: number) =>
      all === 0
        ? 'The condition is never true, so there is nothing to average.'
        : `Nothing to compute: no cell is used. ${formatCount(cells)} of ${formatCount(all)} ${agree(cells, 'is', 'are')} left out for the reason “${reason}”; see Attrition.`,
    why: 'Why is a symbol missing?',
    clocks: 'Both clocks',
    clocksOff: 'Not compared. Choose the other clock under Rows to see whether the result depends on the clock.',
    sampling:
      'On 1000 panels of noise (30 symbols, 500 bars, a signal with autocorrelation 0.99), tests of the rank IC at the 5 % level were significant in 5.6 to 6.3 % of cases with non-overlapping samples; with overlapping samples (all times), in 6 % at horizon 1, 9 % at 4 and 13 % at 24.',
    falseDiscovery: (tests: number, significant: number, unit: 'cells' | 'pairs and lags') =>
      `${plural(tests, 'test')}, ${formatCount(significant)} significant after false-discovery control; ${unit} without a result are listed too.`,
  },

  section: {
    title: (timeMs: number) => `Symbols at ${timeText(timeMs)} UTC`,
    label: 'Symbols at one time',
    times: (entryMs: number, exitMs: number) => `Entry ${timeText(entryMs)}, exit ${timeText(exitMs)} UTC`,
    columns: {
      symbol: 'Symbol',
      reason: 'State',
      group: 'Quantile',
      signal: 'Signal',
      value: 'Value',
      entry: 'Entry',
      exit: 'Exit',
      change: 'Return',
    },
    all: 'All symbols',
    missing: 'Missing only',
    quantile: (quantile: number) => `Quantile ${quantile}`,
    show: 'Show',
    at: 'Time (UTC)',
    noTime: 'Enter a time such as 2026-06-01 12:00.',
    before: 'Previous time',
    after: 'Next time',
    openHint: 'Open a row to see the symbol around this time.',
    loading: 'Reading the cells …',
  },
  sheet: {
    more: (tables: number) => plural(tables, 'more table'),
    asTable: (title: string) => `${title}: table`,
  },
  bucket: {
    label: 'Times behind a bucket',
    title: (symbol: string, bucket: number | null, horizon: number) =>
      `${bucket === null ? 'All times' : bucket === 0 ? 'Times without a bucket' : `Times of bucket ${bucket}`}, ${symbol}, ${plural(horizon, 'bar')}`,
    note: (shown: number, left: number) =>
      left > 0 ? `the first ${formatCount(shown)} of ${plural(shown + left, 'time')}` : plural(shown, 'time'),
    empty: 'No time lies in this bucket.',
    columns: { time: 'Time', signal: 'Signal', change: 'Return', sample: 'Sample' },
    sampleHint: 'Samples overlap no other; the IC and its interval are made of them',
    sample: (isSample: boolean) => (isSample ? 'yes' : 'no'),
  },
  spells: {
    title: 'Price and state',
    note: 'shaded while the state is on',
    on: 'State on',
    price: (symbol: string) => `Price of ${symbol}`,
    priceLabel: 'Price',
    symbol: 'Symbol',
    whole: 'Whole range',
  },
  openLine: {
    best: 'Best line:',
    series: 'Open as a series study',
    test: 'Open as a portfolio test',
    hint: 'On the later days only; rows of the table open likewise.',
  },
  symbol: {
    label: 'Rows of a symbol',
    rows: (symbol: string) => `Rows of ${symbol}`,
    workbench: 'Chart in workbench',
    rawEvents: 'Raw events',
    time: 'Time',
    member: 'Member',
    hasRow: 'Row',
    chosen: 'Chosen time',
    formula: (name: string) => `${name} (formula)`,
    yes: 'yes',
    no: 'no',
  },
  events: {
    paths: (shown: number, all: number) =>
      shown < all ? `Hover to see individual events (${formatCount(shown)} of ${plural(all, 'event')})` : '',
  },
  pairs: {
    rowsOf: (symbol: string) => `Rows of ${symbol}`,
    noLags:
      'This study is large: only the strongest pairs are shown by lag. “perpscope study run --json” has all of them.',
    matrixTooLarge: (symbols: number) =>
      `${formatCount(symbols)} symbols are too many for a matrix; use the table of pairs.`,
    cell: (a: string, b: string, r: number | null, lag: number | null, q: number | null) =>
      `${a} and ${b}: r ${numberOrDash('ratio', r)} at lag ${lag ?? '–'}, q ${numberOrDash('ratio', q)}`,
  },
  season: {
    cell: (row: string, column: string, mean: number | null, n: number, q: number | null) =>
      `${row} ${column}: mean ${numberOrDash('statistic', mean)}, n ${formatCount(n)}, q ${numberOrDash('ratio', q)}`,
  },

  commands: {
    group: 'Lab',
    run: 'Lab: run the study',
    cancel: 'Lab: cancel the run',
    undo: 'Undo study change',
    redo: 'Redo study change',
    list: 'Lab: all studies',
    new: (kind: string) => `Lab: new ${kind.toLowerCase()}`,
    duplicate: 'Lab: duplicate the study',
    rename: 'Lab: rename the study',
    open: (name: string) => `Lab: open “${name}”`,
    openFile: 'Lab: open a study from a file',
    saveFile: 'Lab: save the study to a file',
    keywords: 'study research alpha factor signal backtest',
  },
} as const
