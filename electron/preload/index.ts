import { startPreload } from './startPreload.ts'

startPreload(window)
