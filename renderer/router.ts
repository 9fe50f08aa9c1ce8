import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router'
import { AppError } from '#shared/contract/errors.ts'
import { followNavigations } from './views/addressQuery.ts'
import type { Host } from './host/host.ts'
import { screens } from './screens.ts'
import { shellText } from './text/shell.ts'
import { useApp, useNetwork } from './stores/app.ts'
import { useCommands } from './stores/commands.ts'
import { useConnections } from './stores/connections.ts'
import { useDownloads } from './stores/downloads.ts'
import { useFiles } from './stores/files.ts'
import { useFirstSteps } from './stores/firstSteps.ts'
import { useHost } from './stores/host.ts'
import { usePanes } from './stores/panes.ts'
import { usePlaces } from './stores/places.ts'
import { useSettings } from './stores/settings.ts'
import { useWorkspaces } from './stores/workspaces.ts'

/** Path parameters of the selection on each screen. */
const selected: Record<string, string> = {
  workbench: '/:tab(data|scan)?',
  catalog: '/:dataset?',
  lab: '/:study?',
  sql: '/:query?',
  boards: '/:board?',
  downloads: '/:tab(new|sets|history|failed)?',
  portfolios: '/:tab(portfolio|weights|explain|factors|universe|overlays|prices)',
  raw: '/:tab(catalog|import|files|rows|latency|tape|compute|reconcile)?',
  settings: '/:section?',
  guide: '/:section?',
}

/** Further paths of screens, beside those that links of earlier versions have. */
const aliases: Record<string, string> = { workbench: '/workbench/:tab(relationships)?' }

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/workbench' },
  { path: '/portfolios', redirect: ({ query }) => ({ path: '/portfolios/portfolio', query }) },
  ...screens.map(({ name, title, load }) => ({
    name,
    path: `/${name}${selected[name] ?? ''}`,
    ...(aliases[name] && { alias: aliases[name] }),
    component: () => load().catch(rethrowAsDisconnected),
    meta: { title },
  })),
  {
    path: '/pane/:workspace/:pane',
    name: 'pane',
    component: () => import('./views/pane/PaneView.vue').catch(rethrowAsDisconnected),
    meta: { title: shellText.pane },
  },
  {
    path: '/:address(.*)*',
    name: 'not-found',
    component: () => import('./views/NotFoundView.vue'),
    meta: { title: shellText.notFound },
  },
]

/** Replaces the error of a failed import: screens come from the host and cannot load without a line to it. */
function rethrowAsDisconnected(cause: unknown): never {
  throw new AppError('disconnected', shellText.screenNotLoaded, { cause })
}

/** Creates the router; called after the token was taken from the address. */
export function createWindowRouter(): Router {
  const router = createRouter({ history: createWebHashHistory(), routes })
  keepEarlyAddress(router)
  followNavigations(router)
  router.afterEach(({ meta, params, name }, _from, failure) => {
    // A navigation that another one overtook shows nothing.
    if (failure) return
    // The id of a study or query says nothing; its screen puts the name there.
    const selection = name === 'not-found' || name === 'lab' || name === 'sql' ? '' : Object.values(params).join('')
    document.title = shellText.pageTitle(selection, String(meta.title))
  })
  return router
}

/**
 * Opens the address that the window is given while its first screen is still loading. The router listens to the address
 * only from then on, and would put the one of the first screen in its place.
 */
function keepEarlyAddress(router: Router): void {
  let early: string | null = null
  const note = ({ newURL }: HashChangeEvent) => (early = new URL(newURL).hash.slice(1))
  window.addEventListener('hashchange', note)
  const open = () => {
    window.removeEventListener('hashchange', note)
    if (early !== null && early !== router.currentRoute.value.fullPath) void router.push(early)
  }
  // An address that was given just before is told of in a task of its own.
  const openSoon = () => void setTimeout(open)
  void router.isReady().then(openSoon, openSoon)
}

/** Tells whether this is a window of one pane, which it stays for as long as it is open. */
export const isPaneWindow = (): boolean => location.hash.startsWith('#/pane/')

/** Loads the stores that a window of one pane needs; links, menu and dropped files are the main window's. */
export async function startPaneWindow(connected: Host): Promise<void> {
  useHost().provide(connected)
  await Promise.all([useSettings().start(), useConnections().start(), useNetwork().start()])
}

/** Loads the stores that every screen needs, and lets the host steer the window: links, menu commands, dropped files. */
export async function startWindow(connected: Host, router: Router): Promise<void> {
  const host = useHost()
  const app = useApp()
  host.provide(connected)
  const commands = useCommands()
  host.on('links.opened', ({ address }) => void router.push(address.replace(/^#/, '')))
  host.on('menu.chosen', ({ command }) => void commands.run(command))
  async function openWorkspace(file: string): Promise<void> {
    await commands.attempt(() => useWorkspaces().openFile(file))
    await router.push('/workbench')
  }
  const openStudy = (file: string) =>
    commands.attempt(async () => {
      const { useLab } = await import('./stores/lab.ts')
      await router.push(`/lab/${await useLab().openFile(file)}`)
    })
  await Promise.all([
    useSettings().start(),
    useConnections().start(),
    app.start(),
    useNetwork().start(),
    useDownloads().start(
      (tab) => void router.push(`/downloads/${tab}`),
      () => void router.push('/quality'),
    ),
    useFiles().start(() => void router.push('/raw/import'), {
      workspace: (file) => void openWorkspace(file),
      study: (file) => void openStudy(file),
    }),
  ])
  usePanes()
  const steps = useFirstSteps()
  steps.start()
  const places = usePlaces()
  router.afterEach((to, _from, failure) => {
    if (failure) return
    const name = String(to.name)
    steps.opened(name)
    if (screens.some((screen) => screen.name === name && screen.keepsPlace)) places.keep(name, to)
  })
  void router.isReady().then(
    () => tellShown(app),
    () => {},
  )
}

/** Delay that gives the first requests of a screen precedence. */
const FIRST_ANSWERS_MS = 300

/** Work that the host leaves for later begins when this window has nothing left to do. */
function tellShown(app: ReturnType<typeof useApp>): void {
  // A host that is gone by then has nothing left to begin.
  const tell = () => void app.shown().catch(() => {})
  setTimeout(() => requestIdleCallback(tell, { timeout: 1000 }), FIRST_ANSWERS_MS)
}
