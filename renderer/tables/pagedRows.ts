import { markRaw } from 'vue'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { AS_IT_IS, createVersion, type Arrangement, type RowId, type RowSource } from './rows.ts'

export interface PageRequest {
  /** Rows `from` (inclusive) to `to` (exclusive) of the arrangement. */
  from: number
  to: number
  arrangement: Arrangement
}

export interface Page {
  frame: Frame
  /** Rows of the whole arrangement, as far as is known now. */
  count: number
  /** Rows without any filter; `count` where left out. */
  total?: number
}

export interface PagedOptions {
  pageRows?: number
  /** Pages kept in memory; those not looked at for longest go first. */
  keptPages?: number
  /** The column that tells rows apart; without it that is their place, which fits only rows that never move. */
  idKey?: string
}

export interface PagedRows extends RowSource {
  /** Asks for everything in view again, keeping what is shown until the answer is here. */
  refresh(): void
}

interface Kept {
  frame: Frame
  /** The edition it was asked for in. Older ones are shown, but fetched again. */
  edition: number
}

interface Flight {
  done: Promise<void>
  controller: AbortController
  waiting: number
}

/** Rows that are fetched page by page as they come into view. */
export function pagedRows(
  fetchPage: (request: PageRequest, signal: AbortSignal) => Promise<Page>,
  { pageRows = 500, keptPages = 40, idKey }: PagedOptions = {},
): PagedRows {
  const version = createVersion()
  let pages = new Map<number, Kept>()
  let flights = new Map<number, Flight>()
  let arrangement = AS_IT_IS
  let edition = 0
  let count = 0
  let total = 0

  function take(index: number, page: Page, asked: number): void {
    pages.delete(index)
    pages.set(index, { frame: page.frame, edition: asked })
    for (const oldest of pages.keys()) {
      if (pages.size <= keptPages) break
      pages.delete(oldest)
    }
    count = page.count
    total = page.total ?? page.count
    version.bump()
  }

  function fly(index: number): Flight {
    const controller = new AbortController()
    const asked = edition
    const mine = flights
    const request = { from: index * pageRows, to: (index + 1) * pageRows, arrangement }
    const done = fetchPage(request, controller.signal)
      .then((page) => {
        if (!controller.signal.aborted) take(index, page, asked)
      })
      .finally(() => mine.get(index) === flight && mine.delete(index))
    const flight = { done, controller, waiting: 0 }
    flights.set(index, flight)
    return flight
  }

  async function want(index: number, signal: AbortSignal): Promise<void> {
    const kept = pages.get(index)
    if (kept) {
      pages.delete(index)
      pages.set(index, kept)
      if (kept.edition === edition) return
    }
    const flight = flights.get(index) ?? fly(index)
    flight.waiting += 1
    const leave = () => {
      flight.waiting -= 1
      if (flight.waiting > 0) return
      flight.controller.abort()
      if (flights.get(index) === flight) flights.delete(index)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await flight.done
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async function load(from: number, to: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const wanted: Promise<void>[] = []
    for (let index = Math.floor(from / pageRows); index * pageRows < Math.min(to, count); index += 1) {
      wanted.push(want(index, signal))
    }
    await Promise.all(wanted)
  }

  async function arrange(next: Arrangement, signal: AbortSignal): Promise<void> {
    const first = await fetchPage({ from: 0, to: pageRows, arrangement: next }, signal)
    signal.throwIfAborted()
    for (const { controller } of flights.values()) controller.abort()
    flights = new Map()
    pages = new Map()
    arrangement = next
    edition += 1
    take(0, first, edition)
  }

  function cell(row: number, key: string) {
    const kept = pages.get(Math.floor(row / pageRows))
    if (!kept || row % pageRows >= kept.frame.rows) return undefined
    const column = columnOf(kept.frame, key)
    return column ? cellOf(column, row % pageRows) : null
  }

  return markRaw({
    get count() {
      return count
    },
    get total() {
      return total
    },
    get version() {
      return version.value
    },
    cell,
    idOf: (row): RowId | undefined => (idKey === undefined ? row : (cell(row, idKey) ?? undefined)),
    load,
    arrange,
    subscribe: version.subscribe,
    refresh() {
      edition += 1
      version.bump()
    },
  })
}
