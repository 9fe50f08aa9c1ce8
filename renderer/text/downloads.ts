import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { DownloadState, EnqueueResult, LockedPart, PeriodState } from '#shared/contract/areas/downloads.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { clockTime, formatTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, firstFew, plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
/** Maximum number of names to list; more are only counted. */
const MOST_LISTED = 4
const namesOrCount = (names: readonly string[], what: string) =>
  names.length <= MOST_LISTED ? names.join(', ') : `${formatCount(names.length)} ${what}`

/** Progress of all files of a request. */
interface RequestProgress {
  ended: number
  total: number
  doneBytes: number
  files: { failed: number }
}

export const downloadsText = {
  title: 'Downloads',
  tabs: { queue: 'Queue', history: 'History', failed: 'Failed' },
  setsTab: 'Sets',
  newDownload: 'New download',
  noMatch: 'Nothing matches the filter.',

  /** Banners that say why downloads are paused. */
  paused: {
    service: 'The service says:',
    next: (timeMs: number, zone: Zone) => `Next attempt at ${clockTime(timeMs, zone)}.`,
    retry: 'Retry now',
    elsewhere: 'Another Perpscope on this machine is running the downloads.',
  },

  table: {
    label: (tab: string) => `Downloads: ${tab}`,
    filter: 'Filter files',
    filterHint: 'Filter by dataset, venue, symbol, error',
    state: 'State',
    anyState: 'Any state',
    states: {
      queued: 'Queued',
      running: 'Running',
      waiting: 'Waiting',
      paused: 'Paused',
      done: 'Done',
      failed: 'Failed',
      cancelled: 'Cancelled',
    } satisfies Record<DownloadState, string>,
    all: 'all',
    some: (selected: number) => formatCount(selected),
    pause: (which: string) => `Pause ${which}`,
    resume: (which: string) => `Resume ${which}`,
    cancel: (which: string) => `Cancel ${which}`,
    retry: (which: string) => `Retry ${which}`,
    retryCancelled: 'Retry cancelled',
    sooner: 'Raise priority',
    later: 'Lower priority',
    clear: 'Clear history',
    clearHint: 'Clears the list. The files stay.',
    drag: 'Drag to change the order',
    progress: (doneBytes: number, totalBytes: number | null) =>
      totalBytes
        ? `${Math.floor((doneBytes / totalBytes) * 100)} % of ${formatBytes(totalBytes)}`
        : formatBytes(doneBytes),
    /** Explains when a waiting download runs again. */
    again: (timeMs: number) => `Next attempt at ${clockTime(timeMs, 'utc')} UTC.`,
    empty: {
      queue:
        'The queue is empty. Choose datasets, venues, symbols and days; you see the plan before anything downloads.',
      history: 'Finished and cancelled downloads appear here.',
      failed: 'No failed downloads',
    },
    queueKeys: 'P pause · R resume · Del cancel · + − priority · Alt ↑ ↓ order · Enter details',
    orderFixed: 'The order is fixed while you point at the rows',
    historyKeys: 'R retry · Enter details',
  },
  actions: {
    pause: (files: number) => `${plural(files, 'download')} paused`,
    resume: (files: number) => `${plural(files, 'download')} resumed`,
    cancel: (files: number) => `${plural(files, 'download')} cancelled`,
    retry: (files: number) => `${plural(files, 'download')} queued again`,
  },
  details: {
    label: 'Details',
    time: (timestamp: string) => `${timestamp} time`,
    difference: (text: string) => `Differs from the imported file that it replaced: ${text}.`,
    copiedFrom: (store: string) => `Copied from the shared store ${store}`,
    noFile: 'The file is not in the cache.',
  },

  requests: {
    label: 'Requests in the queue',
    only: 'Show only the files of this request',
    unnamed: (timeMs: number) => `Request from ${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    percent: (share: number) => `${Math.floor(share * 100)} %`,
    /** `12 of 40 files · 3.1 MB · 2 failed` */
    progress: ({ ended, total, doneBytes, files }: RequestProgress) =>
      [
        `${formatNumber(ended, 0)} of ${plural(total, 'file')}`,
        formatBytes(doneBytes),
        ...(files.failed > 0 ? [`${formatNumber(files.failed, 0)} failed`] : []),
      ].join(' · '),
    pause: 'Pause',
    resume: 'Resume',
    cancel: 'Cancel',
  },

  failures: {
    label: 'Reasons for failed downloads',
    only: 'Show only files that failed for this reason',
    files: (files: number) => plural(files, 'file'),
    retry: (files: number) => `Retry ${formatNumber(files, 0)}`,
    retryOf: (files: number, sentence: string) => `Retry ${plural(files, 'file')}: ${sentence}`,
  },

  composer: {
    kind: 'Kind',
    kinds: { metrics: 'Metrics', raw: 'Raw events' },
    datasets: 'Datasets',
    otherDatasets: 'Other',
    venues: 'Venues',
    symbols: 'Symbols',
    list: 'Symbol list',
    noList: 'None',
    listHint:
      'Downloads each symbol in the list from its venue; choose venues to download only from those. A saved set follows later changes to its list.',
    intervals: 'Intervals',
    timestamps: 'Clocks',
    timestampsHint:
      'exchange: when the event happened, according to the venue; true: when it reached the capture machine.',
    preview: 'This connection is one of previews: its month and symbols are fixed.',
    days: 'Days',
    daysHint: 'UTC, first and last day included',
    range: 'Range',
    firstDay: 'First day',
    lastDay: 'Last day',
    dayFormat: 'YYYY-MM-DD',
    to: 'to',
    /** `flow, vtwap +3` */
    few: (names: readonly string[]) =>
      `${names.slice(0, 2).join(', ')}${names.length > 2 ? ` +${names.length - 2}` : ''}`,
    calendar: (label: string) => `Calendar: ${label.toLowerCase()}`,
    presets: {
      month: 'Last full month',
      week: '7 days',
      days30: '30 days',
      days90: '90 days',
      months6: '6 months',
      year: 'This year',
      months12: '12 months',
      all: 'All',
    },
    lacks: {
      datasets: 'Choose at least one dataset.',
      venues: 'Choose at least one venue.',
      symbols: 'Choose at least one symbol.',
      intervals: 'Choose at least one interval.',
      timestamps: 'Choose at least one clock.',
      days: 'Enter the first and the last day.',
      notADay: (text: string) => `“${text}” is not a day. Write days as YYYY-MM-DD.`,
      order: 'The last day is before the first.',
    },
    /** Toast about files that were added to the queue. */
    enqueued: ({ files, added }: EnqueueResult): { message: string; detail: string | null } => ({
      message: `${plural(added, 'file')} added to the queue`,
      detail: files > added ? `${plural(files - added, 'file was', 'files were')} already in it.` : null,
    }),
  },

  symbols: {
    search: 'Search or paste symbols',
    orderHint:
      'Once candles of a venue are cached, its symbols are sorted by turnover and “Top 10” selects the most traded ones.',
    all: (symbols: number) => `All ${formatCount(symbols)}`,
    top: (symbols: number) => `Top ${formatCount(symbols)}`,
    topHint: 'Most traded: mean volume times last price of the cached candles',
    clear: 'Clear',
    ignored: (names: readonly string[]) => `${agree(names.length, 'Not a symbol', 'Not symbols')}: ${firstFew(names)}`,
    selected: 'Selected symbols',
    found: 'Symbols found',
    add: (symbol: string) => `Add ${symbol}`,
    remove: (symbol: string) => `Remove ${symbol}`,
    more: (symbols: number) => `and ${formatCount(symbols)} more`,
    noMatch: 'No matching symbol. To add one that is not listed, type it in full and press Enter.',
    notLoaded: (venue: string, message: string) => `The symbols of ${venue} could not be loaded: ${message}`,
  },

  plan: {
    title: 'Plan',
    states: {
      cached: 'already cached',
      partial: 'partly cached, or still growing',
      missing: 'not cached',
      absent: 'not available',
      gap: 'missing at the source',
      locked: 'not in your subscription',
      unknown: 'may not exist',
    } satisfies Record<PeriodState, string>,
    periods: (first: string, last: string) => `${first} to ${last}`,
    noDays: 'This range is in the future, so it has no files yet.',
    lockedBecause: ({ neededTier, refusal }: Pick<LockedPart, 'neededTier' | 'refusal'>) =>
      refusal
        ? `refused on ${formatTime(refusal.at, 'utc', 'day')}`
        : neededTier === null
          ? 'needs a higher tier'
          : `needs tier ${neededTier}`,
    outsideListing: (files: number) =>
      `${plural(files, 'file')} left out: outside the days on which the symbol was listed, by Settings → Instruments.`,
    leftOut: (files: number) =>
      `${plural(files, 'file')} left out: the symbol was not listed on those days, or is not listed`,
    gaps: (files: number) => `${plural(files, 'file')} missing at the source, as its catalog says`,
    tryLocked: 'Try anyway',
    files: (files: number) => `${plural(files, 'file')} to download`,
    bytes: (bytes: number) => `, about ${formatBytes(bytes)}`,
    /** Files of a new kind have no size estimate, because estimates come from files downloaded before. */
    unsized: (withoutSize: number, files: number) =>
      withoutSize === files ? ', size not known yet' : `, ${plural(withoutSize, 'file')} of unknown size`,
    counting: 'Counting …',
    offline: 'Perpscope is offline: the files wait in the queue until you are online.',
    download: (files: number) => `Download ${plural(files, 'file')}`,
    downloadAny: 'Download',
    nothing: 'Nothing to download',
    showFiles: 'Show files',
    save: 'Save as set …',
  },

  planFiles: {
    label: 'Files in the plan',
    state: 'State',
    filter: 'Filter files',
    back: 'Back',
    loading: 'Listing files …',
    /** Short names of the states, which fit into a column. */
    states: {
      cached: 'cached',
      partial: 'partly cached',
      missing: 'not cached',
      absent: 'not available',
      gap: 'missing at the source',
      locked: 'not in subscription',
      unknown: 'may not exist',
    } satisfies Record<PeriodState, string>,
    fetch: 'Download',
    fetchHint: 'Whether this download fetches the file',
    yes: 'yes',
    no: 'no',
    size: 'Cached size',
    sizeHint: 'Size of the part that is already cached',
  },

  sets: {
    empty:
      'No saved sets. Start a new download and choose “Save as set …” in its plan. Then update the set here with one click, or every night from the command line.',
    lastUpdate: (timeMs: number | null, zone: Zone) =>
      `Last update: ${timeMs === null ? 'never' : formatTime(timeMs, zone, 'minute')}`,
    facts: {
      datasets: 'Datasets',
      venues: 'Venues',
      symbols: 'Symbols',
      intervals: 'Intervals',
      days: 'Days',
    },
    datasets: (names: readonly string[]) => namesOrCount(names, 'datasets'),
    venues: (names: readonly string[]) => namesOrCount(names, 'venues'),
    venuesOfList: 'the venues of the list',
    list: (name: string) => `list “${name}”`,
    symbols: (symbols: readonly string[]) => namesOrCount(symbols.map(shortSymbol), 'symbols'),
    intervals: (intervals: readonly string[], timestamps: readonly string[]) =>
      `${intervals.join(', ')}; ${timestamps.map((timestamp) => `${timestamp} time`).join(', ')}`,
    since: (day: string) => `since ${day}`,
    last: (days: number) => `last ${plural(days, 'day')}`,
    command: 'Run in a shell, for example every night',
    update: 'Update',
    updating: 'Checking for new files …',
    edit: 'Edit',
    remove: 'Remove …',
    removeHint: 'The downloaded files stay.',
    keep: 'Cancel',
    removeSet: 'Remove set',
  },

  saveSet: {
    title: 'Save as set',
    body: 'A set saves this selection under a name. Updating the set, here or with “perpscope fetch --set”, downloads the files that are new since the last update.',
    name: 'Name',
    taken: 'A set with this name already exists. Saving replaces it.',
    days: 'Days',
    since: (day: string) => `Since ${day}`,
    lastDays: 'Last days',
    numberOfDays: 'Number of days up to today',
    cancel: 'Cancel',
    save: 'Save',
    replace: 'Replace',
    saved: (name: string) => `Saved set “${name}”`,
    show: 'Show',
  },
} as const

/** The keys of the queue, as the sheet of shortcuts lists them. */
export const downloadKeys: readonly (readonly [shortcuts: readonly string[], action: string])[] = [
  [['p', 'r'], 'Pause or resume'],
  [['Del'], 'Cancel'],
  [['=', '−'], 'Raise or lower the priority'],
  [['Alt+↑', 'Alt+↓'], 'Move earlier or later in the queue'],
]
