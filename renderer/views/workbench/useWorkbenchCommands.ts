import { onMounted, onUnmounted, watch } from 'vue'
import { useCommands, type Command } from '../../stores/commands.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { exportItems } from './useExports.ts'

export interface WorkbenchDoings {
  askSeries: () => void
  askFormula: () => void
  askNote: () => void
  askShading: () => void
  togglePanel: () => void
  focusChart: () => void
  downloadMissing: () => unknown
  show: (tab: string) => unknown
  act: (action: string) => unknown
  exportAs: (action: string) => unknown
}

/** Tells whether text is being edited, whose own undo takes precedence. */
const isWriting = () => document.activeElement?.closest('input, textarea, [contenteditable]') !== null

/** Everything the screen can do, in the palette and by keys, while it is open. */
export function useWorkbenchCommands(does: WorkbenchDoings): void {
  const commands = useCommands()
  const workspaces = useWorkspaces()
  const hasSeries = () => workspaces.document.panes.length > 0
  const group = 'Workbench' as const

  const own: Command[] = [
    { id: 'chart.addSeries', title: 'Add a series …', group, shortcuts: ['a'], run: does.askSeries },
    {
      id: 'chart.addFormula',
      title: 'Add a formula …',
      group,
      shortcuts: ['f'],
      when: hasSeries,
      run: does.askFormula,
    },
    { id: 'chart.focus', title: 'Go into the chart', group, shortcuts: ['c'], when: hasSeries, run: does.focusChart },
    { id: 'chart.note', title: 'Add a note …', group, when: hasSeries, run: does.askNote },
    {
      id: 'chart.shading',
      title: 'Shading by a regime or overlay …',
      group,
      keywords: 'risk background',
      run: does.askShading,
    },
    {
      id: 'chart.download',
      title: 'Download what is missing in view',
      group,
      shortcuts: ['d'],
      when: hasSeries,
      run: does.downloadMissing,
    },
    { id: 'chart.panel', title: 'Show or hide the panel', group, shortcuts: ['p'], run: does.togglePanel },
    { id: 'workbench.chart', title: 'Workbench: chart', group, shortcuts: ['1'], run: () => does.show('') },
    { id: 'workbench.data', title: 'Workbench: data', group, shortcuts: ['2'], run: () => does.show('data') },
    { id: 'workbench.scan', title: 'Workbench: scan', group, shortcuts: ['3'], run: () => does.show('scan') },
    {
      id: 'workspace.undo',
      title: 'Undo',
      group,
      shortcuts: ['Mod+Z'],
      when: () => workspaces.canUndo && !isWriting(),
      run: workspaces.undo,
    },
    {
      id: 'workspace.redo',
      title: 'Redo',
      group,
      shortcuts: ['Mod+Y'],
      when: () => workspaces.canRedo && !isWriting(),
      run: workspaces.redo,
    },
    ...['new', 'rename', 'duplicate', 'remove'].map((action) => ({
      id: `workspace.${action}`,
      title: `Workspace: ${action}`,
      group,
      run: () => does.act(action),
    })),
    ...exportItems.map(({ id, title }) => ({
      id: `export.${id}`,
      title: id.startsWith('copy') ? title : `Export: ${title}`,
      group,
      keywords: 'save take away',
      when: hasSeries,
      run: () => does.exportAs(id),
    })),
  ]

  let end: (() => void) | undefined
  onMounted(() => (end = commands.register(own)))
  onUnmounted(() => end?.())
  watch(
    () => workspaces.list,
    (list, _before, onCleanup) => {
      const openings = list.map(({ id, name }) => ({
        id: `workspace.open.${id}`,
        title: `Open workspace: ${name}`,
        group,
        run: () => workspaces.open(id),
      }))
      onCleanup(commands.register(openings))
    },
    { immediate: true },
  )
}
