import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { cellOf, type Column, type Frame } from '#shared/contract/frame.ts'
import { exactNumber } from '#shared/units/numbers.ts'

/** Writes rows as tab-separated values or as a table of Markdown, with all digits. */
export function copiedText(format: 'tsv' | 'markdown', frame: Frame, facts: readonly SqlColumnFacts[]): string {
  const line = format === 'tsv' ? tsvLine : markdownLine
  const head = facts.map(({ name, unit }) =>
    format === 'markdown' && unit !== null && unit !== 'none' ? `${name} (${unit})` : name,
  )
  const rule = facts.map(({ kind }) => (kind === 'number' ? '---:' : '---'))
  const rows = Array.from({ length: frame.rows }, (_, row) => line(frame.columns.map((column) => textOf(column, row))))
  return [line(head), ...(format === 'markdown' ? [`| ${rule.join(' | ')} |`] : []), ...rows, ''].join('\n')
}

function textOf(column: Column, row: number): string {
  const cell = cellOf(column, row)
  if (cell === null) return ''
  if (column.kind === 'time') return new Date(Number(cell)).toISOString()
  return typeof cell === 'number' ? exactNumber(cell) : cell
}

const tsvLine = (cells: readonly string[]) => cells.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')).join('\t')

const markdownLine = (cells: readonly string[]) =>
  `| ${cells
    .map((cell) =>
      cell
        .replaceAll('\\', '\\\\')
        .replaceAll('|', '\\|')
        .replaceAll(/\r\n|[\r\n]/g, '<br>'),
    )
    .join(' | ')} |`
