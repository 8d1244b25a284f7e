import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineCommand } from 'citty'

const SERVER = '.output/server/index.mjs'

/** `fw start`: this process becomes the built server, so that signals and its exit code are its own; ends with 1 where nothing is built. */
export const startCommand = (importPlainly: (url: string) => Promise<unknown>) =>
  defineCommand({
    meta: { name: 'start', description: 'Start the built server, as production unless NODE_ENV says otherwise.' },
    async run() {
      const server = resolve(SERVER)
      if (!existsSync(server)) {
        process.stderr.write('There is no build yet. Run `npm run build` first.\n')
        process.exitCode = 1
        return
      }
      process.env.NODE_ENV ||= 'production'
      await importPlainly(pathToFileURL(server).href)
    },
  })
