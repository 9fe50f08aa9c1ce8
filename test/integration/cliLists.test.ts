import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const ETH = 'perpetual-ETH-USDT:USDT'

it('imports, replaces, lists and removes named lists', async () => {
  const folder = temporaryFolder()
  const perpscope = async (...args: string[]) => {
    let [stdout, stderr] = ['', '']
    const status = await run([...args, '--offline', '--data-dir', join(folder, 'data')], {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (stderr += text) },
      env: {},
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }
  const file = (...lines: string[]) => {
    const path = join(folder, 'lists.csv')
    writeFileSync(path, ['list,exchange,symbol,group', ...lines, ''].join('\r\n'))
    return path
  }
  const listed = async () => JSON.parse((await perpscope('lists', 'list', '--json')).stdout) as unknown

  const first = file(
    `majors,venueb-perps,${ETH},second`,
    `majors,venuea-futures,${BTC},first`,
    `alts,venuea-futures,${ETH},`,
  )
  expect(await perpscope('lists', 'import', first, '--json')).toMatchObject({ status: 0 })
  expect(await listed()).toEqual([
    { list: 'alts', exchange: 'venuea-futures', symbol: ETH, group: null, known: false },
    { list: 'majors', exchange: 'venueb-perps', symbol: ETH, group: 'second', known: false },
    { list: 'majors', exchange: 'venuea-futures', symbol: BTC, group: 'first', known: false },
  ])

  const bad = await perpscope(
    'lists',
    'import',
    file(`majors,venuea-futures,${BTC},`, 'majors,venuea-futures', `,x,${BTC},`),
  )
  expect(bad.status).toBe(1)
  expect(bad.stderr).toContain('line 3: has 2 cells, the head has 4')
  expect(bad.stderr).toContain('line 4: the column list is empty')
  expect(await listed()).toHaveLength(3)

  await perpscope('lists', 'import', file(`majors,venuea-futures,${BTC},`))
  expect(await listed()).toEqual([
    { list: 'alts', exchange: 'venuea-futures', symbol: ETH, group: null, known: false },
    { list: 'majors', exchange: 'venuea-futures', symbol: BTC, group: null, known: false },
  ])

  expect(await perpscope('lists', 'remove', 'alts')).toMatchObject({ status: 0 })
  expect(await listed()).toHaveLength(1)
  expect((await perpscope('lists', 'remove', 'alts')).status).toBe(1)
})
