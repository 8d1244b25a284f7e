// What the package ships of the repository's root: npm takes files from the package's own folder only. The copies are not
// committed, and they stay, because several may pack at once.
import { copyFileSync, renameSync } from 'node:fs'

for (const name of ['LICENSE', 'CHANGELOG.md']) {
  const target = new URL(`../layers/fairway/${name}`, import.meta.url)
  const draft = new URL(`${target}.${process.pid}.tmp`)
  copyFileSync(new URL(`../${name}`, import.meta.url), draft)
  renameSync(draft, target)
}
