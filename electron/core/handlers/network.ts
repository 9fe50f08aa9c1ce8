import type { LocalApiStatus, NetworkState } from '#shared/contract/areas/network.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'

export interface NetworkHandlerDeps {
  state(): NetworkState
  tryAgain(): void
  localApi(): LocalApiStatus
}

export const networkHandlers = ({ state, tryAgain, localApi }: NetworkHandlerDeps): Handlers<CallsOf<'network'>> => ({
  'network.door': localApi,
  'network.state': state,
  'network.tryAgain': () => {
    tryAgain()
    return state()
  },
})
