import * as z from '../../schemas/lazySchemas.ts'
import { fileNameWithEnding } from '../../units/fileNames.ts'
import { MOST_LIST_CHARACTERS } from '../areas/lists.ts'
import { readSymbolLists, writeSymbolLists } from '../listsFile.ts'
import { defineKind, openBy } from './documentKind.ts'

const listDocument = z.strictObject({
  version: z.literal(1),
  symbols: z.array(z.strictObject({ exchange: z.string(), symbol: z.string(), group: z.string().nullable() })),
})
type ListDocument = z.output<typeof listDocument>

/** Parses a CSV that has the symbols of one list. */
function readList(text: string): { name: string; document: ListDocument } | { problem: string } {
  const parsed = readSymbolLists(text)
  if ('problems' in parsed) {
    const more = parsed.problems.length > 3 ? ` and ${parsed.problems.length - 3} more` : ''
    return { problem: `cannot be used: ${parsed.problems.slice(0, 3).join('; ')}${more}.` }
  }
  const names = [...new Set(parsed.symbols.map(({ list }) => list))]
  if (names.length === 0) return { problem: 'contains no symbol.' }
  if (names.length > 1) return { problem: `contains ${names.length} lists; a file must contain one.` }
  return { name: names[0], document: { version: 1, symbols: parsed.symbols.map(({ list: _, ...symbol }) => symbol) } }
}

/** Lists of symbols, in the order of their file. */
export const listKind = defineKind({
  noun: 'list',
  inBackups: 'lists',
  schema: listDocument,
  open: openBy(listDocument),
  idOf: (name) => name,
  /** `symbols` is the number of symbols. */
  facts: ({ symbols }: ListDocument) => ({ symbols: symbols.length }),
  state: {},
  file: {
    type: 'text/csv',
    mostBytes: MOST_LIST_CHARACTERS,
    nameOf: (name) => fileNameWithEnding(name, '.csv'),
    write: (name, { symbols }) => writeSymbolLists(symbols.map((symbol) => ({ list: name, ...symbol }))),
    read: readList,
  },
})
