import { formatTime, zonedTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const timeText = (timeMs: number, zone: Zone = 'utc') => zonedTime(timeMs, zone)
const dayText = (timeMs: number) => formatTime(timeMs, 'utc', 'day')
/** Says when the service generated a live answer, as far as it says so itself. */
const generatedText = (timeMs: number | null, zone: Zone = 'utc') =>
  timeMs === null ? 'time of generation not said' : `generated ${timeText(timeMs, zone)}`
const choiceFormat = new Intl.ListFormat('en', { type: 'disjunction' })
const oneOf = (values: readonly string[]) => choiceFormat.format(values)

const rankHint = '1 is the lowest of the tickers shown; ties share the mean rank'
const percentileHint = '0 is the lowest and 1 the highest of the tickers shown'

/** Puts a label into a sentence by making its first letter lower-case: `regime market_risk`. */
const withLowerInitial = (label: string) => `${label.charAt(0).toLowerCase()}${label.slice(1)}`

const forwardReturnText = (horizonDays: string) => `price change over ${plural(Number(horizonDays), 'day')}`

const entryText = (days: string) =>
  days === '0'
    ? 'entered at the close of the value’s own day'
    : `entered ${plural(Number(days), 'day')} after the value`

/** The factors tab. */
export const factorsText = {
  factor: 'Factor',
  universeTickers: 'all in the universe',
  universe: 'Universe',
  fullUniverse: 'Full',
  members: 'Members',
  memberships: { date: 'Each day’s', today: 'Today’s' },
  survivorship: {
    badge: 'Survivorship bias:',
    why: (canChange: boolean) =>
      `the history uses one list of tickers for all days, so those that dropped out are missing.${canChange ? ' Choose each day’s members.' : ' A universe of 20, 30 or 40 has each day’s members.'}`,
  },
  label: (factor: string) => `Factor ${factor}`,
  answers: {
    tickers: 'tickers',
    universe: 'universe by day',
    latest: 'latest values',
    close: 'end-of-day values',
    history: 'history',
    prices: 'prices',
  },
  problems: {
    universe: (universe: string, allowed: readonly string[]) =>
      `There is no universe “${universe}”. Choose ${oneOf(allowed)}.`,
    horizon: (horizon: string, allowed: readonly string[]) =>
      `There is no horizon of ${horizon} ${agree(Number(horizon), 'day', 'days')}. Choose ${oneOf(allowed)}.`,
    quantiles: (quantiles: string, allowed: readonly string[]) =>
      `There is no split into ${quantiles} ${agree(Number(quantiles), 'group', 'groups')}. Choose ${oneOf(allowed)}.`,
    entry: (entry: string, allowed: readonly string[]) =>
      `There is no entry after ${entry} ${agree(Number(entry), 'day', 'days')}. Choose ${oneOf(allowed)}.`,
    cost: (cost: string, allowed: readonly string[]) => `There is no cost of ${cost} bps. Choose ${oneOf(allowed)}.`,
  },
  start: {
    body: 'See how a factor ranks tickers now and at the end of each day, and how prices moved afterwards.',
    enter: 'Enter a factor above.',
    choose: 'Enter a factor above or choose one:',
  },
  noTickers: 'This universe has no tickers. Choose another size or enter tickers.',

  live: {
    title: (label: string) => `${label}: live and end of day`,
    latestAt: (timeMs: number | null) => `latest ${generatedText(timeMs)}`,
    endOf: (timeMs: number) => `end of ${dayText(timeMs)}`,
    empty: 'The service returned no tickers',
    columns: {
      ticker: { title: 'Ticker' },
      latest: { title: 'Latest' },
      rank: { title: 'Rank', hint: rankHint },
      percentile: { title: 'Percentile', hint: percentileHint },
      close: { title: 'End of day' },
      closeRank: { title: 'EOD rank', hint: rankHint },
      closePercentile: { title: 'EOD percentile', hint: percentileHint },
      change: { title: 'Change', hint: 'Latest minus end of day' },
      rankChange: { title: 'Rank change', hint: 'Ranks gained since the end of day' },
    },
  },

  history: {
    title: (label: string) => `${label}: history`,
    note: 'highest and lowest now',
    show: 'Show',
    shown: { value: 'Value', percentile: 'Percentile' },
    lines: 'Lines',
    linesExample: 'highest and lowest',
    notSelected: (tickers: readonly string[]) => `Not among the selected tickers: ${tickers.join(', ')}.`,
    valuesByDay: 'Values by day',
    percentilesByDay: 'Percentiles by day',
  },

  forward: {
    heading: 'Forward returns',
    horizon: 'Horizon',
    horizonDays: (days: string) => plural(Number(days), 'day'),
    groups: 'Groups',
    loading: 'Loading prices …',
    provenance: (label: string) => `${label} and prices`,
    entry: 'Entry',
    entries: (days: number) =>
      days === 0 ? 'Same close (not tradable)' : days === 1 ? 'Next day' : `${days} days later`,
    cost: 'Cost',
    costBps: (bps: string) => `${bps} bps`,
    mean: 'Mean information coefficient',
    meanFormula: (horizon: string, entry: string) =>
      `Mean Spearman correlation across tickers between the factor and the ${forwardReturnText(horizon)}, ${entryText(entry)}, over non-overlapping samples with at least 3 tickers, and at least as many tickers as groups`,
    samples: (count: number) => plural(count, 'sample'),
    interval: (low: string, high: string, t: string) => `95 % ${low} … ${high}, t ${t}`,
    deviation: 'Standard deviation',
    deviationFormula: 'Sample standard deviation of the information coefficients',
    ratio: 'ICIR',
    ratioFormula: 'Mean coefficient / standard deviation of the coefficients, not annualised',
    positive: 'Samples above 0',
    positiveFormula: 'Share of samples with a coefficient above 0, of those whose coefficient is not 0',
    spread: 'Highest minus lowest group',
    spreadFormula: (horizon: string) =>
      `Mean ${forwardReturnText(horizon)} in the highest group minus that in the lowest`,
    net: 'After costs',
    netFormula: (bps: string) =>
      `Highest minus lowest group, less costs of ${bps} bps per unit of turnover between samples. Turnover is the sum of absolute weight changes, with equal weights in both groups and no drift in between.`,
    turnover: 'Turnover',
    turnoverFormula:
      'Mean share of tickers that were not in the group one sample earlier, for the highest and the lowest group',
    turnoverNote: (highest: string, lowest: string, traded: string) =>
      `highest ${highest} %, lowest ${lowest} %, traded ${traded} per sample`,
    label: 'Information coefficient',
    byDay: 'Information coefficient by day',
    byDayNote: (horizon: string, entry: string) => `with the ${forwardReturnText(horizon)}, ${entryText(entry)}`,
    noCoefficient: (horizon: string) => `No day has 3 tickers with a value and a ${forwardReturnText(horizon)}.`,
    growth: 'Highest minus lowest group, before and after costs',
    growthNote: (bps: string) => `growth of 1 over non-overlapping samples; costs of ${bps} bps`,
    gross: 'before costs',
    noGrowth: 'No sample has tickers in both groups.',
    returns: 'Mean return by group',
    returnsNote: (horizon: string, entry: string) =>
      `${forwardReturnText(horizon)} in %, ${entryText(entry)}, tickers grouped by the factor, equal weights`,
    pictureTitle: (horizon: string) => `Mean ${forwardReturnText(horizon)} by group, in %`,
    spoken: (horizon: string, groups: string) => `Mean ${forwardReturnText(horizon)}: ${groups}`,
    lowest: 'lowest',
    highest: 'highest',
    group: (quantile: number, percent: string | null) =>
      `group ${quantile}: ${percent === null ? 'none' : `${percent} %`}`,
    tooFew: (groups: number) => `No day has enough tickers for ${plural(groups, 'group')}.`,
  },

  correlation: {
    heading: 'Correlation with other factors',
    compare: 'Compare with',
    compareExample: 'e.g. trend, carry',
    all: 'All known factors',
    title: 'Correlation of factors',
    note: 'mean daily Spearman correlation across these tickers, over days with at least 3 of them',
    counted: 'days',
    provenance: 'Factors',
    loading: 'Loading the other factors …',
  },
} as const

/** The tab of overlays and regimes. */
export const overlaysText = {
  label: 'Overlays and regimes',
  ofPortfolio: 'of portfolio',
  asOf: 'Live overlay as of',
  asOfValues: { latest: 'latest', close: 'close' },
  wrongAsOf: (asOf: string) => `There is no live overlay as of “${asOf}”. Choose latest or close.`,
  needsPortfolio: 'An overlay belongs to a portfolio. Enter the portfolio too.',
  start: {
    body: 'A regime describes the state of the whole market; an overlay sets how much of a portfolio to hold.',
    enter: 'Enter one above.',
    choose: 'Enter one above, or start with a known regime:',
    overlays: (portfolio: string) => `Or with an overlay of ${portfolio}:`,
  },
  regime: (id: string) => `Regime ${id}`,
  overlay: (id: string, portfolio: string) => `Overlay ${id} of ${portfolio}`,
  shade: 'Shade the workbench charts',
  historyOf: (label: string) => `history of ${withLowerInitial(label)}`,
  liveValueOf: (label: string) => `live value of ${withLowerInitial(label)}`,
  problem: (label: string, message: string) => `${label}: ${message}.`,
  loading: (label: string) => `Loading ${withLowerInitial(label)} …`,

  noValue: 'no value',
  live: 'Live value',
  liveNote: (dayMs: number, createdAtMs: number | null, zone: Zone) =>
    `for ${dayText(dayMs)}, ${generatedText(createdAtMs, zone)}`,
  liveFormula: 'Newest value from the service; “no value” where it is null. Updated about 5 minutes past each hour.',
  close: 'End of day',
  closeFormula: 'Value on the last day of the history that has a value',
  since: 'Since',
  sinceDays: (count: number) => plural(count, 'day'),
  sinceFormula: 'First day of the current period with this value',

  history: { title: (label: string) => `History of ${withLowerInitial(label)}`, note: 'end of day' },
  noDayHasValue: 'No day has a value',
  states: {
    title: 'States',
    note: 'days spent at each value',
    columns: {
      value: { title: 'Value' },
      days: { title: 'Days' },
      share: { title: 'Share', hint: 'Of the days with a value' },
      spells: { title: 'Periods', hint: 'Number of periods with this value' },
      last: { title: 'Last on' },
    },
  },
  spells: {
    title: 'Periods',
    note: 'consecutive days with the same value',
    columns: {
      start: { title: 'From' },
      end: { title: 'To', hint: 'Last day with this value' },
      value: { title: 'Value' },
      days: { title: 'Days', hint: 'Days with this value' },
    },
  },
  values: {
    title: 'Values',
    empty: 'The service returned no days',
    columns: { time: { title: 'Date' }, value: { title: 'Value' } },
  },
} as const

/** The universe tab. */
export const universeText = {
  universe: 'Universe',
  venue: 'Venue',
  tickers: (count: string) => `${count} tickers`,
  answer: 'universe',
  data: 'data',
  label: (size: string, venue: string) => ['Universe', size, venue].filter(Boolean).join(' '),

  members: {
    title: 'Members by day',
    total: (count: number) => `${plural(count, 'ticker')} over time, longest membership first`,
    cell: (ticker: string, day: string, isIn: boolean) => `${ticker}, ${day}: ${isIn ? 'in' : 'not in'}`,
    spoken: (tickers: number, days: number) =>
      `Members by day: ${plural(tickers, 'ticker')} over ${plural(days, 'day')}; the Members table has the numbers`,
  },
  size: {
    title: 'Size',
    note: 'tickers in the universe; a day without data is a gap',
    label: 'Size of the universe',
    series: 'Members',
  },
  changes: {
    title: 'Additions and removals',
    note: 'compared with the previous day with data',
    empty: 'No changes in this range',
    columns: {
      day: { title: 'Date', hint: 'First day in or out of the universe' },
      ticker: { title: 'Ticker' },
      change: { title: 'Change' },
    },
  },
  memberTable: {
    title: 'Members',
    state: (isIn: boolean) => (isIn ? 'in' : 'out'),
    columns: {
      ticker: { title: 'Ticker' },
      now: { title: 'Last day', hint: 'In the universe on the last day with data' },
      days: { title: 'Days in' },
      share: { title: 'Share', hint: 'Days in, of the days with data' },
      first: { title: 'First in' },
      last: { title: 'Last in' },
      joins: { title: 'Joined', hint: 'How often it joined after the first day shown' },
    },
  },

  tickersOf: {
    title: 'Tickers of a factor or a portfolio',
    id: 'Factor or portfolio',
    size: 'Universe size',
    fullSize: 'Full: all tickers',
    submit: 'List tickers',
    fullHint:
      'A portfolio of several factors has no full universe: choose a size. Only a single factor, or a portfolio of one factor, has a full universe.',
    noId: 'Enter a factor or a portfolio first, without its universe size.',
    wrongSize: (size: string) => `There is no universe size “${size}”. Choose a number such as 20, or Full.`,
    what: (id: string) => `tickers of ${id}`,
    table: (id: string, size: string) => `Tickers of ${id}, ${size}`,
    count: (count: number) => plural(count, 'ticker'),
    empty: 'The service returned no tickers',
    columns: { place: { title: '#' }, ticker: { title: 'Ticker' } },
  },
} as const

/** The prices tab. */
export const pricesText = {
  label: 'Prices',
  answer: 'prices',
  level: 'Level',
  levels: { price: 'Price', index: 'Indexed to 100' },
  scale: 'Scale',
  start: {
    body: 'Closing prices of one or more tickers, side by side. Enter tickers above, or start with one of these:',
    all: 'All of them, indexed',
  },
  noPrices: 'No prices in this range. Choose another range or other tickers.',
  provenance: (label: string) => `Prices of ${label}`,
  tickers: (names: readonly string[]) => (names.length > 4 ? plural(names.length, 'ticker') : names.join(', ')),
  chart: (isIndexed: boolean, label: string) => `${isIndexed ? 'Indexed prices' : 'Closing prices'} of ${label}`,
  note: (isIndexed: boolean) =>
    isIndexed
      ? 'each is 100 on its first day in the range; a day without a price is a gap'
      : 'end of day; a day without a price is a gap',
  someDrawn: (drawn: number, total: number) =>
    `first ${drawn} of ${formatNumber(total, 0)} drawn; the tables have all of them`,
  byDay: (isIndexed: boolean) => (isIndexed ? 'Indexed prices by day' : 'Prices by day'),

  summary: {
    title: 'Summary by ticker',
    columns: {
      ticker: { title: 'Ticker' },
      first: { title: 'From', hint: 'First day with a price' },
      last: { title: 'To', hint: 'Last day with a price' },
      days: { title: 'Days', hint: 'Days with a price' },
      missing: { title: 'Missing', hint: 'Days without a price between the first and the last' },
      price: { title: 'Price', hint: 'Last price in the range' },
      change: { title: 'Change', hint: 'Last over first price in the range, minus 1' },
    },
  },
  correlation: {
    title: 'Correlation of daily price changes',
    note: 'Pearson, over the days on which both have a price for that day and the day before',
    counted: 'common days',
    tooMany: (most: number) => `Correlations are limited to ${most} tickers. Enter fewer to see them.`,
  },
} as const
