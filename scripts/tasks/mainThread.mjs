/** What a trace has to record to tell the tasks of a page's main thread. */
const categories = ['toplevel', 'disabled-by-default-devtools.timeline']

/** Milliseconds from which on a person notices that the window did not answer. */
export const LONG_MS = 50

/**
 * Does the work, and returns how long each task of the page's main thread took meanwhile, in milliseconds of processor
 * time, which other work on the machine does not stretch.
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} work
 * @returns {Promise<number[]>}
 */
export async function tasksDuring(page, work) {
  const browser = page.context().browser()
  await browser.startTracing(page, { categories })
  try {
    await work()
  } catch (thrown) {
    // The next trace can only begin once this one has ended.
    await browser.stopTracing()
    throw thrown
  }
  return tasksIn(await browser.stopTracing())
}

/** @param {Buffer} trace */
function tasksIn(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const keyOf = ({ pid, tid }) => `${pid} ${tid}`
  const mainThreads = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(keyOf),
  )
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && event.tdur !== undefined && mainThreads.has(keyOf(event)))
    .map(({ tdur }) => tdur / 1000)
}
