import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, zonedTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural, nounOf } from '#shared/units/plurals.ts'

const timeText = (timeMs: number, zone: Zone = 'utc') => zonedTime(timeMs, zone)
const dayText = (timeMs: number) => formatTime(timeMs, 'utc', 'day')
const choiceFormat = new Intl.ListFormat('en', { type: 'disjunction' })
const oneOf = (values: readonly string[]) => choiceFormat.format(values)
const listFormat = new Intl.ListFormat('en')
const daysText = (count: number) => plural(count, 'day')

/** Text that the tabs of the portfolio screen share. */
export const portfoliosText = {
  title: 'Portfolios',
  heading: (tab: string) => `Portfolios: ${tab}`,
  tabs: {
    portfolio: 'Portfolio',
    weights: 'Weights',
    explain: 'Explain',
    factors: 'Factors',
    universe: 'Universe',
    overlays: 'Overlays & regimes',
    prices: 'Prices',
    book: 'Book',
  },
  loadingTab: 'Loading …',

  fields: {
    portfolio: 'Portfolio',
    smoothing: 'Smoothing',
    options: 'Options',
    smoothingDefault: 'Default',
    smoothingNone: 'None',
    days: daysText,
    venue: 'Venue',
    overlay: 'Overlay',
    regime: 'Regime',
    /** Names of identifiers, and an example of each. */
    ids: {
      portfolio: { label: 'Portfolio', example: 'e.g. momentum_ls.20' },
      overlay: { label: 'Overlay', example: 'e.g. vol_target' },
      regime: { label: 'Regime', example: 'e.g. market_risk' },
      factor: { label: 'Factor', example: 'e.g. momentum' },
      tickersOf: { label: 'Factor or portfolio', example: 'e.g. momentum' },
      ticker: { label: 'Ticker', example: 'e.g. BTC' },
    },
    tickers: 'Tickers',
    tickersExample: 'e.g. BTC, ETH',
    dates: 'Date range',
    from: 'From',
    to: 'to',
    firstDay: 'first day',
    lastDay: 'last day',
    notADate: 'Enter a date, for example 2026-08-01',
    endsBefore: (from: string) => `This day is before the first day, ${from}`,
    allDays: 'All days',
    all: 'All',
    scale: { linear: 'Linear', log: 'Log' },
    /** `momentum_ls.20, smoothed 10 days, alpha` */
    portfolioLabel: (portfolio: string, smoothing: string, venue: string) =>
      [portfolio, smoothing === '0' ? 'not smoothed' : smoothing && `smoothed ${smoothing} days`, venue]
        .filter(Boolean)
        .join(', '),
  },

  problems: {
    smoothing: (smoothing: string, allowed: readonly string[]) =>
      `There is no ${smoothing}-day smoothing. Choose ${oneOf(allowed)} days, or Default.`,
    tickers: (count: number, most: number) =>
      `You entered ${plural(count, 'ticker')}; the limit is ${formatNumber(most, 0)}.`,
    dates: 'The first day is after the last day.',
    size: (size: string, allowed: readonly string[]) =>
      `There is no universe of ${size} tickers. Choose ${oneOf(allowed)}.`,
  },

  start: {
    title: 'Choose a portfolio',
    enter: 'Enter a portfolio identifier above, usually one that ends in a dot and the universe size.',
    search: 'Search portfolios',
    list: 'Portfolios with their equity and figures over the last year',
    favourite: (id: string) => `Favourite: ${id}`,
    favouriteAction: (isFavourite: boolean) => (isFavourite ? 'Remove from favourites' : 'Add to favourites'),
    spark: (id: string) => `Equity of ${id} over the last year`,
    columns: {
      favourite: 'Favourite',
      portfolio: 'Portfolio',
      equity: 'Last year',
      figures: ['Return', 'Sharpe', 'Max drawdown'],
      until: 'Until',
    },
    noMatch: 'No listed portfolio matches. To open another, enter its full identifier above.',
    note: (shown: number, all: number) =>
      `${shown < all ? `${shown} of ${all} portfolios; search for others. ` : ''}Last year: 365 days up to the last day with a return, Sharpe with a risk-free rate of 0; “–” if the returns cover less than a year.`,
    unlisted: 'The portfolio service does not list its portfolios. Those that you open are listed here from then on.',
    service: 'Portfolios come from the portfolio service of this connection. Set its address in',
    settings: 'Settings → Connections',
  },

  elsewhere: {
    label: 'Open or save',
    chart: 'Chart in workbench',
    test: 'Portfolio test in the Lab',
    study: 'Signal study in the Lab',
    busy: 'Opening …',
  },

  answer: {
    /** Follows the sentence of an error: `Perpscope is offline. Showing returns as of 2026-06-01 12:00 UTC.` */
    asOf: (sentence: string, what: string, timeMs: number, zone: Zone) =>
      `${sentence} Showing ${what} as of ${timeText(timeMs, zone)}.`,
    problem: (what: string, problem: string) => `${what}: ${problem}`,
    loading: (answers: readonly string[]) => `Loading ${listFormat.format(answers)} …`,
    computing: 'Computing …',
    noneInRange: (what: string) => `No ${what} in this range. Choose another range or show all days.`,
  },

  provenance: {
    asOf: (timeMs: number) => `as of ${timeText(timeMs)}`,
    source: (connection: string, source: string) => `${connection} (${source})`,
  },

  cards: {
    export: (kind: string, title: string) => `${kind} of ${title}`,
    saveFailed: (title: string, kind: string, reason: string) => `Could not save “${title}” as ${kind}: ${reason}`,
    filter: (title: string) => `Filter ${title}`,
    copy: 'Copy',
    copyLabel: (title: string) => `Copy ${title}`,
    tickerMenu: {
      prices: (ticker: string) => `Prices of ${ticker}`,
      coverage: (ticker: string) => `Symbols and downloads of ${ticker}`,
    },
    noValues: 'No values to draw',
    undefined: 'not defined here',
    loading: 'loading …',
    shading: 'Shading',
    shadeRegime: 'Shade by regime',
    notShaded: (shading: string, sentence: string) => `Could not shade by “${shading}”: ${sentence}`,
    days: daysText,
    correlation: (row: string, column: string, value: string | null, count: number, countedNoun: string) =>
      `${row} and ${column}: ${value ?? 'not defined'}, ${formatNumber(count, 0)} ${nounOf(count, countedNoun)}`,
  },

  daysTable: {
    narrowed: (rows: number, tickers: number) => `${daysText(rows)} × ${plural(tickers, 'ticker')}`,
    noMatch: 'No matching days',
    empty: 'No days',
    tickers: 'Tickers, e.g. BTC, ETH',
    tickersLabel: (title: string) => `Tickers of ${title}`,
    days: 'Days, e.g. 2026-08',
    daysLabel: (title: string) => `Days of ${title}`,
    newestFirst: 'newest first',
    date: 'Date',
  },

  revisions: {
    title: (what: string) => (what ? `Revised by the service: ${what}` : 'Revised by the service'),
    note: 'earlier values are kept',
    columns: {
      day: { title: 'Date' },
      column: { title: 'Column' },
      before: { title: 'Before', hint: 'Empty if there was no value' },
      after: { title: 'After', hint: 'Empty if there is no longer a value' },
      fetched: { title: 'Fetched', hint: 'When the old value was fetched' },
      replaced: { title: 'Replaced', hint: 'When the new value was fetched' },
      created: { title: 'Generated', hint: 'When the service generated the snapshot' },
    },
  },
} as const

