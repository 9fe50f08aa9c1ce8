import { type AsyncComponentLoader, type Component, defineAsyncComponent } from 'vue'
import { AppError } from '#shared/contract/errors.ts'
import { componentsText } from '../text/components.ts'

/** Delays between attempts to load code: they double from the first to the last. */
const FIRST_DELAY_MS = 1000
const LAST_DELAY_MS = 8000

let isHostConnected = (): boolean => true

/** Tells this module how to ask whether the host, which code comes from, is connected. */
export function setHostConnected(isConnected: () => boolean): void {
  isHostConnected = isConnected
}

/**
 * Loads code of the window, which comes from the host: while the connection is lost, this waits and tries again. It
 * throws `updated` if the code is missing although the host is connected, because then the program was replaced while
 * it ran and has the code under another name.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  let wasConnected = false
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LAST_DELAY_MS)) {
    try {
      return await load()
    } catch (cause) {
      if (wasConnected && isHostConnected()) throw new AppError('updated', componentsText.partNotLoaded, { cause })
    }
    // A lost connection is noticed only some time after the failure.
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    wasConnected = isHostConnected()
  }
}

/** Part of a screen whose code is loaded when it is first shown. */
export function lazyPart<Part extends Component>(
  load: AsyncComponentLoader<Part>,
  options: { loadingComponent?: Component; delay?: number } = {},
) {
  return defineAsyncComponent({ ...options, loader: () => loadCode(load) })
}

/** Delay before styles are requested again, shorter than that of code, so that a part does not show without them. */
const STYLES_DELAY_MS = 700

/** Failures after which a connected host does not have the styles, because the program was replaced while it ran. */
const MOST_STYLES_FAILURES = 5

/** Requests styles of parts again when they failed to load, which the loader of parts does not do. */
export function keepLoadingStyles(): void {
  const failuresByAddress = new Map<string, number>()
  const loadAgain = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
    const failures = isHostConnected() ? (failuresByAddress.get(target.href) ?? 0) + 1 : 0
    failuresByAddress.set(target.href, failures)
    if (failures >= MOST_STYLES_FAILURES) return
    setTimeout(() => target.replaceWith(target.cloneNode()), STYLES_DELAY_MS)
  }
  document.addEventListener('error', loadAgain, true)
}
