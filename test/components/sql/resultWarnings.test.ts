import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { SqlPreflight } from '#shared/contract/areas/sql.ts'
import PreflightNote from '../../../renderer/views/sql/PreflightNote.vue'

it('says before a query runs what it may not mean', () => {
  const warnings = ['mixed intervals: metrics.ohlcv has rows of 1m and 1h here', "instrument('x', 'A-B') is NULL"]
  const preflight: SqlPreflight = {
    ...{ parameters: [], files: 2, bytes: 10, missing: [], leftOut: [], passedRows: 0 },
    warnings,
  }
  const text = mount(PreflightNote, { props: { preflight } }).text()
  for (const warning of warnings) expect(text).toContain(warning)
  const beside = mount(PreflightNote, { props: { preflight, told: [warnings[0]] } }).text()
  expect([beside.includes(warnings[0]), beside.includes(warnings[1])]).toEqual([false, true])
})
