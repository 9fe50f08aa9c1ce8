import type { CliCommand, OptionSpec, OptionTable } from '../command.ts'
import { globalOptions, shortOptions } from '../globalOptions.ts'
import { bashScript } from './bash.ts'
import { hasNamedActions, positionsOf, optionValues } from './model.ts'
import { zshScript } from './zsh.ts'

/** Functions that write the completion scripts, from the same data as parsing and help. */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', (commands: readonly CliCommand[]) => string>> =
  {
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  }

function fishScript(commands: readonly CliCommand[]): string {
  const verbs = commands.map(({ verb }) => verb).join(' ')
  const actionLines = commands.filter(hasNamedActions).flatMap(({ verb, actions }) => {
    const actionNames = actions.map(({ name }) => name).join(' ')
    const condition = `__fish_seen_subcommand_from ${verb}; and not __fish_seen_subcommand_from ${actionNames}`
    return actions.map(({ name, summary }) => wordLine(condition, name, summary))
  })
  const positionLines = positionsOf(commands).flatMap(({ verb, action, args, options }) => {
    const conditions = ['__fish_seen_subcommand_from ' + verb, action && `__fish_seen_subcommand_from ${action}`]
    const condition = conditions.filter(Boolean).join('; and ')
    const values = args.flatMap((arg) => (arg.values ?? []).map((value) => wordLine(condition, value, arg.description)))
    const files = args.some(({ path }) => path) ? [`complete -c perpscope -n ${quoted(condition)} -F`] : []
    return [...values, ...files, ...optionLines(options, condition)]
  })
  return [
    '# perpscope: completion for fish',
    'complete -c perpscope -f',
    ...commands.map(({ verb, summary }) => wordLine(`not __fish_seen_subcommand_from ${verbs}`, verb, summary)),
    ...optionLines(globalOptions, null),
    ...actionLines,
    ...positionLines,
  ].join('\n')
}

const wordLine = (condition: string, word: string, description: string) =>
  `complete -c perpscope -n ${quoted(condition)} -a ${quoted(word)} -d ${quoted(description)}`

function optionLines(options: OptionTable, condition: string | null): string[] {
  return Object.entries(options).map(([name, spec]) => {
    const short = Object.keys(shortOptions).find((letter) => shortOptions[letter] === name)
    const conditionFlag = condition ? ` -n ${quoted(condition)}` : ''
    return `complete -c perpscope${conditionFlag} -l ${name}${short ? ` -s ${short}` : ''}${valuePart(spec)} -d ${quoted(spec.description)}`
  })
}

function valuePart(spec: OptionSpec): string {
  if (spec.type === 'flag') return ''
  const values = optionValues(spec)
  if (values) return ` -x -a ${quoted(values.join(' '))}`
  return spec.type === 'path' ? ' -r -F' : ' -x'
}

const quoted = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
