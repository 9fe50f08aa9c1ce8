import type { CallsOf, Handlers } from '#core/handler.ts'
import type { Imports } from '#core/raw/imports.ts'
import type { Store } from '#core/store/store.ts'

export function rawHandlers(imports: Imports, store: Store): Handlers<CallsOf<'raw'>> {
  const owner = (connectionId: string) => connectionId || store.connections.active().id
  return {
    'raw.inspect': (given, { signal, progress }) => imports.inspect(given, { signal, onProgress: progress }),
    'raw.import': async ({ connectionId, files }, { signal, progress }) => ({
      files: await imports.run(owner(connectionId), files, { signal, onProgress: progress }),
    }),
    'raw.dismiss': ({ ids }) => {
      imports.dismiss(ids)
      return null
    },
  }
}
