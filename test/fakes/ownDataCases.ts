import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of one's own, how they are added, and what follows from them. */
export const ownDataFolder = join(import.meta.dirname, '../fixtures/own-data')

export interface OwnDataCase {
  id: string
  name: string
  files: string[]
  add: string[]
  note: string
  formulas?: string[]
  expected?: string
  refused?: true
  file?: string
  line?: number
  column?: string
  says?: string[]
}

export interface OwnDataExpected {
  facts: {
    kind: string
    interval: string | null
    timeUnit: string
    rows: number
    duplicates: number
    unknownSymbols: string[]
    columns: string[]
  }
  columns: string[]
  rows: (string | number | null)[][]
  interval: string
  start: string
  end: string
  first: number
  bars: number
  values: Record<string, Record<string, (number | null)[]>>
}

const readJson = <Document>(path: string): Document =>
  JSON.parse(readFileSync(join(ownDataFolder, path), 'utf8')) as Document

export const ownDataCases = readJson<OwnDataCase[]>('cases.json')
export const expectedOf = ({ expected }: OwnDataCase): OwnDataExpected => readJson<OwnDataExpected>(expected!)

/** Reads the cells of a panel: prices by instrument. */
export function panelRows(panel: string): { time: number; exchange: string; symbol: string; close: number }[] {
  const lines = readFileSync(join(ownDataFolder, 'panels', `${panel}.csv`), 'utf8')
    .trim()
    .split('\n')
  return lines.slice(1).map((line) => {
    const [time, name, close] = line.split(',')
    const at = name.indexOf('/')
    return { time: Number(time), exchange: name.slice(0, at), symbol: name.slice(at + 1), close: Number(close) }
  })
}
