import { beforeEach, expect, it } from 'vitest'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { useLab } from '../../renderer/stores/lab.ts'
import { labText } from '../../renderer/text/lab.ts'
import { kindFacts } from '#shared/lab/kinds.ts'
import CacheFields from '../../renderer/views/lab/CacheFields.vue'
import SourceFields from '../../renderer/views/lab/SourceFields.vue'
import { mountWithHost } from './mountWithHost.ts'

const document: LabDocument = { version: 1, study: { version: 1, kind: 'events', interval: '1h' }, panel: null }

beforeEach(() => localStorage.clear())

it('keeps the path that is being typed while facts about the rows arrive', async () => {
  const { wrapper } = await mountWithHost(SourceFields, { document, problem: '', part: 'rows' }, (host) => {
    host.answer('documents.list', () => [
      { id: 's', name: 'Carry', kind: 'events', changedAt: 1, ranAt: null, verdict: null },
    ])
    host.answer('documents.read', () => ({ id: 's', name: 'Carry', document, revision: 1 }))
    host.answer('lab.answer', () => null)
    host.answer('lab.source', () => null)
    host.answer('documents.save', ({ revision = 1 }) => ({ revision: revision + 1 }))
  })
  const lab = useLab()
  await lab.start()
  await lab.open('s')
  const field = wrapper.get<HTMLInputElement>('#lab-path')
  field.element.value = '/data/panel.csv'
  await field.trigger('input')
  await wrapper.setProps({ problem: 'is null and there is no panel' })
  expect(field.element.value).toBe('/data/panel.csv')
  await field.trigger('keydown', { key: 'Enter', ctrlKey: true })
  expect(lab.document?.panel).toEqual({ path: '/data/panel.csv', against: null })
})

it('takes a list of symbols with line breaks when it is left', async () => {
  const source = { exchanges: [], symbols: null, universe: null, timestamp: 'exchange', against: null, by: null }
  const { wrapper } = await mountWithHost(CacheFields, { source, part: 'rows', facts: kindFacts('events') }, (host) =>
    host.answer('lists.list', () => []),
  )
  const field = wrapper.get<HTMLTextAreaElement>('textarea')
  expect(field.attributes('placeholder')).toBe(labText.question.everySymbol)
  field.element.value = 'BTC\nETH'
  await field.trigger('input')
  await field.trigger('keydown', { key: 'Enter' })
  expect(wrapper.emitted('change')).toBeUndefined()
  await field.trigger('change')
  expect(wrapper.emitted('change')).toEqual([[{ symbols: ['BTC', 'ETH'] }]])
})
