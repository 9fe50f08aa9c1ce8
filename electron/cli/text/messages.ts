import type { ComparedColumn, EngineComparison } from '#shared/contract/areas/raw.ts'
import { venueGrammar } from '#shared/catalog/writtenVenue.ts'
import { formatTime, zonedTime } from '#shared/units/instants.ts'
import { shortNumber } from '#shared/units/numbers.ts'
import { agree, plainPlural as plural } from '#shared/units/plurals.ts'

/**
 * Messages of the command line: usage errors, failures, notes, progress and results. `quoted` cuts typed text, so that
 * a pasted document does not fill the terminal.
 */

/** Quotes typed text for a message, cut to `most` characters. */
const quoted = (typed: string, most = 60): string => `“${typed.slice(0, most)}”`

const listFormat = new Intl.ListFormat('en')

const didYouMean = (suggestion: string | null): string => (suggestion ? ` Did you mean “${suggestion}”?` : '')

export const usageText = {
  seeHelp: (message: string, help: string) => `${message} See “${help}”.`,
  actionMissing: (verb: string, actions: readonly string[]) => `${verb} needs one of: ${actions.join(', ')}.`,
  unknown: (kind: string, typed: string, suggestion: string | null) =>
    `Unknown ${kind} ${quoted(typed)}.${didYouMean(suggestion)}`,
  unknownOf: (kind: string, typed: string, values: readonly string[]) =>
    `Unknown ${kind} ${quoted(typed)}. One of: ${values.join(', ')}.`,
  noValue: (option: string) => `--${option} takes no value.`,
  valueMissing: (option: string, value: string) => `--${option} needs a value: --${option} ${value}.`,
  empty: (option: string) => `--${option} must not be empty.`,
  emptyArgument: (name: string) => `${name} must not be empty.`,
  notInteger: (option: string, min: number, max: number, typed: string) =>
    `--${option} must be a whole number from ${min} to ${max}, not “${typed}”.`,
  argumentMissing: (name: string, description: string, values: readonly string[] = []) =>
    `${name} is missing: ${description}${values.length > 0 ? ` One of: ${values.join(', ')}.` : ''}`,
  extraArgument: (typed: string) => `Unexpected argument ${quoted(typed)}.`,
  notDay: (option: string, typed: string) =>
    `--${option} must be a day such as 2026-09-01, today or -60d, not ${quoted(typed)}.`,
  notInstant: (option: string, typed: string) =>
    `--${option} must be a day or an instant, such as 2026-09-01 or 2026-09-01T12:30:00Z, not ${quoted(typed, 40)}.`,
  endBeforeStart: '--end must not be before --start.',
  endNotAfterStart: '--end must be after --start.',
  startAndEnd: '--start and --end go together; leave out both to write everything in the cache.',
  notSize: (option: string, typed: string) =>
    `--${option} must be a size such as 500MB, 20GB or 1.5TiB, not ${quoted(typed, 40)}.`,
  notSymbol: (typed: string, suggestion: string | null = null) =>
    suggestion
      ? `--symbol: ${quoted(typed)} is not a symbol. Did you mean “${suggestion}”?`
      : `--symbol must look like perpetual-BTC-USDT:USDT, not ${quoted(typed)}.`,
  notInterval: (typed: string) =>
    `--interval must be a number of s, m, h or d that divides a day, such as 15s or 2h, not ${quoted(typed)}.`,
  metricNeedsInterval: (dataset: string) => `--interval is missing: ${dataset} is a metric dataset, which needs one.`,
  rawHasNoInterval: (dataset: string) => `${dataset} is a raw dataset and has no interval; leave out --interval.`,
  rawHasBothClocks: 'Raw events have no interval and carry both clocks; leave out --interval and --timestamp.',
  notRawDataset: (typed: string, suggestion: string | null, known: readonly string[]) =>
    `--dataset: ${quoted(typed)} is not a raw dataset.${didYouMean(suggestion) || ` One of: ${known.join(', ')}.`}`,
  needsRaw: (dataset: string) => `${dataset} is a raw dataset: add --raw.`,
  formatClash: (format: string) => `--json and --format ${format} cannot be combined.`,
  notRate: (typed: string) => `--risk-free must be an annual rate in %, for example 4.5, not ${quoted(typed)}.`,
  notTime: (option: string, typed: string) =>
    `--${option} must be a time such as 2026-09-15T12:00:00Z, not ${quoted(typed)}.`,
  badVenues: (problem: string) => `--venues: ${problem}.`,
  badFaults: (problem: string) => `--faults: ${problem}.`,
  faultsNotJson: '--faults must be JSON, such as {"rules":[{"on":"storage","cutAfterBytes":1000}]}.',
  notParameter: (option: string, typed: string, description: string) =>
    `--${option} must not be ${quoted(typed)}. ${description}`,
  rawHasNoTiers: '--tiers applies to metric datasets; leave out --raw.',
  notOfKind: (option: string, kind: string) => `--${option} does not apply to --kind ${kind}.`,
  severalSnapshots: (count: number, options: readonly string[]) =>
    `${count} requests have a snapshot from that time or before. Choose one with ${listFormat.format(options)}.`,
  nothingToRemove:
    'Choose the files to remove with --dataset, --exchange, --symbol, --list, --interval, --timestamp, --period, --start, --end, --origin, --raw or --connection.',
  nothingToEdit:
    'Choose what to change with --name, --metrics-url, --portfolio-url, --catalog, --tier, --private-storage, --store, --store-endpoint, --venue, --no-venue, --default-exchange or --default-timestamp.',
  notVenue: (typed: string, problem: string) => `--venue ${typed}: ${problem}. Write ${venueGrammar}.`,
  venuesClash: (problem: string) => `--venue: ${problem}.`,
  venueTypedAndRemoved: (id: string) => `${id} is named by --venue and by --no-venue.`,
  venueNotTyped: (id: string) =>
    `--no-venue ${id}: this venue was not typed; “connection venues” lists where venues are from.`,
  connectionNotEdited: (problem: string) => `The connection was not changed: ${problem}.`,
  engineNotAdded: (problem: string) => `The engine was not added: ${problem}.`,
  plainHttp: (url: string) =>
    `--clickhouse ${url} is plain http: anyone on the network path could read the password and the events. Use https, or confirm with --plain-http.`,
  outClash: (path: string, named: string, format: string) =>
    `The name ${quoted(path, 60)} stands for ${named}, but --format is ${format}. Change one of them.`,
  onlyParquet: (path: string) => `--out: what is written is Parquet, so ${quoted(path)} must end in .parquet.`,
  bucketNeedsHive: 'An s3:// address needs --format hive.',
  endpointNeedsBucket: '--store-endpoint needs an s3:// address in --out.',
  notBucket: (typed: string) => `--out must have the form s3://BUCKET/PREFIX, not ${quoted(typed, 60)}.`,
  notEndpoint: '--store-endpoint must be an https or http address, without query or user name.',
  plainHttpStore: (url: string) =>
    `--store-endpoint ${url} is plain http: anyone on the network path could read and change the files. Use https, or confirm with --plain-http.`,
  notId: (typed: string) => `ID must be a number, not ${quoted(typed, 40)}.`,
  noKeyOnStdin: 'No key on stdin; nothing was changed.',
  notProxy: (problem: string) => `--proxy ${problem}.`,
  notKey: 'This is not a key: a key is one word of printable ASCII characters.',
  notStoreKey:
    'This is not a store key: a store key is one word of printable ASCII characters, ID:SECRET with the colon.',
  addressMissing: 'Give at least one of --metrics-url, --portfolio-url, --catalog and --store.',
  connectionNotAdded: (problem: string) => `The connection was not added: ${problem}.`,
  returnsOrPortfolio: 'Give either --portfolio or --returns.',
  optionOfPortfolio: (option: string) => `--${option} belongs to --portfolio; leave it out with --returns.`,
  optionOfReturns: (option: string) => `--${option} belongs to --returns.`,
  percentOrFraction: 'Give either --percent or --fraction.',
  unitNeeded: (file: string) =>
    `Say how returns are written in ${file}: --percent if 1.2 means 1.2 %, --fraction if it means 120 %.`,
  costOfReturns: '--cost is for weights; returns already include their costs.',
  notCost: (typed: string) => `--cost must be a number of basis points, for example 5, not ${quoted(typed)}.`,
  columnTwice: (name: string) => `--columns: a column ${quoted(name)} already exists.`,
  notColumn: (typed: string) => `--columns must be NAME=FORMULA, not ${quoted(typed)}.`,
  listOrSymbol: 'Give either --list or --symbol.',
  setReplacesOptions: '--set already selects what to download; leave out the other options.',
  startOrLast: 'Give either --start (the first day) or --last (a number of days).',
  badSetName: 'NAME must have 1 to 100 characters.',
  columnsNotForHive: '--columns does not work with --format hive, which copies files unchanged.',
  neededForFile: (option: string) => `--${option} is required for csv and parquet.`,
  metricsAlone: 'With --metrics, name no PATH and no --computed.',
  onlyForMetrics: '--interval and --timestamp are for --metrics.',
  notImportedDataset: (given: string, known: readonly string[]) =>
    `--dataset: “${given}” is not one of ${known.join(', ')}.`,
  computedAlone: '--computed takes a folder whose subfolders describe its files; leave out PATH and the other options.',
  engineNeedsPrint: (engine: string) =>
    `--engine ${engine} needs --print-sql, which prints a script that you run there, or --submit with the command that runs it. Leave out --engine to compute here.`,
  submitNeedsSpark: '--submit needs --engine spark and cannot be combined with --print-sql.',
  submitNeedsFolder:
    '--submit: --out must be a folder that this machine can read too, not an s3:// address, because the files in it are imported.',
  commandIsNoShell: (option: string, word: string) =>
    `--${option}: the command does not run in a shell, so ${quoted(word)} has no effect. To run several programs, name a script.`,
  quoteOpen: (option: string) => `--${option}: a quote is not closed.`,
  commandEmpty: (option: string) =>
    `--${option} must name a command, such as ${option === 'submit' ? '"spark-sql --master spark://node:7077"' : '"notify-send Perpscope"'}.`,
  engineNeedsRaw:
    '--engine clickhouse needs --raw: a folder, an s3://BUCKET/PREFIX or table:DATABASE that the server can read.',
  printNeedsEngine: '--print-sql needs --engine duckdb, --engine clickhouse or --engine spark.',
  printNeedsRaw: '--print-sql needs --raw: a folder, an s3://BUCKET/PREFIX or table:DATABASE that the engine can read.',
  twoEngines: '--engines must name two engines or more, such as local,clickhouse.',
  comparisonNeedsRaw:
    '--engines with clickhouse needs --raw: a folder, an s3://BUCKET/PREFIX or table:DATABASE that the server can read.',
  notDatabase: (typed: string) =>
    `--raw table: must be followed by the name of a database, such as table:raw, not ${quoted(typed, 40)}.`,
  notComputable: (datasets: readonly string[]) =>
    `${datasets.join(', ')} ${agree(datasets.length, 'needs', 'need')} order-book snapshots, which raw events do not have.`,
  outIsNotPlace:
    '--out must be a folder or an s3:// address without quotes, backslashes, * ? [ ] { } or control characters.',
  rawIsNotPlace:
    '--raw must be a folder or an s3:// address without quotes, backslashes, * ? [ ] { } or control characters.',
} as const

