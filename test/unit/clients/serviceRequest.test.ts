import { expect, test } from 'vitest'
import type { HttpClient } from '#core/clients/http.ts'
import { createServiceRequest } from '#core/clients/serviceRequest.ts'
import { AppError } from '#shared/contract/errors.ts'

const service = { message: 'Missing key', status: 401, requestId: null }
const http = { json: () => Promise.reject(new AppError('unauthorized', null, { service })) } as unknown as HttpClient
const reason = 'The keyring is locked or was never set up. Unlock it, then check again.'
const signal = new AbortController().signal

test.each([
  ['without a key', { key: null }, 'no-key', null],
  ['under a locked keychain', { key: null, unreadable: reason }, 'no-keychain', reason],
  ['with a key that the service refuses', { key: 'canary' }, 'unauthorized', null],
])('a request %s says why it was refused', async (_name, access, code, detail) => {
  const request = createServiceRequest(http, { baseUrl: 'https://metrics.example', ...access })
  await expect(request('/metadata/catalog', {}, signal)).rejects.toMatchObject({ code, detail, service })
})
