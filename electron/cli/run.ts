import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { noteText, usageText } from './text/messages.ts'
import { AppError } from '#shared/contract/errors.ts'
import { chooseDataDir } from '#core/dataDir.ts'
import { secretNames } from '#core/environmentSecrets.ts'
import type { Ports } from '#core/ports.ts'
import {
  closedPipe,
  exit,
  type Action,
  type CliCommand,
  type ExitStatus,
  type Invocation,
  type OptionSpec,
  type OptionTable,
} from './command.ts'
import { createEnvironment, type EnvironmentOptions } from './environment.ts'
import { Failure, messageOf } from './failure.ts'
import { globalOptions } from './globalOptions.ts'
import { checkRequired, parse, parseGiven, positionalsOf } from './parse.ts'
import { fillDefaults, nameVenues, resolveSymbols } from './prepareOptions.ts'
import { createOutput, type Output, type Sink } from './print.ts'
import { allCommands, registry } from './registry.ts'
import type { CommandInput } from './stdin.ts'
import { readStdinFiles } from './stdinFile.ts'
import { chooseText } from './text/terminalTexts.ts'
import { MissingOptions, UsageError, unknownNameError, unknownValueError } from './usageError.ts'

interface RunContext {
  stdout: Sink
  stderr: Sink
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
  startProcess?: Ports['startProcess'] | undefined
  readPolicy?: EnvironmentOptions['readPolicy']
  /** Opens standard input; tests pass their own. */
  openInput?: (() => CommandInput) | undefined
  isReadOnly?: EnvironmentOptions['isReadOnly']
}

/** Runs one command line, from its arguments to its exit status. */
export async function run(typed: readonly string[], context: RunContext): Promise<ExitStatus> {
  const argv = withoutHelpWord(typed)
  const isGiven = (flag: string) => argv.includes(flag)
  let shown = (text: string) => text
  const throughShown = (sink: Sink): Sink => ({
    write: (data) => sink.write(typeof data === 'string' ? shown(data) : data),
    get isTTY() {
      return sink.isTTY
    },
    get columns() {
      return sink.columns
    },
  })
  const sinks = { stdout: throughShown(context.stdout), stderr: throughShown(context.stderr) }
  const out = createOutput({
    ...context,
    ...sinks,
    json: isGiven('--json'),
    quiet: isGiven('--quiet') || isGiven('-q'),
  })
  try {
    return await runCommand(argv, out, context, (asShown) => (shown = asShown))
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      out.problem(usageText.seeHelp(thrown.message, await helpFor(argv)))
      if (thrown instanceof MissingOptions && thrown.hint !== null) out.problem(thrown.hint)
      const example = thrown instanceof MissingOptions ? await exampleFor(argv, thrown.options) : null
      if (example !== null) out.problem(chooseText.example(example))
      return exit.usage
    }
    if (context.signal.aborted) return exit.interrupted
    out.problem(messageOf(thrown))
    return thrown instanceof AppError && thrown.code === 'cancelled' ? exit.interrupted : exit.failed
  }
}

/** Writes `help NAME` as `NAME --help`. */
function withoutHelpWord(argv: readonly string[]): readonly string[] {
  const [first] = positionalsOf(argv, globalOptions)
  return first?.value === 'help' ? [...argv.filter((_, index) => index !== first.index), '--help'] : argv
}

/**
 * Returns an example of the command, of the named action if there is one: what was typed with what is missing, or a line
 * of the help where no option was typed.
 */
async function exampleFor(argv: readonly string[], missing: readonly string[]): Promise<string | null> {
  const named = await namedIn(argv)
  if (!named) return null
  const { command, action } = named
  const { verb, examples = [] } = command
  const ofAction = examples.find((example) => example.includes(` ${verb} ${action?.name ?? ''}`))
  if (!argv.some((word) => word.startsWith('--'))) return ofAction ?? (action ? null : (examples.at(0) ?? null))
  const added = missing.map((option) => {
    const [name] = option.split(' ')
    const [, value] = new RegExp(`--${name} (\\S+)`).exec([ofAction, ...examples].join('\n')) ?? []
    return `--${value === undefined ? option : `${name} ${value}`}`
  })
  return ['perpscope', ...argv.map(quotedWord), ...added].join(' ')
}

