import { AppError } from '#shared/contract/errors.ts'
import { MOST_FILE_BYTES } from '#shared/workspace/workspaceLimits.ts'
import { recogniseDocument } from '#core/documents/recogniseDocument.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { WindowHost } from '#core/ports.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'

async function pickedFolder({ pickFolder }: WindowHost): Promise<string[]> {
  const path = await pickFolder?.()
  return path ? [path] : []
}

export function fileHandlers(received: ReceivedFiles): Handlers<CallsOf<'files'>> {
  return {
    'files.pick': async ({ kind }, { host }) => {
      if (!host.pickFiles) throw new AppError('unsupported', 'In a browser, the page itself opens the file dialog.')
      const paths = kind === 'folder' ? await pickedFolder(host) : await host.pickFiles(kind)
      await received.add(paths)
      return { chosen: paths.length }
    },
    'files.pickFolder': async (_input, { host }) => {
      if (!host.pickFolder) throw new AppError('unsupported', 'A browser cannot choose folders; type the path.')
      return { path: await host.pickFolder() }
    },
    'files.received': () => received.list(),
    'files.recognise': async ({ file }) => {
      try {
        const { name, text } = await received.readText(file, MOST_FILE_BYTES)
        const read = recogniseDocument(name, text)
        if ('problem' in read) throw new AppError('bad-input', `${name} ${read.problem}`)
        return read
      } catch (thrown) {
        // The file is forgotten, so that the user can choose it again.
        received.remove([file])
        throw thrown
      }
    },
    'files.reveal': ({ path }, { host }) => {
      if (!host.reveal) throw new AppError('unsupported', 'The browser decides where it saves files.')
      host.reveal(path)
      return null
    },
  }
}
