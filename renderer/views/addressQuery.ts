import { shallowReactive } from 'vue'
import type {
  LocationQueryRaw,
  LocationQuery,
  RouteLocationNormalized,
  RouteLocationResolved,
  Router,
} from 'vue-router'

/** Target of a navigation in progress, which may take a while if the screen's code is still loading. */
interface Pending {
  to: Pick<RouteLocationResolved, 'name' | 'path' | 'query'> | null
}

const pendingByRouter = new WeakMap<Router, Pending>()

/** Starts to follow the navigations of a router. */
export function followNavigations(router: Router): Pending {
  const known = pendingByRouter.get(router)
  if (known) return known
  const pending: Pending = shallowReactive({ to: null })
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
 * Changes the query of the current address, on top of a change still in progress. If a navigation to another screen is
 * in progress, nothing changes, because the router would cancel it and the user's click would be lost.
 */
export function changeQuery(router: Router, change: (query: LocationQuery) => LocationQueryRaw): void {
  const pending = followNavigations(router)
  const here = router.currentRoute.value
  const { path, query } = pending.to ?? here
  if (path !== here.path) return
  const to = router.resolve({ query: change(query) })
  // The target is recorded immediately, because the router reports a navigation only a moment after it starts.
  pending.to = to
  void router.replace(to).finally(() => {
    if (pending.to === to) pending.to = null
  })
}
