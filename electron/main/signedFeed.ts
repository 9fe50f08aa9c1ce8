import { createPublicKey, verify } from 'node:crypto'
import type { AppUpdater, ResolvedUpdateFileInfo, UpdateInfo } from 'electron-updater'
// The package's main entry needs Electron; these internal modules do not, and a test fails if an update moves them.
import {
  parseUpdateInfo,
  Provider,
  type ProviderRuntimeOptions,
  resolveFiles,
} from 'electron-updater/out/providers/Provider.js'

export interface SignedFeedOptions {
  provider: 'custom'
  updateProvider: typeof SignedFeed
  /** Folder of the feed. */
  url: string
  /** Public Ed25519 key of the publisher: SPKI in base64. */
  key: string
}

/**
 * Update feed whose manifest is signed by the publisher: `latest-linux.yml` has its signature in
 * `latest-linux.yml.sig`. The manifest contains a SHA-512 of each file, which the updater compares after the download,
 * so the signature covers the program too.
 */
export class SignedFeed extends Provider<UpdateInfo> {
  private readonly folder: URL
  private readonly key: string
  private readonly updater: Pick<AppUpdater, 'currentVersion'>

  constructor(
    { url, key }: Pick<SignedFeedOptions, 'url' | 'key'>,
    updater: Pick<AppUpdater, 'currentVersion'>,
    runtime: ProviderRuntimeOptions,
  ) {
    super(runtime)
    this.folder = new URL(url.endsWith('/') ? url : `${url}/`)
    this.key = key
    this.updater = updater
  }

  async getLatestVersion(): Promise<UpdateInfo> {
    const name = `${this.getDefaultChannelName()}.yml`
    const address = new URL(name, this.folder)
    const [manifest, signature] = await Promise.all([
      this.httpRequest(address),
      this.httpRequest(new URL(`${name}.sig`, this.folder)),
    ])
    if (!manifest || !isSigned(manifest, signature ?? '', this.key))
      throw new Error(`${name} of the feed is not signed by the publisher of this program`)
    const info = parseUpdateInfo(manifest, name, address)
    if (this.updater.currentVersion.compare(info.version) > 0)
      throw new Error(`the feed offers ${info.version}, which is older than this version`)
    return info
  }

  resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
    return resolveFiles(info, this.folder)
  }
}

/**
 * Tells whether a text was signed by the holder of the key.
 * @param signature the text's signature in base64
 */
export function isSigned(text: string, signature: string, key: string): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
  if (publicKey.asymmetricKeyType !== 'ed25519') return false
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature.trim(), 'base64'))
}
