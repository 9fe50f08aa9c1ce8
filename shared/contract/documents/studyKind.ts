import { type LabKind, labKinds } from '../../lab/kinds.ts'
import { MOST_STUDY_BYTES, readStudyFile, STUDY_SUFFIX, writeStudyFile } from '../../lab/studyFile.ts'
import { fileNameWithEnding } from '../../units/fileNames.ts'
import { type LabDocument, labDocument } from '../areas/lab.ts'
import { defineKind, openBy } from './documentKind.ts'

/** Studies of the Lab as the user wrote them. */
export const studyKind = defineKind({
  noun: 'study',
  inBackups: 'labStudies',
  schema: labDocument,
  open: openBy(labDocument),
  facts: ({ study }: LabDocument): { kind: LabKind | null } => ({
    kind: labKinds.find((each) => each === study.kind) ?? null,
  }),
  state: {
    /** Milliseconds since the epoch; null if the study was never run. */
    ranAt: null as number | null,
    /** The last answer in one sentence; null if there is none, or if it is of a version that did not keep it. */
    verdict: null as string | null,
  },
  file: {
    type: 'application/json',
    mostBytes: MOST_STUDY_BYTES,
    nameOf: (name) => fileNameWithEnding(name, STUDY_SUFFIX),
    write: (name, { study }) => writeStudyFile(name, study),
    read(text, fileName) {
      const read = readStudyFile(text, fileName)
      if ('problem' in read) return read
      const document = labDocument.safeParse({ version: 1, study: read.study, panel: null })
      return document.success ? { name: read.name, document: document.data } : { problem: 'The study is too large.' }
    },
  },
})
