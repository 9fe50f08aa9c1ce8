import { wrapWords } from './wrapWords.ts'
import type { Action, ArgumentSpec, CliCommand, OptionSpec, OptionTable } from './command.ts'
import { globalOptions, shortOptions } from './globalOptions.ts'
import { shortHelpText as t } from './text/terminalTexts.ts'

const WIDTH = 80
const INDENT = 7

/** A paragraph, a term with its description, or a line to type. Entries of an action stand below it, at level 1. */
export type HelpBlock =
  | { kind: 'text'; text: string }
  | { kind: 'entry'; term: string; text: string; level: 0 | 1 }
  | { kind: 'example'; text: string }

/** A section of a help in full, of which the terminal and the manual page show the same. */
export interface HelpSection {
  title: string
  blocks: readonly HelpBlock[]
}

const exitStatuses = [
  ['0', 'done'],
  ['1', 'failed; stderr says what failed, and what to do'],
  ['2', 'wrong usage'],
  ['3', 'partly done; the output says what failed'],
  ['4', 'done, and a check has a hit (check run, schedule run)'],
  ['130', 'interrupted; everything finished so far is kept'],
] as const

const environmentVariables = [
  ['PERPSCOPE_DATA_DIR', 'The data folder, if --data-dir is not given.'],
  ['PERPSCOPE_API_KEY', 'The API key, if the system has no keychain.'],
  ['PERPSCOPE_PORTFOLIO_KEY', 'The key of the portfolio service, if it has its own.'],
  [
    'PERPSCOPE_API_KEY_FILE',
    'A file of mode 0600 with the API key, if PERPSCOPE_API_KEY is not set, and with that of the portfolio service as a line portfolio=KEY.',
  ],
  ['PERPSCOPE_ENGINE_PASSWORD', 'The password of a ClickHouse server, if the system has no keychain.'],
  ['PERPSCOPE_STORE_KEY', 'The key of a shared store as ID:SECRET, if the system has no keychain.'],
  ['NO_COLOR', 'Turns off colours, whatever its value.'],
] as const

export function programHelp(commands: readonly CliCommand[]): string {
  return page([
    { title: 'NAME', blocks: [text(`perpscope - ${PROGRAM_SUMMARY}`)] },
    { title: 'SYNOPSIS', blocks: [text(PROGRAM_SYNOPSIS)] },
    { title: 'COMMANDS', blocks: commands.map(({ verb, summary }) => entry(verb, summary)) },
    ...programSections(),
    { title: 'SEE ALSO', blocks: [text('perpscope help COMMAND describes one command, and with --all in full.')] },
  ])
}

export const PROGRAM_SUMMARY = 'research workstation for perpetual-swap data, on the command line'
export const PROGRAM_SYNOPSIS = 'perpscope [OPTIONS] COMMAND [ARGUMENTS]'

/** Returns what holds for all commands. */
export const programSections = (): HelpSection[] => [
  { title: 'OPTIONS', blocks: optionEntries(globalOptions) },
  ...closingSections(),
]

/** Writes the help that fits a screen: each command on one line, and where to begin. */
export function shortProgramHelp(commands: readonly CliCommand[], width = WIDTH): string {
  const entries = commands.map(({ verb, summary }): [string, string] => [verb, summary])
  return [t.program, '', ...briefEntries(t.commands, entries, width), '', ...t.programClosing].join('\n')
}

/** Largest number of lines of a short help. */
const MOST_SHORT_LINES = 60

/** Writes the help that fits a screen: usage, each option or action on one line, and examples. */
export function shortHelp(command: CliCommand, action: Action | null, width = WIDTH): string {
  const { verb, summary, examples = [], actions } = command
  const shown = action ?? (actions.length === 1 ? actions[0] : null)
  const name = [verb, shown?.name].filter(Boolean).join(' ')
  const ofAction = examples.filter((example) => example.includes(`perpscope ${name}`))
  const title = `perpscope ${name} - ${shown?.name ? shown.summary : summary}`
  const lines = [
    ...wrap(title, 0),
    '',
    ...(shown
      ? actionBrief(verb, shown, width)
      : briefEntries(
          t.actions,
          actions.map((each) => [each.name, each.summary]),
          width,
        )),
    '',
  ]
  const closing = [...(shown ? [] : wrap(t.action(verb), 0)), ...wrap(t.whole(verb), 0)]
  const room = MOST_SHORT_LINES - lines.length - closing.length - 2
  const shownExamples = (ofAction.length > 0 ? ofAction : examples).slice(0, Math.max(0, Math.min(3, room)))
  const exampleLines = shownExamples.length > 0 ? [t.examples, ...shownExamples.map((each) => `  ${each}`), ''] : []
  return [...lines, ...exampleLines, ...closing].join('\n')
}

function actionBrief(verb: string, action: Action, width: number): string[] {
  const { args = [], options = {} } = action
  const needed = Object.entries(options).flatMap(([name, spec]) =>
    spec.type !== 'flag' && spec.required ? [`--${name}${placeholder(spec)}`] : [],
  )
  const names = args.map((arg) => {
    const shownName = arg.many ? `${arg.name}…` : arg.name
    return arg.optional ? `[${shownName}]` : shownName
  })
  const hasOthers = Object.keys(options).length > needed.length
  const usage = ['perpscope', verb, action.name, ...names, ...needed, hasOthers ? '[OPTIONS]' : '']
  const entries: [string, string][] = [
    ...args.map(({ name, description }): [string, string] => [name, description]),
    ...Object.entries(options).map(([name, spec]): [string, string] => [
      `--${name}${placeholder(spec)}`,
      spec.description,
    ]),
  ]
  return [
    `${t.usage} ${usage.filter(Boolean).join(' ')}`,
    ...(entries.length > 0 ? ['', ...briefEntries(t.options, entries, width)] : []),
  ]
}

