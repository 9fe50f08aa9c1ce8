import { formatNumber } from '#shared/units/numbers.ts'
import { firstFew, plural } from '#shared/units/plurals.ts'

export const watchText = {
  title: 'Watch',
  label: 'Watched symbols',
  list: 'List',
  allCached: 'All symbols with candles',
  filter: 'Filter by symbol or venue',
  loading: 'Reading the cache …',
  reading: (done: number, total: number) => `Reading ${formatNumber(done, 0)} of ${plural(total, 'symbol')} …`,
  checking: 'Checking quality …',
  checkingOf: (done: number, total: number) =>
    `Checking quality: ${formatNumber(done, 0)} of ${plural(total, 'file')} …`,
  refresh: 'Refresh',
  columns: {
    symbol: 'Symbol',
    exchange: 'Venue',
    last: { title: 'Last', hint: 'Last close in the cache' },
    change: { title: 'Change 24 h', hint: 'Last close compared with the one 24 hours earlier' },
    funding: {
      title: 'Funding p.a.',
      hint: 'Last rate · 365 days over the period that it refers to, which is that of its time; hover a number to see the period and where it is known from',
    },
    interest: { title: 'OI change 24 h', hint: 'Open interest compared with 24 hours earlier' },
    volume: {
      title: 'Volume z',
      hint: 'Volume of the last whole UTC day compared with the 30 days before, in sample standard deviations',
    },
    coverage: { title: 'Cached 30 d', hint: 'Share of the last 30 whole days whose candles are cached' },
    quality: { title: 'Findings', hint: 'Open data-quality findings in the last 30 days' },
    lastAt: { title: 'As of', hint: 'Time of the last close' },
  },
  unknown: (symbols: readonly string[]) =>
    `${plural(symbols.length, 'symbol of the list is', 'symbols of the list are')} not known to this connection: ${firstFew(symbols)}.`,
  unknownMark: 'unknown',
  fundingUnknown: (symbols: number, all: number) =>
    `Funding per year is missing for ${formatNumber(symbols, 0)} of ${plural(all, 'symbol')}, because the funding period at the last rate is not known.`,
  describe: 'Import periods …',
  missing: (symbols: number) =>
    `${plural(symbols, 'symbol lacks', 'symbols lack')} candles on some or all of the last 30 days.`,
  download: 'Download what is missing …',
  formulas: {
    action: 'Formula columns …',
    title: 'Formula columns',
    hint: 'Write inputs as dataset.column, for example l1_price.ask_price - l1_price.bid_price. The column shows the last value of the formula.',
    name: 'Name',
    formula: 'Formula',
    add: 'Add column',
    remove: (name: string) => `Remove column ${name}`,
    taken: 'Another column has this name.',
    save: 'Save columns',
    cancel: 'Cancel',
  },
  actions: {
    label: 'Actions on the selected symbols',
    chart: (isComparison: boolean) => (isComparison ? 'Compare' : 'Chart'),
    tooMany: (most: number) => `A chart compares at most ${formatNumber(most, 0)} symbols.`,
    lab: 'Open in Lab',
    quality: 'Show findings',
    studyName: (list: string) => (list === '' ? 'Study of watched symbols' : `Study of ${list}`),
  },
  empty: {
    title: 'Nothing to watch yet',
    body: 'This page shows the last value, change, funding, open interest, volume, coverage and quality of your symbols, from what is cached on this machine.',
    download: 'Download candles',
    list: 'Make a list',
    noMatch: 'No symbol matches the filter.',
    none: 'No symbols in this list',
  },
} as const
