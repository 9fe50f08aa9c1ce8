import type { Progress } from '#shared/contract/protocol.ts'
import { cutText } from '#shared/units/fileNames.ts'
import { jsonPieces } from '#shared/units/jsonPieces.ts'
import { plainAscii, terminalCell, terminalText } from '#shared/units/terminalText.ts'
import { wrapWords } from './wrapWords.ts'
import { exactJson } from '#shared/units/exactJson.ts'

/** Properties of a stream that printing uses. */
export interface Sink {
  write(data: string | Uint8Array): unknown
  isTTY?: boolean
  columns?: number
}

/** Output of a command; results go to stdout, everything else to stderr. */
export interface Output {
  json: boolean
  /** True if stdout is a terminal. */
  isTerminal: boolean
  /** Columns of the terminal; null if stdout is none. */
  width: number | null
  /** Prints the result: one JSON document with `--json`, else the lines, each when it is made. */
  result(document: unknown, lines: () => Iterable<string>): void
  /** Prints one record of a streamed result: a line of JSON with `--json`, else the text. */
  record(document: unknown, text: () => string): void
  /** Prints a line of a text result, such as a row of a table. */
  line(text: string): void
  /**
   * Prints text for other programs as it is, without adding a line ending; on a terminal, control characters are
   * replaced.
   */
  data(text: string): void
  /** Prints bytes for other programs; not to be called if stdout is a terminal. */
  bytes(bytes: Uint8Array): void
  /** Prints a note on stderr, unless `--quiet` is given. */
  note(text: string): void
  /** Prints an error on stderr, even with `--quiet`. */
  problem(text: string): void
  /** Shows progress: a bar that repaints itself on a terminal, plain lines elsewhere. */
  progress(progress: Progress): void
}

export interface OutputOptions {
  json: boolean
  quiet: boolean
  stdout: Sink
  stderr: Sink
  env: Readonly<Record<string, string | undefined>>
}

const RED = 31
const BAR_WIDTH = 24
/**
 * Number of steps between 0 and 100 % at which progress is printed where no bar can be shown; more lines would fill a
 * log.
 */
const PLAIN_STEPS = 10

export function createOutput({ json, quiet, stdout, stderr, env }: OutputOptions): Output {
  const canRepaint = stderr.isTTY === true && env.TERM !== 'dumb'
  const coloured = canRepaint && !env.NO_COLOR
  let isBarShown = false
  let lastStep = ''

  const wipe = () => {
    if (isBarShown) stderr.write('\r\x1b[K')
    isBarShown = false
  }
  const toStdout = (text: string) => {
    wipe()
    stdout.write(`${terminalText(text)}\n`)
  }
  const toStderr = (text: string) => {
    wipe()
    stderr.write(`${text}\n`)
  }
  return {
    json,
    isTerminal: stdout.isTTY === true,
    width: stdout.isTTY === true ? (stdout.columns ?? 80) : null,
    result(document, lines) {
      if (!json) {
        for (const line of lines()) toStdout(line)
        return
      }
      wipe()
      // The final line ending is written together with the last chunk, because a reader that already has the whole
      // document may have closed the pipe.
      let last = ''
      for (const chunk of jsonPieces(document, exactJson)) {
        if (last !== '') stdout.write(last)
        last = terminalText(chunk)
      }
      stdout.write(`${last}\n`)
    },
    record: (document, text) => toStdout(json ? exactJson(document) : text()),
    line: toStdout,
    data(text) {
      wipe()
      // A program gets every byte unchanged; for a terminal, control characters are replaced, because it would execute
      // them.
      stdout.write(stdout.isTTY ? terminalText(text) : text)
    },
    bytes(bytes) {
      wipe()
      stdout.write(bytes)
    },
    note: (text) => {
      if (!quiet) toStderr(terminalText(text))
    },
    problem: (text) => toStderr(coloured ? `\x1b[${RED}m${terminalText(text)}\x1b[0m` : terminalText(text)),
    progress(progress) {
      if (quiet) return
      if (canRepaint) {
        stderr.write(`\r\x1b[K${barOf(progress, stderr.columns ?? 80)}`)
        isBarShown = true
        return
      }
      const step = stepOf(progress)
      if (step === lastStep) return
      lastStep = step
      toStderr(terminalText(lineOf(progress)))
    },
  }
}

function shareOf({ done, total }: Progress): number | null {
  return total === null || total <= 0 ? null : Math.min(1, Math.max(0, done / total))
}

function barOf(progress: Progress, columns: number): string {
  const share = shareOf(progress)
  if (share === null) return cutText(terminalCell(progress.message), columns - 1)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  // The message comes last, because a narrow terminal cuts off the end.
  return cutText(`${bar} ${Math.floor(share * 100)} % ${terminalCell(progress.message)}`, columns - 1)
}

function lineOf(progress: Progress): string {
  const share = shareOf(progress)
  return share === null ? progress.message : `${progress.message}: ${Math.floor(share * 100)} %`
}

function stepOf(progress: Progress): string {
  const share = shareOf(progress)
  return share === null ? progress.message : String(Math.floor(share * PLAIN_STEPS))
}

/** Width of the terminal that this process prints to; null if it prints to none. */
const terminalWidth = (): number | null => (process.stdout.isTTY ? process.stdout.columns : null)

/** Texts of a table, its header first; a long table makes each when it is asked for. */
export interface TextTable {
  rows: number
  columns: number
  cell: (row: number, column: number) => string
}

/**
 * Aligns columns by the width of their content, numbers on the right, without trailing blanks. In a table that is wider
 * than the terminal, sentences in the last column continue on lines below. Otherwise it is folded: the columns that do not
 * fit stand in further tables below, whose rows are named as in the first, if they say anything.
 */
