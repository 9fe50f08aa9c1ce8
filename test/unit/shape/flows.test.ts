import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { derivedFlows, flowsText } from '../../../scripts/shape/flowsText.mjs'

const flows = derivedFlows()

describe('docs/FLOWS.md', () => {
  it('shows the files that the code goes through', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/FLOWS.md'), 'utf8')
    expect(text, 'run: npm run flows').toBe(flowsText(flows))
  })

  it.each(flows)('reaches both ends of “$title”', ({ key, files }) => {
    const ends: Record<string, [string, string]> = {
      download: ['renderer/views/downloads/', 'electron/core/store/'],
      pixels: ['renderer/views/workbench/', 'renderer/charts/'],
      tearSheet: ['electron/core/clients/', 'renderer/views/portfolios/portfolio/'],
    }
    for (const end of ends[key]) expect(files.some(({ path }) => path.startsWith(end))).toBe(true)
  })
})
