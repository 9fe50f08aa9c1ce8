import type { SqlDictionaryTable } from '#shared/contract/areas/sql.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'

const formatCount = (value: number) => formatNumber(value, 0)
const seriesLabel = ({ dataset, exchange, symbol }: { dataset: string; exchange: string; symbol: string }) =>
  `${dataset} ${exchange} ${symbol}`

type Held = NonNullable<SqlDictionaryTable['held']>

const heldText = ({ count, of }: Held) =>
  of === 'series' ? plural(count, 'series', 'series') : plural(count, of === 'rows' ? 'row' : 'answer')

export const sqlText = {
  title: 'SQL',
  group: 'SQL',
  cancel: 'Cancel',
  heading: (name: string) => `SQL: ${name}`,

  list: {
    title: 'Queries',
    empty: 'No queries yet',
    intro:
      'Any SELECT over everything in the cache, in DuckDB’s SQL. Queries are read-only: nothing can be written, and no other file or address can be read.',
    new: 'New query',
    firstName: 'Query',
    openFile: 'Open from file …',
    examples: 'Start from an example',
    starters: {
      search: 'Filter by name or question',
      none: (search: string) => `No example matches “${search}”.`,
    },
    columns: { name: 'Name', length: 'Characters', changed: 'Changed' },
    history: 'History',
    historyColumns: { ran: 'Run', rows: 'Rows', duration: 'Time', problem: 'Problem', sql: 'Query' },
    noHistory: 'Queries you run appear here.',
    clearHistory: 'Clear history',
    openRun: 'Open as a query',
    copyRun: 'Copy query',
    fromHistory: 'Query from history',
    back: 'All queries',
  },

  menu: {
    label: 'Query',
    all: 'All queries',
    duplicate: 'Duplicate',
    rename: 'Rename …',
    remove: 'Remove …',
    openFile: 'Open from file …',
    saveFile: 'Save to file …',
    renameTitle: 'Rename query',
    name: 'Name',
    removeLabel: 'Remove query',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeBody: 'This removes the text of the query and its parameters. Pinned results and the history stay.',
    confirmRemove: 'Remove query',
    saved: (name: string) => `Saved ${name}`,
  },

  run: {
    run: 'Run',
    cancel: 'Cancel',
    hint: 'Run the query, or the selected part of it (Ctrl+Enter or Cmd+Enter)',
    running: (seconds: number) => `Running … ${formatNumber(seconds, 1)} s`,
    plan: 'Plan',
    planHint: 'Run the query and measure each operator of its plan',
    format: 'Format',
    formatHint: 'Put each clause on its own line (Ctrl+Shift+F or Cmd+Shift+F)',
  },

  editor: {
    label: 'Query',
    help: 'Ctrl+Space lists views, columns and functions. Ctrl+Enter (Cmd+Enter) runs the query. Ctrl+Z (Cmd+Z) undoes. Tab indents; Escape, then Tab, leaves the editor.',
    completions: 'Completions',
    problem: (line: number | null, column: number | null, message: string) =>
      line === null ? message : `Line ${line}, column ${column}: ${message}`,
    goTo: 'Go to the error',
    placeholder: "SELECT symbol, avg(funding_rate)\nFROM metrics.funding\nWHERE interval = '1h'\nGROUP BY symbol",
  },

  tables: {
    label: 'Tables',
    show: 'Tables',
    showHint: 'Tables and columns with their units (P)',
    width: 'Width of the tables',
    find: 'Find a table or column',
    none: (search: string) => `No table or column matches “${search.trim()}”.`,
    schema: (tables: number) => plural(tables, 'table'),
    held: heldText,
    table: ({ description, held }: Pick<SqlDictionaryTable, 'description' | 'held'>) =>
      [description, held && (held.count > 0 ? `${heldText(held)} here` : 'nothing here yet')]
        .filter(Boolean)
        .join(' · '),
    menu: (name: string) => `Commands of ${name}`,
    insert: 'Put the name at the cursor',
    query: 'Query its first rows',
    firstRows: 100,
    copy: 'Copy name',
  },

  parameters: {
    title: 'Parameters',
    hint: 'Values are text; cast them where arithmetic needs it: $days::INTEGER.',
  },

  preflight: {
    reads: (files: number, bytes: number) => `Reads ${plural(files, 'file')}, ${formatBytes(bytes)}`,
    noFiles: 'Reads no files',
    noMatch: 'No cached file matches the conditions of this query.',
    appTableRows: (rows: number) => `${plural(rows, 'row')} of the app’s own tables`,
    missing: (series: { periods: number; of: number; dataset: string; exchange: string; symbol: string }) =>
      `Not cached: ${formatCount(series.periods)} of ${plural(series.of, 'period')} of ${seriesLabel(series)}.`,
    more: (more: number) => `and ${plural(more, 'more series', 'more series')}.`,
    download: 'Download',
    downloadLabel: (name: string) => `Data of “${name}”`,
    queued: (series: number) => `Download of ${plural(series, 'series', 'series')} queued`,
    leftOut: (path: string, message: string) => `${path} is left out: ${message}`,
    moreLeftOut: (files: number) => `${plural(files, 'more file is', 'more files are')} left out.`,
  },

  result: {
    label: 'Result',
    none: 'Run the query to see its rows.',
    facts: (rows: number, files: number, bytes: number, durationMs: number) =>
      `${plural(rows, 'row')} in ${formatDuration(durationMs)} from ${plural(files, 'file')} (${formatBytes(bytes)})`,
    cut: (rows: number) => `The query has more rows; the first ${formatCount(rows)} were fetched.`,
    gone: 'The engine closed this result. Run the query again.',
    stale: 'The query has changed since this result.',
    views: { table: 'Table', chart: 'Chart', profile: 'Profile' },
    viewLabel: 'Show result as',
    rowsLabel: (name: string) => `Rows of ${name}`,
    filter: 'Filter, e.g. BTC or volume > 100',
    pin: 'Pin',
    unpin: 'Unpin',
    pinHint: 'Keep this result beside the next one',
    pinned: 'Pinned',
    more: 'Export',
    csv: 'CSV …',
    parquet: 'Parquet …',
    arrow: 'Arrow IPC …',
    json: 'JSON …',
    markdown: 'Markdown …',
    copyMarkdown: 'Copy as Markdown',
    copyTsv: 'Copy as TSV',
    copied: (rows: number) => `${plural(rows, 'row')} copied`,
    copiedFirst: (rows: number) => `The first ${plural(rows, 'row')} copied; export a file for all of them`,
    series: 'Add to workbench',
    panel: 'Use as panel in the Lab',
    exported: (name: string, rows: number) => `Saved ${name} with ${plural(rows, 'row')}`,
    mixed: (warning: string) => `Warning: ${warning}`,
    rate: 'shown in bps per funding period; filters, copies and exports have the fraction, as the query does',
    profiled: (rows: number, all: number) =>
      rows < all
        ? `Profile of the first ${formatCount(rows)} of ${formatCount(all)} rows`
        : `Profile of ${plural(rows, 'row')}`,
  },

  chart: {
    label: 'Chart',
    kinds: { line: 'Line', bar: 'Bar', scatter: 'Scatter', histogram: 'Histogram', heat: 'Heat map' },
    kind: 'Kind of chart',
    x: 'X',
    y: 'Y',
    value: 'Value',
    by: 'Rows',
    across: 'Columns',
    split: 'Series',
    none: 'None',
    nothing: 'A chart needs a column of numbers, and a column of times, numbers or names for its other axis.',
    first: (rows: number, all: number) => `The first ${formatCount(rows)} of ${formatCount(all)} rows are drawn.`,
    cutBars: (shown: number, all: number) =>
      `Only the first ${formatCount(shown)} of ${formatCount(all)} bars are drawn.`,
    cutCells: (shown: number) => `Only the first ${formatCount(shown)} rows and columns are drawn.`,
    cutLines: (shown: number, all: number, by: string) =>
      `The first ${formatCount(shown)} of ${formatCount(all)} values of ${by} are drawn; use WHERE to choose which.`,
    equalX: (x: string) =>
      `A line has several rows at the same ${x}: choose under Series what distinguishes them, or add it to the query.`,
    definitions: {
      line: 'The rows of the result, sorted along the horizontal axis; missing values leave a gap.',
      bar: 'One bar per row, in the order of the result; missing values leave a gap.',
      scatter: 'One point per row of the result; rows with a missing value are left out.',
      histogram: 'Number of rows by value, in bins of equal width; missing values are left out.',
      heat: 'Each cell is the mean of the value over all rows of the result that have its two labels.',
    },
  },

  plan: {
    copy: 'Copy plan',
    title: 'Plan',
    total: (ms: number) => `Measured: ${formatDuration(ms)}`,
    columns: { operator: 'Operator', time: 'Time', rows: 'Rows', detail: 'Detail' },
    close: 'Close plan',
  },

  commands: {
    keywords: 'sql query duckdb select',
    run: 'Run query',
    cancel: 'Cancel query',
    format: 'Format query',
    plan: 'Measure query plan',
    tables: 'Show or hide the tables',
    undo: 'Undo query change',
    redo: 'Redo query change',
    list: 'All queries',
    new: 'New query',
    open: (name: string) => `Open query ${name}`,
    duplicate: 'Duplicate query',
    rename: 'Rename query',
    saveFile: 'Save query to file',
    openFile: 'Open query from file',
  },
} as const
