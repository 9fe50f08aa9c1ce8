declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const c: DefineComponent<any, any, any>
  export default c
  export const openedRows: any
  export type MenuItem = any
  export type PickItem = any
}
