import { defineStore } from 'pinia'
import { computed, shallowRef, toValue, type MaybeRefOrGetter } from 'vue'
import { isTexts, isYesOrNo, persistedRef } from './persistedRef.ts'
import { useToasts } from './toasts.ts'

export type CommandGroup = 'Go to' | 'Workbench' | 'Data' | 'View' | 'Connection' | 'Help'

export interface Command {
  /** `commandIds` of the contract, or a screen's own in the same form. */
  id: string
  title: MaybeRefOrGetter<string>
  group: CommandGroup
  /** Further words a person may look for it by. */
  keywords?: string
  /** E.g. `Mod+K`, `?`, or one after the other: `g w`. */
  shortcuts?: readonly string[]
  /** Where given and false, the command is not offered. */
  when?: () => boolean
  run: () => unknown
}

/** Anything else the palette can find, e.g. the symbols of a service. */
export interface PaletteProvider {
  /** E.g. `Symbols`. */
  heading: string
  find(query: string, signal: AbortSignal): Promise<PaletteFind[]>
}

export interface PaletteFind {
  id: string
  title: string
  hint: string
  run: () => unknown
}

const RECENT_KEPT = 6

export const useCommands = defineStore('commands', () => {
  const toasts = useToasts()
  const registered = shallowRef<readonly Command[]>([])
  const providers = shallowRef<readonly PaletteProvider[]>([])
  const recent = persistedRef('recentCommands', [], isTexts)
  /** Shortcuts without a modifier can be switched off, for people whose keyboard or voice input triggers them by accident. */
  const singleKeys = persistedRef('singleKeys', true, isYesOrNo)

  const searchWords = computed(() => {
    const things = ['commands', ...providers.value.map(({ heading }) => heading.toLowerCase())]
    return `Search ${new Intl.ListFormat('en').format(things)}`
  })
  const offered = computed(() => registered.value.filter((command) => command.when?.() ?? true))

  /** @returns a function that takes them away again */
  function register(commands: readonly Command[]): () => void {
    registered.value = [...registered.value, ...commands]
    return () => (registered.value = registered.value.filter((command) => !commands.includes(command)))
  }

  /** @returns a function that takes it away again */
  function provide(provider: PaletteProvider): () => void {
    providers.value = [...providers.value, provider]
    return () => (providers.value = providers.value.filter((each) => each !== provider))
  }

  /** @returns false where no such command is offered now */
  function run(id: string): boolean {
    const command = offered.value.find((each) => each.id === id)
    if (!command) return false
    void attempt(command.run)
    return true
  }

  async function attempt(action: () => unknown): Promise<void> {
    try {
      await action()
    } catch (error) {
      toasts.problem(error)
    }
  }

  function remember(id: string): void {
    recent.value = [id, ...recent.value.filter((each) => each !== id)].slice(0, RECENT_KEPT)
  }

  return {
    offered,
    searchWords,
    providers,
    recent,
    singleKeys,
    register,
    provide,
    run,
    attempt,
    remember,
  }
})

export const titleOf = (command: Command): string => toValue(command.title)
