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
import { useLastAddresses } from '../stores/lastAddresses.ts'
import { useSettings } from '../stores/settings.ts'
import { useToasts } from '../stores/toasts.ts'
import { useWorkspaces } from '../stores/workspaces.ts'
import { shellText } from '../text/shell.ts'
import { type SectionName, sectionList } from '../views/settings/sectionList.ts'

interface ShellActions {
  router: Router
  /** True if the app may use the keys that switch tabs in a browser. */
  hasOwnWindow: boolean
  openPalette: () => void
  openShortcuts: () => void
}

/** A command that the host can run too, by its id. */
type ShellCommand = Command & { id: CommandId }

/** Number of screens that Ctrl or Cmd with a digit opens. */
const MOST_NUMBERED = 9

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

/** Ids of the commands for the settings sections that the application menu can open. */
const sectionCommandIds: Partial<Record<SectionName, CommandId>> = {
  connections: 'go.connections',
  requests: 'go.requests',
}

function goCommands({ router, hasOwnWindow, openPalette }: ShellActions): Command[] {
  const lastAddresses = useLastAddresses()
  const screenCommands = screens.map(({ name, title, letter, keywords }, index) => ({
    id: `go.${name}`,
    title,
    group: 'Go to' as const,
    keywords,
    shortcuts: [
      `g ${letter}`,
      ...(hasOwnWindow && index < MOST_NUMBERED ? [`Mod+${index + 1}`] : []),
      ...(name === 'settings' ? ['Mod+,'] : []),
    ],
    run: () => router.push(lastAddresses.addressOf(name)),
  }))
  const navigationCommands: ShellCommand[] = [
    {
      id: 'palette.open',
      title: () => useCommands().searchLabel,
      group: 'Go to',
      shortcuts: ['Mod+K'],
      run: openPalette,
    },
    { id: 'go.back', title: shellText.commands.back, group: 'Go to', run: () => router.back() },
    { id: 'go.forward', title: shellText.commands.forward, group: 'Go to', run: () => router.forward() },
  ]
  const settingsCommands = sectionList
    .filter(({ name }) => name !== 'about')
    .map(({ name, title }) => ({
      id: sectionCommandIds[name] ?? `go.settings.${name}`,
      title: shellText.commands.settings(title),
      group: 'Go to' as const,
      run: () => router.push(`/settings/${name}`),
    }))
  return [...screenCommands, ...settingsCommands, ...navigationCommands]
}

