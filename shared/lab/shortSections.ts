import { namedFrame, type Section } from '#shared/sheet/sheet.ts'
import type { LabResult } from './labResult.ts'
import { nameShortener, symbolWidthPx } from './symbolNames.ts'

/** Lists the symbols of a study along time; none of other kinds. */
export function symbolsOf(result: LabResult): readonly string[] {
  switch (result.kind) {
    case 'screen':
      return [...new Set(result.cells.map(({ symbol }) => symbol))]
    case 'series':
    case 'schedule':
    case 'costs':
    case 'clocks':
    case 'spells':
      return result.symbols.map(({ symbol }) => symbol)
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

/**
 * Returns a function that shortens the symbols in what a section shows. Filters, copies, exports and tooltips of tables
 * keep the full names, and ids do, by which rows and bars are opened.
 */
export function sectionShortener(symbols: readonly string[]): <One extends Section>(section: One) => One {
  const shorten = textShortener(symbols)
  const widthPx = symbolWidthPx(symbols.map(shorten))
  const shortenAll = (texts: readonly string[]) => texts.map(shorten)
  const partsOf = (section: Section) => {
    switch (section.kind) {
      case 'table': {
        const columns = section.columns.map((column) =>
          column.key === 'symbol' ? { ...column, widthPx, format: (value: unknown) => shorten(String(value)) } : column,
        )
        return { columns }
      }
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