export const failureText = {
  noMetricFiles: (folder: string) => `${folder} has no file named YYYY-MM.parquet or YYYY-MM-DD.parquet.`,
  noEngine: (name: string) => `The connection “${name}” has no ClickHouse server.`,
  /** Tells how the program of --submit ended: with an exit status, or with a signal such as SIGKILL. */
  jobFailed: (program: string, statusOrSignal: number | string, reason: string) =>
    `${program} ended with ${typeof statusOrSignal === 'number' ? `exit status ${statusOrSignal}` : statusOrSignal}, so nothing was imported${reason === '' ? '.' : `: ${reason}`}`,
  jobNotStarted: (program: string, code: string) =>
    code === 'ENOENT'
      ? `There is no program ${quoted(program)}; --submit must name one that this machine can start.`
      : `${program} could not be started (${code}).`,
  keyFile: (problem: string) => `PERPSCOPE_API_KEY_FILE: ${problem}`,
  keyFileOpen: (path: string) =>
    `PERPSCOPE_API_KEY_FILE: ${path} can be read by other users. Restrict it with: chmod 600 ${path}`,
  tooLargeFile: (path: string, most: number) => `${path} is too large: at most ${most} characters can be read.`,
  outputNotWritten: (error: Error) => `The output could not be written: ${error.message}.`,
  serviceReply: (reply: string) => `The service replied: ${reply}`,
  noActiveConnection: 'No connection is active. Choose one with “perpscope connection use NAME”, or add one.',
  noSuchConnection: (name: string, suggestion: string | null) =>
    `There is no connection “${name}”.${didYouMean(suggestion) || ' List all connections with “perpscope connection list”.'}`,
  unreadableReturns: (file: string, problems: readonly string[]) => {
    const shown = problems.slice(0, 20)
    const more = problems.length > shown.length ? [`${problems.length - shown.length} more`] : []
    return `${file} cannot be read: ${[...shown, ...more].join('; ')}.`
  },
  noSuchList: (name: string, suggestion: string | null) =>
    `There is no list “${name}”.${didYouMean(suggestion) || ' See all lists with “perpscope lists list”.'}`,
  listWithoutVenue: (name: string, venues: readonly string[]) =>
    `The list “${name}” has no symbol on ${venues.join(', ')}.`,
  noSuchSet: (name: string, suggestion: string | null) =>
    `This connection has no download set “${name}”.${didYouMean(suggestion) || ' List all sets with “perpscope set list”.'}`,
  notInRawFolder: (folder: string, detail: string) => `${detail} Check what ${folder} contains.`,
  outIsFolder: (given: string, path: string) => `${given} must be a file, but ${path} is a folder. Add a file name.`,
  folderNotWritable: (folder: string) =>
    `Cannot write to the folder ${folder}. Choose another one, or change its permissions.`,
  noSuchFolder: (given: string, folder: string) =>
    `${given}: there is no folder ${folder}. Correct the path, or create the folder first.`,
  notFolder: (given: string, path: string) => `${given}: ${path} is not a folder.`,
  folderUnusable: (path: string, code: string) => `Cannot write to the folder ${path} (${code}).`,
  folderNotEmpty: (path: string) => `The folder ${path} is not empty.`,
  noCatalogFile: (problem: string) => `${problem} Give the URL of the catalog or an existing file.`,
  portTaken: (port: number) => `Port ${port} is in use; choose another one with --port.`,
  keyNotStored: (reason: string | null, variable: string) =>
    ['The key was not stored.', reason, `Pass the key to each run in the environment variable ${variable} instead.`]
      .filter(Boolean)
      .join(' '),
  nothingCached: (reason: string) => `${reason} “perpscope ls” lists what is cached; “perpscope fetch” downloads more.`,
  onlyComputed: (datasets: readonly string[]) =>
    `The cache on this machine has this series only as computed files, which this command does not read: use “perpscope sql” with ${datasets.map((dataset) => `metrics.${dataset}`).join(', ')} and origin = 'computed'.`,
  emptyRange: 'The cache on this machine has no rows of this series in this range.',
  noSuchColumns: (absent: readonly { name: string; suggestion: string | null }[]) => {
    const names = absent.map(
      ({ name, suggestion }) => `“${name}”${suggestion ? ` (did you mean “${suggestion}”?)` : ''}`,
    )
    return `No file in this range has ${agree(absent.length, 'the column', 'the columns')} ${names.join(', ')}.`
  },
  leaveOutColumns: (reason: string, participle: 'written' | 'printed') =>
    `${reason} Without --columns, all columns are ${participle}.`,
  notListed: (place: string, kind: string, typed: string, suggestion: string | null, available: readonly string[]) =>
    `${place} has no ${kind} ${quoted(typed)}.${didYouMean(suggestion) || (available.length > 0 ? ` Available: ${available.join(', ')}.` : '')}`,
  symbolNotListed: (symbol: string, exchange: string, suggestion: string | null) =>
    `The service does not list ${symbol} on ${exchange}.${didYouMean(suggestion)}`,
  moreNotListed: (count: number, exchange: string) =>
    `The service does not list ${plural(count, 'further symbol')} on ${exchange}.`,
  listedElsewhere: (count: number, exchange: string) =>
    `Of these symbols, the service lists ${count} on other venues but not on ${exchange}.`,
  noSnapshotAt: (time: string) => `There is no snapshot from ${time} or before. Leave out --at to list all snapshots.`,
  notInQueue: (id: number, change: string) =>
    `The queue has no file ${id} that can be ${change}. See “perpscope queue list --all”.`,
  testNeedsNetwork: 'Testing a connection sends requests: leave out --offline.',
  thisCache: 'The cache on this machine',
  rawCatalog: 'The catalog of raw events',
} as const