export function tableLines(
  cells: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
  width: number | null = terminalWidth(),
): string[] {
  const columns = cells.reduce((most, row) => Math.max(most, row.length), 0)
  const rows = cells.map((row) => row.map(terminalCell))
  return [
    ...alignedTable({ rows: rows.length, columns, cell: (row, column) => rows[row][column] ?? '' }, isNumber, width),
  ]
}

/** Aligns a table as `tableLines` does, line by line; its cells must be texts for one field of a line. */
export function* alignedTable(
  table: TextTable,
  isNumber: (column: number) => boolean,
  width: number | null = terminalWidth(),
): Generator<string> {
  const widths = columnWidths(table)
  if (width === null) return yield* aligned(table, isNumber, widths)
  const lines = fittingLines(aligned(table, isNumber, widths), width) ?? withBrokenSentences(table, isNumber, width)
  if (lines) return yield* lines
  const { named, shift } = namedRows(table)
  const isNumberOf = (column: number) => column >= shift && isNumber(column - shift)
  const namedWidths = shift === 0 ? widths : columnWidths(named)
  for (const [at, columns] of columnBlocks(namedWidths, width).entries()) {
    const block = {
      rows: named.rows,
      columns: columns.length,
      cell: (row: number, column: number) => named.cell(row, columns[column]),
    }
    if (at > 0 && !saysAnything(block)) continue
    const isNumberHere = (column: number) => isNumberOf(columns[column])
    if (at > 0) yield ''
    const blockLines =
      withBrokenSentences(block, isNumberHere, width) ??
      aligned(
        block,
        isNumberHere,
        columns.map((column) => namedWidths[column]),
      )
    for (const line of blockLines) yield cutText(line, width)
  }
}

/** Puts a column of numbers before a table whose first column does not tell its rows apart. */
function namedRows({ rows, columns, cell }: TextTable): { named: TextTable; shift: 0 | 1 } {
  const first = Array.from({ length: rows }, (_, row) => cell(row, 0))
  const shift = new Set(first.slice(1)).size === rows - 1 ? 0 : 1
  const names = shift === 0 ? first : first.map((_, row) => (row === 0 ? 'ROW' : String(row)))
  const named = {
    rows,
    columns: columns + shift,
    cell: (row: number, column: number) => (column === 0 ? names[row] : cell(row, column - shift)),
  }
  return { named, shift }
}

/** Tells whether a row has anything besides its name. */
function saysAnything({ rows, columns, cell }: TextTable): boolean {
  for (let row = 1; row < rows; row++)
    for (let column = 1; column < columns; column++) if (!['', '–'].includes(cell(row, column))) return true
  return false
}

/** Collects lines; null as soon as one is wider than the terminal. */
function fittingLines(lines: Iterable<string>, width: number): string[] | null {
  const fitting: string[] = []
  for (const line of lines) {
    if (widthOf(line) > width) return null
    fitting.push(line)
  }
  return fitting
}

const LEAST_SENTENCE_WIDTH = 24
const MOST_SENTENCE_LINES = 6

/** Breaks the sentences of the last column so that the table fits; null where that takes many lines or breaks words. */
function withBrokenSentences(table: TextTable, isNumber: (column: number) => boolean, width: number): string[] | null {
  const last = table.columns - 1
  if (isNumber(last)) return null
  const widths = columnWidths({ ...table, columns: last })
  const room = width - widths.reduce((sum, each) => sum + each + 2, 0)
  const sentences = Array.from({ length: table.rows }, (_, row) => wrapWords(table.cell(row, last), room))
  const fits = sentences.every(
    (lines) => lines.length <= MOST_SENTENCE_LINES && lines.every((line) => widthOf(line) <= room),
  )
  if (room < LEAST_SENTENCE_WIDTH || !fits) return null
  const cells = (row: number) => Array.from({ length: last }, (_, column) => table.cell(row, column))
  const broken = sentences.flatMap((lines, row) =>
    lines.map((line, below) => [...(below === 0 ? cells(row) : cells(row).fill('')), line]),
  )
  const brokenTable = { ...table, rows: broken.length, cell: (row: number, column: number) => broken[row][column] }
  return [...aligned(brokenTable, isNumber, columnWidths(brokenTable))]
}

/** Divides columns into blocks that fit a width, each with the first column, which names the rows. */
function columnBlocks(widths: readonly number[], width: number): number[][] {
  const blocks = [[0]]
  let filled = widths[0]
  for (let column = 1; column < widths.length; column++) {
    if (filled + 2 + widths[column] > width && blocks.at(-1)!.length > 1) {
      blocks.push([0])
      filled = widths[0]
    }
    blocks.at(-1)!.push(column)
    filled += 2 + widths[column]
  }
  return blocks
}

function columnWidths({ rows, columns, cell }: TextTable): number[] {
  const widths = new Array<number>(columns).fill(0)
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const width = widthOf(cell(row, column))
      if (width > widths[column]) widths[column] = width
    }
  return widths
}

function* aligned(
  { rows, columns, cell }: TextTable,
  isNumber: (column: number) => boolean,
  widths: readonly number[],
): Generator<string> {
  for (let row = 0; row < rows; row++) {
    const texts = Array.from({ length: columns }, (_, column) => {
      const text = cell(row, column)
      const blanks = ' '.repeat(widths[column] - widthOf(text))
      return isNumber(column) ? blanks + text : text + blanks
    })
    yield texts.join('  ').trimEnd()
  }
}

/** Returns how many columns a text takes on a terminal: Chinese, Japanese and Korean characters take two. */
function widthOf(text: string): number {
  if (plainAscii.test(text)) return text.length
  let width = 0
  for (const character of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(character) ? 2 : 1
  return width
}
