/** The channels between a window's preload and the desktop host; there are no others. */
export const ipcChannels = {
  /** A page begins: whatever the page before it left running ends. */
  opened: 'perpscope:opened',
  fromWindow: 'perpscope:from-window',
  toWindow: 'perpscope:to-window',
  /** Paths of files the user dropped; they travel past the page, which never learns them. */
  dropped: 'perpscope:dropped',
} as const
