import type { Router } from 'vue-router'
import type { Host } from './host/host.ts'
import { screens } from './screens.ts'
import { useApp } from './stores/app.ts'
import { useCommands } from './stores/commands.ts'
import { useConnections } from './stores/connections.ts'
import { useDownloads } from './stores/downloads.ts'
import { useFiles } from './stores/files.ts'
import { useFirstSteps } from './stores/firstSteps.ts'
import { useHost } from './stores/host.ts'
import { useNetwork } from './stores/network.ts'
import { usePlaces } from './stores/places.ts'
import { useSettings } from './stores/settings.ts'
import { useWorkspaces } from './stores/workspaces.ts'

/** Loads what every screen needs, and lets the host steer the window: links, menu entries, dropped files. */
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
  await Promise.all([
    useSettings().start(),
    useConnections().start(),
    app.start(),
    useNetwork().start(),
    useDownloads().start((tab) => router.push(`/downloads/${tab}`)),
    useFiles().start(
      () => router.push('/raw/import'),
      (file) => void openWorkspace(file),
    ),
  ])
  const steps = useFirstSteps()
  steps.start()
  const places = usePlaces()
  router.afterEach((to) => {
    const name = String(to.name)
    steps.opened(name)
    if (screens.some((screen) => screen.name === name && screen.keepsPlace)) places.keep(name, to)
  })
  void router.isReady().then(
    () => tellShown(app),
    () => {},
  )
}

/** A screen asks for what it shows when it stands; that comes first. */
const FIRST_ANSWERS_MS = 300

/** What the host leaves for later begins when this window has nothing left to do. */
function tellShown(app: ReturnType<typeof useApp>): void {
  // A host that is gone by then has nothing left to begin.
  const tell = () => void app.shown().catch(() => {})
  setTimeout(() => requestIdleCallback(tell, { timeout: 1000 }), FIRST_ANSWERS_MS)
}
