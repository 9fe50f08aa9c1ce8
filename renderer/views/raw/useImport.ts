import { computed, ref, shallowRef } from 'vue'
import type { ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { createJob } from '../../stores/job.ts'
import { useRaw } from '../../stores/raw.ts'
import { importRow, isIn, isReady, type SaidPlace } from './importRows.ts'

/** Taken in with one call: what became of these is shown before the next ones begin, and stays when the rest is cancelled. */
const AT_ONCE = 50

/** The list of files that were handed over: looked at, placed by the person, taken in. */
export function useImport() {
  const raw = useRaw()
  const looking = createJob()
  const taking = createJob()
  const files = shallowRef<InspectedFile[]>([])
  const others = ref(0)
  const said = shallowRef<ReadonlyMap<string, SaidPlace>>(new Map())
  const outcomes = shallowRef<ReadonlyMap<string, ImportOutcome>>(new Map())

  const rows = computed(() =>
    files.value.map((file) => importRow(file, said.value.get(file.id), outcomes.value.get(file.id))),
  )

  async function look(): Promise<void> {
    const found = await looking.run(raw.inspect)
    if (!found) return
    const before = rows.value.filter(isIn).map(({ file }) => file)
    const known = new Set(found.files.map(({ id }) => id))
    outcomes.value = new Map([...outcomes.value].filter(([id]) => !known.has(id)))
    files.value = [...found.files, ...before.filter(({ id }) => !known.has(id))]
    others.value = found.others
  }

  /** Venue and symbol of these files; what is left out stays as it is. */
  function place(ids: readonly string[], { exchange, symbol }: SaidPlace): void {
    const next = new Map(said.value)
    for (const id of ids) next.set(id, { ...next.get(id), ...(exchange && { exchange }), ...(symbol && { symbol }) })
    said.value = next
    outcomes.value = new Map([...outcomes.value].filter(([id]) => !ids.includes(id)))
  }

  async function take(replace: boolean): Promise<void> {
    const wanted = rows.value.filter((row) => isReady(row) || row.state === 'failed')
    const total = wanted.reduce((sum, { file }) => sum + file.sizeBytes, 0)
    let before = 0
    await taking.run(async ({ signal, onProgress }) => {
      for (let at = 0; at < wanted.length; at += AT_ONCE) {
        const some = wanted.slice(at, at + AT_ONCE)
        const answer = await raw.take(
          some.map(({ file, exchange, symbol }) => ({ id: file.id, exchange: exchange!, symbol: symbol!, replace })),
          { signal, onProgress: ({ done, message }) => onProgress?.({ done: before + done, total, message }) },
        )
        outcomes.value = new Map([...outcomes.value, ...answer.files.map((each) => [each.id, each] as const)])
        before += some.reduce((sum, { file }) => sum + file.sizeBytes, 0)
      }
    })
  }

  async function dismiss(): Promise<void> {
    await raw.dismiss()
    files.value = []
    outcomes.value = new Map()
  }

  return { rows, others, looking, taking, look, place, take, dismiss }
}
