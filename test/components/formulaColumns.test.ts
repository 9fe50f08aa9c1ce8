import { expect, it } from 'vitest'
import { useSettings } from '../../renderer/stores/settings.ts'
import FormulaColumns from '../../renderer/views/watch/FormulaColumns.vue'
import { mountWithHost } from './mountWithHost.ts'

const inDialog = <Kind extends Element>(selector: string) => document.querySelector<Kind>(`[role=dialog] ${selector}`)!

it('offers functions of one’s own, and writes them out before a column is kept', async () => {
  const { wrapper } = await mountWithHost(FormulaColumns, { columns: [] })
  const settings = useSettings()
  const gap = { name: 'gap', parameters: ['x', 'y'], formula: 'abs(x - y)' }
  await settings.change({ formulaFunctions: [gap] })
  await expect.poll(() => inDialog('textarea'), { timeout: 30_000 }).toBeTruthy()
  const field = inDialog<HTMLTextAreaElement>('textarea')
  const type = (text: string) => {
    field.value = text
    field.setSelectionRange(text.length, text.length)
    field.dispatchEvent(new Event('input'))
  }
  type('ga')
  await expect.poll(() => inDialog('[role=option]')?.textContent, { timeout: 30_000 }).toContain('gap(x, y)')
  type('gap(ohlcv.high)')
  await expect.poll(() => inDialog('.warn')?.textContent, { timeout: 30_000 }).toContain('needs 2 arguments')
  type('gap(ohlcv.high, ohlcv.low)')
  await expect.poll(() => inDialog('.warn'), { timeout: 30_000 }).toBeNull()
  inDialog('form').dispatchEvent(new Event('submit'))
  const formula = 'abs(ohlcv.high - ohlcv.low)'
  expect(wrapper.emitted('save')).toEqual([[[{ name: 'gap(ohlcv.high, ohlcv.low)', formula }]]])
})