/** The portfolio tab: returns and their tear sheet. */
export const tearSheetText = {
  returns: 'returns',
  pricesOf: (ticker: string) => `prices of ${ticker}`,
  benchmark: 'Benchmark',
  benchmarkExample: 'e.g. BTC',
  against: (ticker: string) => `against ${ticker}`,
  rolling: 'Rolling',
  riskFree: 'Risk-free',
  perYear: '% a year',
  wrongRate: 'Enter an annual rate in %, for example 4.5. Using 0 % for now.',
  equityScale: 'Equity scale',
  formulas: 'Formulas',
  ranges: {
    label: 'Range',
    all: 'All',
    custom: 'Custom',
    days: (from: string, to: string) => `${from || 'First day'} – ${to || 'last day'}`,
  },
  hero: {
    title: 'Leading figures',
    lastMonth: { name: 'Last month', formula: 'Product of (1 + r) − 1 over the last month with a return in the range' },
    worstMonth: { name: 'Worst month', formula: 'Lowest return of a month in the range' },
  },
  allFigures: 'All figures',
  monthsOf: 'Months of',

  compare: {
    list: 'Compared with',
    remove: (portfolio: string) => `Remove ${portfolio}`,
    open: 'Compare …',
    label: 'Compare with',
    add: 'Add',
    smoothings: 'All smoothings',
    venues: 'All venues',
    full: (most: number) => `At most ${formatNumber(most, 0)} portfolios can be compared. Remove one to add another.`,
    loading: 'Loading the returns to compare …',
  },

  problem: (message: string) => `Returns: ${message}.`,
  noDays: 'The service has no data for this portfolio.',
  noReturns: 'This portfolio has no return on any day.',
  tooShort: (needed: number, available: number) =>
    `Rolling statistics need ${daysText(needed)} with a return; only ${formatNumber(available, 0)} ${agree(available, 'is', 'are')} available. Choose a shorter window.`,

  figures: 'Statistics of the selected range',
  conventions: (conventions: string) =>
    `${conventions}. r is a daily return in the range, n the number of days with a return.`,
  sideBySide: 'Side by side',
  differentDays: 'The portfolios cover different days, so their figures are not comparable.',
  commonDays: (from: string, to: string) => `Show common days ${from} to ${to}`,
  chart: (label: string) => `Returns of ${label}`,
  risk: (label: string) => `Rolling risk of ${label}`,
  provenance: (labels: readonly string[], benchmark: string | null, shading: string | null) =>
    [
      `Returns of ${labels.join('; ')}`,
      ...(benchmark === null ? [] : [`prices of ${benchmark}`]),
      ...(shading === null ? [] : [`shaded by ${shading}`]),
    ].join(', '),
  shadeBy: 'Shade by',
  notShaded: (shading: string, sentence: string) => `Could not shade by “${shading}”: ${sentence}`,

  returnsTitle: 'Returns',
  matches: { none: 'As it is', volatility: 'Same volatility' },
  matchedNote:
    'Compounded daily returns of the benchmark, each scaled by the ratio of sample standard deviations (portfolio / benchmark) over the visible dates that both have',
} as const

