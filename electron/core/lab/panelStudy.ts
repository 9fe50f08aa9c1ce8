import { buildPanel, type Panel } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/lab/panelFormula.ts'
import { type OnStage, runStudy, type StudyResult } from '#shared/lab/runStudy.ts'
import { formulasOf, type Study } from '#shared/lab/studyDocument.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import { namingFile, readPanelFile } from './panelFile.ts'

/** A study on the rows of files. */
export interface PanelStudy {
  study: Study
  panelPath: string
  /** Rows of the other clock. */
  againstPath: string | null
}

/** Reads the panel of a file with the columns that the study names. */
export async function openPanel(study: Study, path: string): Promise<Panel> {
  const columns = columnsNamed(formulasOf(study).map(({ formula }) => formula))
  const rows = await readPanelFile(path, columns)
  return namingFile(path, () => buildPanel(rows, studyRange(study)))
}

/** Runs a study on files; throws a `PanelError` or a `StudyError`. */
export async function runPanelStudy(
  { study, panelPath, againstPath }: PanelStudy,
  onStage: OnStage,
): Promise<StudyResult> {
  onStage('rows', 0)
  const panel = await openPanel(study, panelPath)
  const against = againstPath === null ? null : await openPanel(study, againstPath)
  const warnings = study.source ? [warning('source-unused')] : []
  return runStudy({ study, panel, against, warnings }, onStage)
}
