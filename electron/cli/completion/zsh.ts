import type { Action, ArgumentSpec, CliCommand, OptionSpec, OptionTable } from '../command.ts'
import { globalOptions, shortOptions } from '../globalOptions.ts'
import { hasNamedActions, optionValues } from './model.ts'

export function zshScript(commands: readonly CliCommand[]): string {
  return `#compdef perpscope
# perpscope: completion for zsh
_perpscope() {
  local curcontext="$curcontext" state line
  local -a globals=(
${optionSpecs(globalOptions).map(indented(4)).join('\n')}
  )
  _arguments -C $globals ${choiceSpec('1', 'command', describedChoices(commands, 'verb'))} '*::argument:->arguments'
  [[ $state == arguments ]] || return
  case $line[1] in
${commands.flatMap(commandCase).map(indented(4)).join('\n')}
  esac
}
if [[ $funcstack[1] == _perpscope ]]; then _perpscope "$@"; else compdef _perpscope perpscope; fi`
}

const indented = (count: number) => (line: string) => ' '.repeat(count) + line

function commandCase(command: CliCommand): string[] {
  const { verb, actions } = command
  if (!hasNamedActions(command)) return [`${verb}) _arguments $globals ${specsOf(actions[0])} ;;`]
  return [
    `${verb})`,
    `  _arguments -C $globals ${choiceSpec('1', 'action', describedChoices(actions, 'name'))} '*::argument:->action'`,
    '  [[ $state == action ]] || return',
    '  case $line[1] in',
    ...actions.map((action) => `    ${action.name}) _arguments $globals ${specsOf(action)} ;;`),
    '  esac ;;',
  ]
}

const specsOf = ({ args = [], options = {} }: Action) =>
  [...optionSpecs(options), ...args.map((arg, index) => argumentSpec(arg, index))].join(' ')

function argumentSpec({ name, values, path, many }: ArgumentSpec, index: number): string {
  const completer = values ? `(${values.join(' ')})` : path ? '_files' : ' '
  return quoted(`${many ? '*' : index + 1}:${escaped(name)}:${completer}`)
}

function optionSpecs(options: OptionTable): string[] {
  return Object.entries(options).flatMap(([name, spec]) => {
    const shorts = Object.keys(shortOptions).filter((letter) => shortOptions[letter] === name)
    return [`--${name}`, ...shorts.map((letter) => `-${letter}`)].map((flag) => optionSpec(flag, spec))
  })
}

function optionSpec(flag: string, spec: OptionSpec): string {
  const description = `${flag}[${escaped(spec.description)}]`
  if (spec.type === 'flag') return quoted(description)
  const values = optionValues(spec)
  const completer = values ? `(${values.join(' ')})` : spec.type === 'path' ? '_files' : ' '
  return quoted(`${description}:${escaped(spec.value)}:${completer}`)
}

const choiceSpec = (place: string, title: string, choices: readonly string[]) =>
  quoted(`${place}:${title}:((${choices.join(' ')}))`)

function describedChoices<Key extends 'verb' | 'name'>(
  entries: readonly ({ summary: string } & Record<Key, string>)[],
  key: Key,
): string[] {
  return entries.map((entry) => `${entry[key]}\\:"${escaped(entry.summary).replaceAll('"', '')}"`)
}

/** Escapes brackets and colons, which have a special meaning in zsh's argument specifications. */
const escaped = (text: string) => text.replace(/[[\]:]/g, (character) => `\\${character}`)

const quoted = (spec: string) => `'${spec.replaceAll("'", `'\\''`)}'`
