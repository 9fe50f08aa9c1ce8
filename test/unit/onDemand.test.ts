import { expect, test, vi } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createOnDemand } from '#core/onDemand.ts'

test('creates a service once, at its first use, and closes it', async () => {
  const close = vi.fn()
  const create = vi.fn(() => Promise.resolve({ close }))
  const service = createOnDemand(create)
  expect(create).not.toHaveBeenCalled()
  const [first, second] = await Promise.all([service(), service()])
  expect(first).toBe(second)
  expect(create).toHaveBeenCalledTimes(1)
  await service.close()
  expect(close).toHaveBeenCalledTimes(1)
})

test('creates nothing to close it, and refuses it from then on', async () => {
  const create = vi.fn(() => Promise.resolve({}))
  const service = createOnDemand(create)
  await service.close()
  expect(create).not.toHaveBeenCalled()
  await expect(service()).rejects.toThrow(AppError)
})

test('tries again after a failure', async () => {
  const create = vi.fn(() => Promise.resolve({ ready: true }))
  create.mockRejectedValueOnce(new Error('the disk is full'))
  const service = createOnDemand(create)
  await expect(service()).rejects.toThrow('the disk is full')
  expect(await service()).toEqual({ ready: true })
  await service.close()
})
