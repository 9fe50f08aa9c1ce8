import { formatBytes } from '#shared/units/bytes.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { formatTime, wholeTime, type Zone } from '#shared/units/instants.ts'
import { exactNumber, formatNumber } from '#shared/units/numbers.ts'
import { agree, firstFew, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
const symbolExample = 'perpetual-BTC-USDT:USDT'

/** Text that the tabs of the raw-event screen share. */
export const rawText = {
  title: 'Raw events',
  heading: (tab: string) => `Raw events: ${tab}`,
  tabs: {
    catalog: 'Catalog',
    import: 'Import',
    own: 'Your datasets',
    files: 'Files',
    rows: 'Rows',
    latency: 'Latency',
    tape: 'Trades over quotes',
    compute: 'Compute',
    reconcile: 'Reconcile',
  },
  instrument: 'Events of',
  downloadMore: 'Download more',
  empty: {
    title: (symbol: string, exchange: string) =>
      symbol === '' ? 'No raw events cached' : `No raw events of ${symbol} (${exchange}) cached`,
    body: 'Import your own files, or download raw events where the service offers them.',
    import: 'Import files',
    download: 'Download',
    atServer: 'Compute on a ClickHouse server',
  },
  notCached: (instrument: string) => `${instrument} (not cached)`,
  loading: 'Loading …',

  dataset: 'Dataset',
  file: 'File',
  venue: 'Venue',
  symbol: 'Symbol',
  interval: 'Interval',
  timestamp: 'Clock',
  timestamps: { exchange: 'exchange time', true: 'true time' },
  days: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
  cancel: 'Cancel',
  count: formatCount,
  progress: (message: string, percent: number | null) =>
    percent === null ? `${message} …` : `${message} … ${percent} %`,
  /** Texts about a raw dataset that two screens share. */
  datasetFacts: {
    columns: { column: 'Column', type: 'Type', nullable: 'Nullable', description: 'Description' },
    caption: (dataset: string) => `Columns of ${dataset}`,
    unknownType: 'unknown',
    nullable: (isNullable: boolean) => (isNullable ? 'yes' : 'no'),
    unknownUnit: (venues: readonly string[]) =>
      `not known of ${venues.join(', ')}: name it under Settings → Connections`,
    units: (units: readonly string[]) =>
      `Size unit: ${units.join(' · ')}. Contracts and base assets are never added together.`,
    modelledOn: (venues: readonly string[]) =>
      `On ${venues.join(' and ')} the feed carries no exchange time, so it is modelled. The files have the column`,
    /** Texts between and after the names of two columns. */
    modelled: ['after', 'Do not use the modelled time for latency research.'],
  },
} as const

/** The catalog tab. */
export const rawCatalogText = {
  what: 'raw-event catalog',
  schema: (version: string | number | null, dailyFrom: string | null) =>
    `schema version ${version ?? 'unknown'} · one file per day from ${dailyFrom ?? 'an unknown date'}, one per month before`,
  problems: 'Parts of this catalog differ from the documentation:',
  preview: (period: string) => `Preview: ${period} of`,
  on: 'on',
  source: (text: string) => `(${text})`,
  documented: 'as documented',
  notListed: 'as documented; the catalog does not list it',
  noColumns: 'columns as documented; the catalog lists none',
  summaryOf: (dataset: string) => `Venues of ${dataset}`,
  summary: { venue: 'Venue', symbols: 'Symbols', first: 'First day', last: 'Last day' },
} as const

/** The import tab. */
export const importText = {
  open: 'Open …',
  hint: 'or drop Parquet files or folders anywhere in the window. The originals stay where they are; a copy goes into the cache.',
  inspecting: 'Inspecting files',
  importing: 'Importing',
  import: (ready: number, total: number) => `Import ${formatCount(ready)} of ${plural(total, 'file')}`,
  replace: 'Replace cached files that differ for the same days',
  inspectAgain: 'Check again',
  clear: 'Clear list',
  others: (files: number) =>
    `${plural(files, 'other file was', 'other files were')} skipped: only .parquet files are imported.`,

  place: {
    label: 'Venue and symbol of files',
    unchanged: 'unchanged',
    example: symbolExample,
    set: (files: number, isSelection: boolean) =>
      isSelection
        ? `Set for ${plural(files, 'selected file')}`
        : `Set for ${plural(files, 'file')} without venue or symbol`,
    wrongSymbol: `A symbol looks like ${symbolExample}, without slashes.`,
  },

  filter: 'Filter files',
  state: 'State',
  allStates: 'All',
  stateCount: (state: string, files: number) => `${state} (${formatCount(files)})`,
  table: 'Files to import',
  removeImported: (files: number) => `Remove ${plural(files, 'imported file')} from the cache`,
  states: {
    refused: '✕ cannot be imported',
    doubtful: '! check',
    good: '✓ ready',
    imported: '✓ imported',
    cached: '✓ already cached',
    failed: '✕ not imported',
  },
  columns: {
    name: { title: 'File' },
    state: { title: 'State' },
    issues: { title: 'Issues' },
    dataset: { title: 'Dataset' },
    exchange: { title: 'Venue' },
    symbol: { title: 'Symbol' },
    period: { title: 'Period', hint: 'Day or month by exchange time' },
    rows: { title: 'Events' },
    sizeBytes: { title: 'Size' },
  },
  details: 'Issues of the selected file',
  noIssues: 'no problems found',
  noIssuesMarked: '✓ no problems found',

  imported: {
    files: (files: number) => `✓ ${plural(files, 'file')} of`,
    place: (venue: string, datasets: readonly string[], range: string) =>
      `on ${venue} (${datasets.join(', ')}, ${range}):`,
    rows: 'Rows',
    condition: 'File condition',
    compute: 'Compute',
    more: (symbols: number) => `and ${plural(symbols, 'more symbol')}.`,
  },

  waiting: (names: readonly string[]) => `Received, not checked yet: ${firstFew(names)}.`,
  inspectNow: 'Check now',
  empty:
    'Nothing to import. Files of trades, quotes, mark or index prices, funding rates or open interest are recognised by their columns, their venue and symbol by the path. You can also enter venue and symbol here.',
} as const

/** The files tab: the condition of every file. */
export const rawFilesText = {
  show: 'Show',
  measures: {
    events: 'events',
    silence: 'longest gap',
    disorder: 'out of order',
    duplicates: 'duplicates',
    crossed: 'crossed or locked quotes',
    negative: 'crossed quotes',
    zeros: 'zero sizes',
    modelled: 'modelled times',
  },
  check: (files: number) => `Check ${plural(files, 'unchecked file')}`,
  reading: 'Reading',
  strip: (measure: string, days: number) =>
    `${measure} by day and dataset over ${plural(days, 'day')}; a stronger colour is a higher value, an empty cell means no file`,
  stripHint: (measure: string) =>
    `One cell per day, coloured by ${measure}: a stronger colour is a higher value, an empty cell means no checked file. Click a cell to see its file.`,
  noFile: (day: string, dataset: string) => `${day}: no ${dataset} cached`,
  notChecked: (day: string, dataset: string) => `${day} · ${dataset}: not checked yet`,
  notApplicable: (day: string, dataset: string) => `${day} · ${dataset}: not applicable`,
  value: (day: string, dataset: string, value: string, measure: string) => `${day} · ${dataset}: ${value} ${measure}`,
  measured: (measure: string, value: number) =>
    measure === 'events'
      ? formatCount(value)
      : measure === 'silence'
        ? formatDuration(value)
        : `${formatNumber(100 * value, 3)} %`,
  heading: (dataset: string, period: string) => `${dataset} of ${period}`,
  facts: (sizeBytes: number, events: number, origin: string, timeMs: number, zone: Zone) =>
    `${formatBytes(sizeBytes)} · ${plural(events, 'event')} · ${origin} ${formatTime(timeMs, zone, 'minute')}`,
  origins: { service: 'downloaded', import: 'imported', computed: 'computed here' },
  unchecked: 'This file has not been checked yet.',
  uncheckable: 'Files of this dataset are not checked: only the service describes it.',

  condition: {
    none: '–',
    from: (time: string) => ` from ${time}`,
    between: (first: string, last: string) => `${first} to ${last}`,
    share: (events: number, percent: number) =>
      `${formatCount(events)} (${percent < 0.001 ? '< 0.001' : formatNumber(percent, 3)} %)`,
    odd: (text: string) => `! ${text}`,
    events: 'Events',
    first: 'First event',
    last: 'Last event',
    arrivals: 'Arrivals',
    silence: 'Longest gap',
    duplicates: 'Duplicates',
    outOfOrder: 'Out of order',
    arrivalsOutOfOrder: 'Arrivals out of order',
    crossedQuotes: 'Crossed or locked quotes',
    negativeSpreads: 'Crossed quotes',
    zeroSizes: 'Zero sizes',
    unknownSides: 'Unknown sides',
    modelledArrivals: 'Modelled arrivals',
    modelledTimes: 'Modelled exchange times',
    unusable: 'Unusable values',
  },
} as const

/** The rows tab: individual events. */
export const rawRowsText = {
  menu: { tape: 'Show on the tape' },
  from: 'From',
  to: 'to',
  goTo: 'Go to',
  timeExample: '13:45:00.123456',
  by: 'by',
  clock: 'Clock',
  clocks: { exchange: 'exchange time', true: 'true time' },
  go: 'Go',
  filters: 'Filter',
  side: 'Side',
  sides: { '': 'all', buy: 'buy', sell: 'sell', unknown: 'unknown' },
  least: (column: string) => `${column} from`,
  lowestPrice: 'Lowest price',
  highestPrice: 'Highest price',
  events: (shown: number, total: number) =>
    shown === total ? plural(total, 'event') : `${formatCount(shown)} of ${plural(total, 'event')}`,
  modelledTime: 'modelled time',
  wrongTime: 'Enter a time, for example 13:45:00.123456 or 2026-09-01 13:45.',
  table: (dataset: string, range: string) => `Events of ${dataset} ${range}`,
  row: 'Row',
  unknownUnit: 'unit unknown',
} as const

/** The latency tab. */
export const latencyText = {
  definition: 'arrival minus exchange time, in milliseconds',
  reading: 'Reading the times',
  noTimes: 'There are no events with both times.',
  modelledTimes:
    'No latency for these events. Their exchange times are modelled because the feed carries none, so a latency would only reproduce the model.',
  modelledArrivals:
    'No latency for these events. Their arrivals are modelled as exchange time plus a random delay, so a latency would only reproduce the model.',
  excluded: (arrivals: number, times: number) =>
    `Excluded: ${[
      ...(arrivals > 0 ? [`${plural(arrivals, 'event')} with a modelled arrival`] : []),
      ...(times > 0 ? [`${plural(times, 'event')} with a modelled exchange time`] : []),
    ].join(', ')}.`,
  negative: (events: number) =>
    `${plural(events, 'event')} arrived before ${agree(events, 'it', 'they')} happened: one of the clocks is wrong.`,
  caption: 'Quantiles of the latency in milliseconds',
  columns: { events: 'Events', mean: 'Mean', least: 'Min', most: 'Max' },
  quantile: (level: number) => `${formatNumber(level * 100, level > 0.99 ? 1 : 0)} %`,
  milliseconds: (value: number | null) => (value === null ? '–' : formatNumber(value, 3)),
  bar: (fromMs: number) =>
    fromMs < 1 ? `${Math.round(fromMs * 1000)} µs` : `${formatNumber(fromMs, fromMs < 10 ? 1 : 0)} ms`,
  distribution: 'Distribution of the latency: events by latency, logarithmic axis',
  overTime: 'Latency over time',
} as const

/** The tab of trades over quotes. */
export const tapeText = {
  length: 'for',
  lengths: (minutes: number) => (minutes < 60 ? plural(minutes, 'minute') : plural(minutes / 60, 'hour')),
  utc: 'UTC',
  earlier: 'Earlier',
  later: 'Later',
  summary: (trades: number, bought: string, sold: string, quotes: number) =>
    `${plural(trades, 'trade')}: bought ${bought}, sold ${sold} · ${plural(quotes, 'quote')}`,
  size: (sum: number, unit: string) => `${formatNumber(sum, 3)} ${unit}`,
  wrongTime: 'Enter a time, for example 13:45:00 or 2026-09-01 13:45.',
  reading: 'Reading events',
  cut: 'Too many events to draw: only the first ones are shown. Choose a shorter range.',
  noQuotes: 'No quotes cached for this range, so only the trades are shown.',
  empty: 'No events in this range',
  fetchDay: (day: string) => `Download trades and quotes of ${day}`,
  arriving: (files: number) =>
    `${plural(files, 'file is', 'files are')} being downloaded; trades appear as they arrive.`,
  chart: (symbol: string) => `Trades over quotes, ${symbol}`,
  prices: 'Trades over quotes',
  sizes: (unit: string) => `Size of each trade (${unit})`,
  larger: (series: string, amount: number) => `${series} ≥ ${exactNumber(amount)}`,
  series: { ask: 'ask', bid: 'bid', buy: 'buys', sell: 'sells', unknown: 'unknown side', amount: 'amount' },
} as const

/** The compute tab: metrics from the cached events. */
export const computeText = {
  datasets: 'Datasets',
  all: 'All available',
  none: 'None',
  needs: (dataset: string) => `needs ${dataset}`,
  from: 'From',
  to: 'to',
  inclusive: '(inclusive, UTC)',
  compute: 'Compute',
  wrongInterval: 'Enter an interval in s, m, h or d that divides a day, for example 10s, 2m, 90m or 2h.',
  needsDays: 'Enter the first and last day to compute.',
  wrongDays: 'Enter days such as 2026-08-01; the last one must not be before the first.',
  note: 'Computed files are stored apart from downloaded ones and marked “computed here”. Order-book metrics (l2) need snapshots, which raw events do not contain.',
  modelledTime: (note: string) => `Note: ${note}.`,
  computing: 'Computing',
  done: 'Computed here:',
  result: (rows: number, interval: string, files: number) =>
    `${plural(rows, 'row')} at ${interval} in ${plural(files, 'file')}.`,
  missing: (inputs: number) => `${plural(inputs, 'input')} missing`,

  list: {
    title: 'Computed here',
    columns: {
      dataset: 'Dataset',
      interval: 'Interval',
      timestamp: 'Clock',
      days: 'Days',
      files: 'Files',
      size: 'Size',
      computedAt: 'Computed at',
      open: 'Open',
      state: 'State',
    },
    files: formatCount,
    size: formatBytes,
    computedAt: (timeMs: number, zone: Zone) => formatTime(timeMs, zone, 'minute'),
    chart: 'Chart',
    chartLabel: (dataset: string, interval: string) => `Chart ${dataset} ${interval}`,
    compare: 'Compare',
    compareLabel: (dataset: string, interval: string) => `Compare ${dataset} ${interval} with values from the service`,
    upToDate: '✓ up to date',
    outdated: (days: number, files: number) =>
      `! ${days === files ? 'computed' : `${plural(days, 'day')} computed`} from older events ·`,
    again: 'Compute again',
  },
} as const

/** Engines for computing metrics: the built-in one, and others that compute the same metrics. */
export const engineText = {
  engine: 'Engine',
  names: { local: 'Built-in', duckdb: 'DuckDB', clickhouse: 'ClickHouse', spark: 'Spark' },
  place: 'Events on the server',
  placeExample: 'table:raw',
  placeHint: 'A folder or s3:// address as the server sees it, in the layout of the cache, or table:DATABASE.',
  out: 'Results',
  outExample: 'into the cache',
  outHint:
    'Empty: into the cache, marked with engine and SQL. Otherwise a folder or s3:// address where the server keeps the results.',
  parallel: 'Days at a time',
  wrongPlace:
    'Enter a folder such as /mnt/raw, an s3://BUCKET/PREFIX or table:DATABASE, without quotes or * ? [ ] { }.',
  placeMissing: 'Enter where the events are on the server.',
  wrongOut: 'Enter a folder or an s3:// address without quotes or * ? [ ] { }.',
  wrongParallel: 'Enter a number of days from 1 to 64.',
  noServer: 'This connection has no ClickHouse server yet.',
  list: 'List instruments',
  listHint: 'Asks the server which instruments it has events for. Large tables take a while.',
  listing: 'Querying the server',
  instrument: 'Instrument',
  noInstrument: 'List the instruments of the server, then choose one.',
  listed: (count: number, isCut: boolean) =>
    isCut ? `The first ${formatNumber(count, 0)} instruments.` : `${plural(count, 'instrument')} on the server.`,
  has: (datasets: readonly string[], first: string, last: string) => `${datasets.join(', ')} from ${first} to ${last}.`,
  unchecked: (engine: string, datasets: readonly string[]) =>
    `${engine} has not been compared with the built-in engine yet for ${datasets.join(', ')}.`,
  check: (engine: string) => `Compare ${engine} with the built-in engine`,
  checkAgain: 'Compare again',
  agrees: (engine: string, datasets: number, version: string | null, time: string) =>
    `✓ ${engine}${version === null ? '' : ` ${version}`} agreed on all columns of ${plural(datasets, 'dataset')} (last compared ${time}).`,
  done: 'Computed by ClickHouse:',
  stays: (rows: number, files: number) => `${plural(rows, 'row')} in ${plural(files, 'file')} on the server.`,
  inCache: (rows: number, files: number, kept: number) =>
    `${plural(rows, 'row')} in ${plural(files, 'file')}${kept > 0 ? `, ${plural(kept, 'day')} already there` : ''}.`,
  note: (note: string) => `Note: ${note}.`,

  comparison: {
    against: 'Compare with',
    served: 'Served values',
    sample: 'Symbol-days',
    wrongSample: 'Enter a number of symbol-days from 1 to 10000.',
    note: 'Computes a sample of days on both engines and compares all columns. No file is written. If a column differs, the engine is not used for this dataset until a comparison of the same day agrees.',
    noteFiles: 'Both engines read the raw events in the cache.',
    compare: 'Compare',
    comparing: 'Comparing',
    agrees: (isAll: boolean) => (isAll ? '✓ All columns agree' : '✕ Some columns differ'),
    compared: (days: number) => `(compared with the built-in engine on ${plural(days, 'symbol-day')}).`,
    table: 'Agreement of engines by column',
    columns: {
      column: 'Column',
      largest: 'Largest difference',
      rows: 'Rows',
      at: 'At',
      expected: 'Built-in',
    },
    none: 'none',
    missing: 'missing',
    state: (isEqual: boolean, column: string) => `${isEqual ? '✓' : '✕'} ${column}`,
  },
} as const

/** The reconcile tab: computed against served values. */
export const reconcileText = {
  dataset: 'Dataset',
  saveCsv: 'Save report (CSV)',
  saveJson: 'JSON',
  comparing: 'Comparing',
  compute: (dataset: string) => `Compute ${dataset}`,
  download: (dataset: string) => `Download ${dataset}`,
  notServed: (interval: string, served: readonly string[]) =>
    `The service has no ${interval} files; it offers ${served.join(', ')}.`,
  looksBack: (dataset: string, datasets: readonly string[]) =>
    `${dataset} also uses earlier ${datasets.join(' and ')}: if those of the previous day are not cached, its first rows may differ.`,
  modelledTime: (note: string) => `Note: ${note}.`,
  agrees: (isAll: boolean) => (isAll ? '✓ All values agree' : '✕ Some values differ'),
  compared: (rows: number) => `(tolerance 1e-6, ${plural(rows, 'row')} in both).`,
  onlyOne: (computed: number, served: number) =>
    `${plural(computed, 'row')} only in the computed file, ${plural(served, 'row')} only in the served one.`,
  table: 'Agreement by column',
  columns: {
    column: 'Column',
    agree: 'Equal rows',
    rows: 'Compared rows',
    bothMissing: 'Missing in both',
    onlyOne: 'In one only',
    largest: 'Largest difference',
    at: 'At',
    computed: 'Computed',
    served: 'Served',
  },
  columnState: (isEqual: boolean, column: string) => `${isEqual ? '✓' : '✕'} ${column}`,
  count: formatCount,
  notInBoth: 'not in both',
  noDifference: 'none',
  at: (timeMs: number | null, zone: Zone) => (timeMs === null ? '' : wholeTime(timeMs, zone)),
  chart: (column: string) => `${column}: computed and served`,
  computedSeries: 'computed here',
  servedSeries: 'served',
  differencePane: 'computed minus served',
  difference: 'difference',
} as const
