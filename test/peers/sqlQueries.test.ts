import { it } from 'vitest'
import { expectAnswersOfPlainFiles } from '../fakes/generatedQueries.ts'

it('answers 300 generated queries as DuckDB does on the plain list of files', () => expectAnswersOfPlainFiles(300))
