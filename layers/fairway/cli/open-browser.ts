import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the person's browser; false when this machine has none to open. */
export function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  return new Promise(resolve => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    // Some openers stay as long as the browser does.
    const timer = setTimeout(() => resolve(true), 3000)
    const end = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => end(false))
    child.once('exit', code => end(code === 0))
    child.unref()
  })
}
