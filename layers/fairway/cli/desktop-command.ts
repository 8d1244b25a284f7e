import { defineCommand } from 'citty'
import { desktopArgs } from './desktop-args'

// The switch brings the whole server with it, the program a browser's library; each is loaded when it is asked for.
const open = () => import('./open-desktop').then(module => module.openCommand)
const status = () => import('./desktop-switch').then(module => module.statusCommand)
const on = () => import('./desktop-switch').then(module => module.onCommand)
const off = () => import('./desktop-switch').then(module => module.offCommand)

/** `fw desktop`: the desktop program itself, and for operators the switch of an identity hub for its sign-in. */
export const desktopCommand = defineCommand({
  meta: { name: 'desktop', description: 'The applications of a workspace as desktop windows, with one sign-in.' },
  // Named here too, so that their values are not taken for a command.
  args: desktopArgs,
  default: 'open',
  subCommands: { open, status, on, off },
})
