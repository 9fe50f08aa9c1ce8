import * as z from '../../schemas/lazySchemas.ts'
import { catalogLocation, serviceUrl } from './connections.ts'
import type { Settings } from './settings.ts'
import { proxySetting } from '../settingFields.ts'

/** Rules in the policy file of a machine's administrator. All are optional; an unknown rule is rejected. */
export const policyRules = z
  .strictObject({
    /** Addresses that all connections must use; no others are contacted. */
    metricsUrl: serviceUrl.refine((url) => url !== '', 'must not be empty'),
    portfolioUrl: serviceUrl.refine((url) => url !== '', 'must not be empty'),
    catalogLocation: catalogLocation.min(1, 'must not be empty'),
    proxy: proxySetting.refine((proxy) => proxy !== '', 'must not be empty; “direct” means no proxy'),
    proxyExcept: z.string().trim().max(2000),
    /** Absolute path of a PEM file with certificates to trust in addition to the system's. */
    extraCaFile: z.string().trim().min(1).max(4000),
    forbidUpdates: z.boolean(),
    /** Forbids other programs on this machine to read data through Perpscope. */
    forbidDoors: z.boolean(),
    /** Forbids publishing to a shared store. */
    forbidPublishing: z.boolean(),
  })
  .partial()
type PolicyRules = z.infer<typeof policyRules>

/** Policy in force. */
export interface MachinePolicy {
  /** Path of the policy file. */
  file: string
  rules: PolicyRules
}

/** Fields of a connection that a policy can set. */
export const policyAddresses = ['metricsUrl', 'portfolioUrl', 'catalogLocation'] as const
export type PolicyAddress = (typeof policyAddresses)[number]

/** Returns the settings that a policy fixes, which the user cannot change. */
export function policySettings(rules: PolicyRules): Partial<Settings> {
  const { proxy, proxyExcept, extraCaFile, forbidUpdates, forbidDoors } = rules
  return {
    // A policy's proxy also removes the user's exceptions, because they could bypass it.
    ...(proxy !== undefined && { proxy, proxyExcept: proxyExcept ?? '' }),
    ...(extraCaFile !== undefined && { extraCaFile }),
    ...(forbidUpdates && { updateFeed: '' }),
    ...(forbidDoors && { localDoor: false }),
  }
}
