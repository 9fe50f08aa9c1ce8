/** Settles as the promise does, or rejects at once when the signal aborts; the work behind it may go on unheard. */
export function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', abort))
}
