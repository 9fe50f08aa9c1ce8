import type { Action, ArgumentSpec, CliCommand, OptionSpec, OptionTable } from '../command.ts'
import { globalOptions, shortOptions } from '../globalOptions.ts'

/** A place on the command line where words are completed: after a verb, or after an action if the verb has actions. */
interface CommandPosition {
  verb: string
  /** Name of the action; empty if the command is run without naming one. */
  action: string
  args: readonly ArgumentSpec[]
  options: OptionTable
}

export function positionsOf(commands: readonly CliCommand[]): CommandPosition[] {
  return commands.flatMap(({ verb, actions }) =>
    actions.map(({ name, args = [], options = {} }) => ({ verb, action: name, args, options })),
  )
}

export const hasNamedActions = ({ actions }: CliCommand): boolean => actions.some(({ name }: Action) => name !== '')

export const optionNames = (options: OptionTable): string[] => Object.keys(options).map((name) => `--${name}`)

export const globalNames = [...optionNames(globalOptions), ...Object.keys(shortOptions).map((letter) => `-${letter}`)]

/** Lists the options, of any command, that take a value. */
export function valueOptionNames(commands: readonly CliCommand[]): string[] {
  const tables: OptionTable[] = [globalOptions, ...positionsOf(commands).map(({ options }) => options)]
  const names = tables.flatMap((table) => Object.keys(table).filter((name) => table[name].type !== 'flag'))
  return [...new Set(names)].map((name) => `--${name}`)
}

/** Returns the fixed values of an option, or null if any value is allowed. */
export const optionValues = (spec: OptionSpec): readonly string[] | null =>
  'values' in spec ? (spec.values ?? null) : null
