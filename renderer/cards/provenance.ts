import type { InjectionKey } from 'vue'
import type { StudyAnswer } from '#shared/contract/areas/lab.ts'
import { labText } from '../text/lab.ts'

/** Provenance that an answer's cards write into their exports, and the prefix of the file names. */
interface LabProvenance {
  provenance: string
  file: string
}

export const labProvenance: InjectionKey<() => LabProvenance> = Symbol('provenance of a study')

export function studyProvenance(name: string, { document, ranAt, runId }: StudyAnswer): LabProvenance {
  const { answer: text } = labText
  const { panel } = document
  const sourceText = panel
    ? [panel.path, panel.against].flatMap((path) => (path === null ? [] : [text.panelSource(path)])).join(' + ')
    : text.cacheSource
  return { provenance: text.provenance(name, sourceText, ranAt, runId), file: name }
}
