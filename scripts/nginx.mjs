import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Where `scripts/setup.mjs` unpacks nginx on a machine that has none. */
export const unpackedNginx = fileURLToPath(new URL('../node_modules/.cache/nginx', import.meta.url))

/** The nginx for the tests behind a proxy: this machine's or the unpacked one; undefined where there is none. */
export function findNginx() {
  const unpacked = `${unpackedNginx}/usr/sbin/nginx`
  return ['nginx', '/usr/sbin/nginx', unpacked].find(path => spawnSync(path, ['-v'], { stdio: 'ignore' }).status === 0)
}