/** Remedies of the error codes whose remedy differs from the window's. */
export const remedyText: Readonly<Record<string, string>> = {
  'no-key': 'Set the key with “perpscope key set NAME”, or pass it in PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE.',
  'no-keychain': 'Unlock it, or pass the key in PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE, then try again.',
  'invalid-key':
    'Set it with “perpscope key set NAME”, or correct it in PERPSCOPE_API_KEY, PERPSCOPE_API_KEY_FILE, PERPSCOPE_ENGINE_PASSWORD or PERPSCOPE_STORE_KEY.',
  unauthorized: 'Set the key with “perpscope key set NAME”, or pass it in PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE.',
  login:
    'Set the password of a ClickHouse server with “perpscope key set NAME --service engine”, the key of a store with “--service store”; or pass them in PERPSCOPE_ENGINE_PASSWORD or PERPSCOPE_STORE_KEY.',
  'not-found': 'Check the names and try again.',
  'not-here': 'Get the data with “perpscope fetch” or “perpscope import”, or leave out --offline if it is given.',
  offline: 'Leave out --offline, or check the network, then try again.',
  'corrupt-file': 'If the file is in the cache, run “perpscope verify --deep --repair”, then download it again.',
  // The remedy is empty, because the detail of the error already says what to do.
  unsupported: '',
  internal: 'See the log in the folder “logs” of the data folder, which “perpscope where” prints.',
}

