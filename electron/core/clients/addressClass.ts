import type { LookupAddress, LookupOptions } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'

export type AddressClass = 'public' | 'private' | 'loopback'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Addresses that are not reached over the public network, with those that wrap another one. */
const inside = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  inside.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(network, bits, 'ipv6')

/** Classifies an IP address; one that wraps an IPv4 address counts as that. */
export function classOfAddress(address: string): AddressClass {
  const bare = address.split('%', 1)[0]
  const kind = isIPv6(bare) ? 'ipv6' : 'ipv4'
  if (loopback.check(bare, kind)) return 'loopback'
  return inside.check(bare, kind) ? 'private' : 'public'
}

/** Names that resolvers and networks keep for themselves; a name without a point is one of the local network. */
const localName = /(^|\.)(local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/i

/** Classifies a host as far as its text tells; null for a name that only a lookup can classify. */
export function classOfHost(hostname: string): AddressClass | null {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(bare) !== 0) return classOfAddress(bare)
  if (/(^|\.)localhost$/i.test(bare)) return 'loopback'
  return localName.test(bare) || !bare.includes('.') ? 'private' : null
}

export const INSIDE_ADDRESS = 'ERR_INSIDE_ADDRESS'

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
export type Lookup = (hostname: string, options: LookupOptions, done: LookupDone) => void

/**
 * Remembers what class of address each host has. A host that ever had a public address stays public while the program runs, because its
 * owner may add an inside address to its name, or change to one, so that it could name others there.
 */
export interface AddressClasses {
  /** Resolves any name. */
  lookup: Lookup
  /** Resolves a name, and fails where any of its addresses is not public: the checked address is the one that is dialled. */
  publicLookup: Lookup
  of(hostname: string): AddressClass
}

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Loads Node's resolver with the first lookup, because it reads the system's settings and most commands look up no name. */
const lookUpName: Resolve = (hostname, options, done) =>
  void import('node:dns').then(
    ({ lookup }) => lookup(hostname, options, done),
    (thrown: NodeJS.ErrnoException) => done(thrown, []),
  )

export function createAddressClasses(resolve: Resolve = lookUpName): AddressClasses {
  const found = new Map<string, AddressClass>()

  const lookupWith =
    (isPublicOnly: boolean): Lookup =>
    (hostname, options, done) =>
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, [])
        const classes = addresses.map(({ address }) => classOfAddress(address))
        const worst = classes.find((each) => each !== 'public') ?? 'public'
        if (isPublicOnly && worst !== 'public') {
          const refusal: NodeJS.ErrnoException = new Error(`${hostname} has an address inside this network`)
          refusal.code = INSIDE_ADDRESS
          return done(refusal, [])
        }
        if (!isPublicOnly && found.get(hostname) !== 'public')
          found.set(hostname, classes.includes('public') ? 'public' : worst)
        if (options.all) done(null, addresses)
        else done(null, addresses[0].address, addresses[0].family)
      })

  return {
    lookup: lookupWith(false),
    publicLookup: lookupWith(true),
    of: (hostname) => classOfHost(hostname) ?? found.get(hostname) ?? 'public',
  }
}
