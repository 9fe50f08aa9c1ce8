import type { CliCommand, OptionSpec } from '../../../electron/cli/command.ts'
import { exit } from '../../../electron/cli/command.ts'
import { globalOptions, shortOptions } from '../../../electron/cli/globalOptions.ts'
import { allCommands } from '../../../electron/cli/registry.ts'
import { sortedSet, type Promises } from './promises.ts'

/**
 * Lists commands, actions, arguments, options and exit statuses, from the data used for parsing, help and completion.
 */
export async function commandPromises(): Promise<Promises> {
  const actions = (await allCommands()).flatMap((command) =>
    command.actions.map((action) => ({ name: nameOf(command, action.name), ...pick(action) })),
  )
  const all = { name: '(every command)', options: globalOptions }
  return {
    commands: sortedSet(actions.map(({ name }) => name)),
    'command arguments': sortedSet(
      actions.flatMap(({ name, args }) => args.flatMap((arg, at) => argumentLines(`${name} argument ${at + 1}`, arg))),
    ),
    'command options': sortedSet(
      [all, ...actions].flatMap(({ name, options }) =>
        Object.entries<OptionSpec>(options).flatMap(([option, spec]) => optionLines(`${name} --${option}`, spec)),
      ),
    ),
    'short options': sortedSet(Object.entries(shortOptions).map(([short, long]) => `-${short} is --${long}`)),
    'exit statuses': sortedSet(Object.values(exit).map(String)),
  }
}

type Action = CliCommand['actions'][number]
const nameOf = ({ verb }: CliCommand, action: string) => (action === '' ? verb : `${verb} ${action}`)
const pick = ({ args = [], options = {} }: Action) => ({ args, options })

function argumentLines(at: string, { values, many, optional }: NonNullable<Action['args']>[number]): string[] {
  return [
    at,
    ...(optional ? [`${at} may be left out`] : []),
    ...(many ? [`${at} takes several`] : []),
    ...(values ?? []).map((value) => `${at} = ${value}`),
  ]
}

function optionLines(at: string, spec: OptionSpec): string[] {
  const isOptional = spec.type === 'flag' || !spec.required
  return [
    `${at}: ${spec.type}`,
    ...(isOptional ? [`${at} may be left out`] : []),
    ...(spec.type === 'integer' ? [`${at} from ${spec.min} to ${spec.max}`] : []),
    ...('values' in spec ? (spec.values ?? []) : []).map((value) => `${at} = ${value}`),
  ]
}