/** Writes a word as a shell takes it. */
const quotedWord = (word: string): string =>
  /^[\w,.:/=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Finds the command and the action that the arguments name. */
async function namedIn(argv: readonly string[]): Promise<{ command: CliCommand; action: Action | undefined } | null> {
  const words = positionalsOf(argv, globalOptions).map(({ value }) => value)
  const verb = words.find((word) => Object.hasOwn(registry, word))
  if (verb === undefined) return null
  const { command } = await registry[verb]()
  return { command, action: command.actions.find(({ name }) => name !== '' && words.includes(name)) }
}

/** Returns the help command to suggest: for what the arguments name, or for the whole program. */
async function helpFor(argv: readonly string[]): Promise<string> {
  const named = await namedIn(argv)
  return ['perpscope', named?.command.verb, named?.action?.name, '--help'].filter(Boolean).join(' ')
}

async function runCommand(
  argv: readonly string[],
  out: Output,
  { signal, env, startProcess, readPolicy, openInput, isReadOnly }: RunContext,
  showAs: (shown: (text: string) => string) => void,
): Promise<ExitStatus> {
  const isWhole = isHelpOfAll(argv)
  const commandLine = await readCommandLine(isWhole ? argv.filter((word) => word !== '--all') : argv)
  if (!commandLine) return runWithoutCommand(argv, out)
  const { command, action, options, args } = commandLine
  if (options.help || !action) {
    const { commandHelp, shortHelp } = await import('./help.ts')
    out.line(isWhole ? commandHelp(command) : shortHelp(command, action, Math.max(80, out.width ?? 80)))
    return exit.done
  }
  if (options.version) return printVersion(out)

  const dataDir = chooseDataDir(options['data-dir'] as string | undefined, env)
  const route = await routeOf(options)
  const environment = createEnvironment({
    dataDir,
    offline: options.offline as boolean,
    env,
    route,
    recoversIndex: command.verb === 'serve' || (command.verb === 'verify' && options.repair === true),
    startProcess,
    readPolicy,
    commandName: [command.verb, action.name].filter(Boolean).join(' '),
    readsOnly: typeof action.readsOnly === 'function' ? action.readsOnly(options, args) : action.readsOnly === true,
    leavesNoTrace: options['no-record'] === true,
    isReadOnly,
  })
  // Messages name the data folder and not the copy of it that is read.
  showAs(environment.shown)
  let removeStdinFile = async () => {}
  const invocation: Invocation = {
    options,
    args,
    connection: options.connection as string | undefined,
    offline: options.offline as boolean,
    route,
    dataDir,
    environmentKeys: secretNames.filter((name) => env[name]),
    out,
    signal,
    app: environment.app,
    client: environment.client,
    startProcess,
    allCommands,
  }
  try {
    await fillDefaults(options, action.options, invocation)
    checkRequired({ options, args }, action)
    await resolveSymbols(options, action.options, invocation)
    const stdin = await readStdinFiles({ options, args }, action, { signal, open: openInput })
    const { path: stdinPath } = stdin
    removeStdinFile = stdin.remove
    if (stdinPath !== null) showAs((text) => environment.shown(text).replaceAll(stdinPath, '-'))
    const status = await action.run(invocation)
    // Files that a call saved are already in the log of the core.
    if (typeof options.out === 'string' && (status === exit.done || status === exit.partial) && !environment.hasSaved())
      await noteExport(dataDir, command.verb, options.out)
    const replaced = await environment.replacedIndex()
    if (replaced === null || command.verb === 'serve') return status
    out.problem(replaced)
    return exit.failed
  } catch (thrown) {
    if (!signal.aborted) {
      if (thrown instanceof MissingOptions) await nameVenues(thrown, invocation).catch(() => {})
      await logUnexpected(dataDir, command.verb, thrown)
      throw thrown
    }
    const { interrupted } = action
    const consequence = typeof interrupted === 'function' ? interrupted(options) : interrupted
    if (consequence && signal.reason !== closedPipe) out.note(noteText.interrupted(consequence))
    return exit.interrupted
  } finally {
    await removeStdinFile()
    await environment.close()
  }
}

/** Logs that a command wrote the file or folder given with `--out`. */
async function noteExport(dataDir: string, verb: string, path: string): Promise<void> {
  // If there is no data folder yet, nothing is logged, because a command that does not open the core must not create
  // one.
  if (!existsSync(dataDir)) return
  const { createFileLog } = await import('#core/log/fileLog.ts')
  createFileLog(dataDir).write('info', `exported ${basename(path)} to ${resolve(path)} (${verb}, command line)`)
}

/** Logs an error that the command did not expect; the core has logged its own errors already. */
async function logUnexpected(dataDir: string, verb: string, thrown: unknown): Promise<void> {
  const isExpected = thrown instanceof AppError || thrown instanceof UsageError || thrown instanceof Failure
  if (isExpected || !existsSync(dataDir)) return
  const { createFileLog } = await import('#core/log/fileLog.ts')
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  createFileLog(dataDir).write('error', `${verb} failed: ${text} (command line)`)
}

/** Reads proxy and certificate file from the options; throws a UsageError if the proxy is not an address. */
async function routeOf(options: Readonly<Record<string, unknown>>): Promise<Invocation['route']> {
  const proxy = options.proxy as string | undefined
  if (proxy) {
    // The schema is imported only here, because schemas are slow to load and few command lines need this one.
    const { proxySetting } = await import('#shared/contract/settingFields.ts')
    const parsedProxy = proxySetting.safeParse(proxy)
    if (!parsedProxy.success) throw new UsageError(usageText.notProxy(parsedProxy.error.issues[0].message))
  }
  return { proxy, caFile: options['ca-file'] as string | undefined }
}

/** Tells whether the whole help is asked for, with `--help --all`. */
const isHelpOfAll = (argv: readonly string[]): boolean =>
  argv.includes('--all') && (argv.includes('--help') || argv.includes('-h'))

interface CommandLine extends ReturnType<typeof parseGiven> {
  command: CliCommand
  /** Action of the command; null if the help of all actions was requested. */
  action: Action | null
}

/**
 * Finds the command and action named by the arguments and parses the options, without running anything; throws a
 * UsageError if that fails.
 * @returns null for a command line without a command
 */
export async function readCommandLine(argv: readonly string[]): Promise<CommandLine | null> {
  const positionals = positionalsOf(argv, globalOptions)
  if (positionals.length === 0) return null
  const verb = positionals[0].value
  if (!Object.hasOwn(registry, verb)) throw unknownNameError('command', verb, Object.keys(registry))
  const { command } = await registry[verb]()
  const withoutVerb = argv.filter((_, index) => index !== positionals[0].index)
  const { action, argv: forAction } = chooseAction(command, withoutVerb)
  const { options, args } = parseGiven(forAction, action ?? { options: allOptions(command) })
  if (!options.help && !action) {
    const names = command.actions.map(({ name }) => name)
    throw new UsageError(usageText.actionMissing(verb, names))
  }
  return { command, action, options, args }
}

/** Handles a command line without a command: help, version, or a usage error. */
async function runWithoutCommand(argv: readonly string[], out: Output): Promise<ExitStatus> {
  const { options } = parse(
    argv.filter((word) => word !== '--all'),
    {},
  )
  if (options.version) return printVersion(out)
  const { programHelp, shortProgramHelp } = await import('./help.ts')
  const commands = await allCommands()
  const help = isHelpOfAll(argv) ? programHelp(commands) : shortProgramHelp(commands, Math.max(80, out.width ?? 80))
  if (!options.help) {
    out.problem(help)
    return exit.usage
  }
  out.line(help)
  return exit.done
}

async function printVersion(out: Output): Promise<ExitStatus> {
  const { version } = await import('./version.ts')
  out.result({ version }, () => [version])
  return exit.done
}

/** Merges the options of all actions of a command, to parse before the action is known; none is required. */
function allOptions(command: CliCommand): OptionTable {
  const optionEntries = command.actions.flatMap(({ options }) => Object.entries(options ?? {}))
  return Object.fromEntries(optionEntries.map(([name, spec]) => [name, asOptional(spec)]))
}

function asOptional(spec: OptionSpec): OptionSpec {
  if (!('required' in spec)) return spec
  const { required: _required, ...rest } = spec
  return rest
}

function chooseAction(
  command: CliCommand,
  argv: readonly string[],
): { action: Action | null; argv: readonly string[] } {
  const [firstAction] = command.actions
  if (firstAction.name === '') return { action: firstAction, argv }
  const word = positionalsOf(argv, { ...globalOptions, ...allOptions(command) }).at(0)
  if (!word) return { action: null, argv }
  const action = command.actions.find(({ name }) => name === word.value)
  if (!action)
    throw unknownValueError(
      `action of ${command.verb}`,
      word.value,
      command.actions.map(({ name }) => name),
    )
  return { action, argv: argv.filter((_, index) => index !== word.index) }
}
