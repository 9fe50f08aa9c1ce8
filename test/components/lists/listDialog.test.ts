import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { readSymbolLists } from '#shared/contract/listsFile.ts'
import { useLists } from '../../../renderer/stores/lists.ts'
import { useToasts } from '../../../renderer/stores/toasts.ts'
import ListDialog from '../../../renderer/widgets/ListDialog.vue'
import { mountWithHost } from '../mountWithHost.ts'

const majors = [
  { list: 'majors', exchange: 'v', symbol: 'perpetual-B-USDT:USDT', group: 'one' },
  { list: 'majors', exchange: 'w', symbol: 'perpetual-A-USDT:USDT', group: null },
]

/** Opens the dialog of a list on a fake host that stores lists. */
async function openDialog(name: string) {
  let kept = majors
  const mounted = await mountWithHost(ListDialog, { name }, (host) => {
    host.answer('lists.list', () => kept.map((each) => ({ ...each, known: true })))
    host.answer('instruments.list', () => [])
    const symbols = ['BTC-USDT:USDT', 'ETH-USDC:USDC', 'ETH-USDT:USDT'].map((pair) => `perpetual-${pair}`)
    host.answer('discovery.symbols', ({ exchange }) => {
      const listed = exchange === 'venuea-futures' ? symbols : []
      return { symbols: listed, freshness: 'fresh', changed: null } as never
    })
    host.answer('lists.remove', () => {
      kept = []
      return { removed: 2 }
    })
    host.answer('lists.import', ({ text }) => {
      const read = readSymbolLists(text)
      if ('problems' in read) throw new Error(read.problems.join())
      kept = read.symbols
      return { lists: [...new Set(kept.map(({ list }) => list))], imported: kept.length, warnings: [] }
    })
  })
  await useLists().load()
  await flushPromises()
  const dialog = document.querySelector('[role=dialog]')!
  const press = async (text: string) => {
    ;[...dialog.querySelectorAll('button')].find((each) => each.textContent?.trim() === text)!.click()
    await flushPromises()
  }
  async function choose(name: string, content: string | Uint8Array<ArrayBuffer>, size?: number) {
    const file = new File([content], name)
    if (size !== undefined) Object.defineProperty(file, 'size', { value: size })
    const input = dialog.querySelector<HTMLInputElement>('input[type=file]')!
    Object.defineProperty(input, 'files', { value: [file], configurable: true })
    Object.defineProperty(input, 'value', { value: '', writable: true, configurable: true })
    input.dispatchEvent(new Event('change'))
    await flushPromises()
    await new Promise((resolve) => setTimeout(resolve))
    await flushPromises()
  }
  return { ...mounted, dialog, press, choose, kept: () => kept }
}

it('gives a typed symbol without a venue the chosen one when the field is left, and other lines nothing', async () => {
  const { dialog } = await openDialog('')
  const field = dialog.querySelector('textarea')!
  field.value = 'BTC-USDT:USDT\nw,perpetual-A-USDT:USDT\n=1+1'
  field.dispatchEvent(new Event('input'))
  field.dispatchEvent(new Event('change'))
  await flushPromises()
  expect(field.value).toBe('venuea-futures,perpetual-BTC-USDT:USDT,\nw,perpetual-A-USDT:USDT\n=1+1')
})

it('reads names as people write them, asks where one means several, and saves nothing before that', async () => {
  const { dialog, press, kept } = await openDialog('')
  const type = async (field: HTMLInputElement | HTMLTextAreaElement, value: string) => {
    field.value = value
    field.dispatchEvent(new Event('input'))
    await flushPromises()
  }
  const save = () => [...dialog.querySelectorAll('button')].find((each) => each.textContent?.trim() === 'Save list')!
  await type(dialog.querySelector('input')!, 'mine')
  await type(dialog.querySelector('textarea')!, 'BTC, eth, BTX')
  expect(dialog.textContent).toContain('Which “eth”?')
  expect(dialog.textContent).toContain('“BTX” is not a symbol of venuea-futures. Nearest:')
  expect(save().disabled).toBe(true)
  await press('ETH-USDC:USDC')
  await press('BTC-USDT:USDT')
  expect(save().disabled).toBe(false)
  await press('Save list')
  expect(kept().map(({ exchange, symbol }) => [exchange, symbol])).toEqual([
    ['venuea-futures', 'perpetual-BTC-USDT:USDT'],
    ['venuea-futures', 'perpetual-ETH-USDC:USDC'],
  ])
})

it('restores a removed list, in its order and with its groups', async () => {
  const { press, kept } = await openDialog('majors')
  await press('Remove list')
  expect(kept()).toEqual([])
  const [{ message, action }] = useToasts().list
  expect(message).toBe('Removed the list “majors”')
  await action!.run()
  expect(kept()).toEqual(majors)
})

it('opens a CSV of many lists below sep= and comments, one without lists as text, and says when a file is too large', async () => {
  const lists = await openDialog('')
  await lists.choose('lists.csv', 'sep=;\r\n# mine\r\nlist;exchange;symbol\r\nalts;v;x\r\n')
  expect(lists.kept().map(({ list, symbol }) => [list, symbol])).toEqual([['alts', 'x']])

  const plain = await openDialog('')
  await plain.choose('picks.csv', 'exchange;symbol\nv;x\n')
  expect(plain.dialog.querySelector('textarea')!.value).toBe('exchange;symbol\nv;x\n')
  expect(plain.dialog.querySelector('input')!.value).toBe('picks')

  await plain.choose('huge.csv', '', 200_000_000)
  expect(plain.dialog.textContent).toMatch(/“huge\.csv” is 200.MB; the limit is 80\.0.MB\./)
})
