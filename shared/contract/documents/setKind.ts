import { documentFile } from '../../units/documentFile.ts'
import { fileNameWithEnding } from '../../units/fileNames.ts'
import { MOST_FILE_BYTES } from '../../workspace/workspaceLimits.ts'
import { downloadSetFields, type DownloadSetFields } from '../areas/downloads.ts'
import { defineKind, openBy } from './documentKind.ts'

const setFile = documentFile<DownloadSetFields>({
  format: 'perpscope download set',
  wrongKind: 'It is not a download set',
  defaultName: 'Download set',
  read: openBy(downloadSetFields),
})

/** Download sets. A connection has one of a name, whatever its case. */
export const setKind = defineKind({
  noun: 'download set',
  inBackups: 'sets',
  schema: downloadSetFields,
  open: openBy(downloadSetFields),
  idOf: (name, { connectionId }) => setId(connectionId, name),
  facts: ({ connectionId }: DownloadSetFields) => ({ connectionId }),
  /** Milliseconds since the epoch; null if the set was never queued. */
  state: { enqueuedAt: null as number | null },
  file: {
    type: 'application/json',
    mostBytes: MOST_FILE_BYTES,
    nameOf: (name) => fileNameWithEnding(name, '.set.json'),
    ...setFile,
  },
})

/** Returns the id of a set, in which only the case of ASCII letters does not count. */
export const setId = (connectionId: string, name: string): string =>
  `${connectionId}/${name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())}`
