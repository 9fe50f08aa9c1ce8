import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isSigned, SignedFeed } from '../../electron/main/signedFeed.ts'
import { signManifest } from '../../scripts/updates/sign.mjs'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const publisher = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const spki = (key = publisher.publicKey) => key.export({ type: 'spki', format: 'der' }).toString('base64')
const pem = (key = publisher.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const manifestOf = (version: string, percentage = 20) => `version: ${version}
files:
  - url: Perpscope-${version}-linux-x86_64.AppImage
    sha512: 3q2+7w==
    size: 4
stagingPercentage: ${percentage}
releaseDate: '2026-11-22T00:00:00.000Z'
`

/** Serves these files on this machine. @returns the address of their folder */
async function serve(files: Record<string, string>): Promise<string> {
  const server = createServer((request, response) => {
    const text = files[(request.url ?? '').replace('/feed/', '')]
    response.writeHead(text === undefined ? 404 : 200).end(text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`
}

/** Opens a feed with these files as an updater of version 1.2.0 on Linux does. */
async function feedOf(files: Record<string, string>): Promise<SignedFeed> {
  const url = await serve(files)
  const executor = {
    async request({ hostname, port, path }: { hostname: string; port: number; path: string }) {
      const response = await fetch(`http://${hostname}:${port}${path}`)
      if (!response.ok) throw new Error(`the feed answered ${response.status}`)
      return response.text()
    },
  }
  const current = { compare: (other: string) => '1.2.0'.localeCompare(other, undefined, { numeric: true }) }
  const runtime = { isUseMultipleRangeRequest: false, platform: 'linux', executor }
  return new SignedFeed({ url, key: spki() }, { currentVersion: current as never }, runtime as never)
}

const name = process.arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${process.arch}.yml`
const signed = (text: string) => ({ [name]: text, [`${name}.sig`]: signManifest(text, pem()) })

it('offers a newer version that the publisher signed, with the checksum of its file', async () => {
  const feed = await feedOf(signed(manifestOf('1.3.0')))
  const info = await feed.getLatestVersion()
  expect(info).toMatchObject({ version: '1.3.0', stagingPercentage: 20 })
  const [file] = feed.resolveFiles(info)
  expect(file.url.pathname).toBe('/feed/Perpscope-1.3.0-linux-x86_64.AppImage')
  expect(file.info.sha512).toBe('3q2+7w==')
})

const good = signed(manifestOf('1.3.0'))
it.each([
  ['unsigned', { [name]: good[name] }, /answered 404/],
  ['signed with an empty signature', { ...good, [`${name}.sig`]: '' }, /not signed by the publisher/],
  [
    'signed by somebody else',
    { ...good, [`${name}.sig`]: signManifest(good[name], pem(stranger.privateKey)) },
    /not signed by/,
  ],
  ['changed after it was signed', { ...good, [name]: good[name].replace('3q2+7w==', 'AAAAAA==') }, /not signed by/],
  ['cut short', { ...good, [name]: good[name].slice(0, 60) }, /not signed by the publisher/],
  ['of an older version', signed(manifestOf('1.1.9')), /1\.1\.9, which is older than this version/],
])('refuses a manifest that is %s', async (_what, files, reason) => {
  const feed = await feedOf(files)
  await expect(feed.getLatestVersion()).rejects.toThrow(reason)
})

interface Executor {
  doDownload(request: object, options: object, redirects: number): void
}

/** Downloads with the updater's own code; Node sends its requests instead of Electron. */
function download(address: string, destination: string, sha512: string): Promise<void> {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
  const { httpExecutor } = builder('builder-util') as { httpExecutor: Executor }
  const { CancellationToken } = builder('builder-util-runtime') as { CancellationToken: new () => object }
  const { protocol, hostname, port, pathname: path } = new URL(address)
  return new Promise((resolve, reject) => {
    const callback = (error: Error | null) => (error ? reject(error) : resolve())
    const options = { sha512, cancellationToken: new CancellationToken() }
    httpExecutor.doDownload(
      { protocol, hostname, port, path, headers: {} },
      { destination, options, callback, responseHandler: null },
      0,
    )
  })
}

it.each([
  ['whole', 'a new version', null],
  ['cut short', 'a new ver', /checksum mismatch/],
  ['with other content', 'a bad version', /checksum mismatch/],
])('compares the file of an update with the signed manifest: %s', async (_what, content, refusal) => {
  const sha512 = createHash('sha512').update('a new version').digest('base64')
  const path = join(temporaryFolder(), 'update')
  const downloading = download(`${await serve({ 'Perpscope.AppImage': content })}/Perpscope.AppImage`, path, sha512)
  if (refusal) return expect(downloading).rejects.toThrow(refusal)
  await downloading
  expect(readFileSync(path, 'utf8')).toBe(content)
})

it('refuses a signature by another kind of key', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signature = sign('sha256', Buffer.from('text'), other.privateKey).toString('base64')
  expect(isSigned('text', signature, spki(other.publicKey))).toBe(false)
})

interface StagedUpdater {
  isStagingMatch(this: { stagingUserIdPromise: object; _logger: object }, info: object): Promise<boolean>
}

/**
 * Loads the updater's own decision about a staged update, which only some installations get yet; the package needs
 * Electron when it loads.
 */
function stagedUpdater(): StagedUpdater {
  const require = createRequire(import.meta.url)
  const electron = require.resolve('electron')
  require.cache[electron] ??= { exports: {} } as NodeJS.Module
  return (require('electron-updater/out/AppUpdater.js') as { AppUpdater: { prototype: StagedUpdater } }).AppUpdater
    .prototype
}

/** Ids of a thousand installations, spread evenly over all possible ids. */
const installations = Array.from({ length: 1000 }, (_, at) => {
  const end = Math.floor(((at + 0.5) / 1000) * 2 ** 32)
  return `00000000-0000-4000-8000-0000${end.toString(16).padStart(8, '0')}`
})

it.each([0, 20, 100])(
  'offers a version that is staged for %i per cent to that share of the installations',
  async (percentage) => {
    const info = await (await feedOf(signed(manifestOf('1.3.0', percentage)))).getLatestVersion()
    const { isStagingMatch } = stagedUpdater()
    const logger = { info: () => {}, warn: () => {} }
    const matches = await Promise.all(
      installations.map((id) =>
        isStagingMatch.call({ stagingUserIdPromise: { value: Promise.resolve(id) }, _logger: logger }, info),
      ),
    )
    expect(matches.filter(Boolean).length).toBe(percentage * 10)
  },
)
