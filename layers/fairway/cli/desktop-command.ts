import { defineCommand } from 'citty'
import { DESKTOP_PACKAGE } from '../shared/package'
import { endWith } from './terminal'

/** The options of `fw desktop`, with and without `open`. */
const desktopArgs = {
  workspace: {
    type: 'string' as const,
    description: 'The address of the hub, or a file that names hub and applications; without it, the previous one.',
    valueHint: 'file or address',
  },
  browser: {
    type: 'string' as const,
    description: 'The Chrome, Edge or Chromium to use; without it, the first that is found.',
    valueHint: 'path',
  },
  'browser-args': {
    type: 'string' as const,
    description: 'Further arguments for that browser, separated by spaces.',
    valueHint: 'arguments',
  },
}

const open = defineCommand({
  meta: { name: 'open', description: 'Show the applications of a workspace in windows of the installed browser.' },
  args: desktopArgs,
  run: ({ args }) =>
    endWith(async () => {
      const { needPackage } = await import('./project/optional-package')
      await needPackage(DESKTOP_PACKAGE, { root: process.cwd(), purpose: 'The desktop program' })
      const { openDesktop } = await import('./open-desktop')
      return openDesktop(args)
    }),
})

/** `fw desktop`: the desktop program, and for operators the switch of an identity hub for its sign-in. */
export const desktopCommand = defineCommand({
  meta: { name: 'desktop', description: 'The applications of a workspace as desktop windows, with one sign-in.' },
  // Named here too, so that their values are not parsed as a command.
  args: desktopArgs,
  default: 'open',
  subCommands: {
    open,
    status: () => import('./operator-commands').then(module => module.statusCommand),
    on: () => import('./operator-commands').then(module => module.onCommand),
    off: () => import('./operator-commands').then(module => module.offCommand),
  },
})
