import type { LocalDoor } from '#shared/contract/areas/network.ts'

/** State of the local API; a host opens it and windows show its state. */
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
