// `npm run release`: shows what a release of nuxt-fairway and nuxt-fairway-desktop would do, and changes nothing. `-- 0.2.0` names
// the version; the default is that of package.json. `-- --publish` does it: changes the files, runs all tests, commits, tags and
// pushes. The tag starts .github/workflows/release.yml, which runs `npm publish --provenance`: npm creates a provenance only in a
// workflow.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { faultsOf, fileEdits, packageFolders, publishedText } from './release-edits.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const shell = process.platform === 'win32'
const read = path => readFileSync(join(root, path), 'utf8')
/** The output of git; empty when it fails. */
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()

function run(command, args, undo = () => {}) {
  console.log(`\n$ ${command} ${args.join(' ')}`)
  if (spawnSync(command, args, { cwd: root, shell: shell && command === 'npm', stdio: 'inherit' }).status === 0) return
  undo()
  console.error(`\n${command} ${args[0]} failed, so nothing is published. Fix it, then run this again.`)
  process.exit(1)
}

/** Returns the new texts of the files that a release changes, by path. */
function plannedTexts(version) {
  const documents = git('ls-files', '*.md').split('\n')
  const edits = { ...Object.fromEntries(documents.map(path => [path, publishedText])), ...fileEdits(version) }
  const texts = Object.entries(edits).map(([path, edit]) => [path, edit(read(path))])
  return new Map(texts.filter(([path, text]) => text !== read(path)))
}

/** Describes the package of a folder as npm would pack it now. */
function packed(folder) {
  const args = ['pack', '--dry-run', '--json', '--loglevel=error']
  const written = execFileSync('npm', args, { cwd: join(root, folder), shell, encoding: 'utf8' })
  const [{ name, entryCount, size }] = JSON.parse(written.slice(written.indexOf('[\n')))
  return `${name} ${version}: ${entryCount} files, ${(size / 1e6).toFixed(2)} MB`
}

const given = process.argv.slice(2)
const manifest = JSON.parse(read('layers/fairway/package.json'))
const version = given.find(arg => !arg.startsWith('-')) ?? manifest.version
const tag = `v${version}`
const hasTag = git('tag', '--points-at', 'HEAD').split('\n').includes(tag)
const faults = faultsOf({
  version,
  changelog: read('CHANGELOG.md'),
  branch: git('branch', '--show-current'),
  status: git('status', '--porcelain'),
  isTagged: !hasTag && git('tag', '--list', tag) !== '',
  origin: git('remote', 'get-url', 'origin'),
  manifest,
})
const texts = plannedTexts(version)
const paths = [...texts.keys()]

console.log(packageFolders.map(packed).join('\n'))
if (faults.length > 0) console.log(`\nFix first:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
console.log(`\nChanges:\n${paths.map(path => `  ${path}`).join('\n') || '  no file'}`)
console.log(`\nRuns:\n  npm test\n  git commit, git tag ${tag}\n  git push --atomic origin main ${tag}`)
console.log('\nThe tag starts .github/workflows/release.yml:\n  npm publish --provenance, for each package')
if (!given.includes('--publish')) {
  console.log(`\nNothing is changed. To release: npm run release -- ${version} --publish`)
  process.exit(0)
}
if (faults.length > 0) process.exit(1)

for (const [path, text] of texts) writeFileSync(join(root, path), text)
run('npm', ['test'], () => paths.length > 0 && git('restore', '--', ...paths))
if (paths.length > 0) run('git', ['commit', '--message', `chore(release): nuxt-fairway ${version}`, '--', ...paths])
if (!hasTag) run('git', ['tag', '--annotate', tag, '--message', `nuxt-fairway ${version}`])
run('git', ['push', '--atomic', 'origin', 'main', tag])
console.log(`\n${tag} is pushed. The workflow "release" on GitHub publishes it.`)
