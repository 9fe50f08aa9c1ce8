import { describe, expect, it } from 'vitest'
import { removeScan, saveScan } from '#shared/workspace/savedScans.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { readDocument, type SavedScan } from '#shared/workspace/workspaceSchema.ts'

const scan = (name: string, way: SavedScan['way'] = 'moment'): SavedScan => ({
  name,
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'venuea-futures',
  interval: '1h',
  timestamp: 'exchange',
  origin: 'service',
  way,
  formulas: [{ name: 'range', formula: '(high - low) / close' }],
})
const reread = (value: unknown) => readDocument(JSON.parse(JSON.stringify(value)))

describe('saved scans of a workspace', () => {
  it('are kept by name, and the document is as before once they are removed', () => {
    const document = saveScan(saveScan(saveScan(emptyDocument(), scan('a')), scan('b')), scan('a', 'mean'))
    expect(document.scans?.map(({ name, way }) => `${name} ${way}`)).toEqual(['b moment', 'a mean'])
    expect(reread(document)).toEqual({ document })
    expect(removeScan(removeScan(document, 'a'), 'b')).toEqual(emptyDocument())
    expect(removeScan(emptyDocument(), 'a')).toEqual(emptyDocument())
  })

  it('are at most as many as a document may have', () => {
    const names = Array.from({ length: 60 }, (_, at) => `scan ${at}`)
    const document = names.reduce((before, name) => saveScan(before, scan(name)), emptyDocument())
    expect(document.scans).toHaveLength(40)
    expect(document.scans!.at(-1)!.name).toBe('scan 59')
    expect(reread(document)).toEqual({ document })
  })

  it.each([
    ['twice the same name', [scan('a'), scan('a')]],
    ['no name', [scan('')]],
    ['a long formula', [{ ...scan('a'), formulas: [{ name: 'x', formula: 'a+'.repeat(2000) }] }]],
    ['many formulas', [{ ...scan('a'), formulas: Array(9).fill({ name: 'x', formula: 'a' }) }]],
    ['many scans', Array.from({ length: 41 }, (_, at) => scan(String(at)))],
    ['another way', [{ ...scan('a'), way: 'sideways' }]],
    ['an unknown field', [{ ...scan('a'), script: 'x' }]],
    ['a text', 'a'],
  ])('are refused with %s', (_what, scans) => {
    expect(reread({ ...emptyDocument(), scans })).toHaveProperty('problem')
  })
})
