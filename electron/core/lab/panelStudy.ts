import { buildPanel, type Panel } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/lab/panelFormula.ts'
import { type OnStage, runStudy, type StudyResult } from '#shared/lab/runStudy.ts'
import { formulasOf, type Study } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import { namingFile, readPanelFile } from './panelFile.ts'

/** Rows of a study: a panel file. */
export interface StudyRows {
  path: string
}

/** A study on the rows of its source. */
export interface StudyTask {
  study: Study
  rows: StudyRows
  /** Rows of the other clock; null without a comparison. */
  against: StudyRows | null
}

/** Reads the panel of a file with the columns that the study names. */
export async function openPanel(study: Study, { path }: StudyRows): Promise<Panel> {
  const columns = columnsNamed(formulasOf(study).map(({ formula }) => formula))
  const rows = await readPanelFile(path, columns)
  return namingFile(path, () => buildPanel(rows, studyRange(study)))
}

/** Runs a study on its rows; throws a `PanelError` or a `StudyError`. */
export async function runPanelStudy({ study, rows, against }: StudyTask, onStage: OnStage): Promise<StudyResult> {
  onStage('rows', 0)
  const panel = await openPanel(study, rows)
  const other = against === null ? null : await openPanel(study, against)
  const warnings = study.source ? [warning('source-unused')] : []
  return runStudy({ study, panel, against: other, warnings }, onStage)
}
