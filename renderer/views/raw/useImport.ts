import { computed, ref, shallowRef } from 'vue'
import type { ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { createLongCall } from '../../stores/longCall.ts'
import { useRaw } from '../../stores/raw.ts'
import { importRow, isInCache, isReady, type EnteredInstrument } from './importRows.ts'
import { useDiscovery } from '../../stores/discovery.ts'

/** Number of files per import call. Their outcome is shown before the next call, and stays if the rest is cancelled. */
const FILES_PER_CALL = 50

/** Manages the list of received files: inspects them, sets their venue and symbol, and imports them. */
export function useImport() {
  const discovery = useDiscovery()
  const raw = useRaw()
  const inspecting = createLongCall()
  const importing = createLongCall()
  const files = shallowRef<InspectedFile[]>([])
  const skippedCount = ref(0)
  const enteredById = shallowRef<ReadonlyMap<string, EnteredInstrument>>(new Map())
  const outcomeById = shallowRef<ReadonlyMap<string, ImportOutcome>>(new Map())

  const rows = computed(() =>
    files.value.map((file) =>
      importRow(file, enteredById.value.get(file.id), discovery.venueFacts, outcomeById.value.get(file.id)),
    ),
  )

  async function inspect(): Promise<void> {
    const found = await inspecting.run(raw.inspect)
    if (!found) return
    const cachedFiles = rows.value.filter(isInCache).map(({ file }) => file)
    const fileIds = new Set(found.files.map(({ id }) => id))
    outcomeById.value = new Map([...outcomeById.value].filter(([id]) => !fileIds.has(id)))
    files.value = [...found.files, ...cachedFiles.filter(({ id }) => !fileIds.has(id))]
    skippedCount.value = found.others
  }

  /**
   * Sets the venue and symbol of files, so that they can be imported again; an empty venue or symbol leaves the current
   * one unchanged.
   */
  function enterInstrument(ids: readonly string[], { exchange, symbol }: EnteredInstrument): void {
    const next = new Map(enteredById.value)
    for (const id of ids) next.set(id, { ...next.get(id), ...(exchange && { exchange }), ...(symbol && { symbol }) })
    enteredById.value = next
    outcomeById.value = new Map([...outcomeById.value].filter(([id]) => !ids.includes(id)))
  }

  async function importFiles(replace: boolean): Promise<void> {
    const rowsToImport = rows.value.filter((row) => isReady(row) || row.state === 'failed')
    const total = rowsToImport.reduce((sum, { file }) => sum + file.sizeBytes, 0)
    let bytesBefore = 0
    await importing.run(async ({ signal, onProgress }) => {
      for (let at = 0; at < rowsToImport.length; at += FILES_PER_CALL) {
        const batch = rowsToImport.slice(at, at + FILES_PER_CALL)
        const answer = await raw.importFiles(
          batch.map(({ file, exchange, symbol }) => ({ id: file.id, exchange: exchange!, symbol: symbol!, replace })),
          { signal, onProgress: ({ done, message }) => onProgress?.({ done: bytesBefore + done, total, message }) },
        )
        outcomeById.value = new Map([...outcomeById.value, ...answer.files.map((each) => [each.id, each] as const)])
        bytesBefore += batch.reduce((sum, { file }) => sum + file.sizeBytes, 0)
      }
    })
  }

  /**
   * Drops files from the list after their removal from the cache; to import them again, the user has to open them
   * again.
   */
  function forget(ids: readonly string[]): void {
    files.value = files.value.filter(({ id }) => !ids.includes(id))
    outcomeById.value = new Map([...outcomeById.value].filter(([id]) => !ids.includes(id)))
  }

  async function dismiss(): Promise<void> {
    await raw.dismiss()
    files.value = []
    outcomeById.value = new Map()
  }

  return { rows, skippedCount, inspecting, importing, inspect, enterInstrument, importFiles, forget, dismiss }
}
