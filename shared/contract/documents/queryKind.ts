import { MOST_QUERY_BYTES, QUERY_SUFFIX, readQueryFile, writeQueryFile } from '../../sql/queryFile.ts'
import { documentName, MOST_NAME_LENGTH, safeFileName } from '../../units/fileNames.ts'
import { type QueryDocument, queryDocument } from '../areas/sql.ts'
import { defineKind, openBy } from './documentKind.ts'

/** Queries of the SQL screen. */
export const queryKind = defineKind({
  noun: 'query',
  inBackups: 'queries',
  schema: queryDocument,
  open: openBy(queryDocument),
  /** `length` is the number of characters. */
  facts: ({ sql }: QueryDocument) => ({ length: sql.length }),
  state: {},
  file: {
    type: 'application/sql',
    mostBytes: MOST_QUERY_BYTES,
    nameOf: (name) => safeFileName(`${name}${QUERY_SUFFIX}`),
    write: (name, document) => writeQueryFile({ name, ...document }),
    read(text, fileName) {
      const { name, sql, parameters } = readQueryFile(text, fileName)
      const document = queryDocument.safeParse({ version: 1, sql, parameters })
      if (!document.success) return { problem: 'The query is too large.' }
      return { name: documentName(name, MOST_NAME_LENGTH) || 'Query', document: document.data }
    },
  },
})