/** Tested portfolios of the Lab, as the portfolio tab offers them. */
export const testedText = {
  menu: 'Test or blend',
  menuLabel: 'Tested portfolios and blends of the Lab',
  label: (name: string) => `${name} (net)`,
  noResult: (name: string) => `“${name}” has no result yet. Run it in the Lab first.`,
} as const

export const ownReturnsText = {
  menu: 'Your file',
  menuLabel: 'Your own returns or weights',
  open: 'Open CSV …',
  startNote:
    'Or make a tear sheet of your own daily returns or weights (CSV: date,return[,benchmark] or date,ticker,weight):',
  close: 'Close',
  remove: 'Remove from Perpscope',
  removeHint: 'Removes its figures from Perpscope; the file stays where it is',
  unit: 'Numbers',
  units: { percent: '1.2 means 1.2 %', fraction: '1.2 means 120 %' },
  cost: 'Cost',
  costUnit: 'bps of two-way turnover',
  about: (name: string) => `About ${name}`,
  askUnit: (name: string) => `How are returns written in ${name}?`,
  benchmark: (name: string) => `benchmark of ${name}`,
  provenance: (name: string, readAt: number) => `${name} read ${timeText(readAt)}`,
  states: {
    current: (name: string, readAt: number, zone: Zone) =>
      `${name}, read ${timeText(readAt, zone)}; read again when the file changes.`,
    copy: (name: string, readAt: number, zone: Zone) =>
      `${name}, a copy from ${timeText(readAt, zone)}, because a browser does not reveal where the file is. After a change, open it again to get another copy.`,
    missing: (name: string, readAt: number, zone: Zone) =>
      `${name} is no longer where it was. Showing the version from ${timeText(readAt, zone)}.`,
    unreadable: (name: string, readAt: number, zone: Zone, problems: readonly string[]) =>
      `${name} changed and cannot be read: ${problems.join('; ')}. Showing the version from ${timeText(readAt, zone)}.`,
  },
  coverage: (percent: string | null, cost: string) =>
    percent === null
      ? 'All weights are 0, so nothing was held.'
      : `The service has prices for ${percent} % of the gross weight. Trading cost: ${cost} bps of two-way turnover.`,
  warnings: (count: number, name: string) => `${plural(count, 'warning')} about ${name}`,
  warning: (line: number, detail: string) => `Line ${line}: ${detail}.`,
} as const

