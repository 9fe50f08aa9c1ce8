const SUFFIX = '~computed'

/**
 * Builds the owner of series computed from a connection's raw events. It differs from the connection's id, so that
 * computed and served files never mix. Calls that read series accept an owner in place of a connection id. The owner of
 * the empty id belongs to the active connection.
 */
export const computedOwner = (connectionId: string): string =>
  isComputedOwner(connectionId) ? connectionId : connectionId + SUFFIX

export const isComputedOwner = (owner: string): boolean => owner.endsWith(SUFFIX)

/** Returns the connection that an owner belongs to. */
export const connectionOfOwner = (owner: string): string =>
  isComputedOwner(owner) ? owner.slice(0, -SUFFIX.length) : owner

/** Resolves the owner that a call names: an empty id, even inside a computed owner, becomes the active connection. */
export function resolveOwner(owner: string, activeId: () => string): string {
  const connectionId = connectionOfOwner(owner) || activeId()
  return isComputedOwner(owner) ? computedOwner(connectionId) : connectionId
}
