import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import { defineComponent, h, nextTick, shallowRef, useTemplateRef } from 'vue'
import { onElement } from '../../renderer/charts/chartColours.ts'

/** Mounts a component whose canvas is built later, like the contents of a card that waits for its turn. */
function mountWith(isThere: boolean) {
  const isBuilt = shallowRef(isThere)
  const found: string[] = []
  const page = mount(
    defineComponent({
      setup() {
        const canvas = useTemplateRef<HTMLCanvasElement>('canvas')
        onElement(canvas, ({ tagName }) => found.push(tagName))
        return () => (isBuilt.value ? h('canvas', { ref: 'canvas' }) : h('p'))
      },
    }),
  )
  return { page, isBuilt, found }
}

test('a canvas that is there from the beginning is found when its component is mounted', async () => {
  const { found } = mountWith(true)
  await nextTick()
  expect(found).toEqual(['CANVAS'])
})

test('a canvas that is built later is found then, and a new one again', async () => {
  const { isBuilt, found } = mountWith(false)
  await nextTick()
  expect(found).toEqual([])
  isBuilt.value = true
  await nextTick()
  expect(found).toEqual(['CANVAS'])
  isBuilt.value = false
  await nextTick()
  isBuilt.value = true
  await nextTick()
  expect(found).toEqual(['CANVAS', 'CANVAS'])
})