/** The weights tab. */
export const weightsText = {
  answers: { latest: 'latest weights', close: 'closing weights', history: 'daily weights' },
  snapshot: 'Live snapshot',
  newest: 'Newest',
  latest: 'Latest',
  madeAt: (timeMs: number) => formatTime(timeMs, 'utc', 'minute'),
  snapshotAt: (timeMs: number) => timeText(timeMs),
  firstFetchedAt: (timeMs: number) => `first fetched ${timeText(timeMs)}`,
  provenance: (label: string) => `Weights of ${label}`,
  closeOf: (timeMs: number) => `close of ${dayText(timeMs)}`,
  noClose: 'no closing weights to compare with',
  problem: (message: string) => `Daily weights: ${message}.`,
  weights: 'weights',

  rebalance: {
    useLatest:
      'If you missed the rebalance at midnight UTC, you may use the latest weights now: it was 10 hours ago or more.',
    useClose: 'Use the closing weights: the rebalance at midnight UTC was less than 10 hours ago.',
    timing: (sinceMs: number, untilMs: number) =>
      `The last rebalance was ${formatDuration(sinceMs)} ago; the next is in ${formatDuration(untilMs)}.`,
    notSaid: 'The service does not say when it generated these weights.',
    future: (timeMs: number) =>
      `Generated ${timeText(timeMs)}, in the future according to this computer. Check its clock.`,
    age: (timeMs: number, ageMs: number, missed: number) =>
      `Generated ${timeText(timeMs)}, ${formatDuration(ageMs)} ago; ${
        missed === 0
          ? 'no hourly refresh has been missed'
          : `${plural(missed, 'hourly refresh has been', 'hourly refreshes have been')} missed since then`
      }.`,
  },

  live: {
    title: 'Live weights',
    empty: 'The snapshot has no tickers',
    twoWay: 'Turnover, two-way',
    twoWayFormula: (shown: string) => `Sum of absolute changes from close to ${shown}, buys plus sells`,
    oneWay: 'Turnover, one-way',
    oneWayFormula: 'Half the two-way turnover',
    atClose: (value: string, unit: string) => `close ${value}${unit && ` ${unit}`}`,
    columns: (shown: string) => ({
      ticker: { title: 'Ticker' },
      latest: { title: shown },
      close: { title: 'Close', hint: 'End of the previous trading day' },
      change: { title: 'Change', hint: `${shown} minus close; a missing weight counts as 0` },
      size: { title: 'Traded', hint: 'Absolute change, bought or sold' },
    }),
  },

  history: {
    title: 'Weights by day',
    view: 'Show weights as',
    views: { area: 'Stacked area', heat: 'Heat map', table: 'Table' },
    empty: 'No ticker has a weight in this range',
    hover: 'Hover over a cell to see its weight',
    cell: (day: string, ticker: string, value: string | null) =>
      `${day} · ${ticker}: ${value === null ? 'no weight' : `${value} %`}`,
    othersLong: (count: number) => `${plural(count, 'other')}, long`,
    othersShort: (count: number) => `${plural(count, 'other')}, short`,
    layer: (value: string | null) => `${value ?? '–'} %`,
    heatSpoken: (tickers: number, dayCount: number, range: string) =>
      `Weights of ${plural(tickers, 'ticker')} over ${daysText(dayCount)}, ${range}; the table has the numbers`,
    areaSpoken: (range: string, largest: readonly { ticker: string; value: string | null }[]) =>
      `Stacked weights, ${range}. On the last day: ${largest
        .map(({ ticker, value }) => `${ticker} ${value === null ? 'none' : `${value} %`}`)
        .join(', ')}`,
  },

  exposure: {
    title: 'Exposure, concentration and turnover',
    note: 'one-way turnover is half of two-way',
    panes: { exposure: 'Exposure', names: 'Names', concentration: 'Concentration', turnover: 'Turnover' },
    twoWay: 'Two-way',
  },
} as const

