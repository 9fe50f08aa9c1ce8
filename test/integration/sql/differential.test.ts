import { it } from 'vitest'
import { expectAnswersOfPlainFiles } from '../../fakes/generatedQueries.ts'

// `npm run test:peers` compares 300 queries instead of 20.
it('answers 20 generated queries as DuckDB does on the plain list of files', () => expectAnswersOfPlainFiles(20))
