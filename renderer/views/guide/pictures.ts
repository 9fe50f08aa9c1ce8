/** Pixels of every picture, so that the page keeps their place while they load. */
export const PICTURE_SIZE = { width: 1280, height: 800 } as const

const addresses = import.meta.glob<string>('./pictures/*.webp', { eager: true, import: 'default', query: '?url' })

/** Addresses of a picture in both themes; `npm run pictures` takes them. */
export const picturesOf = (name: string) => ({
  dark: addresses[`./pictures/${name}-dark.webp`],
  light: addresses[`./pictures/${name}-light.webp`],
})
