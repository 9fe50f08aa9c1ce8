import { describe, expect, it } from 'vitest'
import { numberColumn } from '#shared/contract/frame.ts'
import { pagedRows, type Page, type PageRequest } from '../../../renderer/tables/pagedRows.ts'
import { UNARRANGED } from '#shared/tables/arrangement.ts'
import { NO_ROWS } from '../../../renderer/tables/rows.ts'

interface Asked extends PageRequest {
  signal: AbortSignal
  answer: (page?: Partial<Page>) => void
  fail: (message: string) => void
}

/** Creates paged rows of a service whose answers the test sends. The value of a row is its index. */
function service(count: number, options = {}) {
  const asked: Asked[] = []
  const source = pagedRows(
    (request, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Page>()
      const rows = Math.min(request.to, count) - request.from
      const frame = {
        rows,
        columns: [
          numberColumn(
            'n',
            Array.from({ length: rows }, (_, at) => request.from + at),
          ),
        ],
      }
      const answer = (page = {}) => resolve({ frame, count, ...page })
      asked.push({ ...request, signal, answer, fail: (message) => reject(new Error(message)) })
      return promise
    },
    { pageRows: 10, ...options },
  )
  const ready = async () => {
    const arranged = source.arrange(UNARRANGED, new AbortController().signal)
    asked[0].answer()
    return arranged
  }
  return { asked, source, ready }
}

const never = () => new AbortController().signal

