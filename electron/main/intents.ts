import type { CommandId } from '#shared/contract/commandIds.ts'

/** A request from the system or the menu to a page of the app. */
export type Intent =
  | { kind: 'files'; files: string[] }
  | { kind: 'address'; address: string }
  | { kind: 'command'; command: CommandId }

/** Queue of intents, which wait until a page shows its first screen, because no page listens before that. */
interface Intents {
  add(intent: Intent): void
  /** Delivers the waiting intents; from now on, each intent is delivered immediately. */
  pageShown(): void
  /** Makes intents wait again, because the page is gone or reloading. */
  pageLeft(): void
}

export function createIntents(deliver: (intent: Intent) => void): Intents {
  let waiting: Intent[] = []
  let isShown = false
  return {
    add(intent) {
      if (isShown) deliver(intent)
      else waiting.push(intent)
    },
    pageShown() {
      isShown = true
      const ready = waiting
      waiting = []
      for (const intent of ready) deliver(intent)
    },
    pageLeft: () => void (isShown = false),
  }
}
