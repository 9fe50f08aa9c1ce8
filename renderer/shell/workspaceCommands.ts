import type { CommandId } from '#shared/contract/commandIds.ts'
import type { Command } from '../stores/commands.ts'
import { useFiles } from '../stores/files.ts'
import { useToasts } from '../stores/toasts.ts'
import { useWorkspaces } from '../stores/workspaces.ts'

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
