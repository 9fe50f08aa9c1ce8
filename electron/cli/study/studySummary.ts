import type { GridPartResult } from '#shared/lab/portfolio/testResult.ts'
import { annualisedSharpe, parameterText } from '#shared/lab/kinds/portfolio/testStatistics.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { leadingSections, studySheet } from '#shared/lab/studySheet.ts'
import { column } from '#shared/sheet/sheet.ts'
import { briefLines, plainBlanks, recordLines } from '../sheetLines.ts'

/** Builds the lines that sum up a result; `--json` has everything. */
export function studySummary(result: LabResult): string[] {
  const sheet = studySheet(result)
  const lead = [sheet.subtitle, ...(sheet.verdict ? [plainBlanks(sheet.verdict)] : [])]
  return [...lead, ...leadingSections(result, sheet).flatMap((section) => ['', ...briefLines(section)])]
}

/** Builds the lines about one part of a grid. */
export const partLines = ({ grid }: GridPartResult): string[] =>
  recordLines<GridPartResult['grid'][number]>(
    [
      column('entry', 'Entry', 'count', ({ sequence }) => sequence, { format: String }),
      column('parameters', 'Parameters', 'text', ({ parameters }) => parameterText(parameters)),
      column('sharpe', 'Sharpe', 'figure', ({ sharpe }) => annualisedSharpe(sharpe)),
      column('days', 'Days', 'count', ({ days }) => days),
    ],
    grid,
  )