/** Widest term of an entry that is described on the same line. */
const WIDEST_TERM = 26

/** Writes entries on one line each, which an ellipsis cuts to the width. */
function briefEntries(title: string, entries: readonly (readonly [string, string])[], width: number): string[] {
  const termWidth = Math.min(WIDEST_TERM, Math.max(...entries.map(([term]) => term.length)))
  const lines = entries.map(([term, description]) => `  ${term.padEnd(termWidth)}  ${description}`)
  return [title, ...lines.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line))]
}

export function commandHelp(command: CliCommand): string {
  const { verb, summary, examples = [] } = command
  return page([
    { title: 'NAME', blocks: [text(`perpscope ${verb} - ${summary}`)] },
    ...commandSections(command),
    { title: 'GLOBAL OPTIONS', blocks: optionEntries(globalOptions) },
    ...closingSections(),
    { title: 'EXAMPLES', blocks: examples.map((each) => ({ kind: 'example', text: each })) },
  ])
}

/** Returns what holds for one command only. */
export function commandSections({ verb, description = [], actions }: CliCommand): HelpSection[] {
  const [action] = actions
  const isSingleAction = actions.length === 1 && action.name === ''
  return [
    { title: 'SYNOPSIS', blocks: actions.map((each) => text(synopsis(verb, each))) },
    { title: 'DESCRIPTION', blocks: description.map(text) },
    ...(isSingleAction
      ? [
          { title: 'ARGUMENTS', blocks: argumentEntries(action.args) },
          { title: 'OPTIONS', blocks: optionEntries(action.options) },
        ]
      : [{ title: 'ACTIONS', blocks: actions.flatMap(actionEntries) }]),
  ]
}

/** Formats a synopsis such as `perpscope connection add NAME [--tier N]`. */
export function synopsis(verb: string, { name, args = [], options = {} }: Action): string {
  const description = args.map((arg) => {
    const shownName = arg.many ? `${arg.name}…` : arg.name
    return arg.optional ? `[${shownName}]` : shownName
  })
  const shownOptions = Object.entries(options).map(([option, spec]) => {
    const shown = `--${option}${placeholder(spec)}`
    return spec.type !== 'flag' && spec.required ? shown : `[${shown}]`
  })
  return ['perpscope', verb, name, ...description, ...shownOptions].filter(Boolean).join(' ')
}

function closingSections(): HelpSection[] {
  return [
    { title: 'EXIT STATUS', blocks: exitStatuses.map(([status, description]) => entry(status, description)) },
    { title: 'ENVIRONMENT', blocks: environmentVariables.map(([name, description]) => entry(name, description)) },
  ]
}

type Level = 0 | 1

const text = (paragraph: string): HelpBlock => ({ kind: 'text', text: paragraph })
const entry = (term: string, description: string, level: Level = 0): HelpBlock => ({
  kind: 'entry',
  term,
  text: description,
  level,
})

const actionEntries = ({ name, summary, args, options }: Action): HelpBlock[] => [
  entry(name, summary),
  ...argumentEntries(args, 1),
  ...optionEntries(options, 1),
]

const argumentEntries = (args: readonly ArgumentSpec[] = [], level: Level = 0): HelpBlock[] =>
  args.map(({ name, description, values }) => entry(name, withValues(description, values), level))

function optionEntries(options: OptionTable = {}, level: Level = 0): HelpBlock[] {
  return Object.entries(options).map(([name, spec]) => {
    const short = Object.keys(shortOptions).find((letter) => shortOptions[letter] === name)
    const values = 'values' in spec ? spec.values : undefined
    const term = `${short ? `-${short}, ` : ''}--${name}${placeholder(spec)}`
    return entry(term, withValues(spec.description, values), level)
  })
}

const placeholder = (spec: OptionSpec) => (spec.type === 'flag' ? '' : ` ${spec.value}`)

const withValues = (description: string, values?: readonly string[]) =>
  values ? `${description} One of: ${values.join(', ')}.` : description

const wrap = (description: string, indent: number): string[] =>
  wrapWords(description, WIDTH - indent).map((line) => ' '.repeat(indent) + line)

/** Columns by which the entries of an action are indented. */
const LEVEL_INDENT = 4

function blockLines(block: HelpBlock): string[] {
  if (block.kind === 'example') return [' '.repeat(INDENT) + block.text]
  if (block.kind === 'text') return wrap(block.text, INDENT)
  const shift = LEVEL_INDENT * block.level
  const lines = [' '.repeat(INDENT) + block.term, ...wrap(block.text, INDENT + 6)]
  return lines.map((line) => ' '.repeat(shift) + line)
}

/** Paragraphs of a description are set apart; the lines of a synopsis belong together. */
const sectionText = ({ title, blocks }: HelpSection): string =>
  `${title}\n${blocks.map((block) => blockLines(block).join('\n')).join(title === 'DESCRIPTION' ? '\n\n' : '\n')}`

const page = (sections: readonly HelpSection[]): string =>
  sections
    .filter(({ blocks }) => blocks.length > 0)
    .map(sectionText)
    .join('\n\n')
