import type { Router } from 'vue-router'
import type { CommandId } from '#shared/contract/commandIds.ts'
import { copyText } from '../components/copyText.ts'
import { screens } from '../screens.ts'
import { useApp } from '../stores/app.ts'
import { type Command, useCommands } from '../stores/commands.ts'
import { useConnections } from '../stores/connections.ts'
import { useDownloads } from '../stores/downloads.ts'
import { useFiles } from '../stores/files.ts'
import { useFirstSteps } from '../stores/firstSteps.ts'
import { usePlaces } from '../stores/places.ts'
import { useSettings } from '../stores/settings.ts'
import { useToasts } from '../stores/toasts.ts'
import { useWorkspaces } from '../stores/workspaces.ts'
import { type SectionName, sectionNames } from '../views/settings/sectionNames.ts'

interface ShellActions {
  router: Router
  /** Whether the keys that switch a browser's tabs are ours. */
  ownWindow: boolean
  openPalette: () => void
  openShortcuts: () => void
}

/** The part of a command's definition that must carry an id the host knows too. */
type ShellCommand = Command & { id: CommandId }

export function shellCommands(actions: ShellActions): Command[] {
  return [
    ...goCommands(actions),
    ...dataCommands(),
    ...downloadCommands(actions.router),
    ...workspaceCommands(),
    ...viewCommands(),
    ...helpCommands(actions),
  ]
}

/** Those that a menu outside the window may choose too. */
const sectionCommands: Partial<Record<SectionName, CommandId>> = {
  connections: 'go.connections',
  requests: 'go.requests',
}

function goCommands({ router, ownWindow, openPalette }: ShellActions): Command[] {
  const places = usePlaces()
  const toScreens = screens.map(({ name, title, letter, keywords }, index) => ({
    id: `go.${name}`,
    title,
    group: 'Go to' as const,
    keywords,
    shortcuts: [`g ${letter}`, ...(ownWindow ? [`Mod+${index + 1}`] : []), ...(name === 'settings' ? ['Mod+,'] : [])],
    run: () => router.push(places.addressOf(name)),
  }))
  const others: ShellCommand[] = [
    {
      id: 'palette.open',
      title: () => useCommands().searchWords,
      group: 'Go to',
      shortcuts: ['Mod+K'],
      run: openPalette,
    },
    { id: 'go.back', title: 'Back', group: 'Go to', run: () => router.back() },
    { id: 'go.forward', title: 'Forward', group: 'Go to', run: () => router.forward() },
  ]
  const toSections = sectionNames
    .filter(({ name }) => name !== 'about')
    .map(({ name, title }) => ({
      id: sectionCommands[name] ?? `go.settings.${name}`,
      title: `Settings: ${title}`,
      group: 'Go to' as const,
      run: () => router.push(`/settings/${name}`),
    }))
  return [...toScreens, ...toSections, ...others]
}

function dataCommands(): ShellCommand[] {
  const settings = useSettings()
  const files = useFiles()
  return [
    {
      id: 'offline.toggle',
      title: () => (settings.current.offline ? 'Go online' : 'Go offline'),
      group: 'Connection',
      keywords: 'network plane',
      run: () => settings.change({ offline: !settings.current.offline }),
    },
    {
      id: 'files.import',
      title: 'Open raw-event files …',
      group: 'Data',
      keywords: 'import parquet',
      shortcuts: ['Mod+I'],
      run: () => files.pick(),
    },
  ]
}

