import { Readable } from 'node:stream'
import { AppError } from '#shared/contract/errors.ts'
import { MOST_FILE_BYTES } from '#shared/workspace/workspaceLimits.ts'
import { workspaceFile, workspaceFileName } from '#shared/workspace/workspaceFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { WorkspaceStore } from '#core/store/workspaceStore.ts'
import { storedDocuments } from './storedDocuments.ts'

export function workspaceHandlers(
  workspaces: WorkspaceStore,
  received: ReceivedFiles,
  bus: EventBus,
): Handlers<CallsOf<'workspaces'>> {
  const documents = storedDocuments('workspaces', workspaces, () => void bus.emit('workspaces.changed', {}))
  const { reportChange } = documents
  return {
    ...documents.handlers,
    'workspaces.export': ({ name, document }, { host }) =>
      host.save({ name: workspaceFileName(name), type: 'application/json' }, () =>
        Readable.from([workspaceFile.write(name, document)]),
      ),
    'workspaces.import': async ({ file }) => {
      const { name, text } = await received.readText(file, MOST_FILE_BYTES)
      // The file is forgotten, valid or not, so that the user can choose it again.
      received.remove([file])
      const read = workspaceFile.read(text)
      if ('problem' in read) throw new AppError('bad-input', `${name}: ${read.problem}`)
      return reportChange(workspaces.create(read.name, read.document))
    },
  }
}
