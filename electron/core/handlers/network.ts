import type { NetworkState } from '#shared/contract/areas/network.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'

export interface NetworkHandlerDeps {
  state(): NetworkState
  tryAgain(): void
}

export const networkHandlers = ({ state, tryAgain }: NetworkHandlerDeps): Handlers<CallsOf<'network'>> => ({
  'network.state': state,
  'network.tryAgain': () => {
    tryAgain()
    return state()
  },
})
