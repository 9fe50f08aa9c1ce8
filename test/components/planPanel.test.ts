import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { DownloadPreview } from '#shared/contract/areas/downloads.ts'
import PlanPanel from '../../renderer/views/downloads/PlanPanel.vue'

const edge = { sizePx: 300, leastPx: 220, mostPx: 640, onResize: (px: number) => px, onReset: () => 300 }
const nothing = { cached: 0, partial: 0, missing: 0, absent: 0, locked: 0, unknown: 0 }

it.each([
  [1, 0, 1, '1 file to download, size not known yet'],
  [12, 3_000_000, 0, '12 files to download, about 3.00 MB'],
  [12, 3_000_000, 2, '12 files to download, about 3.00 MB, 2 files of unknown size'],
])('says how much %d files with %d bytes are, %d of them of unknown size', (toFetch, bytes, withoutSize, text) => {
  const files = { ...nothing, missing: toFetch }
  const preview: DownloadPreview = {
    ...{ files, toFetch, bytes, withoutSize, outsideListing: 0, locked: [] },
    ...{ firstPeriod: '2026-08-30', lastPeriod: '2026-08-30' },
  }
  const props = {
    preview,
    error: null,
    requestProblem: null,
    isLoading: false,
    isSending: false,
    isListing: false,
    tryLocked: false,
    edge,
  }
  expect(mount(PlanPanel, { props }).get('.total').text().replace(/\s+/g, ' ')).toBe(text)
})

it('says how many files it leaves out because they may not exist, and offers to try them', async () => {
  const preview: DownloadPreview = {
    ...{
      files: { ...nothing, missing: 2, unknown: 2160 },
      toFetch: 2,
      bytes: 0,
      withoutSize: 2,
      outsideListing: 0,
      locked: [],
    },
    ...{ firstPeriod: '1900-01', lastPeriod: '2026-08-30' },
  }
  const state = { error: null, requestProblem: null, isLoading: false, isSending: false, isListing: false }
  const panel = mount(PlanPanel, { props: { preview, ...state, tryLocked: false, edge } })
  expect(panel.get('.locked').text()).toMatch(/2.160 files left out: the symbol was not listed on those days/)
  expect(panel.get('button.main').text()).toBe('Download 2 files')
  await panel.get('.locked input').setValue(true)
  expect(panel.emitted('update:tryLocked')).toEqual([[true]])
})

it('says how many files it leaves out because the symbol was not listed, and not that the range has no days', () => {
  const preview: DownloadPreview = {
    ...{ files: nothing, toFetch: 0, bytes: 0, withoutSize: 0, outsideListing: 31, locked: [] },
    ...{ firstPeriod: null, lastPeriod: null },
  }
  const state = { error: null, requestProblem: null, isLoading: false, isSending: false, isListing: false }
  const panel = mount(PlanPanel, { props: { preview, ...state, tryLocked: false, edge } })
  expect(panel.text()).toMatch(/31 files left out: outside the days on which the symbol was listed/)
  expect(panel.text()).not.toContain('no days')
})
