import * as z from '../../schemas/lazySchemas.ts'
import { catalogLocation, serviceUrl } from './connections.ts'
import { proxySetting, type Settings } from './settings.ts'

/** Rules of the policy file that the administrator of a machine may write. All are optional; an unknown one is refused. */
export const policyRules = z
  .strictObject({
    /** Addresses that every connection to a service has; others are not contacted. */
    metricsUrl: serviceUrl.refine((url) => url !== '', 'must not be empty'),
    portfolioUrl: serviceUrl.refine((url) => url !== '', 'must not be empty'),
    catalogLocation: catalogLocation.min(1, 'must not be empty'),
    proxy: proxySetting.refine((proxy) => proxy !== '', 'must not be empty; “direct” means no proxy'),
    proxyExcept: z.string().trim().max(2000),
    /** Full path of a file of certificates (PEM) that are trusted besides those of the system. */
    extraCaFile: z.string().trim().min(1).max(4000),
    forbidUpdates: z.boolean(),
    /** Forbids programs of this machine to read data through Perpscope. */
    forbidDoors: z.boolean(),
    /** Forbids to put data into a shared store. */
    forbidPublishing: z.boolean(),
  })
  .partial()
export type PolicyRules = z.infer<typeof policyRules>

/** A policy that is in force. */
export interface MachinePolicy {
  /** Path of its file. */
  file: string
  rules: PolicyRules
}

/** Fields of a connection that a policy can set. */
export const policyAddresses = ['metricsUrl', 'portfolioUrl', 'catalogLocation'] as const
export type PolicyAddress = (typeof policyAddresses)[number]

/** Returns the settings that a policy sets, which cannot be changed then. */
export function policySettings(rules: PolicyRules): Partial<Settings> {
  const { proxy, proxyExcept, extraCaFile, forbidUpdates, forbidDoors } = rules
  return {
    // A proxy comes with its exceptions: those of the user could lead around it.
    ...(proxy !== undefined && { proxy, proxyExcept: proxyExcept ?? '' }),
    ...(extraCaFile !== undefined && { extraCaFile }),
    ...(forbidUpdates && { updateFeed: '' }),
    ...(forbidDoors && { localDoor: false }),
  }
}
