import { figures } from '#shared/portfolio/figures.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { sectionShortener, symbolsOf, textShortener } from '#shared/lab/shortSections.ts'
import { studySheet } from '#shared/lab/studySheet.ts'
import type { Section } from '#shared/sheet/sheet.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { definitionVersions, type ReportContent, type ReportPart } from './reportContent.ts'
import { sheetParts } from './sheetReport.ts'

/** Maximum number of rows per table, to keep reports small. */
const MOST_ROWS = 500
/** Maximum number of cells of a result's tables in a report. */
const MOST_CELLS = 9000
/** Sections that reports leave out: charts show them, and `study run --out DIR` writes all of their rows. */
const LEFT_OUT = ['testDays']

type StudyContent = Pick<ReportContent, 'title' | 'subtitle' | 'parts' | 'definitions' | 'warnings'>

/** Builds a report of a study or tested portfolio. */
export function studyReport(result: LabResult): StudyContent {
  const { study, warnings, kind } = result
  const { title, subtitle, verdict, sections } = studySheet(result)
  const symbols = symbolsOf(result)
  const shown = sections.filter(({ id }) => !LEFT_OUT.includes(id)).map(sectionShortener(symbols))
  return {
    title,
    subtitle,
    parts: [
      ...(verdict ? [{ kind: 'text' as const, title: 'Verdict', lines: [textShortener(symbols)(verdict)] }] : []),
      ...sheetParts(sectionsWithin(shown)),
      ...ledgerPart(result),
      documentPart(study),
    ],
    definitions: definitionVersions([
      `study.${kind}`,
      ...(kind === 'portfolio' ? figures.map(({ id }) => `tearsheet.${id}`) : []),
    ]),
    warnings: warnings.map(({ message }) => message),
  }
}

/** Names the entry of a test in the ledger. */
const ledgerPart = (result: LabResult): ReportPart[] =>
  result.kind === 'portfolio'
    ? [{ kind: 'text', title: 'Ledger', lines: [`Family ${result.family}`, `Document ${result.documentHash}`] }]
    : []

const moreRows = (rows: number): string =>
  `${plainPlural(rows, 'more row')}: “perpscope study run --out DIR” writes all of them.`

/** Shortens the tables to the limits; a note counts the rows that are left out. */
function sectionsWithin(sections: readonly Section[]): Section[] {
  let cellsLeft = MOST_CELLS
  return sections.map((section) => {
    if (section.kind !== 'table') return section
    const { frame, columns } = section
    const rows = Math.max(0, Math.min(frame.rows, MOST_ROWS, Math.floor(cellsLeft / columns.length)))
    cellsLeft -= rows * columns.length
    const { note: _note, ...table } = section
    return { ...table, frame: { ...frame, rows }, ...(rows < frame.rows && { note: moreRows(frame.rows - rows) }) }
  })
}

const documentPart = (study: unknown): ReportPart => ({
  kind: 'code',
  title: 'Document',
  text: JSON.stringify(study, null, 2),
})
