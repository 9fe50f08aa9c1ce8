import { AppError } from '#shared/contract/errors.ts'
import type { Channel } from '#shared/contract/protocol.ts'

export interface ChannelPair<Left, Right> {
  left: Channel<Left, Right>
  right: Channel<Right, Left>
  close(): void
}

/**
 * Creates the two ends of a channel within this process. Messages are cloned and arrive later, as between real
 * processes.
 */
export function loopbackChannel<Left, Right>(): ChannelPair<Left, Right> {
  const toRight = createEnd<Left>()
  const toLeft = createEnd<Right>()
  let open = true
  const carry =
    <Message>(end: ReturnType<typeof createEnd<Message>>) =>
    (message: Message) => {
      if (!open) throw new AppError('disconnected')
      const copy = structuredClone(message)
      queueMicrotask(() => open && end.deliver(copy))
    }
  return {
    left: { send: carry(toRight), isOpen: () => open, onMessage: toLeft.onMessage, onClose: toLeft.onClose },
    right: { send: carry(toLeft), isOpen: () => open, onMessage: toRight.onMessage, onClose: toRight.onClose },
    close() {
      open = false
      toLeft.close()
      toRight.close()
    },
  }
}

function createEnd<Message>() {
  const onMessage: ((message: Message) => void)[] = []
  const onClose: (() => void)[] = []
  return {
    onMessage: (listener: (message: Message) => void) => void onMessage.push(listener),
    onClose: (listener: () => void) => void onClose.push(listener),
    deliver: (message: Message) => onMessage.forEach((listener) => listener(message)),
    close: () => onClose.forEach((listener) => listener()),
  }
}
