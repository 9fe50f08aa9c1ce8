import { describe, expect, it } from 'vitest'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import { columnItems } from '../../../renderer/views/workbench/pickerItems.ts'

describe('columns to pick from', () => {
  const all = columnItems(knownDatasets(null), '')

  it('are told apart within their dataset by what is read first', () => {
    const seen = all.map(({ id, title }) => `${id.slice(0, id.lastIndexOf('/'))} ${title}`)
    expect(seen.filter((each, at) => seen.indexOf(each) !== at)).toEqual([])
    expect(all.filter(({ id }) => /^basis\/basis(_bps)?$/.test(id)).map(({ title }) => title)).toEqual([
      'Basis, price',
      'Basis, bps',
    ])
  })

  it('are found by words of their name, their dataset and their label', () => {
    expect(columnItems(knownDatasets(null), 'flow toxicity').map(({ hint }) => hint)).toEqual([
      'flow.flow_toxicity_score',
    ])
  })
})