export const noteText = {
  unknownListed: (list: string, unknown: readonly { exchange: string; symbol: string }[]) => {
    const shown = unknown.slice(0, 10).map(({ exchange, symbol }) => `${symbol} on ${exchange}`)
    const more = unknown.length > shown.length ? [`${unknown.length - shown.length} more`] : []
    return `The list “${list}” has symbols that this connection does not know: ${[...shown, ...more].join(', ')}.`
  },
  notChecked: (path: string, message: string) => `${path} was not checked: ${message}`,
  acceptedFindings: (count: number) => `${plural(count, 'accepted finding')} left out.`,
  moreFindings: (count: number) => `${plural(count, 'more finding')} not shown; narrow the range.`,
  pairWithoutRows: (exchange: string, symbol: string, why: string) => `${symbol} on ${exchange}: ${why}`,
  interrupted: (consequence: string) => `Interrupted: ${consequence}`,
  refetchUnreadable: 'To download them again, run “perpscope verify --deep --repair”, then “perpscope fetch”.',
  asOf: (fetched: string, generated: string | null, source: string) =>
    `As of ${fetched}${generated === null ? '' : `, generated by the service at ${generated}`}, from ${source}`,
  changes: { added: 'added', gone: 'removed', longer: 'with more days' },
  noFilesInRange: 'Nothing to download: the range is in the future.',
  unlistedLeftOut: (files: number) =>
    `Left out ${plural(files, 'file')} that may not exist, because the symbol was not listed then, or is not. --try-locked requests such files anyway.`,
  outsideListing: (files: number) =>
    `Left out ${plural(files, 'file')} outside the days on which the symbol was listed, by the instruments that you imported.`,
  missingAtSource: (files: number) =>
    `${plural(files, 'file is', 'files are')} missing at the source, as its catalog says, and not requested. --try-locked requests such files anyway.`,
  futureDaysLeftOut: (today: string) => `Days after today, ${today}, are left out.`,
  refused: (bucket: string, day: string, reply: string | null) =>
    `The service refused ${bucket} on ${day}${reply ? ` (${reply})` : ''}; the next fetch requests it again.`,
  imported: (file: string, difference: string) =>
    `${file} took the place of the imported file, from which it differs: ${difference}.`,
  republished: (file: string) => `${file} was republished with different content.`,
  waiting: (reason: string, untilMs: number) => `${reason} Waiting until ${zonedTime(untilMs, 'utc', 'second')}.`,
  stillToFetch: (files: number) =>
    `Interrupted with ${plural(files, 'file')} left. Run the same command again to continue.`,
  comparesWithinDay: (column: string) => `${column} compares each row with the earlier rows of its UTC day`,
  returns: (warning: string) => `Returns: ${warning}.`,
  noDaysWithReturn: 'No day in this range has a return, so there are no statistics.',
  noDisplay: 'There is no display to open a browser on; use the address above.',
  noBrowser: 'Could not start a browser; open the address above yourself.',
  nothingMatches: 'Nothing matches.',
  noSnapshots: (kind: string) => `No live answer of this kind (${kind}) has been fetched yet.`,
  intervalTiers: (intervals: readonly string[], tier: number) =>
    `Intervals ${intervals.join(' and ')} need tier ${tier} for every dataset.`,
  keyRemoved: (name: string) =>
    `The new address has a different origin, so the key was removed. Set it with “perpscope key set ${name}”.`,
  publishing: (store: string) =>
    `Everyone who can read ${store} will be able to read the published data. Check that your licence allows this.`,
  published: (published: number, rewritten: number, alreadyThere: number) =>
    `Published ${plural(published, 'file')}${rewritten > 0 ? `, replaced ${plural(rewritten, 'damaged file')}` : ''}; ${plural(alreadyThere, 'was', 'were')} already there.`,
  partialNotPublished: (files: number) =>
    `${plural(files, 'file of an unfinished period was', 'files of unfinished periods were')} not published.`,
  storeProblem: (problem: string) => `${problem}. The file was requested from the service instead.`,
  storeKeyRemoved: (name: string) =>
    `The store is on a different service, so its key was removed. Set it with “perpscope key set ${name} --service store”.`,
  catalogProblems: (problems: readonly string[]) =>
    `The catalog differs from its documentation: ${problems.join('; ')}.`,
  otherFilesSkipped: (files: number) => `Skipped ${plural(files, 'other file')}: only .parquet files are imported.`,
  paused: (reason: string) => `Paused: ${reason}`,
  keptFiles: 'The remaining files are pinned or needed by the queue.',
  notCached: (from: string, to: string) => `Not in the cache: ${from} to ${to}.`,
  units: (units: readonly string[]) => `Units: ${units.join('; ')}.`,
  warning: (warning: string) => `Note: ${warning}.`,
  duplicatesLeftOut: (rows: number) =>
    `Left out ${plural(rows, 'row')}: of rows with the same time, only the last is kept.`,
} as const

