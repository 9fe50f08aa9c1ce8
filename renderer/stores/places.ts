import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'

type Query = Readonly<Record<string, string | null | (string | null)[]>>

/** Where a person was when a screen, or a tab of it, was left. */
export const usePlaces = defineStore('places', () => {
  const addresses = shallowReactive(new Map<string, string>())
  const queries = shallowReactive(new Map<string, Query>())
  function keep(screen: string, { path, query, fullPath }: { path: string; query: Query; fullPath: string }): void {
    addresses.set(screen, fullPath)
    queries.set(path, query)
  }
  return {
    keep,
    /** Of a screen: where one was on it, else its beginning. */
    addressOf: (screen: string): string => addresses.get(screen) ?? `/${screen}`,
    /** What was chosen under a path, e.g. that of a tab. */
    queryOf: (path: string): Query => queries.get(path) ?? {},
  }
})
