import { describe, expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument, readDocument } from '#shared/workspace/workspace.ts'
import { readWorkspaceFile, workspaceFileName, writeWorkspaceFile } from '#shared/workspace/workspaceFile.ts'

const document = addSeries(emptyDocument(), null, { source: { kind: 'formula', formula: 'sma(a, 20)' } }).document

describe('a workspace file', () => {
  it('comes back as it was written', () => {
    expect(readWorkspaceFile(writeWorkspaceFile('龙 study', document))).toEqual({ name: '龙 study', document })
  })

  it.each([
    ['', 'no JSON'],
    ['PAR1', 'no JSON'],
    ['null', 'not a workspace'],
    ['{"format":"other"}', 'not a workspace'],
    ['{"format":"perpscope workspace"}', 'missing'],
    ['{"format":"perpscope workspace","document":{"version":99}}', 'newer'],
    ['{"format":"perpscope workspace","document":{"version":1,"panes":[{}]}}', 'panes.0'],
    ['{"format":"perpscope workspace","document":{"version":1,"key":"secret"}}', 'The whole'],
  ])('%j is refused with a reason', (text, message) => {
    expect(readWorkspaceFile(text)).toEqual({ problem: expect.stringContaining(message) as string })
  })

  it('has a name that is safe in any folder', () => {
    expect(workspaceFileName('BTC vs 龙')).toBe('BTC vs 龙.perpscope')
    expect(workspaceFileName('../../etc/passwd')).toBe('etc passwd.perpscope')
    expect(workspaceFileName('???')).toBe('workspace.perpscope')
  })
})

it('two series of one name are no document', () => {
  const [pane] = document.panes
  const twice = { ...document, panes: [{ ...pane, series: [pane.series[0], { ...pane.series[0], id: 's9' }] }] }
  expect(readDocument(twice)).toEqual({ problem: 'The same series name twice' })
})
