/** Writes the manual page of the command line from the same descriptions as its help. */
import type { CliCommand } from '../../electron/cli/command.ts'
import {
  commandSections,
  type HelpBlock,
  type HelpSection,
  PROGRAM_SUMMARY,
  PROGRAM_SYNOPSIS,
  programSections,
} from '../../electron/cli/help.ts'

interface ManPage {
  commands: readonly CliCommand[]
  version: string
  /** Day of the release. */
  day: string
}

export const manPage = ({ commands, version, day }: ManPage): string =>
  [
    `.TH PERPSCOPE 1 "${day}" "perpscope ${version}" "User Commands"`,
    // Examples and long options are not cut, and words are not spread over the line.
    '.nh',
    '.ad l',
    '.SH NAME',
    ...lines(`perpscope - ${PROGRAM_SUMMARY}`),
    '.SH SYNOPSIS',
    ...lines(PROGRAM_SYNOPSIS),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    ...programSections().flatMap(sectionLines),
    '.SH EXAMPLES',
    ...commands.flatMap(({ examples = [] }) => exampleLines(examples)),
    '',
  ]
    // A section begins with a paragraph by itself.
    .filter((line, at, all) => line !== '.PP' || !/^\.S[HS]/.test(all[at - 1]))
    .join('\n')

function commandLines(command: CliCommand): string[] {
  const sections = commandSections(command).filter(({ blocks }) => blocks.length > 0)
  return [
    `.SS "${escaped(`perpscope ${command.verb} - ${command.summary}`).replaceAll('"', '\\(dq')}"`,
    ...sections.flatMap(({ blocks }) => blocksLines(blocks)),
  ]
}

const sectionLines = ({ title, blocks }: HelpSection): string[] => [`.SH ${title}`, ...blocksLines(blocks)]

/** Writes blocks; those of level 1 are indented below the entry before them. */
function blocksLines(blocks: readonly HelpBlock[]): string[] {
  let level = 0
  const written = blocks.flatMap((block) => {
    const next = block.kind === 'entry' ? block.level : 0
    const shift = next > level ? ['.RS'] : next < level ? ['.RE'] : []
    level = next
    return [...shift, ...blockLines(block)]
  })
  return level > 0 ? [...written, '.RE'] : written
}

function blockLines(block: HelpBlock): string[] {
  if (block.kind === 'text') return ['.PP', ...lines(block.text)]
  if (block.kind === 'example') return exampleLines([block.text])
  return ['.TP', `\\fB${escaped(block.term)}\\fR`, ...lines(block.text)]
}

const exampleLines = (examples: readonly string[]): string[] =>
  examples.flatMap((example) => ['.PP', '.nf', guarded(escaped(example)), '.fi'])

const WIDTH = 78

/** Writes a text in short lines, as tools that check manual pages want it. */
function lines(text: string): string[] {
  const written: string[] = []
  for (const word of text.split(/\s+/).map((each) => escaped(each, '\\:'))) {
    const last = written.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) written[written.length - 1] = `${last} ${word}`
    else written.push(word)
  }
  return written.map(guarded)
}

/** Keeps a line that begins as a request does from being one. */
const guarded = (line: string): string => (/^[.']/.test(line) ? `\\&${line}` : line)

const quotes: Readonly<Record<string, string>> = {
  '“': '\\(lq',
  '”': '\\(rq',
  '’': '\\(cq',
  '–': '\\(en',
  '—': '\\(em',
}

/** Characters after which a long word, such as an address or a document, may be broken. */
const breaks = /(?<=.{20}[,&/])(?=.{20})/g

/**
 * Writes a text in ASCII, with hyphens that stay the character that one types.
 *
 * @param breaking what stands where a long word may be broken
 */
const escaped = (text: string, breaking = ''): string =>
  text
    .replaceAll('\\', '\\(rs')
    .replace(breaks, breaking)
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(/[^\0-\x7f]/gu, (character) => quotes[character] ?? `\\[u${codeOf(character)}]`)

const codeOf = (character: string): string => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