function dataCommands(): ShellCommand[] {
  const settings = useSettings()
  const files = useFiles()
  return [
    {
      id: 'offline.toggle',
      changesState: true,
      title: () => shellText.commands.offline(settings.current.offline),
      group: 'Connection',
      keywords: 'network plane',
      run: () => settings.change({ offline: !settings.current.offline }),
    },
    {
      id: 'files.import',
      title: shellText.commands.importFiles,
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
      changesState: true,
      title: () => shellText.commands.theme(document.documentElement.dataset.theme === 'dark'),
      group: 'View',
      keywords: 'theme colours appearance night light',
      run: () => settings.change({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' }),
    },
    {
      id: 'density.toggle',
      changesState: true,
      title: () => shellText.commands.density(settings.current.density === 'compact'),
      group: 'View',
      keywords: 'density rows spacing',
      run: () => settings.change({ density: settings.current.density === 'compact' ? 'comfortable' : 'compact' }),
    },
    {
      id: 'zone.toggle',
      changesState: true,
      title: () => shellText.commands.zone(settings.current.timeZone),
      group: 'View',
      keywords: 'time zone utc local',
      run: () => settings.change({ timeZone: settings.current.timeZone === 'utc' ? 'local' : 'utc' }),
    },
    {
      id: 'zoom.in',
      changesState: true,
      title: shellText.commands.zoomIn,
      group: 'View',
      shortcuts: ['Mod+='],
      run: () => zoom(1),
    },
    {
      id: 'zoom.out',
      changesState: true,
      title: shellText.commands.zoomOut,
      group: 'View',
      shortcuts: ['Mod+-'],
      run: () => zoom(-1),
    },
    {
      id: 'zoom.reset',
      changesState: true,
      title: shellText.commands.zoomReset,
      group: 'View',
      shortcuts: ['Mod+0'],
      run: () => zoom(0),
    },
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
      title: shellText.commands.shortcuts,
      group: 'Help',
      keywords: 'keys help',
      shortcuts: ['?'],
      run: openShortcuts,
    },
    {
      id: 'help.about',
      title: shellText.commands.about,
      group: 'Help',
      keywords: 'version check data folder',
      run: () => router.push('/settings/about'),
    },
    {
      id: 'help.firstSteps',
      changesState: true,
      title: () => shellText.commands.firstSteps(steps.isShown),
      group: 'Help',
      keywords: 'start checklist sample data cards begin',
      async run() {
        await steps.show(!steps.isShown)
        if (steps.isShown) await router.push('/workbench')
      },
    },
    {
      id: 'diagnostics.copy',
      title: shellText.commands.copyDiagnostics,
      group: 'Help',
      keywords: 'report problem support',
      async run() {
        const isCopied = await copyText(await app.diagnostics())
        if (isCopied)
          toasts.show({
            kind: 'done',
            message: shellText.commands.diagnosticsCopied,
            detail: shellText.commands.diagnosticsDetail,
          })
        else commands.run('help.about')
      },
    },
  ]
}

/** Creates a command that activates a connection, for each connection that is not active. */
export function connectionCommands(): Command[] {
  const connections = useConnections()
  return connections.list
    .filter((connection) => !connection.active)
    .map(({ id, name }): Command => ({
      id: `connections.use.${id}`,
      changesState: true,
      title: shellText.commands.useConnection(name),
      group: 'Connection',
      keywords: 'switch service',
      run: () => connections.use(id),
    }))
}

/** Creates the commands on the download queue. */
function downloadCommands(router: Router): Command[] {
  const downloads = useDownloads()
  const counts = () => downloads.progress?.counts
  return [
    {
      id: 'downloads.new',
      title: shellText.commands.newDownload,
      group: 'Data',
      keywords: 'compose fetch files plan',
      shortcuts: ['g n'],
      run: () => router.push('/downloads/new'),
    },
    {
      id: 'downloads.pauseAll',
      changesState: true,
      title: shellText.downloads.pauseAll,
      group: 'Data',
      keywords: 'queue stop',
      when: () => downloads.unfinishedCount > 0,
      run: () => downloads.pause({ filter: {} }),
    },
    {
      id: 'downloads.resumeAll',
      changesState: true,
      title: shellText.downloads.resumeAll,
      group: 'Data',
      keywords: 'queue continue',
      when: () => (counts()?.paused ?? 0) + (counts()?.waiting ?? 0) > 0,
      run: () => downloads.resume({ filter: {} }),
    },
    {
      id: 'downloads.retryFailed',
      changesState: true,
      title: shellText.commands.retryFailed,
      group: 'Data',
      keywords: 'queue again',
      when: () => (counts()?.failed ?? 0) > 0,
      run: () => downloads.retry({ filter: { states: ['failed'] } }),
    },
  ]
}

/** Creates the commands on workspaces that are available on every screen. */
function workspaceCommands(): (Command & { id: CommandId })[] {
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const files = useFiles()
  return [
    {
      id: 'workspace.open',
      title: shellText.commands.openWorkspace,
      group: 'Data',
      keywords: 'import perpscope chart',
      shortcuts: ['Mod+O'],
      run: () => files.pickDocument('workspace'),
    },
    {
      id: 'workspace.save',
      title: shellText.commands.saveWorkspace,
      group: 'Data',
      keywords: 'export perpscope chart',
      shortcuts: ['Mod+S'],
      async run() {
        await workspaces.start()
        const saved = await workspaces.exportFile()
        const action = files.revealAction(saved?.path ?? null)
        if (saved)
          toasts.show({ kind: 'done', message: shellText.commands.saved(saved.name), detail: saved.path, action })
      },
    },
  ]
}

const zoomSteps = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2]

/** Returns the next zoom step up or down; at the end of the steps, the zoom stays the same. */
export function nextZoom(zoom: number, direction: -1 | 1): number {
  const next =
    direction === 1 ? zoomSteps.find((step) => step > zoom + 0.001) : zoomSteps.findLast((step) => step < zoom - 0.001)
  return next ?? zoom
}
