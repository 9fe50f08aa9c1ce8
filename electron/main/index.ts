import { startDesktop } from './startDesktop.ts'

void startDesktop()
