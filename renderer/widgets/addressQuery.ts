import { shallowReactive } from 'vue'
import type {
  LocationQueryRaw,
  LocationQuery,
  RouteLocationNormalized,
  RouteLocationRaw,
  RouteLocationResolved,
  Router,
} from 'vue-router'

/** Target of a navigation in progress, which may take a while if the screen's code is still loading. */
interface PendingNavigation {
  to: Pick<RouteLocationResolved, 'name' | 'path' | 'query'> | null
}

const pendingByRouter = new WeakMap<Router, PendingNavigation>()

/** Returns a router's navigation in progress, and keeps it up to date from the first call on. */
export function followNavigations(router: Router): PendingNavigation {
  const existing = pendingByRouter.get(router)
  if (existing) return existing
  const pending: PendingNavigation = shallowReactive({ to: null })
  pendingByRouter.set(router, pending)
  router.beforeEach((to) => void (pending.to = to))
  const end = (to: RouteLocationNormalized) => {
    if (pending.to === to) pending.to = null
  }
  router.afterEach(end)
  router.onError((_thrown, to) => end(to))
  return pending
}

/**
 * Returns a function that opens an address at the end of longer work, unless the user has gone to another screen since
 * this call, which is what the user wants now.
 */
export function fromHere(router: Router): (address: RouteLocationRaw) => Promise<void> {
  const pending = followNavigations(router)
  const pathNow = () => (pending.to ?? router.currentRoute.value).path
  const startPath = pathNow()
  return async (address) => {
    if (pathNow() === startPath) await router.push(address)
  }
}

/**
 * Changes the query of the current address, on top of a change still in progress. If a navigation to another screen is
 * in progress, nothing changes, because the router would cancel it and the user's click would be lost.
 */
export function changeQuery(router: Router, change: (query: LocationQuery) => LocationQueryRaw): void {
  const pending = followNavigations(router)
  const current = router.currentRoute.value
  const { path, query } = pending.to ?? current
  if (path !== current.path) return
  const target = router.resolve({ query: change(query) })
  // The target is recorded immediately, because the router reports a navigation only a moment after it starts.
  pending.to = target
  void router.replace(target).finally(() => {
    if (pending.to === target) pending.to = null
  })
}