/** The tab that explains returns by weights and prices. */
export const explainText = {
  answers: { returns: 'returns', weights: 'weights', prices: 'prices', overlay: 'overlay' },
  cost: 'Cost',
  costUnit: 'bps of two-way turnover',
  wrongCost: (most: number, used: number) =>
    `Enter a cost from 0 to ${formatNumber(most, 0)} bps. Using ${formatNumber(used, 0)} bps for now.`,
  applyOverlay: 'Apply overlay',
  noOverlay: 'Enter the overlay to apply.',
  weights: 'weights',
  noWeights: 'This portfolio has no weights, so there is nothing to explain.',
  notExplained:
    'No day in this range can be explained: this needs the weights of the previous day and the prices of both days.',
  provenance: (label: string) => `Weights, prices and returns of ${label}`,

  chart: {
    title: (label: string) => `Served and explained returns of ${label}`,
    note: 'explained: weights of the previous day × price changes, less cost',
    label: 'Explained returns',
    equity: 'Equity since the first explained day',
    served: 'Served',
    explained: 'Explained',
    residualPane: 'Residual: served minus explained',
    residual: 'Residual',
    costPane: 'Cost of turnover',
    cost: 'Cost',
  },

  figures: {
    days: { name: 'Days explained', formula: 'Days with both a served and an explained return' },
    served: { name: 'Served', formula: 'Product of (1 + served return) over all days with a served return, minus 1' },
    explained: {
      name: 'Explained',
      formula: 'Product of (1 + explained return) over all days with an explained return, minus 1',
    },
    cost: { name: 'Cost', formula: 'Sum of the daily costs' },
    meanResidual: { name: 'Mean residual', formula: 'Mean of served minus explained' },
    meanAbsolute: { name: 'Mean abs. residual', formula: 'Mean absolute residual' },
    largest: { name: 'Largest residual', formula: 'Largest absolute residual of any day' },
    correlation: { name: 'Correlation', formula: 'Pearson correlation of served and explained returns' },
    unpriced: { name: 'Unpriced days', formula: 'Days with a position that lacks one of its two prices' },
  },

  days: {
    title: 'Returns by day',
    columns: {
      time: { title: 'Date' },
      served: { title: 'Served', hint: 'Return as served' },
      explained: { title: 'Explained', hint: 'Sum of previous-day weights × price changes, less cost' },
      residual: { title: 'Residual', hint: 'Served minus explained' },
      cost: { title: 'Cost', hint: 'Cost in basis points × two-way turnover' },
      unpriced: {
        title: 'Unpriced',
        hint: 'Absolute weight of positions that lack one of their two prices; not explained',
      },
    },
  },

  contributions: {
    title: 'Contribution by ticker',
    chartTitle: 'Largest and smallest contributions',
    note: 'in % of the portfolio, before cost',
    pictureTitle: 'Contributions in % of the portfolio',
    spoken: (best: { ticker: string; percent: string } | null, worst: { ticker: string; percent: string } | null) =>
      best && worst
        ? `Contribution by ticker in %: highest ${best.ticker} ${best.percent}, lowest ${worst.ticker} ${worst.percent}`
        : 'No contributions',
    columns: {
      ticker: { title: 'Ticker' },
      contribution: {
        title: 'Contribution',
        hint: 'Sum over the days of previous-day weight × price change, before cost',
      },
      days: { title: 'Days', hint: 'Days on which it was held and had both prices' },
    },
  },

  overlay: {
    without: 'Without overlay',
    with: 'With overlay',
    none: (overlay: string) => `Overlay ${overlay} has no values.`,
    title: (overlay: string) => `Without and with ${overlay}`,
    note: (conventions: string) => `each return times the overlay of the previous day; ${conventions}`,
    chartTitle: (overlay: string) => `Returns without and with ${overlay}`,
    weightsTitle: (day: string, overlay: string) => `Weights on ${day} without and with ${overlay}`,
    label: 'Overlay',
    equity: 'Equity since the first day with an overlay',
    underwater: 'Underwater',
    columns: {
      ticker: { title: 'Ticker' },
      plain: { title: 'Without' },
      scaled: { title: 'With overlay', hint: 'Weight times the overlay of the same day' },
    },
  },
} as const
