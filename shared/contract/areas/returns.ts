import * as z from '../../schemas/lazySchemas.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import type { PortfolioFreshness } from './portfolio.ts'

const id = z.string().min(1).max(100)

/** Unit of plain numbers: 1.2 means 1.2 % or 120 %. A cell ending in % is per cent in both. */
export type ReturnUnit = 'percent' | 'fraction'

/** A doubtful cell or row and how it was read, with its line in the file; the header is line 1. */
export interface FileWarning {
  line: number
  kind: 'duplicate' | 'gap' | 'order' | 'zone' | 'decimal' | 'unit' | 'below' | 'price'
  detail: string
}

/** A file of returns or weights that the user opened. */
export interface ListedReturns {
  id: string
  /** Name of the file; one that is taken gets a number. */
  name: string
}

export interface OwnReturnsAnswer extends ListedReturns {
  unit: ReturnUnit | null
  /** Cost of trading in basis points as it was typed; null without one. */
  cost: string | null
  /** Time at which the file was last read. */
  readAt: number
  /** A copy came through a browser, which names no file to read again; the rest is about the file on this machine. */
  source: 'current' | 'missing' | 'unreadable' | 'copy'
  /** Reasons why the file as it is now cannot be read, by line; what is shown is then what was read before. */
  problems: string[]
  /** Returns as shown; null until the user has said whether 1.2 means 1.2 % or 120 %. */
  shown: ShownReturns | null
}

export interface ShownReturns {
  kind: 'returns' | 'weights'
  /** A column `time` (starts of days) and a column of returns. */
  returns: Frame
  /** Returns of the column `benchmark`; null where the file has none. */
  benchmark: Frame | null
  warnings: FileWarning[]
  /** Share of the gross weight that has prices; null for returns. */
  coverage: number | null
  /** Freshness of the prices that weights were valued with; null for returns. */
  freshness: PortfolioFreshness | null
}

export const returnsCalls = {
  /** Lists the files by name. */
  'returns.list': call(z.strictObject({}))<ListedReturns[]>(),
  /** Keeps a received CSV of returns or weights; one that was opened before is the same document. */
  'returns.import': call(z.strictObject({ file: id }))<ListedReturns>(),
  /** Reads the file again if it changed; weights are valued with the prices of the connection. */
  'returns.read': call(z.strictObject({ connectionId, id, refresh: z.boolean().default(false) }))<OwnReturnsAnswer>(),
  'returns.change': call(
    z.strictObject({
      id,
      unit: z.enum(['percent', 'fraction']).optional(),
      cost: z.string().max(40).nullable().optional(),
    }),
  )<null>(),
  /** Forgets the document; the file stays. */
  'returns.remove': call(z.strictObject({ id }))<null>(),
}
