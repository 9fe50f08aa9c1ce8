import type { CliCommand, OptionSpec } from '../command.ts'
import { globalOptions } from '../globalOptions.ts'
import { globalNames, hasNamedActions, optionNames, positionsOf, valueOptionNames, optionValues } from './model.ts'

/** Writes a completion script that needs only bash itself (3.2, as on macOS, or newer). */
export function bashScript(commands: readonly CliCommand[]): string {
  return `# perpscope: completion for bash
_perpscope() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local verb= action= index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case $word in
      ${valueOptionNames(commands).join('|')}) ((index++)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=$word; elif [[ -z $action ]]; then action=$word; fi ;;
    esac
  done
  local words= files=
  case $verb/$action/$previous in
${[...optionCases(commands), ...wordCases(commands)].map((line) => `    ${line}`).join('\n')}
  esac
  COMPREPLY=()
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); fi
  if [[ -n $files ]]; then
    type compopt &>/dev/null && compopt -o filenames 2>/dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _perpscope perpscope`
}

const wordsAssignment = (candidates: readonly string[]) => `words="${candidates.join(' ')}"`

/** Returns the cases that complete the value of an option. */
function optionCases(commands: readonly CliCommand[]): string[] {
  const valueCase = (pattern: string, spec: OptionSpec) => {
    const values = optionValues(spec)
    if (values) return `${pattern}) ${wordsAssignment(values)} ;;`
    return spec.type === 'path' ? `${pattern}) files=1 ;;` : `${pattern}) ;;`
  }
  const actionCases = positionsOf(commands).flatMap(({ verb, action, options }) =>
    Object.entries(options)
      .filter(([, spec]) => spec.type !== 'flag')
      .map(([name, spec]) => valueCase(`${verb}/${action || '*'}/--${name}`, spec)),
  )
  const globalCases = Object.entries<OptionSpec>(globalOptions)
    .filter(([, spec]) => spec.type !== 'flag')
    .map(([name, spec]) => valueCase(`*/--${name}`, spec))
  return [...actionCases, ...globalCases]
}

/** Returns the cases that complete a word that is not the value of an option. */
function wordCases(commands: readonly CliCommand[]): string[] {
  const firstWordCase = `//*) ${wordsAssignment([...commands.map(({ verb }) => verb), ...globalNames])} ;;`
  const verbCases = commands
    .filter(hasNamedActions)
    .map(
      ({ verb, actions }) => `${verb}//*) ${wordsAssignment([...actions.map(({ name }) => name), ...globalNames])} ;;`,
    )
  const argumentCases = positionsOf(commands).map(({ verb, action, args, options }) => {
    const candidates = [...args.flatMap(({ values = [] }) => values), ...optionNames(options), ...globalNames]
    const filesFlag = args.some(({ path }) => path) ? '; files=1' : ''
    return `${verb}/${action || '*'}/*) ${wordsAssignment(candidates)}${filesFlag} ;;`
  })
  return [firstWordCase, ...verbCases, ...argumentCases]
}
