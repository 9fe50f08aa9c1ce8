import { expect, it } from 'vitest'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { workspaceFile } from '#shared/workspace/workspaceFile.ts'
import { boardKind } from '#shared/contract/documents/boardKind.ts'
import { writeStudyFile } from '#shared/lab/studyFile.ts'
import { writeQueryFile } from '#shared/sql/queryFile.ts'
import { writeDocumentText } from '#core/documents/documentText.ts'
import { recogniseDocument } from '#core/documents/recogniseDocument.ts'

it.each([
  ['Basis.perpscope', 'workspace', workspaceFile.write('Basis', emptyDocument())],
  ['Basis.json', 'workspace', workspaceFile.write('Basis', emptyDocument())],
  ['Morning.board.json', 'board', boardKind.file.write('Morning', { version: 1, parts: [] })],
  ['carry.json', 'study', writeStudyFile('Carry', { version: 1, kind: 'signal' })],
  ['carry.study.json', 'study', writeDocumentText('perpscope study', { id: 'a', name: 'Carry' }, { kind: 'signal' })],
  ['Last day.sql', 'query', writeQueryFile({ name: 'Last day', sql: 'SELECT 1', parameters: {} })],
])('recognises %s as a %s by its content', (name, kind, text) => {
  expect(recogniseDocument(name, text)).toEqual({ kind })
})

it.each([
  [writeDocumentText('perpscope download set', { name: 'Daily' }, {}), 'is a download set'],
  ['{"format":"perpscope documents","version":1}', 'is not a workspace, study, board or query'],
  ['{"format":"toString","kind":"signal"}', 'is not a workspace, study, board or query'],
  ['[1,2]', 'is not a workspace, study, board or query'],
  ['null', 'is not a workspace, study, board or query'],
  ['{"a":', 'cannot be opened: it is not JSON'],
])('says what %s is instead', (text, problem) => {
  expect(recogniseDocument('x.json', text)).toEqual({ problem: expect.stringContaining(problem) as string })
})
