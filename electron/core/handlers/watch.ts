import type { CallsOf, Handlers } from '#core/handler.ts'
import { type WatchDeps, watchRows } from '#core/watch/watchRows.ts'

export function watchHandlers(deps: WatchDeps): Handlers<CallsOf<'watch'>> {
  return {
    'watch.rows': ({ connectionId, ...request }, { signal, progress }) =>
      watchRows(
        deps,
        { ...request, connectionId: connectionId || deps.store.connections.active().id },
        { signal, onProgress: progress },
      ),
  }
}
