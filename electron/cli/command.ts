import type { Client } from '#shared/contract/client.ts'
import type { App } from '#core/app.ts'
import type { Ports } from '#core/ports.ts'
import type { Output } from './print.ts'
import { chooseText } from './text/terminalTexts.ts'

/** Exit statuses; scripts depend on them. */
export const exit = { done: 0, failed: 1, usage: 2, partial: 3, hit: 4, interrupted: 130 } as const
/** Reason with which a run is aborted after the reader of its output has closed the pipe. */
export const closedPipe = 'closed pipe'
export type ExitStatus = (typeof exit)[keyof typeof exit]

interface OptionBase {
  /** Description for the help, one sentence. */
  description: string
}

interface ValueOption extends OptionBase {
  /** Placeholder of the value in the help, e.g. `DIR`. */
  value: string
  required?: true
  /** True if the connection may have a default for the option. */
  fromConnection?: true
}

/** Symbols among which `BTC`, `all` and `perpetual-*` choose: those that the service lists, or those of the cache. */
export type SymbolScope = 'listed' | 'cached'

/** Description of an option as data, from which parsing, help and completion are derived. */
export type OptionSpec =
  | (OptionBase & { type: 'flag' })
  | (ValueOption & { type: 'text'; values?: readonly string[]; symbols?: SymbolScope })
  /** A file or folder; `reads` is true for a file that may also come from standard input, as `-`. */
  | (ValueOption & { type: 'path'; reads?: true })
  /** An option with a comma-separated list; it may be given several times. */
  | (ValueOption & { type: 'list'; values?: readonly string[]; symbols?: SymbolScope })
  /** An option that may be given several times; its values may contain commas. */
  | (ValueOption & { type: 'repeated' })
  /** An integer; both bounds are included. */
  | (ValueOption & { type: 'integer'; min: number; max: number })

/** Options by name, without the dashes. */
export type OptionTable = Readonly<Record<string, OptionSpec>>

interface ValueByType {
  flag: boolean
  text: string
  path: string
  list: string[]
  repeated: string[]
  integer: number
}

type ValueOf<Spec extends OptionSpec> = Spec extends { type: 'text'; values: readonly (infer Value)[] }
  ? Value
  : ValueByType[Spec['type']]

type Absent<Spec extends OptionSpec> = Spec extends { type: 'flag' } | { required: true } ? never : undefined

export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table]: ValueOf<Table[Name]> | Absent<Table[Name]>
}

export interface ArgumentSpec {
  name: string
  description: string
  optional?: true
  /** True if the argument takes all remaining values; only the last argument of a command may. */
  many?: true
  values?: readonly string[]
  /** True to complete the argument as a file name. */
  path?: true
  /** True if the argument is a file that may also come from standard input, as `-`. */
  reads?: true
}

/** Input of one run of an action: its options and arguments, and access to the core. */
export interface Invocation<Options extends OptionTable = OptionTable> {
  options: OptionValues<Options>
  args: string[]
  /** Value of `--connection`. */
  connection: string | undefined
  offline: boolean
  /** Values of `--proxy` and `--ca-file`. */
  route: { proxy: string | undefined; caFile: string | undefined }
  dataDir: string
  /** Names of the environment variables that gave a key or password to this run. */
  environmentKeys: readonly string[]
  out: Output
  /** Aborted when the user interrupts the run. */
  signal: AbortSignal
  /** Returns the core, which is opened on the first call and closed after the run. */
  app(): Promise<App>
  /**
   * Returns a client of the core; files that a call saves go to `savePath`, or to the current folder under their own
   * name.
   */
  client(savePath?: string): Promise<Client>
  /** The host's own way to start guarded processes; absent under plain Node. */
  startProcess: Ports['startProcess']
  /** Imports all commands, for help and completion. */
  allCommands(): Promise<CliCommand[]>
}

export interface Action<Options extends OptionTable = OptionTable> {
  /** Name of the action; empty if the command is run without naming one. */
  name: string
  summary: string
  args?: readonly ArgumentSpec[]
  options?: Options
  /** Clause for the message after an interruption; it says what was kept and how to continue. */
  interrupted?: string | ((options: OptionValues<Options>) => string)
  /** Tells whether the run works in a data folder that can only be read; if left out, it does not. */
  readsOnly?: boolean | ((options: OptionValues<Options>, args: readonly string[]) => boolean)
  /** Names the further options that the given ones need. */
  missing?(options: OptionValues<Options>, args: readonly string[]): readonly string[]
  run(invocation: Invocation<Options>): Promise<ExitStatus>
}

export interface CliCommand {
  verb: string
  summary: string
  /** Further paragraphs of the help. */
  description?: readonly string[]
  examples?: readonly string[]
  actions: readonly Action[]
}

/** Largest number of days back; a larger one is no day that could have data. */
export const MOST_DAYS = 50_000
/** Option that stands for `--start` and `--end`. */
const daysOption = { type: 'integer', value: 'N', min: 1, max: MOST_DAYS, description: chooseText.days } as const

/** Tells whether an option is a typed day or time. */
export function isDayOption(table: OptionTable, name: string): boolean {
  const spec = Object.hasOwn(table, name) ? table[name] : undefined
  return spec?.type === 'text' && (spec.value === 'DATE' || spec.value === 'T')
}

/** Tells whether the options contain a range between two typed days or times. */
export const hasDayRange = (table: OptionTable): boolean => isDayOption(table, 'start') && isDayOption(table, 'end')

/** Creates the only action of a command that is run without naming an action. */
export const soleAction = <const Options extends OptionTable = Record<never, never>>(
  spec: Omit<Action<Options>, 'name'>,
): Action => action({ name: '', ...spec })

/** Creates an action whose `run` receives its options with their types; a range of days may also be typed as `--days`. */
export function action<const Options extends OptionTable = Record<never, never>>(spec: Action<Options>): Action {
  const whole = spec as unknown as Action
  const { options } = whole
  return options && hasDayRange(options) ? { ...whole, options: { ...options, days: daysOption } } : whole
}
