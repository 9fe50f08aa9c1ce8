import { createRouter, createWebHashHistory, type Router, type RouteRecordRaw } from 'vue-router'
import { AppError } from '#shared/contract/errors.ts'
import { fromHere, followNavigations } from './widgets/addressQuery.ts'
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
import { useLastAddresses } from './stores/lastAddresses.ts'
import { useSettings } from './stores/settings.ts'
import { useToasts } from './stores/toasts.ts'
import { saveUnsavedDocuments } from './stores/unsavedDocuments.ts'
import { useWorkspaces } from './stores/workspaces.ts'

/** Path parameters of the screens that have any; they name what is selected. */
const selectionParameters: Record<string, string> = {
  workbench: '/:tab(data|scan)?',
  catalog: '/:dataset?',
  lab: '/:study?',
  sql: '/:query?',
  boards: '/:board?',
  downloads: '/:tab(new|sets|history|failed)?',
  raw: '/:tab(catalog|import|files|rows|latency|tape|compute|reconcile)?',
  portfolios: '/:tab(portfolio|weights|explain|factors|universe|overlays|prices)',
  settings: '/:section?',
  guide: '/:section?',
}

/** Paths of newer tabs, kept apart because the paths above have been promised since version 0.1.0. */
const aliasByName: Record<string, string> = {
  workbench: '/workbench/:tab(relationships)?',
  portfolios: '/portfolios/:tab(book)',
  raw: '/raw/:tab(own)',
}

/** First tabs of screens. Such a tab has the address of its screen; an address with the tab's name leads there too. */
const firstTabs = { workbench: 'chart', downloads: 'queue', lab: 'studies' }

const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/workbench' },
  ...Object.entries(firstTabs).map(([screen, tab]) => ({ path: `/${screen}/${tab}`, redirect: `/${screen}` })),
  { path: '/portfolios', redirect: ({ query }) => ({ path: '/portfolios/portfolio', query }) },
  ...screens.map(({ name, title, load }) => ({
    name,
    path: `/${name}${selectionParameters[name] ?? ''}`,
    ...(aliasByName[name] && { alias: aliasByName[name] }),
    component: () => load().catch(rethrowAsUnloaded),
    meta: { title },
  })),
  {
    path: '/pane/:workspace/:pane',
    name: 'pane',
    component: () => import('./views/pane/PaneView.vue').catch(rethrowAsUnloaded),
    meta: { title: shellText.pane },
  },
  {
    path: '/:address(.*)*',
    name: 'not-found',
    component: () => import('./views/NotFoundView.vue'),
    props: { screens },
    meta: { title: shellText.notFound },
  },
]

/**
 * Replaces the error from a failed import: screens are loaded from the host, so the connection is lost, or the program
 * was replaced while it ran and has the screen under another name.
 */
function rethrowAsUnloaded(cause: unknown): never {
  const code = useHost().connectionState === 'connected' ? 'updated' : 'disconnected'
  throw new AppError(code, shellText.screenNotLoaded, { cause })
}

/**
 * Pages whose parameters (ids, or an unknown address) do not belong in a title; all but `not-found` set a title of
 * their own.
 */
const titledWithoutParameters = new Set<unknown>(['not-found', 'lab', 'sql', 'boards', 'pane'])

/** Creates the router; the token must already have been taken from the address. */
export function createWindowRouter(): Router {
  const router = createRouter({ history: createWebHashHistory(), routes })
  keepEarlyAddress(router)
  followNavigations(router)
  router.afterEach(({ meta, params, name }, _from, failure) => {
    // A navigation that failed, or that another one replaced, does not change the title.
    if (failure) return
    const selection = titledWithoutParameters.has(name) ? '' : Object.values(params).join('')
    document.title = shellText.pageTitle(selection, String(meta.title))
  })
  return router
}

/**
 * Opens an address that was set while the first screen was still loading. The router listens to addresses only once the
 * first screen is loaded, and would replace the new address with the first one.
 */
