import { usageText } from './text/messages.ts'
import { parseArgs } from 'node:util'
import type { Action, ArgumentSpec, OptionSpec, OptionTable } from './command.ts'
import { globalOptions, shortOptions } from './globalOptions.ts'
import { resolveDays } from './relativeDays.ts'
import { MissingOptions, UsageError, unknownValueError, unknownNameError } from './usageError.ts'

type GivenOptions = Record<string, boolean | string | number | string[] | undefined>

/** A positional argument with its position on the command line. */
interface Positional {
  index: number
  value: string
}

function tokensOf(argv: readonly string[], table: OptionTable) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { type }]) => [name, { type: type === 'flag' ? 'boolean' : 'string' } as const]),
  )
  for (const [short, name] of Object.entries(shortOptions)) Object.assign(options[name] ?? {}, { short })
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

/** Lists the positional arguments; the table tells which options take a value. */
export function positionalsOf(argv: readonly string[], table: OptionTable): Positional[] {
  return tokensOf(argv, table).flatMap((token) =>
    token.kind === 'positional' ? [{ index: token.index, value: token.value }] : [],
  )
}

/** Parses options and arguments; throws a UsageError that names the problem, also if something required is missing. */
export function parse(
  argv: readonly string[],
  action: Pick<Action, 'args' | 'options' | 'missing'>,
): { options: GivenOptions; args: string[] } {
  const parsed = parseGiven(argv, action)
  if (!parsed.options.help) checkRequired(parsed, action)
  return parsed
}

/** Parses options and arguments without asking for what is required. */
export function parseGiven(
  argv: readonly string[],
  { options = {} }: Pick<Action, 'options'>,
  nowMs = Date.now(),
): { options: GivenOptions; args: string[] } {
  const table: OptionTable = { ...globalOptions, ...options }
  const given: GivenOptions = {}
  const positionals: string[] = []
  for (const token of tokensOf(argv, table)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind === 'option') readOption(given, table, token)
  }
  for (const [name, spec] of Object.entries(table)) if (spec.type === 'flag') given[name] ??= false
  resolveDays(given, table, nowMs)
  return { options: given, args: positionals }
}

/** Checks that every required option and argument is given. */
export function checkRequired(
  { options: given, args: positionals }: { options: GivenOptions; args: readonly string[] },
  { args = [], options = {}, missing }: Pick<Action, 'args' | 'options' | 'missing'>,
): void {
  const further = missing?.(given as Parameters<typeof missing>[0], positionals) ?? []
  const names = Object.entries<OptionSpec>(options).flatMap(([name, spec]) => {
    if (spec.type === 'flag' || given[name] !== undefined) return []
    return spec.required || further.includes(name) ? [`${name} ${spec.value}`] : []
  })
  if (names.length > 0) throw new MissingOptions(names)
  checkArguments(positionals, args)
}

function readOption(
  given: GivenOptions,
  table: OptionTable,
  { name, rawName, value, inlineValue }: { name: string; rawName: string; value?: string; inlineValue?: boolean },
): void {
  const spec = Object.hasOwn(table, name) ? table[name] : undefined
  if (!spec) {
    const known = Object.keys(table).map((each) => `--${each}`)
    throw unknownNameError('option', rawName, known)
  }
  if (spec.type === 'flag') {
    if (value !== undefined) throw new UsageError(usageText.noValue(name))
    given[name] = true
    return
  }
  if (value === undefined || (/^-(?!\d)./.test(value) && !inlineValue))
    throw new UsageError(usageText.valueMissing(name, spec.value))
  const parsedValue = readValue(name, spec, value)
  given[name] = Array.isArray(parsedValue)
    ? [...(Array.isArray(given[name]) ? given[name] : []), ...parsedValue]
    : parsedValue
}

function readValue(
  name: string,
  spec: Exclude<OptionSpec, { type: 'flag' }>,
  text: string,
): string | number | string[] {
  if (spec.type === 'integer') {
    const number = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : NaN
    if (!(number >= spec.min && number <= spec.max))
      throw new UsageError(usageText.notInteger(name, spec.min, spec.max, text))
    return number
  }
  if (spec.type === 'path') {
    if (text === '') throw new UsageError(usageText.empty(name))
    return text
  }
  const parts = spec.type === 'list' ? text.split(',').map((part) => part.trim()) : [text]
  for (const part of parts) {
    if (part === '') throw new UsageError(usageText.empty(name))
    if (spec.type !== 'repeated' && spec.values && !spec.values.includes(part))
      throw unknownValueError(`value for --${name}`, part, spec.values)
  }
  return spec.type === 'list' || spec.type === 'repeated' ? parts : text
}

function checkArguments(positionals: readonly string[], args: readonly ArgumentSpec[]): void {
  args.forEach((arg, index) => {
    const givenArguments = arg.many ? positionals.slice(index) : positionals.slice(index, index + 1)
    if (givenArguments.length === 0 && !arg.optional)
      throw new UsageError(usageText.argumentMissing(arg.name, arg.description, arg.values))
    for (const word of givenArguments) {
      // An empty path would become the current folder.
      if (arg.path && word === '') throw new UsageError(usageText.emptyArgument(arg.name))
      if (arg.values && !arg.values.includes(word)) throw unknownValueError(arg.name, word, arg.values)
    }
  })
  const last = args.at(-1)
  if (!last?.many && positionals.length > args.length)
    throw new UsageError(usageText.extraArgument(positionals[args.length]))
}
