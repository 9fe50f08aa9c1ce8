import { expect, test } from 'vitest'
import { startCachedSandbox, get } from '../../fakes/testSandbox.ts'

test('each family of datasets has a storage host of its own, and no host serves the files of another', async () => {
  const sandbox = await startCachedSandbox()
  const asked = { start: '2026-09-01', interval: '1h' }
  const buckets = { candles: 'vtwap', trades: 'returns', l1: 'l1_price', l2: 'l2_imbalance', derivatives: 'funding' }
  for (const [host, bucket] of Object.entries(buckets)) {
    const [{ url }] = await sandbox.files({ bucket, ...asked })
    expect(new URL(url).origin, bucket).toBe(sandbox.storageUrls[host as keyof typeof buckets])
  }
  const origins = Object.values(sandbox.storageUrls)
  expect(new Set([...origins, sandbox.url]).size).toBe(6)
  const [{ url }] = await sandbox.files({ bucket: 'vtwap', ...asked })
  expect((await get(url)).status).toBe(200)
  const elsewhere = url.replace(sandbox.storageUrls.candles, sandbox.storageUrls.l2)
  expect((await get(elsewhere)).status).toBe(404)
  await sandbox.close()
})

test('an empty smoothing is answered with status 400, an omitted one with the default', async () => {
  const sandbox = await startCachedSandbox()
  const path = '/portfolio/returns?portfolio=momentum_ls.20&start_date=2026-09-01&end_date=2026-09-02'
  expect((await sandbox.api(path)).status).toBe(200)
  const refused = await sandbox.api(`${path}&smoothing=`)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('smoothing')
  expect((await sandbox.api(`${path}&smoothing=0`)).status).toBe(200)
  await sandbox.close()
})
