import { shallowReactive } from 'vue'
import type {
  LocationQueryRaw,
  LocationQuery,
  RouteLocationNormalized,
  RouteLocationResolved,
  Router,
} from 'vue-router'

/** Target of a navigation that has begun: it takes a while where the code of a screen is still loading. */
interface Pending {
  to: Pick<RouteLocationResolved, 'name' | 'path' | 'query'> | null
}

const pendingByRouter = new WeakMap<Router, Pending>()

/** Follows the navigations of a router from now on. */
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
 * Replaces the query of the current address by a change of it. A change counts on top of one that has begun just before.
 * Nothing changes once another screen is on its way: the router would cancel that way, and the user's click be lost.
 */
export function changeQuery(router: Router, change: (query: LocationQuery) => LocationQueryRaw): void {
  const pending = followNavigations(router)
  const here = router.currentRoute.value
  const { path, query } = pending.to ?? here
  if (path !== here.path) return
  const to = router.resolve({ query: change(query) })
  // Said at once, because the router tells of a navigation only a moment after it began.
  pending.to = to
  void router.replace(to).finally(() => {
    if (pending.to === to) pending.to = null
  })
}
