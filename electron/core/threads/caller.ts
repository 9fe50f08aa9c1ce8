import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * The window, command line or local API for which work is done: an object that stays the same for all its calls. Work
 * that no caller asked for has none.
 */
export type Caller = object

const callers = new AsyncLocalStorage<Caller>()

/** Does work for a caller; queues share their workers among callers. */
export const asCaller = <Result>(caller: Caller, work: () => Result): Result => callers.run(caller, work)

const nobody: Caller = {}

/** Returns the caller for which the running code works. */
export const currentCaller = (): Caller => callers.getStore() ?? nobody
