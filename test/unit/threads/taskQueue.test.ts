import { expect, it } from 'vitest'
import { asCaller } from '#core/threads/caller.ts'
import { TaskQueue } from '#core/threads/taskQueue.ts'

/** Opens a queue with fake workers: a task begins when one is free, and ends when the test says so. */
function openQueue(workers: number, mostPerCaller?: number) {
  const begun: string[] = []
  const idByTask = new Map<string, number>()
  const free = { workers }
  const queue = new TaskQueue<string, string>({ dispatch, abandon: () => {} }, mostPerCaller)
  function dispatch(): void {
    while (free.workers > 0 && queue.hasNext) {
      const { id, task, resolve } = queue.next()!
      free.workers--
      begun.push(task)
      idByTask.set(task, id)
      resolve(task)
    }
  }
  return {
    queue,
    begun,
    add: (caller: object, ...tasks: string[]) =>
      asCaller(caller, () => tasks.forEach((task) => void queue.run(task).catch(() => {}))),
    end(task: string) {
      queue.end(idByTask.get(task)!)
      free.workers++
      dispatch()
    },
  }
}

it('takes the tasks of callers in turn, and those of each in their order', () => {
  const { add, begun, end } = openQueue(1)
  const [window, cli, api] = [{}, {}, {}]
  add(window, 'a1', 'a2', 'a3', 'a4')
  add(cli, 'b1', 'b2')
  add(api, 'c1')
  for (const task of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) end(task)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

it('gives a free worker to the caller that has the fewest', () => {
  const { add, begun, end } = openQueue(3)
  const [many, few] = [{}, {}]
  add(many, 'a1', 'a2', 'a3', 'a4', 'a5')
  add(few, 'b1', 'b2')
  for (const task of ['a1', 'b1', 'a2', 'a3']) end(task)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4', 'a5'])
})

it('keeps a worker for others from a caller with the most tasks it may have', () => {
  const { add, begun } = openQueue(3, 2)
  const [many, few] = [{}, {}]
  add(many, 'a1', 'a2', 'a3', 'a4')
  expect(begun).toEqual(['a1', 'a2'])
  add(few, 'b1')
  expect(begun).toEqual(['a1', 'a2', 'b1'])
})

it('counts a cancelled task as long as it occupies its worker', async () => {
  const { queue, add, begun, end } = openQueue(3, 2)
  const caller = {}
  add(caller, 'a1', 'a2')
  const controller = new AbortController()
  const third = asCaller(caller, () => queue.run('a3', controller.signal))
  controller.abort()
  await expect(third).rejects.toThrow()
  add(caller, 'a4')
  expect(begun).toEqual(['a1', 'a2'])
  end('a1')
  expect(begun).toEqual(['a1', 'a2', 'a4'])
})

it('tells a task how many of its caller are before it, and when it begins', () => {
  const { queue, add, end } = openQueue(1)
  const caller = {}
  const told: (number | null)[] = []
  add({}, 'other')
  add(caller, 'a1', 'a2')
  asCaller(caller, () => void queue.run('a3', undefined, undefined, (ahead) => told.push(ahead)))
  expect(told).toEqual([2])
  for (const task of ['other', 'a1', 'a2']) end(task)
  expect(told.at(-1)).toBeNull()
  expect(told).not.toContain(3)
})
