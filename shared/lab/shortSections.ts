import { cellOf } from '#shared/contract/frame.ts'
import { namedFrame, type Section, type SheetTable } from '#shared/sheet/sheet.ts'
import type { LabResult } from './labResult.ts'
import { nameShortener, symbolWidthPx } from './symbolNames.ts'

/** Columns of tables whose cells are symbols. */
const symbolKeys = ['symbol', 'a', 'b']

/** Lists the symbols that a result names; none of kinds that name none. */
export function symbolsOf(result: LabResult): readonly string[] {
  switch (result.kind) {
    case 'screen':
      return [...new Set(result.cells.map(({ symbol }) => symbol))]
    case 'series':
    case 'portfolio':
    case 'schedule':
    case 'costs':
    case 'clocks':
    case 'spells':
      return result.symbols.map(({ symbol }) => symbol)
    case 'leadlag':
      return [...new Set(result.pairs.flatMap(({ a, b }) => [a, b]))]
    case 'events':
      return [...new Set(result.events.symbols)]
    default:
      return []
  }
}

/** Returns a function that replaces the symbols in a text by their short names. */
export function textShortener(symbols: readonly string[]): (text: string) => string {
  const shorten = nameShortener(symbols)
  // The longest goes first, because a name may begin like another.
  const replaced = symbols.filter((name) => shorten(name) !== name).sort((a, b) => b.length - a.length)
  return (text) => replaced.reduce((left, name) => left.replaceAll(name, shorten(name)), text)
}

/** Lists the symbols in the cells of a table, which may be more than those that its result names. */
function symbolCells({ columns, frame }: Pick<SheetTable, 'columns' | 'frame'>): string[] {
  const shown = frame.columns.filter(({ name }) => symbolKeys.includes(name) && columns.some(({ key }) => key === name))
  return shown.flatMap((column) => Array.from({ length: frame.rows }, (_, row) => String(cellOf(column, row) ?? '')))
}

/** Shortens the symbols in the cells of a table; what it sorts, filters, copies and exports keeps the full names. */
export function withShortSymbols<Table extends Pick<SheetTable, 'columns' | 'frame'>>(
  table: Table,
  symbols: readonly string[] = [],
): Table {
  const names = [...new Set([...symbols, ...symbolCells(table)])]
  const shorten = nameShortener(names)
  const widthPx = symbolWidthPx(names.map(shorten))
  const columns = table.columns.map((column) =>
    symbolKeys.includes(column.key)
      ? { ...column, widthPx, format: (value: unknown) => shorten(String(value)) }
      : column,
  )
  return { ...table, columns }
}

/**
 * Returns a function that shortens the symbols in what a section shows. Filters, copies, exports and tooltips of tables
 * keep the full names, and ids do, by which rows and bars are opened.
 */
export function sectionShortener(symbols: readonly string[]): <One extends Section>(section: One) => One {
  const shorten = textShortener(symbols)
  const shortenAll = (texts: readonly string[]) => texts.map(shorten)
  const partsOf = (section: Section) => {
    switch (section.kind) {
      case 'table':
        return { columns: withShortSymbols(section, symbols).columns }
      case 'chart':
        return {
          ...(section.names && { names: shortenAll(section.names), data: namedFrame(section) }),
          series: section.series.map((one) => ({ ...one, label: shorten(one.label) })),
        }
      case 'heat':
        return { rows: shortenAll(section.rows), columns: shortenAll(section.columns) }
      default:
        return {}
    }
  }
  return (section) => ({
    ...section,
    title: shorten(section.title),
    ...(section.note !== undefined && { note: shorten(section.note) }),
    ...(section.choice && { choice: { ...section.choice, option: shorten(section.choice.option) } }),
    ...partsOf(section),
  })
}
