import { startStoryWindow } from './storyWindow.ts'

void startStoryWindow(process.cwd())