function viewCommands(): ShellCommand[] {
  const settings = useSettings()
  const zoom = (step: -1 | 0 | 1) => settings.change({ zoom: step === 0 ? 1 : nextZoom(settings.current.zoom, step) })
  return [
    {
      id: 'theme.toggle',
      title: () => (document.documentElement.dataset.theme === 'dark' ? 'Light theme' : 'Dark theme'),
      group: 'View',
      keywords: 'theme colours appearance night',
      run: () => settings.change({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' }),
    },
    {
      id: 'density.toggle',
      title: () => (settings.current.density === 'compact' ? 'Comfortable density' : 'Compact density'),
      group: 'View',
      keywords: 'density rows spacing',
      run: () => settings.change({ density: settings.current.density === 'compact' ? 'comfortable' : 'compact' }),
    },
    {
      id: 'zone.toggle',
      title: () => (settings.current.timeZone === 'utc' ? 'Times in the local zone' : 'Times in UTC'),
      group: 'View',
      keywords: 'time zone utc local',
      run: () => settings.change({ timeZone: settings.current.timeZone === 'utc' ? 'local' : 'utc' }),
    },
    { id: 'zoom.in', title: 'Zoom in', group: 'View', shortcuts: ['Mod+='], run: () => zoom(1) },
    { id: 'zoom.out', title: 'Zoom out', group: 'View', shortcuts: ['Mod+-'], run: () => zoom(-1) },
    { id: 'zoom.reset', title: 'Actual size', group: 'View', shortcuts: ['Mod+0'], run: () => zoom(0) },
  ]
}

function helpCommands({ router, openShortcuts }: ShellActions): ShellCommand[] {
  const app = useApp()
  const toasts = useToasts()
  const commands = useCommands()
  const steps = useFirstSteps()
  return [
    {
      id: 'help.shortcuts',
      title: 'Keyboard shortcuts',
      group: 'Help',
      keywords: 'keys help',
      shortcuts: ['?'],
      run: openShortcuts,
    },
    {
      id: 'help.about',
      title: 'About Perpscope',
      group: 'Help',
      keywords: 'version check data folder',
      run: () => router.push('/settings/about'),
    },
    {
      id: 'help.firstSteps',
      title: () => (steps.isShown ? 'Put the first steps away' : 'Show the first steps'),
      group: 'Help',
      keywords: 'start checklist sample data cards begin',
      async run() {
        await steps.show(!steps.isShown)
        if (steps.isShown) await router.push('/workbench')
      },
    },
    {
      id: 'diagnostics.copy',
      title: 'Copy diagnostics',
      group: 'Help',
      keywords: 'report problem support',
      async run() {
        const copied = await copyText(await app.diagnostics())
        if (copied) toasts.show({ kind: 'done', message: 'Diagnostics copied.', detail: 'No key is in them.' })
        else commands.run('help.about')
      },
    },
  ]
}

/** One command for each connection that is not in use. */
export function connectionCommands(): Command[] {
  const connections = useConnections()
  return connections.list
    .filter((connection) => !connection.active)
    .map(({ id, name }) => ({
      id: `connections.use.${id}`,
      title: `Use connection: ${name}`,
      group: 'Connection',
      keywords: 'switch service',
      run: () => connections.use(id),
    }))
}

/** What can be done to the download queue from everywhere. */
export function downloadCommands(router: Router): Command[] {
  const downloads = useDownloads()
  const counts = () => downloads.progress?.counts
  return [
    {
      id: 'downloads.new',
      title: 'New download …',
      group: 'Data',
      keywords: 'compose fetch files plan',
      shortcuts: ['g n'],
      run: () => router.push('/downloads/new'),
    },
    {
      id: 'downloads.pauseAll',
      title: 'Pause all downloads',
      group: 'Data',
      keywords: 'queue stop',
      when: () => downloads.left > 0,
      run: () => downloads.pause({ filter: {} }),
    },
    {
      id: 'downloads.resumeAll',
      title: 'Resume all downloads',
      group: 'Data',
      keywords: 'queue continue',
      when: () => (counts()?.paused ?? 0) + (counts()?.waiting ?? 0) > 0,
      run: () => downloads.resume({ filter: {} }),
    },
    {
      id: 'downloads.retryFailed',
      title: 'Retry failed downloads',
      group: 'Data',
      keywords: 'queue again',
      when: () => (counts()?.failed ?? 0) > 0,
      run: () => downloads.retry({ filter: { states: ['failed'] } }),
    },
  ]
}

/** What the menu may ask for, whatever screen is open. */
export function workspaceCommands(): (Command & { id: CommandId })[] {
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const files = useFiles()
  return [
    {
      id: 'workspace.open',
      title: 'Open a workspace file …',
      group: 'Data',
      keywords: 'import perpscope chart',
      shortcuts: ['Mod+O'],
      run: () => workspaces.pickFile(),
    },
    {
      id: 'workspace.save',
      title: 'Save the workspace as a file …',
      group: 'Data',
      keywords: 'export perpscope chart',
      shortcuts: ['Mod+S'],
      async run() {
        await workspaces.start()
        const saved = await workspaces.exportFile()
        const action = files.revealing(saved?.path ?? null)
        if (saved) toasts.show({ kind: 'done', message: `Saved ${saved.name}`, detail: saved.path, action })
      },
    },
  ]
}

const steps = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2]

/** The step above or below; stays at the ends. */
export function nextZoom(zoom: number, direction: -1 | 1): number {
  const next =
    direction === 1 ? steps.find((step) => step > zoom + 0.001) : steps.findLast((step) => step < zoom - 0.001)
  return next ?? zoom
}
