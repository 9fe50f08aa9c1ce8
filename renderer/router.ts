import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router'
import { AppError } from '#shared/contract/errors.ts'
import { screens } from './screens.ts'

/** What is selected on a screen, where it stands in the path. */
const selected: Record<string, string> = {
  workbench: '/:tab(data|scan)?',
  catalog: '/:dataset?',
  downloads: '/:tab(new|sets|history|failed)?',
  portfolios: '/:tab(portfolio|weights|explain|factors|universe|overlays|prices)',
  raw: '/:tab(catalog|import|files|rows|latency|tape|compute|reconcile)?',
  settings: '/:section?',
  guide: '/:section?',
}

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/workbench' },
  { path: '/portfolios', redirect: ({ query }) => ({ path: '/portfolios/portfolio', query }) },
  ...screens.map(({ name, title, load }) => ({
    name,
    path: `/${name}${selected[name] ?? ''}`,
    component: () => load().catch(sayNotLoaded),
    meta: { title },
  })),
  {
    path: '/:address(.*)*',
    name: 'not-found',
    component: () => import('./views/NotFoundView.vue'),
    meta: { title: 'Not found' },
  },
]

/** The parts of the window come from the host; without a line to it, a screen that was never open cannot come. */
function sayNotLoaded(cause: unknown): never {
  throw new AppError('disconnected', 'The screen could not be loaded.', { cause })
}

/** To be called after the token was taken from the address: from here on the address is the router's. */
export function createWindowRouter(): Router {
  const router = createRouter({ history: createWebHashHistory(), routes })
  router.afterEach(({ meta, params, name }) => {
    const selection = name === 'not-found' ? '' : Object.values(params).join('')
    const part = selection && `${selection[0].toUpperCase()}${selection.slice(1)} · `
    document.title = `${part}${String(meta.title)} · Perpscope`
  })
  return router
}
