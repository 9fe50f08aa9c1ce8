import { describe, expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { readDocument } from '#shared/workspace/workspaceSchema.ts'
import { workspaceFile, workspaceFileName } from '#shared/workspace/workspaceFile.ts'
import { cpuMsOf } from '../../fakes/cpuTime.ts'

const document = addSeries(emptyDocument(), null, { source: { kind: 'formula', formula: 'sma(a, 20)' } }).document

/** Creates a document with `count` formulas, each of which names all formulas before it. */
function costly(count: number) {
  const [pane] = document.panes
  const formulas = Array.from({ length: count }, (_, at) => ({
    ...pane.series[0],
    id: `s${at}`,
    name: `f${at}`,
    source: { kind: 'formula' as const, formula: Array.from({ length: at + 1 }, (_, other) => `f${other}`).join('+') },
  }))
  const panes = Array.from({ length: Math.ceil(count / 60) }, (_, at) => ({
    ...pane,
    id: `p${at}`,
    series: formulas.slice(at * 60, at * 60 + 60),
  }))
  return { ...document, panes }
}

it('a document whose formulas would take long is refused before it is opened', () => {
  const read = () =>
    expect(readDocument(costly(1000))).toEqual({ problem: expect.stringContaining('too many or too long') as string })
  expect(cpuMsOf(read)).toBeLessThan(3000)
  expect(readDocument(costly(200))).toHaveProperty('problem')
  expect(readDocument(costly(40))).toHaveProperty('document')
})

describe('a workspace file', () => {
  it('comes back as it was written', () => {
    expect(workspaceFile.read(workspaceFile.write('龙 study', document))).toEqual({ name: '龙 study', document })
  })

  it.each([
    ['', 'not JSON'],
    ['PAR1', 'not JSON'],
    ['null', 'not a workspace'],
    ['{"format":"other"}', 'not a workspace'],
    ['{"format":"perpscope workspace"}', 'missing'],
    ['{"format":"perpscope workspace","document":{"version":99}}', 'newer'],
    ['{"format":"perpscope workspace","document":{"version":1,"panes":[{}]}}', 'panes.0'],
    ['{"format":"perpscope workspace","document":{"version":1,"key":"secret"}}', 'The document'],
  ])('%j is refused with a reason', (text, message) => {
    expect(workspaceFile.read(text)).toEqual({ problem: expect.stringContaining(message) as string })
  })

  it('has a name that is safe in any folder', () => {
    expect(workspaceFileName('BTC vs 龙')).toBe('BTC vs 龙.perpscope')
    expect(workspaceFileName('../../etc/passwd')).toBe('etc passwd.perpscope')
    expect(workspaceFileName(`${'x'.repeat(59)}𠮷`)).toBe(`${'x'.repeat(59)}.perpscope`)
    const cut = `${'x'.repeat(119)}😀`
    expect(workspaceFile.read(workspaceFile.write(cut, document))).toMatchObject({ name: 'x'.repeat(119) })
    expect(workspaceFileName('???')).toBe('workspace.perpscope')
  })
})

it('two series of one name are no document', () => {
  const [pane] = document.panes
  const twice = { ...document, panes: [{ ...pane, series: [pane.series[0], { ...pane.series[0], id: 's9' }] }] }
  expect(readDocument(twice)).toEqual({ problem: 'The same series name occurs twice' })
})
