import type { TableColumn } from '#shared/sheet/columns.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { isFundingRate, numberKindOf } from '#shared/report/resultFrame.ts'
import { isFreeText, timeText } from '#shared/sql/resultText.ts'
import { isIntegerType, isNumberType } from '#shared/sql/resultType.ts'
import { tsvText } from '#shared/units/csvCell.ts'
import { markdownLine } from '#shared/units/markdownCell.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { sqlText } from '../../text/sql.ts'

/**
 * Returns the key of a column in the frames of a result; a name cannot be the key, because a query may use it twice.
 */
const keyOf = (at: number): string => `c${at}`

/**
 * Builds the table columns of a result; the tooltip of a header has the type, the unit and any warning about mixed
 * units.
 */
export const resultColumns = (columns: readonly SqlColumnFacts[]): TableColumn[] =>
  columns.map((column, at) => {
    const { name, kind, unit, warning } = column
    return {
      key: keyOf(at),
      title: warning === null ? name : `${name} ⚠`,
      kind: kind === 'number' ? numberKindOf(column) : kind,
      ...(unit !== null && unit !== 'none' && { unit }),
      hint: hintOf(column),
      // Long headers such as “volume base asset or contracts” get more space if there is any.
      ...(kind === 'number' && { widestPx: 260, ...(!isFundingRate(column) && { format: numberFormatOf(column) }) }),
      ...(kind === 'text' && { widthPx: 170, widestPx: 260 }),
    }
  })

function hintOf(column: SqlColumnFacts): string {
  const { type, unit, warning } = column
  const facts = [type, ...(isFundingRate(column) ? [sqlText.result.rate] : unit ? [unit] : [])].join(' · ')
  return warning === null ? facts : `${sqlText.result.mixed(warning)}. ${facts}`
}

/** Returns a format that shows integers with all digits, and other numbers in the usual format for their unit. */
function numberFormatOf(column: SqlColumnFacts): (value: number | string) => string {
  const format = numberFormat(numberKindOf(column))
  return (value) => {
    if (typeof value !== 'number') return value
    return isIntegerType(column.type) || !Number.isFinite(value) ? exactNumber(value) : format(value)
  }
}

/** Writes rows as tab-separated values or as a Markdown table, with all digits. */
export function copiedText(format: 'tsv' | 'markdown', frame: Frame, facts: readonly SqlColumnFacts[]): string {
  const line = format === 'tsv' ? tsvLine : markdownLine
  const head = facts.map(({ name, unit }) =>
    format === 'markdown' && unit !== null && unit !== 'none' ? `${name} (${unit})` : name,
  )
  const rule = facts.map(({ type }) => (isNumberType(type) ? '---:' : '---'))
  const rows = Array.from({ length: frame.rows }, (_, row) =>
    line(frame.columns.map((column, at) => textOf(column, facts[at], row, format))),
  )
  return [
    line(format === 'tsv' ? head.map(tsvText) : head),
    ...(format === 'markdown' ? [`| ${rule.join(' | ')} |`] : []),
    ...rows,
    '',
  ].join('\n')
}

function textOf(column: Column, facts: SqlColumnFacts, row: number, format: 'tsv' | 'markdown'): string {
  const cell = cellOf(column, row)
  if (cell === null) return ''
  if (column.kind === 'time') return timeText(facts, Number(cell))
  if (typeof cell === 'number') return exactNumber(cell)
  return format === 'tsv' && isFreeText(facts.type) ? tsvText(cell) : cell
}

const tsvLine = (cells: readonly string[]) => cells.join('\t')

/** Lists the distinct symbols of a result with their venues; empty unless it has the columns exchange and symbol. */
export function pairsIn({ rows, columns }: Frame): ListedPair[] {
  const [exchanges, symbols] = ['exchange', 'symbol'].map((name) => columns.find((column) => column.name === name))
  const found = new Map<string, ListedPair>()
  for (let row = 0; exchanges && symbols && row < rows; row++) {
    const [exchange, symbol] = [cellOf(exchanges, row), cellOf(symbols, row)]
    if (typeof exchange === 'string' && typeof symbol === 'string')
      found.set(`${exchange}\n${symbol}`, { exchange, symbol })
  }
  return [...found.values()]
}
