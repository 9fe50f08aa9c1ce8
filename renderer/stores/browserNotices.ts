import { ref } from 'vue'

/** Notifications of a browser: shown only where the person allowed them, and asked for only when the person wants them. */
const isOffered = typeof Notification !== 'undefined'
const permission = ref<NotificationPermission>(isOffered ? Notification.permission : 'denied')

export const browserNotices = {
  permission,
  async ask(): Promise<void> {
    if (isOffered && permission.value === 'default') permission.value = await Notification.requestPermission()
  },
  /** While the window is in sight its own words are enough. */
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
