import * as z from '../../schemas/lazySchemas.ts'
import type { Frame } from '../frame.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import type { PortfolioFreshness } from './portfolio.ts'

const id = z.string().min(1).max(100)

/** Unit of plain numbers: whether 1.2 means 1.2 % or 120 %. A cell that ends in % is always per cent. */
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
  /** Name of the file, with a number if another file has the same name. */
  name: string
}

export interface OwnReturnsAnswer extends ListedReturns {
  unit: ReturnUnit | null
  /** Trading cost in basis points as typed; null if there is none. */
  cost: string | null
  /** Time at which the file was last read. */
  readAt: number
  /** State of the file on disk; `copy` if it came through a browser, so that there is no file to read again. */
  source: 'current' | 'missing' | 'unreadable' | 'copy'
  /** Reasons by line why the current file cannot be read; the answer is then the previous content. */
  problems: string[]
  /** The returns that are shown; null until the user decides whether 1.2 means 1.2 % or 120 %. */
  shown: ShownReturns | null
}

export interface ShownReturns {
  kind: 'returns' | 'weights'
  /** Frame with columns `time` (start of the day) and returns. */
  returns: Frame
  /** The returns of the column `benchmark`; null if the file has none. */
  benchmark: Frame | null
  warnings: FileWarning[]
  /** Fraction of gross weight that has prices; null for returns. */
  coverage: number | null
  /** Freshness of the prices used to value weights; null for returns. */
  freshness: PortfolioFreshness | null
}

export const returnsCalls = {
  /** Lists the files by name. */
  'returns.list': call(z.strictObject({}))<ListedReturns[]>(),
  /** Imports a received CSV of returns or weights; a file that was imported before keeps its id and settings. */
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
  /** Removes the document; the file stays. */
  'returns.remove': call(z.strictObject({ id }))<null>(),
}
