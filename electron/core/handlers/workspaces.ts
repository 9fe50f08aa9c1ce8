import { Readable } from 'node:stream'
import { AppError } from '#shared/contract/errors.ts'
import {
  MOST_FILE_BYTES,
  readWorkspaceFile,
  workspaceFileName,
  writeWorkspaceFile,
} from '#shared/workspace/workspaceFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { WorkspaceStore } from '#core/store/workspaceStore.ts'

export function workspaceHandlers(
  workspaces: WorkspaceStore,
  received: ReceivedFiles,
  bus: EventBus,
): Handlers<CallsOf<'workspaces'>> {
  const report = <Result>(result: Result): Result => {
    bus.emit('workspaces.changed', {})
    return result
  }
  return {
    'workspaces.list': () => workspaces.list(),
    'workspaces.read': ({ id }) => workspaces.read(id),
    'workspaces.create': ({ name, document }) => report(workspaces.create(name, document)),
    'workspaces.save': ({ id, document, revision }) => report({ revision: workspaces.save(id, document, revision) }),
    'workspaces.rename': ({ id, name }) => report(workspaces.rename(id, name)),
    'workspaces.remove': ({ id }) => {
      workspaces.remove(id)
      return report(null)
    },
    'workspaces.export': ({ name, document }, { host }) =>
      host.save({ name: workspaceFileName(name), type: 'application/json' }, () =>
        Readable.from([writeWorkspaceFile(name, document)]),
      ),
    'workspaces.import': async ({ file }) => {
      const { name, text } = await received.readText(file, MOST_FILE_BYTES)
      // Good or bad, it is dealt with: the same file can be chosen again.
      received.remove([file])
      const read = readWorkspaceFile(text)
      if ('problem' in read) throw new AppError('bad-input', `${name}: ${read.problem}`)
      return report(workspaces.create(read.name, read.document))
    },
  }
}
