import { describe, expect, it } from 'vitest'
import { numberColumn } from '#shared/contract/frame.ts'
import { pagedRows, type Page, type PageRequest } from '../../../renderer/tables/pagedRows.ts'
import { AS_IT_IS } from '../../../renderer/tables/rows.ts'

interface Asked extends PageRequest {
  signal: AbortSignal
  answer: (page?: Partial<Page>) => void
  fail: (words: string) => void
}

/** A service whose answers the test gives. Rows are numbered from 0, plus `offset` of the answer. */
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
      asked.push({ ...request, signal, answer, fail: (words) => reject(new Error(words)) })
      return promise
    },
    { pageRows: 10, ...options },
  )
  const ready = async () => {
    const arranged = source.arrange(AS_IT_IS, new AbortController().signal)
    asked[0].answer()
    await arranged
  }
  return { asked, source, ready }
}

const never = () => new AbortController().signal

describe('rows in pages', () => {
  it('knows nothing until the first page, then its rows and how many there are', async () => {
    const { source, ready } = service(95)
    expect([source.count, source.cell(0, 'n')]).toEqual([0, undefined])
    await ready()
    expect([source.count, source.total, source.cell(9, 'n'), source.cell(10, 'n')]).toEqual([95, 95, 9, undefined])
    expect(source.cell(0, 'no such column')).toBeNull()
  })

  it('fetches only the pages it lacks, once for all who want them', async () => {
    const { source, asked, ready } = service(95)
    await ready()
    const both = Promise.all([source.load(5, 25, never()), source.load(15, 30, never())])
    expect(asked.slice(1).map(({ from, to }) => [from, to])).toEqual([
      [10, 20],
      [20, 30],
    ])
    for (const { answer } of asked) answer()
    await both
    expect([source.cell(15, 'n'), source.cell(29, 'n')]).toEqual([15, 29])
  })

  it('asks for nothing behind the end', async () => {
    const { source, asked, ready } = service(15)
    await ready()
    const loaded = source.load(0, 1000, never())
    asked[1].answer()
    await loaded
    expect(asked).toHaveLength(2)
    expect(source.cell(15, 'n')).toBeUndefined()
  })

  it('gives up a page that nobody wants any more, and only then; a later wish starts anew', async () => {
    const { source, asked, ready } = service(95)
    await ready()
    const [first, second] = [new AbortController(), new AbortController()]
    const loads = [first, second].map(({ signal }) => source.load(10, 20, signal).catch(() => 'gone'))
    first.abort()
    expect(asked[1].signal.aborted).toBe(false)
    second.abort()
    expect(asked[1].signal.aborted).toBe(true)
    const again = source.load(10, 20, never())
    asked[1].fail('aborted')
    asked[2].answer()
    await again
    expect([await Promise.all(loads), source.cell(10, 'n')]).toEqual([['gone', 'gone'], 10])
  })

  it('keeps so many pages and lets go of those not looked at for longest', async () => {
    const { source, asked, ready } = service(95, { keptPages: 2 })
    await ready()
    for (const at of [10, 0, 20]) {
      const loaded = source.load(at, at + 10, never())
      asked.at(-1)!.answer()
      await loaded
    }
    expect([0, 10, 20].map((row) => source.cell(row, 'n'))).toEqual([0, undefined, 20])
  })

  it('shows old rows until a refresh has brought new ones', async () => {
    const { source, asked, ready } = service(95)
    await ready()
    let changes = 0
    source.subscribe(() => (changes += 1))
    source.refresh()
    expect([source.cell(3, 'n'), changes]).toEqual([3, 1])
    const loaded = source.load(0, 10, never())
    asked[1].answer({ frame: { rows: 10, columns: [numberColumn('n', Array(10).fill(7))] }, count: 12 })
    await loaded
    expect([source.cell(3, 'n'), source.count, changes]).toEqual([7, 12, 2])
  })

  it('passes sort and filter on, and throws away what was asked for before them', async () => {
    const { source, asked, ready } = service(95)
    await ready()
    const before = source.load(10, 20, never()).catch(() => 'gone')
    const sort = [{ key: 'n', descending: true }]
    const arranged = source.arrange({ sort, text: 'btc', conditions: [] }, never())
    expect(asked[2].arrangement).toEqual({ sort, text: 'btc', conditions: [] })
    expect(source.cell(0, 'n')).toBe(0)
    asked[2].answer({ count: 20, total: 95 })
    await arranged
    asked[1].answer()
    await before
    expect([source.count, source.total, source.cell(10, 'n')]).toEqual([20, 95, undefined])
  })

  it('says what failed, and tries again when asked again', async () => {
    const { source, asked, ready } = service(95)
    await ready()
    const failing = source.load(10, 20, never())
    asked[1].fail('The disk is gone.')
    await expect(failing).rejects.toThrow('The disk is gone.')
    const again = source.load(10, 20, never())
    asked[2].answer()
    await again
    expect(source.cell(10, 'n')).toBe(10)
  })

  it('names rows by their key, and not while they are not here', async () => {
    const { source, ready } = service(95, { idKey: 'n' })
    await ready()
    expect([source.idOf(4), source.idOf(50)]).toEqual([4, undefined])
  })
})
