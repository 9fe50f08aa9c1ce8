import { plainPlural as plural } from '#shared/units/plurals.ts'

/** Help and messages of what makes the terminal pleasant: choosing, tables, the self-check. */

export const selfCheckText = {
  summary: 'check that this installation works: program, SQL engine, data folder, index and keychain',
  description: [
    'Checks the Node that runs it, the SQL engine, the files of the window, the data folder with its free space and index, and the keychain. Exit status: 0 if everything works; 1 if something does not. A missing keychain is only noted, because a key may come from PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE.',
    'With --json, prints an array of {"name", "ok", "message"}.',
  ],
  program: 'Program',
  runsOn: (version: string, node: string) => `Perpscope ${version} on Node ${node}.`,
  engine: 'SQL engine',
  engineWorks: 'Answers a query.',
  window: 'Window',
  windowThere: 'The files that “perpscope serve” serves are there.',
  windowGone: (folder: string) =>
    `There is no ${folder}; “perpscope serve” has nothing to show. Install Perpscope again.`,
  line: (isOk: boolean, name: string, message: string) => `${isOk ? 'ok  ' : 'FAIL'}  ${name}: ${message}`,
  note: (name: string, message: string) => `note  ${name}: ${message}`,
} as const

export const tablesText = {
  summary: 'list the tables that a query sees',
  description: [
    'Lists what “perpscope sql” can read: metrics, raw events, portfolios, your own data, the index, studies and trials. The terminal shows name, columns and description; “perpscope describe TABLE” shows the columns of one.',
    'With --json, prints an array of {"table", "columns", "description"}; columns is their number.',
  ],
  none: (word: string) => `No table has “${word}” in its name.`,
  args: { WORD: 'Part of the names to list.' },
} as const

export const describeText = {
  summary: 'list the columns of a table that a query sees',
  description: [
    'TABLE is a name as “perpscope tables” prints it, such as metrics.flow; its schema may be left out where only one table has the name. Each column has its type, unit and description.',
    'With --json, prints an array of {"column", "type", "unit", "description"}; unit is null where none is documented.',
  ],
  args: { TABLE: 'The table, such as metrics.flow.' },
  several: (typed: string, names: readonly string[]) => `“${typed}” names several tables: ${names.join(', ')}.`,
  count: (count: number) => plural(count, 'column'),
} as const

