const SUFFIX = '~computed'

/**
 * Builds the owner of series computed from a connection's raw events, apart from the connection itself so that computed
 * and served files never mix. Stands wherever a call takes the id of a connection to read series; of the empty id,
 * which stands for the connection in use, too.
 */
export const computedOwner = (connectionId: string): string =>
  isComputedOwner(connectionId) ? connectionId : connectionId + SUFFIX

export const isComputedOwner = (owner: string): boolean => owner.endsWith(SUFFIX)

/** The connection that an owner belongs to. */
export const connectionOfOwner = (owner: string): string =>
  isComputedOwner(owner) ? owner.slice(0, -SUFFIX.length) : owner

/** The owner that a call means: an empty id, also within a computed one, stands for the connection in use. */
export function namedOwner(owner: string, activeId: () => string): string {
  const connectionId = connectionOfOwner(owner) || activeId()
  return isComputedOwner(owner) ? computedOwner(connectionId) : connectionId
}
