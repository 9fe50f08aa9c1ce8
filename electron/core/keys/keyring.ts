import { type Clock, LockedVault, type Logger, type SecretVault } from '#core/ports.ts'
import type { KeyStatus, ServiceName } from '#shared/contract/areas/connections.ts'
import type { VaultStatus } from '#shared/contract/areas/vault.ts'
import { parseStoreKey } from '#shared/contract/sharedStore.ts'

/** The API keys of all connections: in the system's keychain if it works, else for this run only. */
export interface Keyring {
  vaultStatus(probeAgain: boolean): Promise<VaultStatus>
  status(connectionId: string, service: ServiceName): Promise<KeyStatus>
  set(connectionId: string, service: ServiceName, key: string): Promise<KeyStatus>
  remove(connectionId: string, service: ServiceName): Promise<KeyStatus>
  /**
   * Returns the key itself, for a request to the connection's own service; null if there is none. Only the portfolio
   * service falls back to the metrics key.
   */
  reveal(connectionId: string, service: ServiceName): Promise<string | null>
  /**
   * Sets the key that comes with a connection (the sandbox's), used until the user sets another one; null removes it.
   */
  provide(connectionId: string, key: string | null): void
  /** Discards the keys read so far; called when another process may have changed them. */
  forget(): void
  /** Tests the keychain by writing, reading and removing a dummy value. */
  roundTrip(): Promise<VaultStatus>
}

export interface KeyringDeps {
  vault: SecretVault
  clock: Clock
  log: Logger
  /** API key of connections without a key of their own, for example because there is no keychain. */
  environmentKey: string | null
  /** Key of portfolio services without one of their own; without it, the API key serves them too. */
  environmentPortfolioKey?: string | null
  /** Engine password of connections without one of their own. */
  environmentPassword?: string | null
  /** Store key of connections without one of their own, as `ID:SECRET`. */
  environmentStoreKey?: string | null
  /** Tells whether a key of a connection was ever set, so that a keychain without it may be a locked one. */
  mayHaveKey?(connectionId: string): boolean
  /** Registers every key for redaction before anything else sees it. */
  hide(secret: string): void
}

const PROBE_TIMEOUT_MS = 3000
/** Timeout of the keychain. It is long, because the user may have to allow the access. */
const ACCESS_TIMEOUT_MS = 60_000
const REMEMBERED_MS = 60_000
const RUN_ONLY_TEXT = 'Keys are kept for this run only.'

type KeyPlace = Exclude<KeyStatus['kept'], null>

