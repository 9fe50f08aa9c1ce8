import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'

type Query = Readonly<Record<string, string | null | (string | null)[]>>

/** Remembers the last address of each screen, and the last query of each path, for example of the path of a tab. */
export const useLastAddresses = defineStore('lastAddresses', () => {
  const addresses = shallowReactive(new Map<string, string>())
  /** Screens, the last one first. */
  const order = shallowReactive<string[]>([])
  const queries = shallowReactive(new Map<string, Query>())
  function keep(screen: string, { path, query, fullPath }: { path: string; query: Query; fullPath: string }): void {
    addresses.set(screen, fullPath)
    order.splice(0, order.length, screen, ...order.filter((each) => each !== screen))
    queries.set(path, query)
  }
  return {
    keep,
    /** Returns the last address within a screen, or the address of the screen itself if there is none. */
    addressOf: (screen: string): string => addresses.get(screen) ?? `/${screen}`,
    /** Returns the screen of these that was shown last; undefined if none was. */
    lastOf: (screens: readonly string[]): string | undefined => order.find((screen) => screens.includes(screen)),
    /** Returns the last query of a path; empty if there is none. */
    queryOf: (path: string): Query => queries.get(path) ?? {},
  }
})
