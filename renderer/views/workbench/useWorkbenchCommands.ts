import { onMounted, onUnmounted, watch } from 'vue'
import { useCommands, type Command } from '../../stores/commands.ts'
import { usePanes } from '../../stores/panes.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { arrangements, type ArrangeAction } from './arrangeSeries.ts'
import { exportItems } from './useExports.ts'
import { paneMarks } from './paneMarks.ts'
import { workbenchText } from '../../text/workbench.ts'

const { commands: text } = workbenchText

export interface WorkbenchHandlers {
  promptSeries: () => void
  promptFormula: () => void
  promptCompare: () => void
  arrange: (action: ArrangeAction) => unknown
  promptNote: () => void
  promptShading: () => void
  promptCondition: () => void
  togglePanel: () => void
  focusChart: () => void
  downloadMissing: () => unknown
  show: (tab: string) => unknown
  act: (action: string) => unknown
  exportAs: (action: string) => unknown
}

const historyCommands = (workspaces: ReturnType<typeof useWorkspaces>): Command[] => [
  {
    id: 'workspace.undo',
    changesState: true,
    title: text.undo,
    group: 'Workbench',
    shortcuts: ['Mod+Z'],
    when: () => workspaces.canUndo,
    run: workspaces.undo,
  },
  {
    id: 'workspace.redo',
    changesState: true,
    title: text.redo,
    group: 'Workbench',
    shortcuts: ['Mod+Y', 'Mod+Shift+Z'],
    when: () => workspaces.canRedo,
    run: workspaces.redo,
  },
]

/** Registers the commands of the workbench for the palette and the keyboard while the screen is open. */
export function useWorkbenchCommands(handlers: WorkbenchHandlers): void {
  const commands = useCommands()
  const workspaces = useWorkspaces()
  const hasSeries = () => workspaces.content.panes.length > 0
  const group = 'Workbench' as const

  const workbenchCommands: Command[] = [
    { id: 'chart.addSeries', title: text.addSeries, group, shortcuts: ['a'], run: handlers.promptSeries },
    {
      id: 'chart.addFormula',
      title: text.addFormula,
      group,
      keywords: text.formulaKeywords,
      shortcuts: ['f'],
      when: hasSeries,
      run: handlers.promptFormula,
    },
    {
      id: 'chart.compare',
      title: text.compare,
      group,
      keywords: text.compareKeywords,
      shortcuts: ['v'],
      when: hasSeries,
      run: handlers.promptCompare,
    },
    ...arrangements.map(({ id, title, action }): Command => ({
      id: `chart.${id}`,
      title: text.arrange(title),
      group,
      keywords: text.arrangeKeywords,
      changesState: true,
      when: hasSeries,
      run: () => handlers.arrange(action),
    })),
    {
      id: 'chart.focus',
      title: text.focusChart,
      group,
      keywords: text.focusKeywords,
      shortcuts: ['c'],
      when: hasSeries,
      run: handlers.focusChart,
    },
    { id: 'chart.note', title: text.addNote, group, when: hasSeries, run: handlers.promptNote },
    {
      id: 'chart.shading',
      title: text.shading,
      group,
      keywords: text.shadingKeywords,
      run: handlers.promptShading,
    },
    {
      id: 'chart.condition',
      title: text.condition,
      group,
      keywords: text.conditionKeywords,
      shortcuts: ['s'],
      when: hasSeries,
      run: handlers.promptCondition,
    },
    {
      id: 'chart.download',
      changesState: true,
      title: text.download,
      group,
      shortcuts: ['d'],
      when: hasSeries,
      run: handlers.downloadMissing,
    },
    { id: 'chart.panel', title: text.panel, group, shortcuts: ['p'], run: handlers.togglePanel },
    { id: 'workbench.chart', title: text.chart, group, shortcuts: ['1'], run: () => handlers.show('') },
    { id: 'workbench.data', title: text.data, group, shortcuts: ['2'], run: () => handlers.show('data') },
    { id: 'workbench.scan', title: text.scan, group, shortcuts: ['3'], run: () => handlers.show('scan') },
    {
      id: 'workbench.relationships',
      title: text.relationships,
      group,
      keywords: text.relationshipsKeywords,
      shortcuts: ['4'],
      run: () => handlers.show('relationships'),
    },
    ...historyCommands(workspaces),
    {
      id: 'workspace.keep',
      changesState: true,
      title: text.workspace.keep,
      group,
      when: () => workspaces.isQuickLook,
      run: () => handlers.act('keep'),
    },
    ...(['new', 'rename', 'duplicate', 'remove'] as const).map((action): Command => ({
      id: `workspace.${action}`,
      changesState: true,
      title: text.workspace[action],
      group,
      run: () => handlers.act(action),
    })),
    ...exportItems.map(({ id, title }) => ({
      id: `export.${id}`,
      title: id.startsWith('copy') ? title : text.export(title),
      group,
      keywords: text.exportKeywords,
      when: hasSeries,
      run: () => handlers.exportAs(id),
    })),
  ]

  let unregister: (() => void) | undefined
  onMounted(() => (unregister = commands.register(workbenchCommands)))
  onUnmounted(() => unregister?.())
  usePaneCommands()
  watch(
    () => workspaces.list,
    (list, _before, onCleanup) => {
      const openCommands = list.map(({ id, name }) => ({
        id: `workspace.open.${id}`,
        title: text.openWorkspace(name),
        group,
        run: () => workspaces.open(id),
      }))
      onCleanup(commands.register(openCommands))
    },
    { immediate: true },
  )
}

/** Registers, for each pane, the commands that open it in its own window and change what it draws. */
function usePaneCommands(): void {
  const commands = useCommands()
  const workspaces = useWorkspaces()
  const panes = usePanes()
  watch(
    () => workspaces.content.panes.map((pane, at) => ({ pane, title: pane.title || text.pane(at + 1) })),
    (listed, _before, onCleanup) => {
      const openCommands = listed.map(({ pane: { id }, title }): Command => ({
        id: `pane.apart.${id}`,
        title: text.apart(title, panes.title),
        group: 'Workbench',
        keywords: text.apartKeywords,
        changesState: true,
        run: () => panes.show(id),
      }))
      const markCommands = listed.flatMap(({ pane, title }) =>
        paneMarks(pane).map((mark): Command => ({
          id: `pane.${mark.id}.${pane.id}`,
          title: text.paneMark(mark.title, title, mark.checked),
          group: 'Workbench',
          changesState: true,
          run: () => void workspaces.edit(mark.change),
        })),
      )
      onCleanup(commands.register([...openCommands, ...markCommands]))
    },
    { immediate: true },
  )
}
