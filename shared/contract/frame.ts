export interface NumberColumn {
  name: string
  kind: 'number'
  values: Float64Array
  /** One byte per row, 1 present, 0 missing; null if every row is present. */
  valid: Uint8Array | null
}

/** Instants in milliseconds since the epoch; fractions are accurate to the microsecond up to the year 2100. */
interface TimeColumn {
  name: string
  kind: 'time'
  values: Float64Array
  valid: Uint8Array | null
}

export interface TextColumn {
  name: string
  kind: 'text'
  /** Indexes into `dictionary`. */
  values: Int32Array
  dictionary: string[]
  valid: Uint8Array | null
}

export type Column = NumberColumn | TimeColumn | TextColumn

/**
 * A columnar table that crosses process boundaries as typed arrays, never as rows of objects. A value is missing
 * exactly where `valid` exists and is 0; the number stored there has no meaning.
 */
export interface Frame {
  rows: number
  columns: Column[]
}

export function columnOf(frame: Frame, name: string): Column | undefined {
  return frame.columns.find((column) => column.name === name)
}

/** Returns the value of a row, or null if it is missing. A loop over many rows should read the arrays itself. */
export function cellOf(column: Column, row: number): number | string | null {
  if (column.valid && !column.valid[row]) return null
  return column.kind === 'text' ? column.dictionary[column.values[row]] : column.values[row]
}

/** Renames the columns to their positions, `c0`, `c1` …, because a query may give several columns the same name. */
export const nameByPosition = ({ rows, columns }: Frame): Frame => ({
  rows,
  columns: columns.map((column, at) => ({ ...column, name: `c${at}` })),
})

/** Returns rows `from` (inclusive) to `to` (exclusive). */
export const sliceFrame = ({ rows, columns }: Frame, from: number, to: number): Frame => ({
  rows: Math.max(0, Math.min(rows, to) - from),
  columns: columns.map(
    (column) =>
      ({ ...column, values: column.values.slice(from, to), valid: column.valid?.slice(from, to) ?? null }) as Column,
  ),
})

export function numberColumn(name: string, cells: readonly (number | null)[]): NumberColumn {
  return { name, kind: 'number', ...packNumbers(cells) }
}

export function timeColumn(name: string, cells: readonly (number | null)[]): TimeColumn {
  return { name, kind: 'time', ...packNumbers(cells) }
}

export function textColumn(name: string, cells: readonly (string | null)[]): TextColumn {
  const codes = new Map<string, number>()
  const values = new Int32Array(cells.length)
  cells.forEach((cell, row) => {
    if (cell === null) return
    const code = codes.get(cell) ?? codes.size
    codes.set(cell, code)
    values[row] = code
  })
  return { name, kind: 'text', values, dictionary: [...codes.keys()], valid: maskOf(cells) }
}

/** Reads the texts of a column as numbers; the texts of decimals and of long integers are numbers with all digits. */
export function numbersOfTexts({ name, values, dictionary, valid }: TextColumn): NumberColumn {
  const numbers = dictionary.map(Number)
  return { name, kind: 'number', values: Float64Array.from(values, (code) => numbers[code]), valid }
}

/** Concatenates parts of one table, all of which have the same columns. */
export function joinFrames(parts: readonly Frame[]): Frame {
  if (parts.length === 1) return parts[0]
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  return { rows, columns: parts[0].columns.map((_, at) => joinColumns(parts, at, rows)) }
}

function joinColumns(parts: readonly Frame[], at: number, rows: number): Column {
  const { name, kind } = parts[0].columns[at]
  const present = new Uint8Array(rows).fill(1)
  const codes = new Map<string, number>()
  const values = kind === 'text' ? new Int32Array(rows) : new Float64Array(rows)
  let start = 0
  for (const { columns, rows: count } of parts) {
    const column = columns[at]
    if (column.valid) present.set(column.valid.subarray(0, count), start)
    if (column.kind === 'text') {
      const codeOf = column.dictionary.map((text) => {
        const code = codes.get(text) ?? codes.size
        codes.set(text, code)
        return code
      })
      for (let row = 0; row < count; row++) values[start + row] = codeOf[column.values[row]] ?? 0
    } else values.set(column.values.subarray(0, count), start)
    start += count
  }
  const valid = present.includes(0) ? present : null
  if (values instanceof Int32Array) return { name, kind: 'text', values, dictionary: [...codes.keys()], valid }
  return kind === 'time' ? { name, kind, values, valid } : { name, kind: 'number', values, valid }
}

function packNumbers(cells: readonly (number | null)[]): { values: Float64Array; valid: Uint8Array | null } {
  const values = new Float64Array(cells.length)
  for (let row = 0; row < cells.length; row++) values[row] = cells[row] ?? 0
  return { values, valid: maskOf(cells) }
}

function maskOf(cells: readonly unknown[]): Uint8Array | null {
  if (!cells.includes(null)) return null
  const valid = new Uint8Array(cells.length)
  for (let row = 0; row < cells.length; row++) valid[row] = cells[row] === null ? 0 : 1
  return valid
}
