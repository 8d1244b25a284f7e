/** What `fw desktop` takes, with and without `open`. */
export const desktopArgs = {
  workspace: {
    type: 'string' as const,
    description: 'The address of the hub, or a file that names hub and applications; without it, the one of last time.',
    valueHint: 'file or address',
  },
  browser: {
    type: 'string' as const,
    description: 'The Chrome, Edge or Chromium to use; without it FW_DESKTOP_BROWSER, or the first that is found.',
    valueHint: 'path',
  },
}
