import { onMounted, onUnmounted, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import type { ReadyStudy } from '#shared/lab/readyStudies.ts'
import { type LabKind, labKinds } from '#shared/lab/portfolio/portfolioStudy.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { useFiles } from '../../stores/files.ts'
import { newDocument, useLab } from '../../stores/lab.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { useToasts } from '../../stores/toasts.ts'
import { labText } from '../../text/lab.ts'
import { testText } from '../../text/labTests.ts'
import { withTestPanes } from './testPanes.ts'

const { menu, kinds, commands: text } = labText
const group = 'Lab' as const

/** Tells whether text is being edited, whose own undo takes precedence. */
const isWriting = () => document.activeElement?.closest('input, textarea, [contenteditable]') !== null

/** Actions on studies, which also stand in the menu and in the palette while the Lab is open. */
export function useStudyActions() {
  const lab = useLab()
  const router = useRouter()
  const toasts = useToasts()
  const files = useFiles()
  const workspaces = useWorkspaces()
  /** Dialog that is open. */
  const asking = shallowRef<'rename' | 'remove' | null>(null)
  const attempt = (work: Promise<unknown>) => void work.catch(toasts.problem)
  const show = (id: string) => router.push(`/lab/${id}`)

  const create = (kind: LabKind) => attempt(lab.create(menu.firstName(kinds[kind].title), newDocument(kind)).then(show))

  /** Opens a study of one's own that begins as a ready-made one. */
  const createReady = ({ name, document }: ReadyStudy) =>
    attempt(lab.create(name, { version: 1, study: { ...document }, panel: null }).then(show))

  async function saveFile(): Promise<void> {
    const saved = await lab.exportFile()
    if (saved) showSaved(saved)
  }

  /** Writes a table of a test; the action is such as `daysCsv`. */
  async function exportTest(action: string): Promise<void> {
    const table = action.startsWith('days') ? 'days' : 'weights'
    const saved = await lab.exportTest(table, action.endsWith('Csv') ? 'csv' : 'parquet')
    if (saved) showSaved(saved)
  }

  function showSaved({ name, path }: { name: string; path: string | null }): void {
    const action = files.revealing(path)
    toasts.show({ kind: 'done', message: menu.saved(name), ...(action && { action }) })
  }

  /** Adds the last result to the open workspace, where it stands beside metrics, and goes there. */
  async function chartTest(): Promise<void> {
    const series = await lab.chartTest()
    await workspaces.start()
    await workspaces.edit((before) => withTestPanes(before, series, lab.name))
    await router.push('/workbench')
  }

  function act(action: string): void {
    const { current } = lab
    if (action === 'all') return attempt(router.push('/lab'))
    if (action === 'trials') return attempt(router.push('/lab/trials'))
    if (action.startsWith('open ')) return attempt(show(action.slice('open '.length)))
    if (action === 'openFile') return attempt(lab.pickFile())
    if (!current) return
    if (action.startsWith('export ')) return attempt(exportTest(action.slice('export '.length)))
    if (action === 'chartTest') return attempt(chartTest())
    if (action === 'duplicate') attempt(lab.create(current.name, current.document).then(show))
    else if (action === 'saveFile') attempt(saveFile())
    else if (action === 'rename' || action === 'remove') asking.value = action
  }

  async function remove(): Promise<void> {
    const { current } = lab
    if (!current) return
    await lab.remove(current.id)
    await router.push('/lab')
  }

  registerCommands(act, create)
  return {
    asking,
    act,
    /** Opens a study of the list and acts on it, so that the person sees which one it is. */
    actOn: (id: string, action: string) => attempt(show(id).then(() => act(action))),
    create,
    createReady,
    show: (id: string) => attempt(show(id)),
    remove: () => attempt(remove()),
    attempt,
  }
}

function registerCommands(act: (action: string) => void, create: (kind: LabKind) => void): void {
  const lab = useLab()
  const commands = useCommands()
  const isOpen = () => lab.current !== null
  const command = (id: string, title: string, rest: Partial<Command> & Pick<Command, 'run'>): Command => ({
    id: `lab.${id}`,
    title,
    group,
    keywords: text.keywords,
    ...rest,
  })
  const own: Command[] = [
    command('run', text.run, { shortcuts: ['Mod+Enter'], when: isOpen, run: () => lab.run() }),
    command('cancel', text.cancel, { when: () => lab.isRunning, run: () => lab.cancel() }),
    command('undo', text.undo, { shortcuts: ['Mod+Z'], when: () => lab.canUndo && !isWriting(), run: lab.undo }),
    command('redo', text.redo, { shortcuts: ['Mod+Y'], when: () => lab.canRedo && !isWriting(), run: lab.redo }),
    command('trials', testText.commands.trials, { run: () => act('trials') }),
    command('chartTest', testText.commands.chartTest, {
      when: () => lab.isTest && lab.answer !== null,
      run: () => act('chartTest'),
    }),
    command('list', text.list, { run: () => act('all') }),
    ...labKinds.map((kind) => command(`new.${kind}`, text.new(kinds[kind].title), { run: () => create(kind) })),
    ...(['duplicate', 'rename', 'saveFile'] as const).map((action) =>
      command(action, text[action], { when: isOpen, run: () => act(action) }),
    ),
    command('openFile', text.openFile, { run: () => act('openFile') }),
  ]
  let end: (() => void) | undefined
  onMounted(() => (end = commands.register(own)))
  onUnmounted(() => end?.())
  watch(
    () => lab.list,
    (list, _before, onCleanup) => {
      const openings = list.map(({ id, name }) =>
        command(`open.${id}`, text.open(name), { run: () => act(`open ${id}`) }),
      )
      onCleanup(commands.register(openings))
    },
    { immediate: true },
  )
}
