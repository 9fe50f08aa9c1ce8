import type { TableColumn } from '#shared/sheet/columns.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { cellOf, columnOf, type Frame, type TextColumn } from '#shared/contract/frame.ts'
import { coverageText } from '../../text/coverage.ts'

const { columns: titles } = coverageText.table
export const symbolPartColumns: readonly TableColumn[] = [
  seriesColumns.exchange,
  { key: 'base', ...titles.base, kind: 'text', widthPx: 88, widestPx: 112 },
  { key: 'quote', ...titles.quote, kind: 'text', widthPx: 56 },
  { key: 'settle', ...titles.settle, kind: 'text', widthPx: 80 },
]

/** Returns the text column of this name, which a frame of the contract always has. */
export function symbolText(frame: Frame, name: string): TextColumn {
  const column = columnOf(frame, name)
  if (column?.kind !== 'text') throw new RangeError(`the frame has no text column ${name}`)
  return column
}

/** Number of symbols that are parsed between two pauses. */
const SYMBOLS_PER_STEP = 1000

/** Splits symbols into their components; each distinct symbol is parsed once. */
export function* symbolPartSteps({ values, dictionary }: TextColumn): Generator<void, TextColumn[], void> {
  const names = ['base', 'quote', 'settle'] as const
  const codesByText = names.map(() => new Map<string, number>())
  const codesOfComponents = names.map(() => new Int32Array(dictionary.length))
  for (let at = 0; at < dictionary.length; at += 1) {
    const parts = parseSymbol(dictionary[at])
    names.forEach((name, part) => {
      const text = parts?.[name] ?? ''
      const code = codesByText[part].get(text) ?? codesByText[part].size
      codesByText[part].set(text, code)
      codesOfComponents[part][at] = code
    })
    if (at % SYMBOLS_PER_STEP === 0) yield
  }
  return names.map((name, part) => ({
    name,
    kind: 'text',
    values: values.map((code) => codesOfComponents[part][code]),
    dictionary: [...codesByText[part].keys()],
    valid: null,
  }))
}

/** Splits symbols into their components without pauses. */
export function symbolParts(symbols: TextColumn): TextColumn[] {
  const steps = symbolPartSteps(symbols)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Returns a function that identifies a row by its texts in some columns. */
export function rowKeyReader(frame: Frame, names: readonly string[]): (row: number) => string {
  const columns = names.map((name) => symbolText(frame, name))
  return (row) => columns.map(({ dictionary, values }) => dictionary[values[row]]).join('\n')
}

export function rowKeys(frame: Frame, names: readonly string[]): string[] {
  return Array.from({ length: frame.rows }, (_, row) => row).map(rowKeyReader(frame, names))
}

/** Finds the first and last day over all rows; both are 0 if no row has a day. */
export function timesRange(frame: Frame): { startMs: number; endMs: number } {
  const [first, last] = ['first', 'last'].map((name) => columnOf(frame, name))
  let [startMs, endMs] = [Infinity, -Infinity]
  for (let row = 0; row < frame.rows; row += 1) {
    const [from, to] = [first && cellOf(first, row), last && cellOf(last, row)]
    if (typeof from === 'number' && from < startMs) startMs = from
    if (typeof to === 'number' && to > endMs) endMs = to
  }
  return endMs >= startMs ? { startMs, endMs } : { startMs: 0, endMs: 0 }
}