export const chooseText = {
  days: 'The last N whole UTC days, in place of --start and --end, which also take today, yesterday, -60d, “this month” and “last month”.',
  daysAlone: 'Give either --days or --start and --end.',
  top: 'Only the N symbols with the highest turnover in the cache; those without come last, by name.',
  by: 'What --top ranks by.',
  topAndList: '--top does not go with --list.',
  byNeedsTop: '--by goes with --top.',
  ambiguous: (names: readonly (readonly [typed: string, choices: readonly string[]])[]) => {
    const lines = names.map(
      ([typed, choices]) => `“${typed}” names ${choices.length} symbols: ${choices.join(', ')}. Write one of them.`,
    )
    return `--symbol: ${lines.join(' ')}`
  },
  unknown: (typed: string, venues: readonly string[], suggestion: string | null) =>
    `--symbol: ${venues.length === 1 ? venues[0] : 'no venue'} lists ${venues.length === 1 ? 'no symbol' : 'a symbol'} “${typed.slice(0, 60)}”.${suggestion === null ? '' : ` Did you mean “${suggestion}”?`}`,
  unasked: (typed: string, venue: string, reason: string | null) =>
    `--symbol: the symbols of ${venue} are not known on this machine, so neither is what “${typed.slice(0, 60)}” means. ${reason ?? `Perpscope is offline: list them once with “perpscope symbols --exchange ${venue}”,`} ${reason === null ? 'or' : 'Or'} write the whole symbol, such as perpetual-BTC-USDT:USDT.`,
  noMatch: (typed: string) => `--symbol: no known symbol matches “${typed}”.`,
  onlyOne: (count: number) => `--symbol takes one symbol here, not ${count}; --list takes several.`,
  noSymbols: 'No symbols are known here yet. List them with “perpscope symbols --exchange VENUE”.',
  withoutTurnover: (count: number) =>
    `${plural(count, 'symbol')} of these ${count === 1 ? 'has' : 'have'} no turnover in the cache (dataset ohlcv), and ${count === 1 ? 'is' : 'are'} ranked by name.`,
  optionsMissing: (options: readonly string[]) => {
    const names = options.map((option) => `--${option}`)
    return names.length === 1
      ? `${names[0]} is missing.`
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are missing.`
  },
  example: (example: string) => `For example: ${example}`,
  venues: (connection: string, venues: readonly string[]) => `Venues of “${connection}”: ${venues.join(', ')}.`,
  notStdin: (name: string) =>
    `${name} must be a path: “-” stands for standard input, where a file is read. Write “./-” for a file of this name.`,
  stdinTwice: 'Standard input can be read only once: give “-” for one file only.',
} as const

export const shortHelpText = {
  program: 'perpscope - research workstation for perpetual-swap data, on the command line',
  commands: 'Usage: perpscope COMMAND [ARGUMENTS]',
  programClosing: [
    'Begin with “perpscope sandbox”, or “perpscope connection add NAME …” and “perpscope fetch”.',
    'perpscope help COMMAND describes one command.',
    'perpscope help --all tells everything: global options, exit statuses, environment.',
  ],
  usage: 'Usage:',
  options: 'Options:',
  actions: 'Actions:',
  examples: 'Examples:',
  action: (verb: string) => `perpscope ${verb} ACTION --help describes one action.`,
  whole: (name: string) => `perpscope ${name} --help --all tells everything: values, exit statuses, --json.`,
} as const

export const defaultsText = {
  exchange:
    'Venue of commands that are given no --exchange; “none” removes it. A connection with one venue needs none.',
  timestamp: 'Clock of commands that are given no --timestamp; “none” removes it.',
  line: (name: string, { exchange, timestamp }: { exchange?: string; timestamp?: string }) =>
    `“${name}” uses ${exchange === undefined ? 'no default venue' : `the venue ${exchange}`} and ${timestamp === undefined ? 'no default clock' : `the clock ${timestamp}`}.`,
} as const

export const confirmText = {
  yes: 'Do not ask before removing more than 100 files; needed without a terminal.',
  question: (files: number, size: string) => `Remove ${plural(files, 'file')}, ${size}?`,
  unconfirmed: (files: number, size: string) =>
    `Nothing was removed: this would remove ${plural(files, 'file')}, ${size}. Confirm with --yes.`,
} as const

export const quietText = {
  verbose: 'List every file, also those that are cached already.',
  estimate: 'Print only how many files and bytes would be downloaded; download nothing.',
  verboseRun: 'List every file and note, as fetch --verbose does.',
  unchangedSets: (count: number) => `${plural(count, 'set')}: nothing new`,
  moreSets: (count: number) => `${plural(count, 'more set')}; --verbose lists all`,
  moreChecks: (count: number) => `${plural(count, 'more check')} not quiet; see “perpscope inbox list”`,
  ofSet: (name: string, line: string) => `${name}: ${line}`,
} as const

export const timingText = {
  at: 'Run once a day at this local time, such as 02:30.',
  every: 'Run every 1, 2, 3, 4, 6, 8 or 12 hours, or every day: 1h to 12h, or 1d (default: 1h).',
  atOrEvery: 'Give either --at or --every.',
  notTime: (typed: string) => `--at must be a time of day such as 02:30, not “${typed.slice(0, 40)}”.`,
  keysMissing: (variables: readonly string[]) =>
    `The scheduled runs will not have ${variables.join(' and ')}, which only this shell has. ${variables.some((name) => name === 'PERPSCOPE_API_KEY' || name === 'PERPSCOPE_PORTFOLIO_KEY') ? 'Put the key into a file of mode 0600 (that of a portfolio service as a line portfolio=KEY), name it in PERPSCOPE_API_KEY_FILE and install again, or store it with “perpscope key set NAME --service SERVICE”.' : 'Store it with “perpscope key set NAME --service SERVICE”.'}`,
} as const

export const alarmText = {
  description:
    'With --run or --post, a finding that is new in the inbox is also an alarm: CMD runs without a shell, with a JSON object on its stdin, or the object is posted to URL: {"check", "state", "value", "time", "rows", "why"}. URL must be on a host that you allowed (check allow HOST, or Settings → Network), never one of your services; it is tried three times, follows no redirect and gets no key. What became of an alarm is in the log. Alarms stay on this machine: a backup does not contain them.',
  run: 'Command to run, without a shell, when the check finds something; it gets the finding as JSON on its stdin.',
  post: 'Address to which the finding is posted as JSON; its host must be allowed first.',
  runOrPost: 'Give either --run or --post.',
  allow: 'allow checks to post to a host; without HOST, list those that are allowed',
  host: 'Host, such as alerts.example.com or 127.0.0.1:8080.',
  removeHost: 'No longer allow the host.',
  nameHost: 'Name the HOST that is no longer allowed.',
  notHost: (typed: string) =>
    `HOST must be the name of a host, such as alerts.example.com or 127.0.0.1:8080, not “${typed.slice(0, 60)}”.`,
  noHosts: 'Checks may post nowhere. Allow a host with: perpscope check allow HOST',
} as const

export const readOnlyText = {
  writes: (command: string, dataDir: string) =>
    `“perpscope ${command}” writes to the data folder, but ${dataDir} can only be read here. Reading works: read, sql, ls, export, study run --no-record and what else only reads; for the others choose another folder with --data-dir.`,
  unreadable: (path: string) =>
    `${path} cannot be read: you have no permission. Ask its owner for the permission to read the data folder, or choose another folder with --data-dir.`,
  noRecord:
    'Leave no trace: neither the ledger nor the list of studies gets the run. Works in a data folder that can only be read.',
  notRecorded: 'Not recorded: the ledger does not count this run, so its result counts earlier trials only.',
} as const
