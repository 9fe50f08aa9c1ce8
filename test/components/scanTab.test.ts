import { mount } from '@vue/test-utils'
import { getActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import ScanTab from '../../renderer/views/workbench/ScanTab.vue'
import { numberColumn, textColumn } from '#shared/contract/frame.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const initialSource = {
  kind: 'column',
  dataset: 'flow',
  column: 'buy_volume',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}
const props = { initialSource, view: { startMs: 0, endMs: 86_400_000 }, isViewKnown: true, zone: 'UTC' }

it('goes on with a scan when the tab is left, and shows it on return', async () => {
  let finish: (() => void) | undefined
  const { wrapper, router, host } = await mountWithHost(ScanTab, props, (fake) =>
    fake.answer('series.scan', async () => {
      await new Promise<void>((resolve) => (finish = resolve))
      const columns = [textColumn('symbol', ['perpetual-ETH-USDT:USDT']), numberColumn('value', [42])]
      return {
        frame: { rows: 1, columns },
        sparks: { points: 0, values: new Float64Array() },
        formulas: [],
        unit: null,
        unread: [],
      }
    }),
  )
  await button(wrapper, 'Scan').trigger('submit')
  await expect.poll(() => finish).toBeDefined()
  wrapper.unmount()
  const again = mount(ScanTab, {
    props: props as never,
    attachTo: document.body,
    global: { plugins: [getActivePinia()!, router] },
  })
  expect(button(again, 'Stop').exists()).toBe(true)
  finish!()
  await expect.poll(() => again.find('[role=row][data-row]').text()).toContain('ETH')
  expect(host.calls.filter(([name]) => name === 'series.scan')).toHaveLength(1)
  again.unmount()
})
