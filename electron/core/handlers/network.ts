import type { LocalDoor, NetworkState } from '#shared/contract/areas/network.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'

export interface NetworkHandlerDeps {
  state(): NetworkState
  tryAgain(): void
  door(): LocalDoor
}

export const networkHandlers = ({ state, tryAgain, door }: NetworkHandlerDeps): Handlers<CallsOf<'network'>> => ({
  'network.door': door,
  'network.state': state,
  'network.tryAgain': () => {
    tryAgain()
    return state()
  },
})
