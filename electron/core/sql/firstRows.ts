import { type Frame, sliceFrame } from '#shared/contract/frame.ts'
import { MOST_RESULTS } from './sqlTask.ts'

/** The first rows of the open results, so that the page which everybody asks for next needs no way to the engine and back. */
export class FirstRows {
  readonly #kept = new Map<number, { frame: Frame; rows: number }>()

  keep(id: number, result: { frame: Frame; rows: number }): void {
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= MOST_RESULTS) this.#kept.delete(oldest)
    this.#kept.set(id, result)
  }

  /** Finds a page and the number of rows of its result; null where the engine has to be asked. */
  page(id: number, from: number, count: number): { frame: Frame; rows: number } | null {
    const kept = this.#kept.get(id)
    if (!kept) return null
    const to = Math.min(kept.rows, from + count)
    if (to > kept.frame.rows) return null
    return { frame: sliceFrame(kept.frame, from, to), rows: kept.rows }
  }

  forget(id: number): void {
    this.#kept.delete(id)
  }

  /** Forgets all: the engine that had the results has ended. */
  clear(): void {
    this.#kept.clear()
  }
}
