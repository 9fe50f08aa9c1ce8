import { describe, expect, it, vi } from 'vitest'
import { createApp, nextTick, shallowRef } from 'vue'
import { numberColumn } from '#shared/contract/frame.ts'
import { pagedRows, type PageRequest } from '../../../renderer/tables/pagedRows.ts'
import { UNARRANGED, type Arrangement } from '#shared/tables/arrangement.ts'
import { type RowSource } from '../../../renderer/tables/rows.ts'
import { useRows } from '../../../renderer/tables/useRows.ts'

const sorted: Arrangement = { ...UNARRANGED, sort: [{ key: 'n', descending: true }] }

describe('a table’s view of its source', () => {
  it('says what failed, and tries exactly that again', async () => {
    let isFailing = false
    const asked: PageRequest[] = []
    const source = pagedRows(
      async (request) => {
        asked.push(request)
        if (isFailing) throw new Error('The service does not answer.')
        return { frame: { rows: 10, columns: [numberColumn('n', Array(10).fill(1))] }, count: 100 }
      },
      { pageRows: 10 },
    )
    const arrangement = shallowRef(UNARRANGED)
    let rows!: ReturnType<typeof useRows>
    const app = createApp({
      setup() {
        rows = useRows(shallowRef<RowSource>(source), arrangement, () => ({ from: 0, to: 10 }))
        return () => null
      },
    })
    app.mount(document.createElement('div'))
    expect(rows.isArranging.value).toBe(true)
    await vi.waitFor(() => expect([rows.isArranging.value, rows.count.value]).toEqual([false, 100]))

    isFailing = true
    arrangement.value = sorted
    await nextTick()
    await vi.waitFor(() => expect(rows.problem.value).toBe('The service does not answer.'))
    expect([rows.isArranging.value, rows.count.value]).toEqual([false, 100])

    isFailing = false
    rows.retry()
    await vi.waitFor(() => expect(rows.problem.value).toBeNull())
    expect(asked.at(-1)!.arrangement).toEqual(sorted)
    app.unmount()
  })
})
