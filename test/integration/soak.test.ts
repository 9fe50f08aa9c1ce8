import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ProcessSize } from '../soak/processSize.ts'
import { judgeSoak, type SoakVerdict } from '../soak/judgeSoak.ts'
import type { SoakReport } from '../soak/soak.ts'

const program = join(import.meta.dirname, '..', 'soak', 'run.ts')

test('after downloads under faults, opened series and switched connections nothing is left behind', async () => {
  const counts = ['--files', '90', '--opens', '40', '--switches', '30', '--rounds', '3']
  // The program ends by itself only if the core has left no timer, socket or thread.
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, '--json', ...counts]).catch(
    (failure: { stdout: string; stderr: string }) => {
      throw new Error(failure.stdout + failure.stderr)
    },
  )
  const report = JSON.parse(stdout) as SoakReport & SoakVerdict
  expect(report).toMatchObject({ ok: true, files: 90, differences: [] })
  expect(report.rows).toBeGreaterThan(500)
}, 120_000)

describe('what is judged', () => {
  const size = (heldMb: number, files: number, timers: number): ProcessSize => ({
    heldBytes: heldMb * 1e6,
    residentBytes: 3e8,
    files,
    handles: { Timeout: timers },
    message: '',
  })
  const report = (...sizes: ProcessSize[]): SoakReport => ({
    files: 1,
    opens: 1,
    switches: 1,
    rows: 1,
    retries: 0,
    seconds: 1,
    sizes,
    differences: [],
  })

  test.each([
    ['growth within a tenth', report(size(20, 9, 1), size(50, 20, 2), size(54, 22, 2)), true],
    ['growth above it', report(size(20, 9, 1), size(50, 20, 2), size(60, 20, 2)), false],
    ['timers that pile up', report(size(20, 9, 1), size(50, 20, 2), size(50, 20, 20)), false],
    ['files that stay open', report(size(20, 9, 1), size(50, 20, 2), size(50, 40, 2)), false],
    [
      'a folder that differs',
      { ...report(size(50, 20, 2), size(50, 20, 2)), differences: ['only in the index: x'] },
      false,
    ],
  ])('%s', (_what, soaked, ok) => expect(judgeSoak(soaked, soaked.sizes.length - 1).ok).toBe(ok))
})
