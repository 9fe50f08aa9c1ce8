import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { provideProvenance, useCsvSave } from '../../renderer/cards/cardExports.ts'

it('saves where the numbers of a CSV come from beside it', async () => {
  const saved: { name: string; content: Blob }[] = []
  const contents = new Map<string, Blob>()
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    const url = `blob:${contents.size}`
    contents.set(url, content as Blob)
    return url
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, content: contents.get(this.href)! })
  })
  const Card = defineComponent(() => {
    const save = useCsvSave()
    return () => h('button', { onClick: () => save('carry ls.20', 'Weights', 'day,BTC\n') })
  })
  const View = defineComponent(() => {
    provideProvenance(() => 'Weights of carry_ls.20 · Desk (https://p.example.com) · as of 2026-09-15 12:34 UTC')
    return () => h(Card)
  })
  await mount(View).get('button').trigger('click')
  expect(saved.map(({ name }) => name)).toEqual(['carry-ls.20.csv', 'carry-ls.20.csv.provenance.json'])
  expect(await saved[0].content.text()).toBe('day,BTC\n')
  expect(JSON.parse(await saved[1].content.text())).toMatchObject({
    file: 'carry-ls.20.csv',
    title: 'Weights',
    from: 'Weights of carry_ls.20 · Desk (https://p.example.com) · as of 2026-09-15 12:34 UTC',
    zone: 'UTC',
  })
})