export function createKeyring(deps: KeyringDeps): Keyring {
  const { vault, clock, environmentKey, environmentPortfolioKey, environmentPassword, environmentStoreKey } = deps
  const hide = (key: string) => hideAll(deps.hide, key)
  const runKeyByAccount = new Map<string, string>()
  const providedKeyByConnection = new Map<string, string>()
  const rememberedByAccount = new Map<string, { key: string | null; readAtMs: number }>()
  if (environmentKey) hide(environmentKey)
  if (environmentPortfolioKey) hide(environmentPortfolioKey)
  if (environmentPassword) hide(environmentPassword)
  if (environmentStoreKey) hide(environmentStoreKey)

  const accountOf = (connectionId: string, service: ServiceName) => `${connectionId}/${service}`

  const access = createVaultAccess(deps)

  function vaultStatus(probeAgain: boolean): Promise<VaultStatus> {
    if (probeAgain) rememberedByAccount.clear()
    return access.status(probeAgain)
  }

  async function fromKeychain(connectionId: string, account: string): Promise<string | null> {
    const remembered = rememberedByAccount.get(account)
    if (remembered && Math.abs(clock.nowMs() - remembered.readAtMs) < REMEMBERED_MS) return remembered.key
    const stored = await access.run(async () => {
      const key = await vault.get(account)
      if (key === null) await checkReadable(connectionId)
      return key
    })
    if (!stored) return null
    if (stored.result) hide(stored.result)
    rememberedByAccount.set(account, { key: stored.result, readAtMs: clock.nowMs() })
    return stored.result
  }

  async function checkReadable(connectionId: string): Promise<void> {
    if (deps.mayHaveKey?.(connectionId)) await vault.checkReadable?.()
  }

  async function find(connectionId: string, service: ServiceName): Promise<{ key: string; kept: KeyPlace } | null> {
    const account = accountOf(connectionId, service)
    const runKey = runKeyByAccount.get(account)
    if (runKey) return { key: runKey, kept: 'run' }
    const storedKey = await fromKeychain(connectionId, account)
    if (storedKey) return { key: storedKey, kept: vault.place?.() ?? 'keychain' }
    if (service === 'engine') return fromEnvironment(environmentPassword)
    if (service === 'store') return fromEnvironment(environmentStoreKey)
    const providedKey = providedKeyByConnection.get(connectionId)
    if (service === 'portfolio') return providedKey ? null : fromEnvironment(environmentPortfolioKey)
    if (providedKey) return { key: providedKey, kept: 'run' }
    return fromEnvironment(environmentKey)
  }

  async function statusOf(connectionId: string, service: ServiceName): Promise<KeyStatus> {
    const found = await find(connectionId, service)
    if (!found) {
      const isElsewhere = await vault.isElsewhere?.(accountOf(connectionId, service))
      const lockedReason = access.lockedReason()
      const unreadable = lockedReason !== null && { unreadable: lockedReason }
      return { set: false, ending: null, kept: null, ...(isElsewhere && { isElsewhere }), ...unreadable }
    }
    // The last characters of an API key help to tell keys apart; those of a password or signing key would help to guess
    // it.
    const showsEnding = service !== 'engine' && service !== 'store' && found.key.length >= 12
    return { set: true, ending: showsEnding ? found.key.slice(-4) : null, kept: found.kept }
  }

  return {
    vaultStatus,
    status: statusOf,
    async set(connectionId, service, key) {
      hide(key)
      const account = accountOf(connectionId, service)
      rememberedByAccount.delete(account)
      const saved = await access.run(() => vault.set(account, key))
      if (saved) runKeyByAccount.delete(account)
      else runKeyByAccount.set(account, key)
      return statusOf(connectionId, service)
    },
    async remove(connectionId, service) {
      const account = accountOf(connectionId, service)
      runKeyByAccount.delete(account)
      rememberedByAccount.delete(account)
      await access.run(async () => {
        await vault.remove(account)
        await checkReadable(connectionId)
      })
      return statusOf(connectionId, service)
    },
    async reveal(connectionId, service) {
      const found = await find(connectionId, service)
      if (found || service !== 'portfolio') return found?.key ?? null
      return (await find(connectionId, 'metrics'))?.key ?? null
    },
    provide(connectionId, key) {
      if (key) hide(key)
      if (key) providedKeyByConnection.set(connectionId, key)
      else providedKeyByConnection.delete(connectionId)
    },
    forget: () => rememberedByAccount.clear(),
    async roundTrip() {
      const dummy = `check-${clock.nowMs()}`
      const account = `check/${dummy}`
      const outcome = await access.run(async () => {
        await vault.set(account, dummy)
        const readBack = await vault.get(account)
        await vault.remove(account)
        if (readBack !== dummy) throw new Error(`${vault.name} did not return the key that was stored.`)
      })
      return outcome ? availableStatus(vault) : vaultStatus(false)
    },
  }
}

const availableStatus = ({ name }: SecretVault): VaultStatus => ({ available: true, name, message: null })

/** Uses the keychain as long as it works, and knows why it does not. */
function createVaultAccess({ vault, log }: Pick<KeyringDeps, 'vault' | 'log'>) {
  let status: Promise<VaultStatus> | null = null
  /** Reason why keys in the keychain cannot be read at present; null if they can, or if there is no keychain. */
  let lockedReason: string | null = null

  function unavailableStatus(thrown: unknown): VaultStatus {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    log.write('warn', `${vault.name}: ${reason}`)
    if (thrown instanceof LockedVault) lockedReason = reason
    return { available: false, name: vault.name, message: `${reason} ${RUN_ONLY_TEXT}` }
  }

  function probe(probeAgain: boolean): Promise<VaultStatus> {
    if (!probeAgain && status) return status
    lockedReason = null
    const lateMessage = `${vault.name} did not answer within 3 seconds; it may be waiting for you to unlock it.`
    status = withTimeout(() => vault.probe(), PROBE_TIMEOUT_MS, lateMessage).then(
      () => availableStatus(vault),
      unavailableStatus,
    )
    return status
  }

  return {
    status: probe,
    lockedReason: () => lockedReason,
    /** Runs work on the keychain; if it fails, remembers the reason and returns null. */
    async run<Result>(work: () => Promise<Result>): Promise<{ result: Result } | null> {
      if (!(await probe(false)).available) return null
      try {
        return { result: await withTimeout(work, ACCESS_TIMEOUT_MS, `${vault.name} did not answer.`) }
      } catch (thrown) {
        status = Promise.resolve(unavailableStatus(thrown))
        return null
      }
    },
  }
}

const fromEnvironment = (key: string | null | undefined): { key: string; kept: KeyPlace } | null =>
  key ? { key, kept: 'environment' } : null

/** Registers a key for redaction, and for a store key also its secret part, because that part alone signs requests. */
function hideAll(hide: (secret: string) => void, key: string): void {
  hide(key)
  const parts = parseStoreKey(key)
  if (parts) hide(parts.secret)
}

/** Returns the work's result, or rejects with the message after the timeout; the work itself cannot be stopped. */
async function withTimeout<Result>(work: () => Promise<Result>, timeoutMs: number, message: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), timeoutMs)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}
