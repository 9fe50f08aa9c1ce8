import { type Cell } from '#shared/sheet/columns.ts'
import {
  columnTitle,
  figureText,
  figureTitle,
  type Section,
  type Sheet,
  type SheetTable,
  writtenRows,
} from '#shared/sheet/sheet.ts'
import type { LabResult } from './labResult.ts'
import { leadingSections, studySheet } from './studySheet.ts'

/** A figure of one or of two results, side by side; null where a result does not have it. */
export interface ComparedFigure {
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

/** Puts the leading figures of two results side by side. */
export function compareFigures(before: LabResult, after: LabResult): ComparedFigure[] {
  const [was, now] = [before, after].map((result) => figuresOf(studySheet(result), result))
  return [...new Map([...was, ...now])].flatMap(([key, { section, name }]) => {
    const [before, after] = [was.get(key)?.cell ?? null, now.get(key)?.cell ?? null]
    const isKnown = [before, after].some((cell) => cell !== null && cell.value !== null)
    return isKnown ? [{ section, name, before, after }] : []
  })
}

interface NamedFigure {
  section: string
  name: string
  cell: FigureCell
}

const figuresOf = (sheet: Sheet, result: LabResult): Map<string, NamedFigure> =>
  new Map(
    leadingSections(result, sheet)
      .flatMap(sectionFigures)
      .map((figure) => [`${figure.section}/${figure.name}`, figure]),
  )

function sectionFigures(section: Section): NamedFigure[] {
  if (section.kind === 'figures')
    return section.figures.map((figure) => ({
      section: section.id,
      name: figureTitle(figure),
      cell: { value: figure.value, text: figureText(figure) ?? '–' },
    }))
  return section.kind === 'table' ? tableFigures(section) : []
}

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
      return [{ section: table.id, name, cell: { value, text: text ?? '–' } }]
    }),
  )
}

const isNumber = (value: Cell): value is number | null => typeof value !== 'string'