export const fetchReportText = {
  interrupted: 'Interrupted.',
  cancelled: 'Cancelled.',
  locked: (tier: number | null) =>
    `Not in your subscription: ${tier === null ? 'the API key’s subscription tier is too low' : `tier ${tier} or higher is needed`}. Use --try-locked to request such files anyway.`,
  tierNeeded: (tier: number) => `Tier ${tier} or higher is needed.`,
  stalled: 'No progress for a while.',
  stalledHint: 'No progress for a while. Try again, or see “perpscope queue list”.',
  progress: (done: number, files: number, rate: string, pause: string | null) =>
    `${done} of ${plural(files, 'file')}, ${rate}/s${pause === null ? '' : `, waiting: ${pause}`}`,
} as const

export const progressText = {
  filesChecked: 'files checked',
  filesRead: 'files read',
  computed: 'computed',
  daysComputed: 'days computed',
  daysCompared: 'symbol-days compared',
  statements: 'statements done',
  stage: (stage: string) => `tasks of stage ${stage} done`,
  megabytesRead: 'MB read',
  imported: 'files imported',
  portfolioRuns: 'running the test',
  studyStages: {
    rows: 'reading rows',
    formulas: 'evaluating formulas',
    horizons: 'computing horizons',
    guards: 'checking for look-ahead',
    comparison: 'comparing clocks',
    events: 'averaging events',
    pairs: 'correlating pairs',
    calendar: 'averaging by calendar',
    columns: 'trying columns',
    blend: 'blending',
    writing: 'writing the panel',
  },
} as const

