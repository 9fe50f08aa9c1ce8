import { onMounted, onUnmounted, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import type { ExampleQuery } from '#shared/sql/exampleQueries.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { useFiles } from '../../stores/files.ts'
import { newQuery, useSql } from '../../stores/sql.ts'
import { useToasts } from '../../stores/toasts.ts'
import { sqlText } from '../../text/sql.ts'

const { menu, list: listText, commands: text } = sqlText

/** Tells whether text is being edited, whose own undo takes precedence. */
const isWriting = () => document.activeElement?.closest('input, textarea, [contenteditable]') !== null

/** Actions on queries, which also stand in the menu and in the palette while the screen is open. */
export function useQueryActions(format: () => void) {
  const sql = useSql()
  const router = useRouter()
  const toasts = useToasts()
  const files = useFiles()
  /** Dialog that is open. */
  const asking = shallowRef<'rename' | 'remove' | null>(null)
  const attempt = (work: Promise<unknown>) => void work.catch(toasts.problem)
  const show = (id: string) => router.push(`/sql/${id}`)

  const create = (name: string = listText.firstName, text = '', parameters: Readonly<Record<string, string>> = {}) =>
    attempt(sql.create(name, newQuery(text, parameters)).then(show))
  const createExample = ({ name, sql: text, parameters }: ExampleQuery) => create(name, text, parameters)

  async function saveFile(): Promise<void> {
    const saved = await sql.exportFile()
    if (!saved) return
    const action = files.revealing(saved.path)
    toasts.show({ kind: 'done', message: menu.saved(saved.name), ...(action && { action }) })
  }

  /** Opens a query from a file, and shows it. */
  const openFile = () =>
    attempt(files.pickFor('query', (file) => sql.openFile(file).then(async (id) => void (await show(id)))))

  function act(action: string): void {
    const { current } = sql
    if (action === 'all') return attempt(router.push('/sql'))
    if (action.startsWith('open ')) return attempt(show(action.slice('open '.length)))
    if (action === 'openFile') return openFile()
    if (!current) return
    if (action === 'duplicate') attempt(sql.create(current.name, current.document).then(show))
    else if (action === 'saveFile') attempt(saveFile())
    else if (action === 'rename' || action === 'remove') asking.value = action
  }

  async function remove(): Promise<void> {
    const { current } = sql
    if (!current) return
    await sql.remove(current.id)
    await router.push('/sql')
  }

  registerCommands(act, () => create(), format)
  return { asking, act, create, createExample, show: (id: string) => attempt(show(id)), remove, attempt }
}

function registerCommands(act: (action: string) => void, create: () => void, format: () => void): void {
  const sql = useSql()
  const commands = useCommands()
  const isOpen = () => sql.current !== null
  const command = (id: string, title: string, rest: Partial<Command> & Pick<Command, 'run'>): Command => ({
    id: `sql.${id}`,
    title,
    group: sqlText.group,
    keywords: text.keywords,
    ...rest,
  })
  const own: Command[] = [
    command('run', text.run, { shortcuts: ['Mod+Enter'], when: isOpen, run: () => sql.run() }),
    command('cancel', text.cancel, { when: () => sql.isRunning, run: () => sql.cancel() }),
    command('format', text.format, { when: isOpen, run: format }),
    command('plan', text.plan, { when: isOpen, run: () => void sql.measure() }),
    command('undo', text.undo, { shortcuts: ['Mod+Z'], when: () => sql.canUndo && !isWriting(), run: sql.undo }),
    command('redo', text.redo, { shortcuts: ['Mod+Y'], when: () => sql.canRedo && !isWriting(), run: sql.redo }),
    command('list', text.list, { run: () => act('all') }),
    command('new', text.new, { run: create }),
    ...(['duplicate', 'rename', 'saveFile'] as const).map((action) =>
      command(action, text[action], { when: isOpen, run: () => act(action) }),
    ),
    command('openFile', text.openFile, { run: () => act('openFile') }),
  ]
  let end: (() => void) | undefined
  onMounted(() => (end = commands.register(own)))
  onUnmounted(() => end?.())
  watch(
    () => sql.list,
    (list, _before, onCleanup) => {
      const openings = list.map(({ id, name }) =>
        command(`open.${id}`, text.open(name), { run: () => act(`open ${id}`) }),
      )
      onCleanup(commands.register(openings))
    },
    { immediate: true },
  )
}
