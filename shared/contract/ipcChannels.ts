/** All channels between a window's preload and the desktop host. */
export const ipcChannels = {
  /** Sent when a page loads, to end everything that the previous page left running. */
  opened: 'perpscope:opened',
  fromWindow: 'perpscope:from-window',
  toWindow: 'perpscope:to-window',
  /** Paths of dropped files, sent by the preload so that the page never learns them. */
  dropped: 'perpscope:dropped',
} as const
