import { formatBytes } from '#shared/units/bytes.ts'
import { plural } from '#shared/units/plurals.ts'

const quotedMessage = (message: string) => (message ? ` The service says: “${message}”` : '')

export const catalogText = {
  title: 'Catalog',
  what: 'catalog',
  search: 'Search datasets, columns and symbols',
  loading: 'Loading the catalog …',
  unknown: {
    title: 'Unknown dataset',
    body: (id: string) => `There is no dataset “${id}”.`,
    all: 'All datasets',
  },
  changes: { added: 'new', gone: 'removed', reworded: 'reworded' },

  list: {
    label: 'Datasets',
    found: 'Found',
    columns: (columns: number) => plural(columns, 'column'),
    files: (files: number) => ` · ${plural(files, 'file')}`,
    noMetrics: 'No matching metrics',
    noMatch: 'No matching dataset or column',
    rawEvents: 'Raw events',
  },

  start: {
    body: (datasets: number, columns: number) =>
      `${plural(datasets, 'metric dataset')} with ${plural(columns, 'column')}: one row per interval, for every symbol of a venue. Select a dataset on the left, or search for a word such as “toxicity”.`,
    intervals: 'Intervals',
    everyTier: 'Every tier',
    tier3: 'Tier 3',
    timestamps: 'Clock',
    exchange: 'Time of the event according to the venue',
    true: 'Time of arrival at the capture machine',
    amounts: 'Unit of amount',
    unknownSizes: 'not known: name it under Settings → Connections',
    files: (dailyFrom: string) => `Files cover whole months before ${dailyFrom} and single days from then on.`,
  },

  dataset: {
    noDescription: 'The service has no description.',
    notListed: 'The service of this connection does not list this dataset.',
    filter: 'Filter columns',
    table: (dataset: string) => `Columns of ${dataset}`,
    noMatch: 'No matching columns',
    empty: 'The service lists no columns',
    hint: 'Select a column with a click or Enter to see its details.',
    chart: 'Chart',
    chartColumn: 'Chart this column',
    nothingToChart: 'No cached files to chart yet.',
    download: 'Download …',
    symbols: 'Symbols',
  },
  raw: {
    cached: (cached: string) => `Cached: ${cached}.`,
    refused: (day: string) => `The service refused access on ${day}.`,
  },

  facts: {
    category: 'Category',
    source: 'Computed from',
    undocumented: 'not documented',
    /** `Trades, each with the latest quotes` */
    events: (drivingSource: string, asOf: readonly string[]) =>
      asOf.length > 0 ? `${drivingSource}, each with the latest ${asOf.join(' and ').toLowerCase()}` : drivingSource,
    orderBook: 'Order-book snapshots',
    tier: 'Tier',
    shortIntervals: (tier: string, intervals: readonly string[]) =>
      `${tier} Intervals of ${intervals.join(' and ')} need tier 3.`,
    cached: 'Cached',
    cachedFiles: (files: number, symbols: number, bytes: number) =>
      files === 0 ? 'nothing yet' : `${plural(files, 'file')} of ${plural(symbols, 'symbol')}, ${formatBytes(bytes)}`,
    service: 'According to the service',
  },

  tiers: {
    refused: {
      label: 'Refused',
      message: (day: string, message: string) => `The service refused access on ${day}.${quotedMessage(message)}`,
    },
    undocumented: { label: 'Tier ?', message: 'The required tier is not documented.' },
    unset: {
      label: (needed: number) => `Tier ${needed}`,
      message: (needed: number) =>
        `Needs tier ${needed}. The tier of this connection is not set; set it under Settings → Connections.`,
    },
    open: 'Open',
    locked: (needed: number) => `Locked · tier ${needed}`,
    needed: (needed: number, tier: number) => `Needs tier ${needed}; this connection has tier ${tier}.`,
  },

  column: {
    label: (column: string) => `About ${column}`,
    noDescription: 'The service has no description.',
    unit: 'Unit',
    unitOfKind: (unit: string, kind: string) => `${unit} (${kind})`,
    missing: 'Missing when',
    high: 'High when',
    resampled: 'Resampled by',
    origin: 'Comes from',
    local: 'This machine only: files of the service do not have it',
    undocumented: 'This column comes from the service; its unit and rules are not documented.',
    service: 'According to the service:',
  },
  columns: {
    label: { title: 'Column' },
    name: { title: 'Name', hint: 'Name in the files' },
    unit: { title: 'Unit' },
    kind: { title: 'Kind' },
    formula: { title: 'Definition' },
    nullRule: { title: 'Missing when' },
    large: { title: 'High when' },
    resample: { title: 'Resampled by' },
    said: { title: 'According to the service' },
  },
} as const
