import { type Column, columnOf, type Frame } from '../contract/frame.ts'
import { BLOCK_ROWS, createPace, type Pace } from './pace.ts'
import { sortedBy } from './sortRows.ts'

export interface SortKey {
  key: string
  descending: boolean
}

/** Condition on one column, which missing values never satisfy; `from` is inclusive, `to` exclusive. */
type ValueCondition = { key: string; oneOf: readonly string[] } | { key: string; from?: number; to?: number }

/**
 * Condition on the text column `key`, or on any text column if that is omitted: the text contains the word, ignoring
 * case.
 */
interface WordCondition {
  word: string
  key?: string
  /** True if the text has to equal the word. */
  isWhole?: boolean
  /** True to negate the condition. */
  isAbsent?: boolean
}

export type Condition =
  | ValueCondition
  | WordCondition
  | { key: string; isMissing: boolean }
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }

export interface Filter {
  /** Words that must all occur in the text columns of a row, ignoring case. */
  text: string
  conditions: readonly Condition[]
}

/** Filter and sort order. Missing values come last in both directions, with NaN right before them. */
export interface Arrangement extends Filter {
  sort: readonly SortKey[]
}

export const UNARRANGED: Arrangement = { sort: [], text: '', conditions: [] }

export const isUnarranged = ({ sort, text, conditions }: Arrangement): boolean =>
  sort.length === 0 && text.trim() === '' && conditions.length === 0

/** Returns the row numbers of a frame in sort order; null if no key names a column, so that nothing is sorted. */
export async function sortedOrder(frame: Frame, sort: readonly SortKey[], pace: Pace): Promise<Uint32Array | null> {
  let order: Uint32Array<ArrayBuffer> | null = null
  for (const { key, descending } of sort.toReversed()) {
    const column = columnOf(frame, key)
    if (column) order = await sortedBy(order ?? (await naturalOrder(frame.rows, pace)), column, descending, pace)
  }
  return order
}

async function naturalOrder(rows: number, pace: Pace): Promise<Uint32Array<ArrayBuffer>> {
  const order = new Uint32Array(rows)
  for (let start = 0; start < rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, rows)
    for (let row = start; row < end; row += 1) order[row] = row
    await pace()
  }
  return order
}

/**
 * Returns the rows that passed a filter (1 in `isKept`), in sort order; without a sort order, in the order of the
 * frame.
 */
export function pickRows(order: Uint32Array | null, isKept: Uint8Array): Uint32Array {
  const picked = new Uint32Array(isKept.length)
  let count = 0
  for (let at = 0; at < isKept.length; at += 1) {
    const row = order ? order[at] : at
    if (isKept[row]) picked[count++] = row
  }
  return picked.slice(0, count)
}

/** Folds text for search, ignoring case and character width. */
export const foldText = (text: string) => text.normalize('NFKC').toLowerCase()

type RowTest = (row: number) => boolean

/** Tests the rows against a filter: returns one byte per row, 1 for a match; null for a filter that tests nothing. */
export async function filteredRows(frame: Frame, filter: Filter, pace: Pace): Promise<Uint8Array | null> {
  const tests = [
    ...(await wordTests(frame, filter.text, pace)),
    ...(await conditionTests(frame, filter.conditions, pace)),
  ]
  if (tests.length === 0) return null
  const isKept = new Uint8Array(frame.rows)
  for (let start = 0; start < frame.rows; start += BLOCK_ROWS) {
    const end = Math.min(start + BLOCK_ROWS, frame.rows)
    testRows(tests, isKept, start, end)
    await pace()
  }
  return isKept
}

/** Folds the texts of a frame in advance, so that the first letter typed filters as fast as the next. */
export async function foldAhead(frame: Frame, signal: AbortSignal): Promise<void> {
  const pace = createPace(signal)
  for (const column of frame.columns) if (column.kind === 'text') await foldedOf(column.dictionary, pace)
}

