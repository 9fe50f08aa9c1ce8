import type { CoverageState } from '#shared/contract/areas/coverage.ts'
import type { AppError } from '#shared/contract/errors.ts'
import { dayOf } from '#shared/time.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

/** Facts from the index of raw events about one dataset of a symbol on a venue. */
export interface RawFacts {
  first: string
  last: string
  days: number
  missing: number
  /** Size of all files; null if the catalog does not say. */
  bytes: number | null
  /** First and last day of each stretch of missing days; null if the catalog does not name them. */
  gaps: { first: string; last: string }[] | null
}

const formatCount = (value: number) => formatNumber(value, 0)

const states: Record<CoverageState, string> = {
  cached: 'cached',
  partial: 'partly cached',
  missing: 'not cached',
  absent: 'not available',
  failed: 'failed',
  locked: 'not in your subscription',
  unknown: 'may not exist',
}

export const coverageText = {
  title: 'Coverage',
  what: { raw: 'raw-event catalog', metrics: 'symbols' },
  kinds: { raw: 'Raw events', metrics: 'Metric files' },
  kind: 'Show',
  view: 'Arrangement',
  views: { list: 'List', pivot: 'Pivot' },
  pivot: {
    column: (dataset: string, venue: string) => `${dataset} · ${venue.replace(/-(futures|perps)$/, '')}`,
    hint: (dataset: string, venue: string) => `${dataset} on ${venue}`,
    label: { raw: 'Cached share of raw events by symbol', metrics: 'Cached metric files by symbol' },
    empty: 'No metric files are cached yet.',
  },
  timeline: (firstMs: number, lastMs: number, missing: number) =>
    `${dayOf(firstMs)} to ${dayOf(lastMs)}${missing > 0 ? `, ${plural(missing, 'day')} missing` : ''}`,
  problems: (problems: readonly string[]) =>
    `Parts of the raw-event catalog could not be used: ${problems.join('; ')}.`,
  unlisted: (venue: string, { sentence, service }: AppError) =>
    `${venue} is not listed: ${service?.message ?? sentence}`,
  loading: 'Loading …',
  nothingCached: 'Nothing cached yet. Refresh when the service can be reached.',
  changes: { added: 'new', gone: 'removed', longer: 'with more days' },

  summary: {
    caption: 'Symbols by raw dataset and venue',
    corner: 'symbols, months',
    symbols: formatCount,
    range: (first: string, last: string) => `${first} to ${last}`,
    months: (first: string, last: string) => `${first.slice(0, 7)} to ${last.slice(0, 7)}`,
    none: '–',
  },

  filters: {
    dataset: 'Dataset',
    venue: 'Venue',
    quote: 'Quote',
    settle: 'Settlement',
    base: 'Base',
    any: (label: string) => `Any ${label.toLowerCase()}`,
    only: (symbol: string) => `Only ${symbol}`,
    showAll: ': show all',
    symbols: 'Filter by symbol',
    gaps: 'Gaps only',
    more: 'More',
  },

  table: {
    labels: { raw: 'Symbols with raw events', metrics: 'Symbols with metric files' },
    noMatch: 'No symbol matches the filter.',
    empty: 'The service lists no symbols',
    columns: {
      base: { title: 'Base' },
      quote: { title: 'Quote' },
      settle: { title: 'Settlement' },
      timeline: { title: 'Timeline', hint: 'From the first to the last day, on a time axis that all symbols share' },
      share: { title: 'Cached', hint: 'Share of the days that are cached' },
      files: { title: 'Cached files' },
      missingCached: {
        title: 'Missing days',
        hint: 'Days that are not cached between the first and the last cached day, summed over all series of the symbol',
      },
      bytes: { title: 'Size' },
      interval: (interval: string) => ({ title: interval, hint: `Cached files at ${interval}` }),
    },
    /** A share is never shown as 0 % if anything is cached, and never as 100 % if anything is not. */
    share: (share: number) =>
      share === 0 || share === 1 ? String(share * 100) : formatNumber(Math.min(99.9, Math.max(0.1, share * 100)), 1),
  },

  actions: {
    label: 'Actions on the selected symbols',
    chart: (isComparison: boolean) => (isComparison ? 'Compare' : 'Chart'),
    download: 'Download …',
    tooMany: (most: number) => `A chart compares at most ${most} symbols.`,
    metricsOfRaw: 'Charts the metric files computed from these events.',
  },

  panel: {
    label: (symbol: string) => `Coverage of ${symbol}`,
    close: 'Close the coverage of this symbol',
    place: (venue: string, rawDataset: string | null) =>
      rawDataset === null ? venue : `${venue} · ${rawDataset}, raw events`,
    interval: 'Interval',
    timestamp: 'Clock',
    facts: ({ first, last, days, bytes }: RawFacts) =>
      `${first} to ${last}, ${plural(days, 'day')} with data${bytes === null ? '' : `, ${formatBytes(bytes)}`}`,
    missing: ({ missing, gaps }: RawFacts) =>
      `${plural(missing, 'day is', 'days are')} missing in between${gaps === null ? '; the catalog does not say which.' : ':'}`,
    gaps: 'Missing days',
    moreGaps: (ranges: number) => `and ${plural(ranges, 'more stretch', 'more stretches')}`,
    notListed: 'The raw-event catalog does not list this symbol.',
    loading: 'Loading the calendar …',
  },

  calendar: {
    states,
    label: (states: readonly string[]) => `Calendar of files: ${states.join(', ')}`,
    period: (period: string, state: CoverageState) => `${period}: ${states[state]}`,
    counted: (periods: number, state: CoverageState) => `${formatCount(periods)} ${states[state]}`,
    legend: 'Files by state',
    list: 'As a list',
    run: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
  },
} as const
