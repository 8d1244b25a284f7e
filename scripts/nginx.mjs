import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder that `scripts/setup.mjs` unpacks nginx into on a machine that has none. */
export const unpackedNginx = fileURLToPath(new URL('../node_modules/.cache/nginx', import.meta.url))

/** Returns the nginx for the tests behind a proxy: this machine's or the unpacked one; undefined when there is none. */
export function findNginx() {
  const unpacked = `${unpackedNginx}/usr/sbin/nginx`
  return ['nginx', '/usr/sbin/nginx', unpacked].find(path => spawnSync(path, ['-v'], { stdio: 'ignore' }).status === 0)
}
