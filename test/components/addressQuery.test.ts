import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter, type Router } from 'vue-router'
import { changeQuery, followNavigations, fromHere } from '../../renderer/widgets/addressQuery.ts'

/** Opens a router with a screen whose code loads when the test calls `arrive`. */
async function openRouter(): Promise<{ router: Router; arrive(): void }> {
  const code = Promise.withResolvers<object>()
  const page = { template: '<p />' }
  const routes = [
    { path: '/portfolios', component: page },
    { path: '/lab', component: page },
    { path: '/settings', component: () => code.promise },
  ]
  const router = createRouter({ history: createMemoryHistory(), routes })
  followNavigations(router)
  await router.push('/portfolios')
  return { router, arrive: () => code.resolve(page) }
}

const settle = () => new Promise((resolve) => setTimeout(resolve))

it('keeps both of two changes made at the same moment', async () => {
  const { router } = await openRouter()
  changeQuery(router, (query) => ({ ...query, from: '2026-01-01' }))
  changeQuery(router, (query) => ({ ...query, compare: 'all' }))
  await settle()
  expect(router.currentRoute.value.query).toEqual({ from: '2026-01-01', compare: 'all' })
})

it('does not call back a person who has clicked another screen that is still loading', async () => {
  const { router, arrive } = await openRouter()
  const leaving = router.push('/settings')
  await settle()
  changeQuery(router, (query) => ({ ...query, from: '2026-01-01' }))
  arrive()
  await leaving
  expect(router.currentRoute.value.fullPath).toBe('/settings')
})

it('changes the address again after a screen failed to load', async () => {
  const code = Promise.reject(new Error('line lost'))
  code.catch(() => {})
  const routes = [
    { path: '/portfolios', component: { template: '<p />' } },
    { path: '/settings', component: () => code },
  ]
  const router = createRouter({ history: createMemoryHistory(), routes })
  followNavigations(router)
  await router.push('/portfolios')
  await router.push('/settings').catch(() => {})
  changeQuery(router, () => ({ q: 'x' }))
  await settle()
  expect(router.currentRoute.value.fullPath).toBe('/portfolios?q=x')
})

it('does not call back a person who went to another screen before the work ended that opens its own', async () => {
  const { router, arrive } = await openRouter()
  const [goFirst, goSecond] = [fromHere(router), fromHere(router)]
  const leaving = router.push('/settings')
  await settle()
  await goFirst('/lab')
  arrive()
  await leaving
  await goSecond('/lab')
  expect(router.currentRoute.value.path).toBe('/settings')
  await fromHere(router)('/lab')
  expect(router.currentRoute.value.path).toBe('/lab')
})
