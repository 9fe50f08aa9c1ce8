import { type MachinePolicy, policySettings } from '#shared/contract/areas/policy.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { NO_PROXY } from '#shared/contract/settingFields.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { NetworkRoute, ProxySettings } from '#core/ports.ts'

/** Network options of one run, from its command line. */
export interface RouteOptions {
  /** Address of a proxy, or `direct`. */
  proxy?: string | undefined
  caFile?: string | undefined
}

interface RouteDeps {
  settings(): Settings
  /** Proxy of the environment or the system. */
  proxy?: ProxySettings | null
  /** Certificate file of `NODE_EXTRA_CA_CERTS`; we read it because an Electron fuse keeps Node from doing so. */
  environmentCaFile?: string | undefined
  route?: RouteOptions
  policy?: MachinePolicy | null
}

/**
 * Creates a function that returns the network route. The policy takes precedence, then this run's options, then the
 * settings, then the environment and the system; the certificate file of the environment is always used as well.
 * Throws an AppError if an option is given for something that the policy sets.
 */
export function createRoute({
  settings,
  proxy: systemProxy = null,
  environmentCaFile = '',
  route = {},
  policy,
}: RouteDeps): () => NetworkRoute {
  const fixedSettings = policySettings(policy?.rules ?? {})
  if (policy && route.proxy !== undefined && fixedSettings.proxy !== undefined)
    throw new AppError('policy', `${policy.file} sets the proxy.`)
  if (policy && route.caFile !== undefined && fixedSettings.extraCaFile !== undefined)
    throw new AppError('policy', `${policy.file} sets the certificate file.`)

  const proxyOf = ({ proxy, proxyExcept }: Settings): ProxySettings | null => {
    const chosenProxy = route.proxy ?? proxy
    if (chosenProxy === '') return systemProxy
    return chosenProxy === NO_PROXY ? null : { http: chosenProxy, https: chosenProxy, except: proxyExcept }
  }
  return () => {
    const current = settings()
    const caFiles = [environmentCaFile, route.caFile ?? current.extraCaFile].filter((file) => file !== '')
    return { proxy: proxyOf(current), caFiles }
  }
}
