import type { LocalApiStatus } from '#shared/contract/areas/network.ts'

/** State of the local API; a host opens it and windows show its state. */
export interface LocalApiState {
  read(): LocalApiStatus
  set(state: LocalApiStatus): void
}

export function createLocalApiState(onChanged: (state: LocalApiStatus) => void): LocalApiState {
  let state: LocalApiStatus = { open: null, problem: null }
  return {
    read: () => state,
    set(next) {
      state = next
      onChanged(next)
    },
  }
}
