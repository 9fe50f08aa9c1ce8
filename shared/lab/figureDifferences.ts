import { figures as describedFigures, figureValues, returnsView } from '#shared/portfolio/figures.ts'
import { figureOf } from '#shared/portfolio/tearSheetSections.ts'
import { type Cell, formatOf } from '#shared/sheet/columns.ts'
import {
  columnTitle,
  figureText,
  figureTitle,
  type Section,
  type SheetFigure,
  type SheetTable,
  writtenRows,
} from '#shared/sheet/sheet.ts'
import type { LabResult } from './labResult.ts'
import { netReturns } from './portfolio/compareReturns.ts'
import { leadingSections, studySheet } from './studySheet.ts'

/** A figure of one or of two results, side by side; null where a result does not have it. */
interface ComparedFigure {
  /** Id of the section of the sheet, and what is compared in it, such as `rankIc of 24`. */
  section: string
  name: string
  before: FigureCell | null
  after: FigureCell | null
}

interface FigureCell {
  value: number | null
  text: string
}

/** Puts the figures of two results side by side. */
export const compareFigures = (before: LabResult, after: LabResult): ComparedFigure[] =>
  figuresSideBySide([before, after]).map(({ section, name, cells: [was, now] }) => ({
    ...{ section, name },
    before: withoutFormat(was),
    after: withoutFormat(now),
  }))

const withoutFormat = (cell: SideBySide['cells'][number]): FigureCell | null =>
  cell && { value: cell.value, text: cell.text }

/** A figure of several results; null where a result does not have it. */
interface SideBySide {
  section: string
  name: string
  cells: (FormattedCell | null)[]
}

interface FormattedCell extends FigureCell {
  /** Formats another value as this one is written; null if there is nothing to write. */
  format: (value: number) => string | null
}

/** Puts the figures of results side by side, those that only some have too. */
export function figuresSideBySide(results: readonly LabResult[]): SideBySide[] {
  const all = results.map(figuresOf)
  return [...new Map(all.flatMap((figures) => [...figures]))].flatMap(([key, { section, name }]) => {
    const cells = all.map((figures) => figures.get(key)?.cell ?? null)
    return cells.some((cell) => cell !== null && cell.value !== null) ? [{ section, name, cells }] : []
  })
}

/** Writes the figures of a row; each but the first with its difference to the first behind it. */
export function figureTexts({ cells: [first, ...others] }: SideBySide): string[] {
  const withChange = (cell: FormattedCell | null): string => {
    if (!cell) return '–'
    if (cell.value === null || typeof first?.value !== 'number') return cell.text
    const change = cell.value - first.value
    const changed = change === 0 ? null : cell.format(change)
    return changed === null ? cell.text : `${cell.text} (${change > 0 ? '+' : ''}${changed})`
  }
  return [first?.text ?? '–', ...others.map(withChange)]
}

interface NamedFigure {
  section: string
  name: string
  cell: FormattedCell
}

/** The figures of a result: the usual ones of its daily returns, those of its sheet, and the tables that sum it up. */
function figuresOf(result: LabResult): Map<string, NamedFigure> {
  const sheet = studySheet(result)
  const leading = leadingSections(result, sheet)
  const found = [
    ...dailyFigures(result).map((figure) => namedFigure('performance', figure)),
    ...sheet.sections.flatMap((section) =>
      section.kind === 'figures' || leading.includes(section) ? sectionFigures(section) : [],
    ),
  ]
  return new Map(found.map((figure) => [`${figure.section}/${figure.name}`, figure]))
}

/** Figures of a tear sheet over the days of a test, after costs; a blend has them on its sheet. */
function dailyFigures(result: LabResult): SheetFigure[] {
  if (result.kind !== 'portfolio' || result.days.length === 0) return []
  const values = figureValues(returnsView(netReturns(result), { riskFree: result.study.riskFree }))
  return describedFigures.map((figure) => figureOf(figure, values))
}

function sectionFigures(section: Section): NamedFigure[] {
  if (section.kind === 'figures') return section.figures.map((figure) => namedFigure(section.id, figure))
  return section.kind === 'table' ? tableFigures(section) : []
}

const namedFigure = (section: string, figure: SheetFigure): NamedFigure => ({
  section,
  name: figureTitle(figure),
  cell: {
    value: figure.value,
    text: figureText(figure) ?? '–',
    format: (value) => figureText({ ...figure, value }),
  },
})

/** The numbers of a table by the first cell of their row; none if rows begin alike, because then nothing pairs them. */
function tableFigures(table: SheetTable): NamedFigure[] {
  const rows = writtenRows(table)
  const names = rows.map(([first]) => first.text ?? '–')
  if (new Set(names).size < names.length) return []
  return rows.flatMap((cells, row) =>
    cells.slice(1).flatMap(({ value, text }, at) => {
      const column = table.columns[at + 1]
      if (column.explains || column.kind === 'text' || !isNumber(value)) return []
      const name = `${columnTitle(column)}, ${table.columns[0].title.toLowerCase()} ${names[row]}`
      const format = (other: number) => formatOf(column, [other], 'utc')(other)
      return [{ section: table.id, name, cell: { value, text: text ?? '–', format } }]
    }),
  )
}

const isNumber = (value: Cell): value is number | null => typeof value !== 'string'
