import type { LocalDoor } from '#shared/contract/areas/network.ts'

/** The state of the local API, which a host opens and windows show. */
export interface LocalDoorState {
  read(): LocalDoor
  set(state: LocalDoor): void
}

export function createLocalDoorState(onChanged: (state: LocalDoor) => void): LocalDoorState {
  let state: LocalDoor = { open: null, problem: null }
  return {
    read: () => state,
    set(next) {
      state = next
      onChanged(next)
    },
  }
}
