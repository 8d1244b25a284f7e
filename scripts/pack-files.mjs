// Copies files of the repository's root into the package that npm packs, because npm packs no file outside of it, and compiles the
// platform's command line. These files are not committed. They are not deleted, because several processes may pack at the same time.
import { copyFileSync, readFileSync, renameSync } from 'node:fs'
import { compileOnce } from './compile-cli.mjs'
import { compileCreate } from './compile-create.mjs'

const { name: packed, files } = JSON.parse(readFileSync('package.json', 'utf8'))
for (const name of ['LICENSE', ...files.filter(file => file === 'CHANGELOG.md')]) {
  const draft = `${name}.${process.pid}.tmp`
  copyFileSync(new URL(`../${name}`, import.meta.url), draft)
  renameSync(draft, name)
}

if (packed === 'nuxt-fairway') await compileOnce()
if (packed === 'create-nuxt-fairway') await compileCreate()
