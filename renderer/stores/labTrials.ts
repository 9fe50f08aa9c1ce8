import { computed, shallowRef, watch } from 'vue'
import type { KeptTrial, LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import type { useHost } from './host.ts'
import { inOrder } from './resource.ts'

/** Answers that are kept in memory, so that opening their trials again takes no time. */
const MOST_KEPT_ANSWERS = 12

interface TrialParts {
  current: { value: Opened<'study'> | null }
  answer: { value: StudyAnswer | null }
  host: Pick<ReturnType<typeof useHost>, 'call'>
  edit: (change: (before: LabDocument) => LabDocument) => void
  isSame: (one: LabDocument, other: LabDocument) => boolean
}

/** The trials of the open study, each of which opens as it was: its recipe and its answer. */
export function createTrials({ current, answer, host, edit, isSame }: TrialParts) {
  const trials = shallowRef<readonly KeptTrial[]>([])
  /** A recipe that never ran, put aside while an earlier trial is open. */
  const aside = shallowRef<LabDocument | null>(null)
  const answers = new Map<string, StudyAnswer>()
  const document = computed(() => current.value?.document ?? null)
  const isTried = (recipe: LabDocument) => trials.value.some((each) => isSame(each.document, recipe))
  /** A recipe that is the next trial once it runs: the one on screen, or the one put aside; null if there is none. */
  const untried = computed(() => {
    if (document.value && trials.value.length > 0 && !isTried(document.value)) return document.value
    return aside.value
  })

  const keyOf = (id: string, { trial, ranAt }: Pick<KeptTrial, 'trial' | 'ranAt'>) => `${id} ${trial} ${ranAt}`
  function remember(id: string, found: StudyAnswer): void {
    answers.set(keyOf(id, found), found)
    for (const key of [...answers.keys()].slice(0, -MOST_KEPT_ANSWERS)) answers.delete(key)
  }

  const load = inOrder(
    (id: string) => host.call('lab.trials', { id }),
    (found, id) => {
      if (current.value?.id !== id) return
      trials.value = found
      if (aside.value && isTried(aside.value)) aside.value = null
      void readAhead().catch(() => {})
    },
  )

  /** Returns the answer of a trial; null if it is gone. */
  async function answerOf(trial: number): Promise<StudyAnswer | null> {
    const { id } = current.value ?? {}
    if (!id) return null
    const listed = trials.value.find((each) => each.trial === trial)
    const known = listed && answers.get(keyOf(id, listed))
    if (known) return known
    const found = await host.call('lab.answer', { id, trial })
    if (found) remember(id, found)
    return found
  }

  /** Reads the answers of the last trials, one after the other, so that their tabs open at once. */
  async function readAhead(): Promise<void> {
    const { value: listed } = trials
    for (const { trial } of listed
      .filter(({ isKept }) => isKept)
      .slice(-MOST_KEPT_ANSWERS)
      .toReversed()) {
      if (trials.value !== listed) return
      await answerOf(trial)
    }
  }

  let lastOpening = 0
  /** Opens a trial: its answer, and the recipe that it had. */
  async function open(trial: number): Promise<void> {
    const opening = ++lastOpening
    const { id } = current.value ?? {}
    if (!id || answer.value?.trial === trial) return restore()
    const found = await answerOf(trial)
    // The user may have opened another trial or study meanwhile.
    if (!found || current.value?.id !== id || opening !== lastOpening) return
    answer.value = found
    restore()
  }

  /** Shows the recipe of the answer on screen; one that never ran is put aside. */
  function restore(): void {
    const { value: shown } = document
    const { value: opened } = answer
    if (!shown || !opened || isSame(shown, opened.document)) return
    if (!isTried(shown)) aside.value = shown
    const recipe: LabDocument = opened.document
    edit(() => recipe)
  }

  /** Shows the recipe that never ran again, above the answer of the trial that was open. */
  function resume(): void {
    const { value: recipe } = aside
    if (!recipe) return
    aside.value = null
    edit(() => recipe)
  }

  watch(
    () => answer.value,
    (now) => now && current.value && remember(current.value.id, now),
  )
  watch(
    () => current.value?.id,
    () => {
      trials.value = []
      aside.value = null
    },
    { flush: 'sync' },
  )
  return { trials, untried, load, open, resume, answerOf }
}
