import { CsvStream } from './csvStream.ts'
import { agree, plainPlural } from './plurals.ts'

/** A CSV record and the number of the line on which it starts, counted from 1. */
interface CsvRow {
  line: number
  cells: string[]
  /** Set if the record is unreadable because a quote is never closed. */
  problem?: string
}

/**
 * Parses CSV (RFC 4180). The separator is detected from the header or a line `sep=;` above it; see `CsvStream` for
 * lines that are skipped.
 */
export function csvRows(text: string): CsvRow[] {
  const rows: CsvRow[] = []
  const stream = new CsvStream((cells, line) => rows.push({ line, cells }))
  stream.push(text)
  const unclosed = stream.end()
  if (unclosed) rows.push({ ...unclosed, problem: 'a quote is never closed' })
  return rows
}

/** A CSV line with cells by column name. */
export interface NamedCsvRow<Name extends string> {
  line: number
  /** Returns the trimmed text of a cell; empty if the file lacks the column. */
  cell(name: Name): string
}

interface CsvColumns<Name extends string> {
  needed: readonly Name[]
  optional?: readonly Name[]
}

/**
 * Parses a CSV whose header names its columns, in any order and case; `read` converts each line to a value.
 * @returns the values, or a problem for each bad line with its line number, counted from 1
 */
export function namedCsvRows<Name extends string, Value extends object>(
  text: string,
  { needed, optional = [] }: CsvColumns<Name>,
  read: (row: NamedCsvRow<Name>) => Value | { problem: string },
): { values: Value[] } | { problems: string[] } {
  const [head, ...rows] = csvRows(text)
  const names = withoutEmptyEnd(head?.cells ?? []).map((name) => name.trim().toLowerCase())
  const headerProblem = notTextProblem(text) ?? headProblem(names, needed, [...needed, ...optional])
  if (headerProblem !== null) return { problems: [`line ${head?.line ?? 1}: ${headerProblem}`] }
  const placeByName = new Map<string, number>(names.map((name, at) => [name, at]))
  const problems: string[] = []
  const values: Value[] = []
  for (const { line, cells: allCells, problem } of rows) {
    // Spreadsheets write separators for cells that were once used, even for empty lines below the last one.
    const cells = allCells.length > names.length ? withoutEmptyEnd(allCells, names.length) : allCells
    if (!problem && cells.every(isBlank)) continue
    const isComplete = !problem && cells.length === names.length
    const value = isComplete
      ? read({ line, cell: (name) => cells[placeByName.get(name) ?? -1]?.trim() ?? '' })
      : { problem: problem ?? `has ${plainPlural(cells.length, 'cell')}, but the header has ${names.length}` }
    if (isProblem(value)) problems.push(`line ${line}: ${value.problem}`)
    else values.push(value)
  }
  return problems.length > 0 ? { problems } : { values }
}

const isBlank = (cell: string): boolean => cell.trim() === ''

/** Drops trailing empty cells, but keeps at least `least` cells. */
function withoutEmptyEnd(cells: readonly string[], least = 1): readonly string[] {
  let count = cells.length
  while (count > least && isBlank(cells[count - 1])) count--
  return cells.slice(0, count)
}

const isProblem = (value: object): value is { problem: string } => 'problem' in value

/** First characters of a ZIP archive; spreadsheet files are such archives. */
const ZIP_HEAD = 'PK\u0003\u0004'

/** Returns a message if a file is not text, because a list of missing columns would explain nothing. */
function notTextProblem(text: string): string | null {
  if (text.startsWith(ZIP_HEAD)) return 'the file is a spreadsheet or an archive; save it as CSV'
  return text.slice(0, 1000).includes('\0') ? 'the file is not a text file' : null
}

/** Maximum number of column names in a message about the header. */
const MOST_NAMED = 5

function headProblem(names: readonly string[], needed: readonly string[], known: readonly string[]): string | null {
  const quotedNames = (list: readonly string[]) =>
    list
      .slice(0, MOST_NAMED)
      .map((name) => `“${name.slice(0, 60)}”`)
      .join(', ') + (list.length > MOST_NAMED ? ' …' : '')
  const missing = needed.filter((name) => !names.includes(name))
  const unknownNames = names.filter((name) => !known.includes(name))
  // The map keeps this linear, because a header may have millions of cells.
  const lastPlaceByName = new Map(names.map((name, at) => [name, at]))
  const repeated = names.filter((name, at) => lastPlaceByName.get(name) !== at)
  if (missing.length > 0)
    return `needs the ${agree(missing.length, 'column', 'columns')} ${[missing.slice(0, -1).join(', '), missing.at(-1)].filter(Boolean).join(' and ')}`
  if (unknownNames.length > 0)
    return `unknown ${agree(unknownNames.length, 'column', 'columns')} ${quotedNames(unknownNames)}`
  return repeated.length > 0
    ? `the ${agree(repeated.length, 'column', 'columns')} ${quotedNames(repeated)} ${agree(repeated.length, 'appears', 'appear')} twice`
    : null
}