export const resultText = {
  venuesOfList: 'as in the list',
  differs: ({ dataset, column, engine, largest, worst }: ComparedColumn) =>
    `${dataset} ${column} differs on ${engine} by ${shortNumber(largest)}${worst === null ? '' : `: ${worst.found ?? 'no value'} instead of ${worst.expected ?? 'none'} for ${worst.symbol} on ${worst.exchange} at ${formatTime(worst.time, 'utc', 'minute')}`}. ${engine} is no longer used for ${dataset}.`,
  compared: ({ reference, symbolDays, columns }: EngineComparison) => {
    const differingCount = columns.filter(({ agrees }) => !agrees).length
    return `Compared with ${reference} on ${plural(symbolDays, 'symbol-day')}: ${plural(columns.length - differingCount, 'column agrees', 'columns agree')}${differingCount > 0 ? `, ${plural(differingCount, 'differs', 'differ')}` : ''}.`
  },
  ofList: (name: string) => `list “${name}”`,
  changed: (files: number, change: string) => `${plural(files, 'file')} ${change}.`,
  keyStatus: (name: string, service: string, status: string) => `Key of ${name} (${service}): ${status}.`,
  keyPrompt: (name: string, service: string) => `Key for ${name} (${service}): `,
  connectionAdded: (name: string, shellName: string) =>
    `Added “${name}”. Set its key with: perpscope key set ${shellName}`,
  notActive: (shellName: string) =>
    `Another connection is active. Commands use this one with “--connection ${shellName}”, or always after: perpscope connection use ${shellName}`,
  previewsAdded: (name: string, shellName: string) =>
    `Added “${name}”. Previews need no key; fetch them with: perpscope --connection ${shellName} fetch --raw --dataset trades`,
  engineRemoved: (name: string, url: string) => `Removed the ClickHouse server of “${name}” (${url}).`,
  engineAdded: (name: string, shellName: string, hasPassword: boolean) =>
    hasPassword
      ? `The ClickHouse server of “${name}” is set; its password is unchanged.`
      : `The ClickHouse server of “${name}” is set. Set its password with: perpscope key set ${shellName} --service engine`,
  published: (published: number, rewritten: number, there: number) =>
    [`${published} new`, ...(rewritten > 0 ? [`${rewritten} replaced`] : []), `${there} already there`].join(', '),
  connectionUsed: (name: string) => `“${name}” is now the active connection.`,
  removed: (name: string) => `Removed “${name}”.`,
  connectionEdited: (name: string, files: number, size: string) =>
    `Changed “${name}”. ${files === 0 ? 'It has no files.' : `It keeps its ${plural(files, 'file')} (${size}).`}`,
  connectionRemoved: (name: string, files: number, size: string, isGone: boolean) =>
    files === 0
      ? `Removed “${name}”; it had no files.`
      : `Removed “${name}”${isGone ? ` and its ${plural(files, 'file')} (${size}).` : `. Left ${plural(files, 'file')} (${size}) on disk.`}`,
  setSaved: (name: string) => `Saved “${name}”. Download it with: perpscope fetch --set "${name}"`,
  noSets: 'No sets yet. Save one with: perpscope set save NAME --dataset …',
  wouldRemove: (files: number, size: string) => `Would remove ${plural(files, 'file')}, ${size}.`,
  pruned: (files: number, size: string, kept: number, keptSize: string) =>
    `Removed ${plural(files, 'file')}, ${size}. Kept ${plural(kept, 'file')}, ${keptSize}.`,
  repairLeft: 'It is left as it is.',
  repairDone: {
    gone: 'It was removed from the index.',
    damaged: 'It was moved to the quarantine folder and removed from the index.',
    unlisted: 'It was added to the index.',
    leftover: 'It was deleted.',
  } as Readonly<Record<string, string>>,
  repairWould: (remedy: string) => `--repair would ${remedy}.`,
  more: (count: number) => `and ${count} more`,
  takenIn: (count: number) => ` ${plural(count, 'whole file')} added to the index.`,
  harmless: (count: number) => ` ${plural(count, 'other issue')}, harmless.`,
  noProblems: 'No problems found.',
  broken: (broken: number, repaired: number | null) =>
    `${broken} broken${repaired === null ? '' : `, ${repaired} repaired`}.`,
  ready: (url: string) => `Perpscope is ready at ${url}`,
} as const

/** The lines that sum up a tested portfolio. */
