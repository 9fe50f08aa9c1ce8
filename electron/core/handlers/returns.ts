import { AppError } from '#shared/contract/errors.ts'
import { dayFrame } from '#shared/portfolio/dailySeries.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { OwnReturnsFiles } from '#core/record/ownReturns.ts'
import type { LoadHistory } from '#core/record/returnsSource.ts'
import type { ReturnsStore } from '#core/store/returnsStore.ts'

export interface ReturnsHandlerDeps {
  store: ReturnsStore
  own: OwnReturnsFiles
  open: OpenPortfolio
  received: ReceivedFiles
  bus: EventBus
}

export function returnsHandlers({ store, own, open, received, bus }: ReturnsHandlerDeps): Handlers<CallsOf<'returns'>> {
  return {
    'returns.list': () => store.list(),
    'returns.import': ({ file }, { host }) => {
      const path = received.pathOf(file)
      if (path === null) throw new AppError('not-found', 'The file no longer exists; choose it again.')
      // The file is forgotten, valid or not, so that the user can choose it again.
      received.remove([file])
      return own.open(path, host.kind === 'browser')
    },
    'returns.read': ({ connectionId, id, refresh }, { signal }) => {
      const loadHistory: LoadHistory = async (request) => {
        const allDays = { start: null, end: null }
        const { value, freshness } = await open(connectionId).history(request, allDays, { refresh }, signal)
        return { rows: dayFrame(value), freshness }
      }
      return own.read(id, loadHistory)
    },
    'returns.change': ({ id, unit, cost }) => {
      store.change(id, { ...(unit !== undefined && { unit }), ...(cost !== undefined && { cost }) })
      bus.emit('returns.changed', {})
      return null
    },
    'returns.remove': ({ id }) => {
      own.remove(id)
      return null
    },
  }
}
