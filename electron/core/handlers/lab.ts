import { Readable } from 'node:stream'
import { labDocument } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { MOST_STUDY_BYTES, readStudyFile, STUDY_SUFFIX, writeStudyFile } from '#shared/lab/studyFile.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { LabStore } from '#core/store/labStore.ts'

export interface LabDeps {
  studies: LabStore
  received: ReceivedFiles
  bus: EventBus
}

export function labHandlers({ studies, received, bus }: LabDeps): Handlers<CallsOf<'lab'>> {
  const report = <Result>(result: Result): Result => {
    bus.emit('lab.changed', {})
    return result
  }
  return {
    'lab.list': () => studies.list(),
    'lab.read': ({ id }) => studies.read(id),
    'lab.create': ({ name, document }) => report(studies.create(name, document)),
    'lab.save': ({ id, document, revision }) => report({ revision: studies.save(id, document, revision) }),
    'lab.rename': ({ id, name }) => report(studies.rename(id, name)),
    'lab.remove': ({ id }) => {
      studies.remove(id)
      return report(null)
    },
    'lab.export': ({ name, document }, { host }) =>
      host.save({ name: safeFileName(`${name}${STUDY_SUFFIX}`), type: 'application/json' }, () =>
        Readable.from([writeStudyFile(name, document.study)]),
      ),
    'lab.import': async ({ file }) => {
      const { name: fileName, text } = await received.readText(file, MOST_STUDY_BYTES)
      // The file counts as dealt with, good or bad, so that it can be chosen again.
      received.remove([file])
      const read = readStudyFile(text, fileName)
      if ('problem' in read) throw new AppError('bad-input', `${fileName}: ${read.problem}`)
      const document = labDocument.safeParse({ version: 1, study: read.study, panel: null })
      if (!document.success) throw new AppError('bad-input', `${fileName}: The study is too large.`)
      return report(studies.create(read.name, document.data))
    },
  }
}
