import { defineStore } from 'pinia'
import { ref } from 'vue'
import { toAppError } from '#shared/contract/errors.ts'
import { storesText } from '../text/stores.ts'

interface Toast {
  id: number
  kind: 'done' | 'note' | 'problem'
  message: string
  detail: string | null
  action: { label: string; run: () => unknown } | null
}

const SHOWN_MS = 6000
const MOST_SHOWN = 5

/**
 * Short messages about recent events. Most disappear on their own. Errors stay until the user closes them, or opens
 * another screen after there was time to read them.
 */
export const useToasts = defineStore('toasts', () => {
  const list = ref<Toast[]>([])
  const timers = new Map<number, ReturnType<typeof setTimeout>>()
  let nextId = 0
  let readIds = new Set<number>()

  function close(id: number): void {
    list.value = list.value.filter((toast) => toast.id !== id)
    clearTimeout(timers.get(id))
    timers.delete(id)
  }

  /** Keeps toasts while they have the pointer or focus. */
  const hold = () => {
    for (const timer of timers.values()) clearTimeout(timer)
    timers.clear()
  }

  const release = () => {
    for (const { id, kind } of list.value) if (kind !== 'problem') schedule(id)
  }

  const schedule = (id: number) =>
    void timers.set(
      id,
      setTimeout(() => close(id), SHOWN_MS),
    )

  function show(toast: Pick<Toast, 'kind' | 'message'> & Partial<Toast>): void {
    const duplicate = list.value.find(
      (each) => each.message === toast.message && each.detail === (toast.detail ?? null),
    )
    if (duplicate) close(duplicate.id)
    const id = nextId++
    list.value = [...list.value, { detail: null, action: null, ...toast, id }].slice(-MOST_SHOWN)
    if (toast.kind !== 'problem') schedule(id)
    else setTimeout(() => readIds.add(id), SHOWN_MS)
  }

  /** Closes errors that were shown long enough; called when another screen opens. */
  function dismissRead(): void {
    for (const id of readIds) close(id)
    readIds = new Set()
  }

  /** Shows an error with its detail and remedy; a cancelled action shows nothing. */
  function problem(thrown: unknown): void {
    const error = toAppError(thrown)
    if (error.code === 'cancelled') return
    const detail = [error.detail, error.service?.message, error.remedy].filter(Boolean).join(' ')
    const action = error.code === 'updated' ? { label: storesText.reload, run: () => location.reload() } : null
    show({ kind: 'problem', message: error.sentence, detail, action })
  }

  return { list, show, problem, close, hold, release, dismissRead }
})

/** True if the browser supports notifications. */
const isSupported = typeof Notification !== 'undefined'
const permission = ref<NotificationPermission>(isSupported ? Notification.permission : 'denied')

export const browserNotices = {
  permission,
  async ask(): Promise<void> {
    if (isSupported && permission.value === 'default') permission.value = await Notification.requestPermission()
  },
  /** Shows a notification if the user allowed it and the window is hidden; in a visible window, a toast is enough. */
  show(message: string, onChosen: () => void): void {
    if (permission.value !== 'granted' || !document.hidden) return
    const notification = new Notification('Perpscope', { body: message })
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      onChosen()
    })
  },
}
