import { computed } from 'vue'
import { useRoute, useRouter, type LocationQuery } from 'vue-router'

/** Fields of the address that links between tabs carry along. */
const carriedFields: readonly string[] = ['portfolio', 'smoothing', 'exchange', 'from', 'to']

export function carriedQuery(here: LocationQuery, there: LocationQuery): LocationQuery {
  const carried = Object.entries(here).filter(([name]) => carriedFields.includes(name))
  const own = Object.entries(there).filter(([name]) => !carriedFields.includes(name))
  return Object.fromEntries([...own, ...carried])
}

/**
 * The fields of a tab as they stand in the address behind `?`, texts all; `defaults` are what is not written there.
 * Other fields of the address are left alone.
 */
export function useAddress<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readFields(route.query, defaults))
  /** Writes what differs from the defaults; the present entry of the history becomes the new one. */
  function change(patch: Partial<Record<Name, string>>): void {
    const { query } = router.currentRoute.value
    void router.replace({ query: writtenFields(query, { ...readFields(query, defaults), ...patch }, defaults) })
  }
  return { address, change }
}

export function readFields<Name extends string>(
  query: LocationQuery,
  defaults: Readonly<Record<Name, string>>,
): Record<Name, string> {
  const entries = Object.entries<string>(defaults).map(([name, byDefault]) => {
    const given = query[name]
    return [name, typeof given === 'string' ? given : byDefault]
  })
  return Object.fromEntries(entries) as Record<Name, string>
}

export function writtenFields<Name extends string>(
  query: LocationQuery,
  fields: Record<Name, string>,
  defaults: Readonly<Record<Name, string>>,
): LocationQuery {
  const others = Object.entries(query).filter(([name]) => !(name in defaults))
  const own = Object.entries<string>(fields).filter(([name, value]) => value !== defaults[name as Name])
  return Object.fromEntries([...others, ...own])
}
