import { defineStore } from 'pinia'
import { computed, shallowRef, toValue, type MaybeRefOrGetter } from 'vue'
import { storesText } from '../text/stores.ts'
import { isStringArray, isBoolean, persistedRef } from './persistedRef.ts'
import { useToasts } from './toasts.ts'

type CommandGroup = 'Go to' | 'Workbench' | 'Lab' | 'SQL' | 'Boards' | 'Data' | 'View' | 'Connection' | 'Help'

export interface Command {
  /** Id from the contract's `commandIds`, or a screen's own id in the same form. */
  id: string
  title: MaybeRefOrGetter<string>
  group: CommandGroup
  /** Additional search terms for the command. */
  keywords?: string
  /** Shortcuts: single keys such as `?`, combinations such as `Mod+K`, or keys one after the other such as `g w`. */
  shortcuts?: readonly string[]
  /**
   * True if the command changes something immediately. The palette then does not find it by scattered letters, and runs
   * it on Enter only if its name was typed in full or the user highlighted it.
   */
  changesState?: true
  /** Tells whether the command is available; always if omitted. */
  when?: () => boolean
  run: () => unknown
}

/** Provider of palette results that are not commands, such as symbols. */
export interface PaletteProvider {
  /** Heading of the results, such as `Symbols`. */
  heading: string
  find(query: string, signal: AbortSignal): Promise<PaletteResult[]>
}

export interface PaletteResult {
  id: string
  title: string
  hint: string
  /** True if the query is a name of the result, not just a few of its letters. */
  isExact: boolean
  run: () => unknown
}

const MOST_KEPT = 6

export const useCommands = defineStore('commands', () => {
  const toasts = useToasts()
  const registered = shallowRef<readonly Command[]>([])
  const providers = shallowRef<readonly PaletteProvider[]>([])
  const recent = persistedRef('recentCommands', [], isStringArray)
  /**
   * False to disable shortcuts without a modifier, for people whose keyboard or voice input would trigger them by
   * accident.
   */
  const singleKeys = persistedRef('singleKeys', true, isBoolean)

  const offered = computed(() => registered.value.filter((command) => command.when?.() ?? true))

  /** Registers commands. @returns a function that removes them */
  function register(commands: readonly Command[]): () => void {
    registered.value = [...registered.value, ...commands]
    return () => (registered.value = registered.value.filter((command) => !commands.includes(command)))
  }

  /** Registers a provider. @returns a function that removes it */
  function provide(provider: PaletteProvider): () => void {
    providers.value = [...providers.value, provider]
    return () => (providers.value = providers.value.filter((each) => each !== provider))
  }

  /** Runs a command. @returns false when no such command is offered */
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
    recent.value = [id, ...recent.value.filter((each) => each !== id)].slice(0, MOST_KEPT)
  }

  return {
    offered,
    searchLabel: storesText.palette.search,
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
