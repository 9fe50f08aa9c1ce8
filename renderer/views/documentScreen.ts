import { computed, onMounted, onUnmounted, ref, shallowRef, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { fromHere } from '../widgets/addressQuery.ts'
import type { OpenableKind } from '#shared/contract/areas/files.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import type { MenuItem } from '../components/MenuList.vue'
import { type Command, useCommands } from '../stores/commands.ts'
import { useFiles } from '../stores/files.ts'
import { useToasts } from '../stores/toasts.ts'
import { shellText } from '../text/shell.ts'

/** Members of a document store that the screen needs. */
interface DocumentsStore<Document> {
  current: { id: string; name: string; document: Document } | null
  name: string
  list: readonly { id: string; name: string }[]
  isRunning: boolean
  canUndo: boolean
  canRedo: boolean
  undo(): unknown
  redo(): unknown
  run(): unknown
  cancel(): unknown
  start(): Promise<unknown>
  open(id: string): Promise<void>
  close(): Promise<void>
  create(name: string, document: Document): Promise<string>
  remove(id: string): Promise<void>
  exportFile(): Promise<SavedDocument | null> | null
}

/** Actions on a document of the list. */
export type ListedAction = 'open' | 'duplicate' | 'rename' | 'remove'

interface SavedDocument {
  name: string
  path: string | null
}

/** Opens the document that the address names, or closes the open one if the address names none. */
export function useOpenedDocument<Document>(
  store: DocumentsStore<Document>,
  { routeName, parameter, title }: { routeName: string; parameter: string; title: string },
  isTab: (id: string) => boolean = () => false,
) {
  const route = useRoute()
  const error = ref<AppError | null>(null)
  const isStarted = ref(false)
  const wanted = computed(() => {
    const id = route.params[parameter]
    return typeof id === 'string' ? id : ''
  })
  async function follow(): Promise<void> {
    error.value = null
    try {
      await store.start()
      isStarted.value = true
      if (route.name !== routeName) return
      if (wanted.value && !isTab(wanted.value)) await store.open(wanted.value)
      else await store.close()
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }
  watch(wanted, follow)
  onMounted(follow)
  const isOpen = computed(() => wanted.value !== '' && store.current?.id === wanted.value)
  // A document opened from a file becomes current before the address names it. Its name becomes the title once it does.
  watch(
    [() => store.name, isOpen],
    () => {
      if (route.name === routeName) document.title = shellText.pageTitle(isOpen.value ? store.name : '', title)
    },
    { immediate: true },
  )
  return { wanted, error, isStarted, isOpen, follow }
}

/**
 * Provides the actions that documents of every kind have; `act` runs one of them by its menu id.
 * @param listAddress address of the list, such as `/lab`
 */
export function useDocumentActions<Document>(
  store: DocumentsStore<Document>,
  { listAddress, saved, kind }: { listAddress: string; saved: (name: string) => string; kind: OpenableKind },
) {
  const router = useRouter()
  const toasts = useToasts()
  const files = useFiles()
  /** Open dialog, if any. */
  const openDialog = shallowRef<'rename' | 'remove' | null>(null)
  const attempt = (work: Promise<unknown>) => void work.catch(toasts.problem)
  const show = (id: string) => router.push(`${listAddress}/${id}`)

  /** Shows a document once it is made. */
  async function showMade(made: Promise<string>): Promise<void> {
    const go = fromHere(router)
    await go(`${listAddress}/${await made}`)
  }

  function showSaved({ name, path }: SavedDocument): void {
    const action = files.revealAction(path)
    toasts.show({ kind: 'done', message: saved(name), ...(action && { action }) })
  }

  async function saveFile(): Promise<void> {
    const file = await store.exportFile()
    if (file) showSaved(file)
  }

  function act(action: string): void {
    const { current } = store
    if (action === 'all') attempt(router.push(listAddress))
    else if (action.startsWith('open ')) attempt(show(action.slice('open '.length)))
    else if (action === 'openFile') attempt(files.pickDocument(kind))
    else if (!current) return
    else if (action === 'duplicate') attempt(showMade(store.create(current.name, current.document)))
    else if (action === 'saveFile') attempt(saveFile())
    else if (action === 'rename' || action === 'remove') openDialog.value = action
  }

  async function remove(): Promise<void> {
    const { current } = store
    if (!current) return
    const go = fromHere(router)
    await store.remove(current.id)
    await go(listAddress)
  }

  /** Opens a document from the list before the action, so that the user sees which one it affects. */
  const actOn = (id: string, action: ListedAction) => attempt(openThenAct(id, action))

  async function openThenAct(id: string, action: ListedAction): Promise<void> {
    const go = fromHere(router)
    if (action !== 'open') await store.open(id)
    await go(`${listAddress}/${id}`)
    if (action !== 'open') act(action)
  }

  return { openDialog, attempt, showMade, showSaved, act, actOn, remove }
}

const MOST_LISTED = 20

/**
 * Builds the menu entries of a document.
 * @param hint returns the text beside the name of a listed document
 */
export function documentMenu<Listed extends { id: string; name: string }>(
  { list, current }: { list: readonly Listed[]; current: { id: string } | null },
  text: Readonly<Record<'all' | 'duplicate' | 'rename' | 'remove' | 'openFile' | 'saveFile', string>>,
  hint?: (listed: Listed) => string,
): MenuItem[] {
  return [
    { id: 'all', title: text.all },
    ...list.slice(0, MOST_LISTED).map((listed) => ({
      id: `open ${listed.id}`,
      title: listed.name,
      checked: listed.id === current?.id,
      ...(hint && { hint: hint(listed) }),
    })),
    { id: 'duplicate', title: text.duplicate, hasSeparator: true },
    { id: 'rename', title: text.rename },
    { id: 'remove', title: text.remove },
    { id: 'openFile', title: text.openFile, hasSeparator: true },
    { id: 'saveFile', title: text.saveFile },
  ]
}

interface CommandText extends Readonly<
  Record<
    'keywords' | 'run' | 'cancel' | 'undo' | 'redo' | 'list' | 'duplicate' | 'rename' | 'saveFile' | 'openFile',
    string
  >
> {
  open(name: string): string
}

type ScreenCommand = Pick<Command, 'run'> & Partial<Command> & { name: string; title: string }

/**
 * Adds the commands of a document screen to the palette while the screen is open.
 * @param prefix first part of the command ids, such as `lab`
 */
export function useDocumentCommands<Document>(
  store: DocumentsStore<Document>,
  act: (action: string) => void,
  { prefix, group, text }: { prefix: string; group: Command['group']; text: CommandText },
  furtherCommands: readonly ScreenCommand[],
): void {
  const commands = useCommands()
  const isOpen = () => store.current !== null
  const command = ({ name, ...rest }: ScreenCommand): Command => ({
    id: `${prefix}.${name}`,
    group,
    keywords: text.keywords,
    ...rest,
  })
  const screenCommands = [
    { name: 'run', title: text.run, shortcuts: ['Mod+Enter'], when: isOpen, run: () => store.run() },
    { name: 'cancel', title: text.cancel, when: () => store.isRunning, run: () => store.cancel() },
    {
      name: 'undo',
      title: text.undo,
      shortcuts: ['Mod+Z'],
      when: () => store.canUndo,
      run: () => store.undo(),
    },
    {
      name: 'redo',
      title: text.redo,
      shortcuts: ['Mod+Y', 'Mod+Shift+Z'],
      when: () => store.canRedo,
      run: () => store.redo(),
    },
    { name: 'list', title: text.list, run: () => act('all') },
    ...furtherCommands,
    ...(['duplicate', 'rename', 'saveFile'] as const).map((name) => ({
      name,
      title: text[name],
      when: isOpen,
      run: () => act(name),
    })),
    { name: 'openFile', title: text.openFile, run: () => act('openFile') },
  ].map(command)
  let unregister: (() => void) | undefined
  onMounted(() => (unregister = commands.register(screenCommands)))
  onUnmounted(() => unregister?.())
  watch(
    () => store.list,
    (list, _before, onCleanup) => {
      const openCommands = list.map(({ id, name }) =>
        command({ name: `open.${id}`, title: text.open(name), run: () => act(`open ${id}`) }),
      )
      onCleanup(commands.register(openCommands))
    },
    { immediate: true },
  )
}
