import { parseSymbol } from '#shared/catalog/symbols.ts'
import { cellOf, columnOf, type Frame, type TextColumn } from '#shared/contract/frame.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { coverageText } from '../../text/coverage.ts'

const { columns: titles } = coverageText.table
export const partColumns: readonly TableColumn[] = [
  { key: 'exchange', ...titles.exchange, kind: 'text', widthPx: 116 },
  { key: 'base', ...titles.base, kind: 'text', widthPx: 92, widestPx: 112 },
  { key: 'quote', ...titles.quote, kind: 'text', widthPx: 64 },
  { key: 'settle', ...titles.settle, kind: 'text', widthPx: 64 },
]

/** Returns the text column of this name, which a frame of the contract always has. */
export function textOf(frame: Frame, name: string): TextColumn {
  const column = columnOf(frame, name)
  if (column?.kind !== 'text') throw new RangeError(`the frame has no text column ${name}`)
  return column
}

/** Splits symbols into their components; each distinct symbol is parsed once. */
export function symbolParts({ values, dictionary }: TextColumn): TextColumn[] {
  const parts = dictionary.map(parseSymbol)
  return (['base', 'quote', 'settle'] as const).map((name) => {
    const codes = new Map<string, number>()
    const codeOf = parts.map((each) => {
      const text = each?.[name] ?? ''
      const code = codes.get(text) ?? codes.size
      codes.set(text, code)
      return code
    })
    return {
      name,
      kind: 'text',
      values: Int32Array.from(values, (code) => codeOf[code]),
      dictionary: [...codes.keys()],
      valid: null,
    }
  })
}

/** Returns a function that identifies a row by its texts in some columns. */
export function rowKey(frame: Frame, names: readonly string[]): (row: number) => string {
  const columns = names.map((name) => textOf(frame, name))
  return (row) => columns.map(({ dictionary, values }) => dictionary[values[row]]).join('\n')
}

export function rowKeys(frame: Frame, names: readonly string[]): string[] {
  return Array.from({ length: frame.rows }, (_, row) => row).map(rowKey(frame, names))
}

/** Finds the first and last day over all rows; both are equal if there are none. */
export function timesRange(frame: Frame): { startMs: number; endMs: number } {
  const [first, last] = ['first', 'last'].map((name) => columnOf(frame, name))
  let [startMs, endMs] = [Infinity, -Infinity]
  for (let row = 0; row < frame.rows; row += 1) {
    const [from, to] = [first, last].map((column) => (column ? cellOf(column, row) : null))
    if (typeof from === 'number') startMs = Math.min(startMs, from)
    if (typeof to === 'number') endMs = Math.max(endMs, to)
  }
  return endMs >= startMs ? { startMs, endMs } : { startMs: 0, endMs: 0 }
}
