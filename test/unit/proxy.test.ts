import { expect, test } from 'vitest'
import { proxyFromEnvironment } from '#core/ports.ts'

test.each([
  [{}, null],
  [{ NO_PROXY: '*' }, null],
  [{ HTTPS_PROXY: 'http://p:1' }, { http: '', https: 'http://p:1', except: '' }],
  [
    { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a,b' },
    { http: 'http://p:1', https: 'http://p:1', except: 'a,b' },
  ],
  [
    { https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1' },
    { http: '', https: 'http://small:1', except: '' },
  ],
  [{ ALL_PROXY: 'http://all:1' }, { http: 'http://all:1', https: 'http://all:1', except: '' }],
])('%j gives %j', (environment, proxy) => {
  expect(proxyFromEnvironment(environment)).toEqual(proxy)
})
