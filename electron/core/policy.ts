import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import type { Connection, ConnectionFields } from '#shared/contract/areas/connections.ts'
import {
  type MachinePolicy,
  type PolicyAddress,
  policyAddresses,
  policyRules,
  policySettings,
} from '#shared/contract/areas/policy.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { SettingsStore } from '#core/store/settingsStore.ts'

/**
 * Returns the path of the policy file, which only an administrator can write. The path does not depend on the
 * environment, because a user can change the environment.
 */
export function policyPlace(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return '/Library/Application Support/Perpscope/policy.json'
  return platform === 'win32' ? 'C:\\Program Files\\Perpscope\\policy.json' : '/etc/perpscope/policy.json'
}

const ROOT = 0
const WRITABLE_BY_OTHERS = 0o022
const MOST_POLICY_BYTES = 64 * 1024

export interface PolicySource {
  file?: string
  /** User who must own the file, on systems with user ids. */
  owner?: number
}

/**
 * Reads the policy of this machine; null if there is none. Throws an AppError if the file cannot be used: a misspelt
 * prohibition must not be ignored, and a file that other users can write must not choose a proxy.
 */
export function readPolicy({ file = policyPlace(), owner = ROOT }: PolicySource = {}): MachinePolicy | null {
  const text = textOf(file, owner)
  if (text === null) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (thrown) {
    throw unusablePolicyError(file, `it is not JSON (${(thrown as Error).message})`)
  }
  const parsedRules = policyRules.safeParse(parsed)
  if (!parsedRules.success) {
    const [{ path, message }] = parsedRules.error.issues
    throw unusablePolicyError(file, path.length > 0 ? `${path.join('.')} ${message}` : message)
  }
  const { extraCaFile } = parsedRules.data
  if (extraCaFile !== undefined && !isAbsolute(extraCaFile))
    throw unusablePolicyError(file, 'extraCaFile must be a full path')
  return { file, rules: parsedRules.data }
}

const unusablePolicyError = (file: string, reason: string) =>
  new AppError('policy', `${file} cannot be used: ${reason}.`)

function textOf(file: string, owner: number): string | null {
  let descriptor: number
  try {
    // Without O_NONBLOCK, opening a named pipe would wait forever for a writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown cause'
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw unusablePolicyError(file, `it cannot be read (${code})`)
  }
  try {
    const facts = fstatSync(descriptor)
    if (!facts.isFile()) throw unusablePolicyError(file, 'it is not a file')
    if (facts.size > MOST_POLICY_BYTES) throw unusablePolicyError(file, `it has more than ${MOST_POLICY_BYTES} bytes`)
    refuseForeign(file, facts, owner)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Refuses a file that someone other than the administrator could have written or replaced. */
function refuseForeign(file: string, facts: Stats, owner: number): void {
  if (process.platform === 'win32') return
  const folders = [...new Set([dirname(file), dirname(realpathSync(file))])]
  const places: [path: string, facts: Stats][] = [[file, facts]]
  for (const folder of folders) places.push([folder, statSync(folder)])
  for (const [path, { uid, mode }] of places) {
    if (uid !== owner) throw unusablePolicyError(file, `${path} does not belong to the administrator (root)`)
    if (mode & WRITABLE_BY_OTHERS) throw unusablePolicyError(file, `other users can write to ${path}`)
  }
}

/** Returns a store in which the settings of a policy override the user's; changing one of them throws. */
export function withPolicy(store: SettingsStore, policy: MachinePolicy | null): SettingsStore {
  if (!policy) return store
  const fixedSettings = Object.freeze(policySettings(policy.rules))
  const apply = (settings: Settings): Settings => Object.freeze({ ...settings, ...fixedSettings })
  let lastApplied: { stored: Settings; applied: Settings } | null = null
  const read = () => {
    const stored = store.read()
    if (lastApplied?.stored !== stored) lastApplied = { stored, applied: apply(stored) }
    return lastApplied.applied
  }
  return {
    read,
    change(patch) {
      for (const key of Object.keys(fixedSettings) as (keyof Settings)[]) {
        if (patch[key] !== undefined && patch[key] !== fixedSettings[key])
          throw new AppError('policy', `${policy.file} sets “${key}”.`)
      }
      const changeable = Object.fromEntries(Object.entries(patch).filter(([key]) => !(key in fixedSettings)))
      store.change(changeable)
      return read()
    },
  }
}

/** Fills in the policy's addresses where a connection has none; throws if it has an address other than the policy's. */
export function withPolicyAddresses<Fields extends Partial<ConnectionFields>>(
  fields: Fields,
  policy: MachinePolicy | null,
): Fields {
  if (!policy) return fields
  const filledFields = { ...fields }
  for (const key of policyAddresses) {
    const requiredAddress = policy.rules[key]
    if (requiredAddress !== undefined && filledFields[key] === '') filledFields[key] = requiredAddress
  }
  refuseOtherAddresses(filledFields, policy)
  return filledFields
}

/** Refuses addresses other than those of the policy. */
export function refuseOtherAddresses(
  fields: Partial<ConnectionFields> & Partial<Pick<Connection, 'builtIn'>>,
  policy: MachinePolicy | null,
): void {
  if (!policy || fields.builtIn) return
  for (const key of policyAddresses) {
    const requiredAddress = policy.rules[key]
    const address = fields[key]
    if (
      requiredAddress === undefined ||
      address === undefined ||
      address === '' ||
      isSameAddress(address, requiredAddress)
    )
      continue
    throw new AppError(
      'policy',
      `${policy.file} allows only ${requiredAddress} as ${addressNames[key]}, not ${address}.`,
    )
  }
}

/** Refuses to give other programs access if the policy forbids it. */
export function requireProgramAccess(policy: MachinePolicy | null): void {
  if (policy?.rules.forbidDoors) throw new AppError('policy', `${policy.file} forbids access by other programs.`)
}

/** Refuses to publish to a shared store if the policy forbids it. */
export function requirePublishingAccess(policy: MachinePolicy | null): void {
  if (policy?.rules.forbidPublishing)
    throw new AppError('policy', `${policy.file} forbids publishing to a shared store.`)
}

const addressNames = {
  metricsUrl: 'the metrics service',
  portfolioUrl: 'the portfolio service',
  catalogLocation: 'the raw-event catalog',
} as const satisfies Record<PolicyAddress, string>

const isSameAddress = (one: string, other: string) => one === other || withoutSlash(one) === withoutSlash(other)

const withoutSlash = (address: string) => address.replace(/\/+$/, '')
