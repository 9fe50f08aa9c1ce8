import { AppError } from '#shared/contract/errors.ts'
import type { CallContext, CallsOf, Handlers } from '#core/handler.ts'
import type { OwnData } from '#core/own/ownData.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'

export function dataHandlers(data: OwnData, received: ReceivedFiles): Handlers<CallsOf<'data'>> {
  function pathsOf({ files, paths }: { files: string[]; paths: string[] }, { host }: CallContext): string[] {
    if (paths.length > 0 && host.kind === 'browser')
      throw new AppError('unsupported', 'A page in a browser cannot name files of this machine; choose or drop them.')
    const given = files.map((id) => {
      const path = received.pathOf(id)
      if (path === null) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      return path
    })
    return [...given, ...paths]
  }

  return {
    'data.list': () => data.list(),
    'data.show': ({ name }) => data.show(name),
    'data.add': async (input, context) => {
      const { files, paths, ...choices } = input
      // What a page sends is a copy, which is not kept.
      const once = choices.once || context.host.kind === 'browser'
      const answer = await data.add({ ...choices, once }, pathsOf({ files, paths }, context), context)
      received.remove(files)
      return answer
    },
    'data.preview': ({ files, paths, ...choices }, context) =>
      data.preview(choices, pathsOf({ files, paths }, context), context),
    'data.rows': (input, context) => data.rows(input, context),
    'data.refresh': ({ name, paths }, context) => data.refresh(name, pathsOf({ files: [], paths }, context), context),
    'data.remove': ({ name }) => {
      data.remove(name)
      return null
    },
  }
}
