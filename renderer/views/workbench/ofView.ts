import { computed, onScopeDispose, shallowRef, watch } from 'vue'

/** Delay before figures of the view are computed, because a wheel changes the view many times per second. */
const SETTLED_AFTER_MS = 150

/** A figure of the rows in view that has to be computed. */
export interface FigureOfView<Answer> {
  id: string
  /** Everything that is asked for, as a text. */
  key: string
  /** Loaded points, which change when files do. */
  dependsOn: readonly unknown[]
  read(signal: AbortSignal): Promise<Answer>
}

/** Computes figures of all rows in view when the view has settled, by id; one that cannot be computed is left out. */
export function useOfView<Answer>(wanted: () => readonly FigureOfView<Answer>[]) {
  const answers = shallowRef<ReadonlyMap<string, Answer>>(new Map())
  const current = computed(wanted)
  let controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    controller.abort()
  }

  async function readOne({ id, read }: FigureOfView<Answer>, signal: AbortSignal): Promise<void> {
    const answer = await read(signal)
    if (!signal.aborted) answers.value = new Map(answers.value).set(id, answer)
  }

  watch(
    current,
    (now, before = []) => {
      const isSame = (one: FigureOfView<Answer>, other: FigureOfView<Answer> | undefined) =>
        one.id === other?.id && one.key === other.key && one.dependsOn.every((each, at) => each === other.dependsOn[at])
      if (now.length === before.length && now.every((one, at) => isSame(one, before.at(at)))) return
      stop()
      const { signal } = (controller = new AbortController())
      const kept = [...answers.value].filter(([id]) => now.some((one) => one.id === id))
      if (kept.length < answers.value.size) answers.value = new Map(kept)
      timer = setTimeout(() => now.forEach((one) => void readOne(one, signal).catch(() => {})), SETTLED_AFTER_MS)
    },
    { immediate: true },
  )
  onScopeDispose(stop)
  return answers
}