function keepEarlyAddress(router: Router): void {
  let earlyAddress: string | null = null
  const rememberAddress = ({ newURL }: HashChangeEvent) => (earlyAddress = new URL(newURL).hash.slice(1))
  window.addEventListener('hashchange', rememberAddress)
  const openEarly = () => {
    window.removeEventListener('hashchange', rememberAddress)
    if (earlyAddress !== null && earlyAddress !== router.currentRoute.value.fullPath) void router.push(earlyAddress)
  }
  // The address is opened a task later, because the event of an address that was just set comes only then.
  const openSoon = () => void setTimeout(openEarly)
  void router.isReady().then(openSoon, openSoon)
}

/** Tells whether this window shows only a single pane; this does not change while the window is open. */
export const isPaneWindow = (): boolean => location.hash.startsWith('#/pane/')

/** Loads the stores for a single-pane window; links, menu and dropped files are handled by the main window. */
export async function startPaneWindow(connected: Host): Promise<void> {
  useHost().provide(connected)
  await Promise.all([useSettings().start(), useConnections().start(), useNetwork().start()])
}

/** Loads the stores that every screen needs, and connects the host's links, menu commands and dropped files. */
export async function startWindow(connected: Host, router: Router): Promise<void> {
  const host = useHost()
  const app = useApp()
  host.provide(connected)
  const commands = useCommands()
  host.on('links.opened', ({ address }) => void router.push(address.replace(/^#/, '')))
  host.on('menu.chosen', ({ command }) => void commands.run(command))
  await Promise.all([
    useSettings().start(),
    useConnections().start(),
    app.start(),
    useNetwork().start(),
    useDownloads().start(
      (tab) => void router.push(`/downloads/${tab}`),
      () => void router.push('/quality'),
    ),
    useFiles().start((files) => void router.push(placeOfFiles(files)), documentOpeners(router)),
  ])
  await saveUnsavedDocuments(host, useToasts())
  usePanes()
  const firstSteps = useFirstSteps()
  firstSteps.start()
  const lastAddresses = useLastAddresses()
  router.afterEach((to, _from, failure) => {
    if (failure) return
    const name = String(to.name)
    firstSteps.tickScreen(name)
    if (screens.some((screen) => screen.name === name && screen.keepsAddress)) lastAddresses.keep(name, to)
  })
  void router.isReady().then(
    () => tellShown(app),
    () => {},
  )
}

/** Returns where received files are used: Parquet files are offered for import, texts can only become datasets. */
const placeOfFiles = (files: readonly { name: string }[]): string =>
  files.some(({ name }) => /\.(csv|tsv|txt)$/i.test(name)) ? '/raw/own' : '/raw/import'

/** Opens received documents on the screens of their kinds; most of their stores are loaded only then. */
const documentOpeners = (router: Router): Parameters<ReturnType<typeof useFiles>['start']>[1] => ({
  async workspace(file) {
    const go = fromHere(router)
    await useWorkspaces().openFile(file)
    await go('/workbench')
  },
  async study(file) {
    const go = fromHere(router)
    const { useLab } = await import('./stores/lab.ts')
    await go(`/lab/${await useLab().openFile(file)}`)
  },
  async board(file) {
    const go = fromHere(router)
    const { useBoards } = await import('./stores/boards.ts')
    await go(`/boards/${await useBoards().openFile(file)}`)
  },
  async query(file) {
    const go = fromHere(router)
    const { useSql } = await import('./stores/sql.ts')
    await go(`/sql/${await useSql().openFile(file)}`)
  },
})

/** Delay before the host starts background work, so that the first requests of the screen come before it. */
const FIRST_ANSWERS_MS = 300

/** Tells the host that this window is idle, which starts background work. */
function tellShown(app: ReturnType<typeof useApp>): void {
  // A failure is ignored, because a host that is gone has no background work to start.
  const tellHost = () => void app.shown().catch(() => {})
  setTimeout(() => requestIdleCallback(tellHost, { timeout: 1000 }), FIRST_ANSWERS_MS)
}
