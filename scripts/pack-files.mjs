// Compiles the command line, and copies files from the repository's root into the package, because npm only packs files from the
// package's folder. These files are not committed. They are not deleted, because several processes may pack at the same time.
import { copyFileSync, renameSync } from 'node:fs'
import { compileOnce } from './compile-cli.mjs'

for (const name of ['LICENSE', 'CHANGELOG.md']) {
  const target = new URL(`../layers/fairway/${name}`, import.meta.url)
  const draft = new URL(`${target}.${process.pid}.tmp`)
  copyFileSync(new URL(`../${name}`, import.meta.url), draft)
  renameSync(draft, target)
}

await compileOnce()
