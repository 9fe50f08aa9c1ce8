import { AppError } from '#shared/contract/errors.ts'
import { BookError } from '#shared/portfolio/book/bookError.ts'
import { ownKindOf, readOwnReturns, readTickerFile, type TickerFile } from '#shared/portfolio/book/ownFile.ts'
import { readReturnsFile } from '#shared/portfolio/returnsFile.ts'
import type { Clock } from '#core/ports.ts'
import type { NamedFile, OwnKind, ReturnsStore } from '#core/store/returnsStore.ts'

interface OwnFileFacts {
  name: string
  kind: OwnKind
}

/** The user's own returns, weights and prices by their names. */
export interface OwnFiles {
  list(): (OwnFileFacts & { added: number })[]
  /** Checks a file and keeps a copy of it under a name. */
  add(name: string, file: { file: string; text: string }, unit: NamedFile['unit']): OwnFileFacts
  remove(name: string): void
  find(name: string): NamedFile & { kind: OwnKind }
  weights(name: string): TickerFile
  prices(name: string): TickerFile
}

/** Turns what a book cannot be made from into an error of the app. */
export async function asBookInput<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    throw thrown instanceof BookError ? new AppError('bad-input', thrown.message, { cause: thrown }) : thrown
  }
}

export function createOwnFiles(store: ReturnsStore, clock: Clock): OwnFiles {
  function find(name: string) {
    const found = store.findNamed(name)
    if (!found) throw new AppError('not-found', `There is no own file “${name}”; add it with “portfolio own add”.`)
    return { ...found, kind: found.kind ?? ownKindOf({ file: name, text: found.text }) }
  }
  function findOf(name: string, kind: 'weights' | 'prices') {
    const found = find(name)
    if (found.kind === kind) return found
    throw new AppError('not-found', `The own file “${name}” has ${found.kind}, not ${kind}.`)
  }
  return {
    list: () =>
      store.listNamed().map(({ name, kind, readAtMs }) => ({ name, kind: kind ?? find(name).kind, added: readAtMs })),
    add(name, file, unit) {
      const kind = ownKindOf(file)
      if (kind === 'returns') readOwnReturns(file, unit)
      else readTickerFile(file, kind === 'weights' ? 'weight' : 'price')
      // Plain numbers are fractions, so that no command has to ask later.
      const kept = kind === 'returns' ? (unit ?? unitOf(file)) : unit
      store.saveNamed({ name, kind, text: file.text, unit: kept }, clock.nowMs())
      return { name, kind }
    },
    remove(name) {
      if (!store.removeNamed(name)) throw new AppError('not-found', `There is no own file “${name}”.`)
    },
    find,
    weights: (name) => readTickerFile({ file: name, text: findOf(name, 'weights').text }, 'weight'),
    prices: (name) => readTickerFile({ file: name, text: findOf(name, 'prices').text }, 'price'),
  }
}

/** Unit of plain numbers that the file itself does not show. */
const unitOf = ({ text }: { text: string }): NamedFile['unit'] =>
  readReturnsFile(text, null).kind === 'unit-needed' ? 'fraction' : null