function testRows(tests: readonly RowTest[], isKept: Uint8Array, start: number, end: number): void {
  isKept.fill(1, start, end)
  for (const test of tests) {
    for (let row = start; row < end; row += 1) if (isKept[row] === 1 && !test(row)) isKept[row] = 0
  }
}

type TextColumn = Extract<Column, { kind: 'text' }>

const textColumns = (frame: Frame) => frame.columns.filter((column): column is TextColumn => column.kind === 'text')

/** Builds a test for each word of the text; all have to pass. */
async function wordTests(frame: Frame, text: string, pace: Pace): Promise<RowTest[]> {
  const terms = foldText(text).split(/\s+/).filter(Boolean)
  const tests: RowTest[] = []
  for (const word of terms) tests.push(await wordTest(frame, { word }, pace))
  return tests
}

const foldedByDictionary = new WeakMap<readonly string[], string[]>()

async function foldedOf(dictionary: readonly string[], pace: Pace): Promise<string[]> {
  const cachedTexts = foldedByDictionary.get(dictionary)
  if (cachedTexts) return cachedTexts
  const folded: string[] = []
  for (const entry of dictionary) {
    folded.push(foldText(entry))
    if (folded.length % 4096 === 0) await pace()
  }
  foldedByDictionary.set(dictionary, folded)
  return folded
}

async function conditionTests(frame: Frame, conditions: readonly Condition[], pace: Pace): Promise<RowTest[]> {
  const tests: RowTest[] = []
  for (const condition of conditions) tests.push(await conditionTest(frame, condition, pace))
  return tests
}

async function conditionTest(frame: Frame, condition: Condition, pace: Pace): Promise<RowTest> {
  if ('word' in condition) return wordTest(frame, condition, pace)
  if ('all' in condition) {
    const tests = await conditionTests(frame, condition.all, pace)
    return (row) => tests.every((test) => test(row))
  }
  if ('any' in condition) {
    const tests = await conditionTests(frame, condition.any, pace)
    return (row) => tests.some((test) => test(row))
  }
  if (!('isMissing' in condition)) return valueTest(frame, condition)
  const column = columnOf(frame, condition.key)
  if (!column) return () => condition.isMissing
  // NaN counts as missing too, because it is shown that way.
  const hasValue = (row: number) =>
    isPresent(column, row) && (column.kind === 'text' || !Number.isNaN(column.values[row]))
  return (row) => hasValue(row) !== condition.isMissing
}

/** Matches the word against dictionaries only, so that each row needs just a table look-up. */
async function wordTest(frame: Frame, condition: WordCondition, pace: Pace): Promise<RowTest> {
  const { word, key, isWhole = false, isAbsent = false } = condition
  const columns = textColumns(frame).filter(({ name }) => key === undefined || name === key)
  const foldedWord = foldText(word)
  const meets = isWhole ? (entry: string) => entry === foldedWord : (entry: string) => entry.includes(foldedWord)
  const hits: Uint8Array[] = []
  for (const { dictionary } of columns) {
    hits.push(Uint8Array.from(await foldedOf(dictionary, pace), (entry) => (meets(entry) ? 1 : 0)))
  }
  const isFound = (row: number) =>
    columns.some((column, at) => isPresent(column, row) && hits[at][column.values[row]] === 1)
  return (row) => isFound(row) !== isAbsent
}

function valueTest(frame: Frame, condition: ValueCondition): RowTest {
  const column = columnOf(frame, condition.key)
  if (!column) return () => false
  if ('oneOf' in condition) {
    if (column.kind !== 'text') return () => false
    const isWanted = Uint8Array.from(column.dictionary, (entry) => (condition.oneOf.includes(entry) ? 1 : 0))
    return (row) => isPresent(column, row) && isWanted[column.values[row]] === 1
  }
  if (column.kind === 'text') return () => false
  const { from = -Infinity, to } = condition
  return (row) => {
    const value = column.values[row]
    return isPresent(column, row) && value >= from && (to === undefined || value < to)
  }
}

const isPresent = (column: Column, row: number) => column.valid === null || column.valid[row] === 1