describe('rows in pages', () => {
  it('knows nothing until the first page, then its rows and how many there are', async () => {
    const { ready } = service(95)
    expect([NO_ROWS.count, NO_ROWS.cell(0, 'n')]).toEqual([0, undefined])
    const rows = await ready()
    expect([rows.count, rows.total, rows.cell(9, 'n'), rows.cell(10, 'n')]).toEqual([95, 95, 9, undefined])
    expect(rows.cell(0, 'no such column')).toBeNull()
  })

  it('fetches only the pages it lacks, once for all who want them', async () => {
    const { asked, ready } = service(95)
    const rows = await ready()
    const both = Promise.all([rows.load(5, 25, never()), rows.load(15, 30, never())])
    expect(asked.slice(1).map(({ from, to }) => [from, to])).toEqual([
      [10, 20],
      [20, 30],
    ])
    for (const { answer } of asked) answer()
    await both
    expect([rows.cell(15, 'n'), rows.cell(29, 'n')]).toEqual([15, 29])
  })

  it('shows a new order although the rows are asked to stay in their places before it has come', async () => {
    const { asked, source, ready } = service(5, { idKey: 'n' })
    const rows = await ready()
    const leaving = new AbortController()
    source.refresh()
    const left = rows.load(0, 5, leaving.signal).catch(() => {})
    source.refreshInPlace()
    leaving.abort()
    const loaded = rows.load(0, 5, never())
    expect(asked.slice(1).map(({ ids }) => ids)).toEqual([undefined, undefined])
    const reversed = { rows: 5, columns: [numberColumn('n', [4, 3, 2, 1, 0])] }
    for (const { answer } of asked) answer({ frame: reversed })
    await Promise.all([left, loaded])
    expect(rows.cell(0, 'n')).toBe(4)
    source.refreshInPlace()
    void rows.load(0, 5, never())
    expect(asked.at(-1)?.ids).toEqual([4, 3, 2, 1, 0])
  })

  it('asks for nothing beyond the end', async () => {
    const { asked, ready } = service(15)
    const rows = await ready()
    const loaded = rows.load(0, 1000, never())
    asked[1].answer()
    await loaded
    expect(asked).toHaveLength(2)
    expect(rows.cell(15, 'n')).toBeUndefined()
  })

  it('gives up a page that nobody wants any more, and only then; a later wish starts anew', async () => {
    const { asked, ready } = service(95)
    const rows = await ready()
    const [first, second] = [new AbortController(), new AbortController()]
    const loads = [first, second].map(({ signal }) => rows.load(10, 20, signal).catch(() => 'gone'))
    first.abort()
    expect(asked[1].signal.aborted).toBe(false)
    second.abort()
    expect(asked[1].signal.aborted).toBe(true)
    const again = rows.load(10, 20, never())
    asked[1].fail('aborted')
    asked[2].answer()
    await again
    expect([await Promise.all(loads), rows.cell(10, 'n')]).toEqual([['gone', 'gone'], 10])
  })

  it('keeps a limited number of pages and drops those not used for longest', async () => {
    const { asked, ready } = service(95, { mostPages: 2 })
    const rows = await ready()
    for (const at of [10, 0, 20]) {
      const loaded = rows.load(at, at + 10, never())
      asked.at(-1)!.answer()
      await loaded
    }
    expect([0, 10, 20].map((row) => rows.cell(row, 'n'))).toEqual([0, undefined, 20])
  })

  it('shows old rows until a refresh has brought new ones', async () => {
    const { source, asked, ready } = service(95)
    const rows = await ready()
    let changes = 0
    rows.subscribe(() => (changes += 1))
    source.refresh()
    expect([rows.cell(3, 'n'), changes]).toEqual([3, 1])
    const loaded = rows.load(0, 10, never())
    asked[1].answer({ frame: { rows: 10, columns: [numberColumn('n', Array(10).fill(7))] }, count: 12 })
    await loaded
    expect([rows.cell(3, 'n'), rows.count, changes]).toEqual([7, 12, 2])
  })

  it('passes sort and filter on, and throws away what was asked for before them', async () => {
    const { source, asked, ready } = service(95)
    const rows = await ready()
    const before = rows.load(10, 20, never()).catch(() => 'gone')
    const sort = [{ key: 'n', descending: true }]
    const arranged = source.arrange({ sort, text: 'btc', conditions: [] }, never())
    expect(asked[2].arrangement).toEqual({ sort, text: 'btc', conditions: [] })
    expect(rows.cell(0, 'n')).toBe(0)
    asked[2].answer({ count: 20, total: 95 })
    const next = await arranged
    asked[1].answer()
    await before
    expect([next.count, next.total, next.cell(10, 'n')]).toEqual([20, 95, undefined])
    expect([rows.count, rows.cell(10, 'n')]).toEqual([95, 10])
  })

  it('says what failed, and tries again when asked again', async () => {
    const { asked, ready } = service(95)
    const rows = await ready()
    const failing = rows.load(10, 20, never())
    asked[1].fail('The disk is gone.')
    await expect(failing).rejects.toThrow('The disk is gone.')
    const again = rows.load(10, 20, never())
    asked[2].answer()
    await again
    expect(rows.cell(10, 'n')).toBe(10)
  })

  it('names rows by their key, and not while they are not here', async () => {
    const { ready } = service(95, { idKey: 'n' })
    const rows = await ready()
    expect([rows.idOf(4), rows.idOf(50)]).toEqual([4, undefined])
  })

  it('shows the pages of a refresh together, and the count with them', async () => {
    const { source, asked, ready } = service(95)
    const rows = await ready()
    const both = rows.load(5, 15, never())
    asked[1].answer()
    await both
    const seen: unknown[] = []
    rows.subscribe(() => seen.push([rows.count, rows.cell(3, 'n'), rows.cell(13, 'n')]))
    source.refresh()
    const loaded = rows.load(5, 15, never())
    const sevens = { rows: 10, columns: [numberColumn('n', Array(10).fill(7))] }
    asked[3].answer({ frame: sevens, count: 40 })
    await new Promise((resolve) => setTimeout(resolve))
    expect([rows.count, rows.cell(3, 'n'), rows.cell(13, 'n')]).toEqual([95, 3, 13])
    asked[2].answer({ frame: sevens, count: 40 })
    await loaded
    expect(seen).toEqual([
      [95, 3, 13],
      [40, 7, 7],
    ])
  })

  it('fetches again what a refresh made old while the first page was on its way', async () => {
    const { source, asked } = service(95)
    const arranged = source.arrange(UNARRANGED, never())
    source.refresh()
    asked[0].answer()
    const rows = await arranged
    const loaded = rows.load(0, 10, never())
    asked[1].answer({ count: 96 })
    await loaded
    expect(rows.count).toBe(96)
  })
})
