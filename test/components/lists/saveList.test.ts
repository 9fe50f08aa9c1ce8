import { flushPromises } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import type { KnownListedSymbol } from '#shared/contract/areas/lists.ts'
import { readSymbolLists, type ListedPair } from '#shared/contract/listsFile.ts'
import { useLists } from '../../../renderer/stores/lists.ts'
import { useToasts } from '../../../renderer/stores/toasts.ts'
import SaveListButton from '../../../renderer/widgets/SaveListButton.vue'
import { pairsOf } from '#shared/lab/symbolNames.ts'
import { pairsIn } from '../../../renderer/views/sql/resultColumns.ts'
import { textColumn } from '#shared/contract/frame.ts'
import { button, mountWithHost } from '../mountWithHost.ts'

const pair = (symbol: string): ListedPair => ({ exchange: 'v', symbol })

/** Mounts the button that stands beside a table, on a fake host that stores lists. */
async function openSaveDialog(pairs: () => ListedPair[] | Promise<ListedPair[]>, before: string[] = []) {
  let kept: KnownListedSymbol[] = before.map((symbol) => ({
    list: 'majors',
    ...pair(symbol),
    group: null,
    known: true,
  }))
  const mounted = await mountWithHost(SaveListButton, { count: 1, pairs }, (host) => {
    host.answer('lists.list', () => kept)
    host.answer('instruments.list', () => [])
    host.answer('lists.import', ({ text }) => {
      const read = readSymbolLists(text)
      if ('problems' in read) throw new Error(read.problems.join())
      kept = read.symbols.map((each) => ({ ...each, known: true }))
      return { lists: [...new Set(kept.map(({ list }) => list))], imported: kept.length, warnings: [] }
    })
  })
  await useLists().load()
  await button(mounted.wrapper, 'Save as list …').trigger('click')
  await flushPromises()
  const dialog = document.querySelector('[role=dialog]')!
  return {
    dialog,
    async name(name: string) {
      const field = dialog.querySelector('input')!
      field.value = name
      field.dispatchEvent(new Event('input'))
      await flushPromises()
    },
    async save() {
      dialog.querySelector('form')!.dispatchEvent(new Event('submit', { cancelable: true }))
      await flushPromises()
      return kept.map(({ list, symbol }) => `${list} ${symbol}`)
    },
  }
}

it('saves the symbols of a selection that is still being looked up, each once and in the order of the table', async () => {
  const { dialog, name, save } = await openSaveDialog(async () => [pair('b'), pair('a'), pair('b')])
  expect(dialog.textContent).toContain('2 symbols in the order of the table.')
  await name(' mine ')
  expect(await save()).toEqual(['mine b', 'mine a'])
  expect(useToasts().list.at(-1)?.message).toBe('List “mine” has 2 symbols')
})

it('says that a list exists, and adds to it unless it is to be replaced', async () => {
  const first = await openSaveDialog(() => [pair('b'), pair('c')], ['a', 'b'])
  await first.name('majors')
  expect(first.dialog.textContent).toContain('“majors” already exists, with 2 symbols.')
  expect(await first.save()).toEqual(['majors a', 'majors b', 'majors c'])
})

it('says so where the symbols cannot be looked up, and opens no dialog', async () => {
  const refuse = vi.fn(() => Promise.reject(new Error('gone')))
  const { dialog } = await openSaveDialog(refuse).catch(() => ({ dialog: null }))
  expect(refuse).toHaveBeenCalledOnce()
  expect(dialog).toBeNull()
  expect(useToasts().list).toHaveLength(1)
})

it('finds the symbols in a result of SQL and in the names of a study', () => {
  const frame = {
    rows: 3,
    columns: [textColumn('symbol', ['x', 'y', 'x']), textColumn('exchange', ['v', null, 'v'])],
  }
  expect(pairsIn(frame)).toEqual([pair('x')])
  expect(pairsIn({ rows: 3, columns: frame.columns.slice(0, 1) })).toEqual([])
  expect(pairsOf(['v/x', 'x', 'v/a/b'])).toEqual([pair('x'), pair('a/b')])
})
