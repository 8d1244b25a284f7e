// The parts of `npm run release` (release.mjs) that only compute: what a release changes in files, and what must be true first.

/** A text that is true until npm has the package: `<!-- until published -->now<!-- end -->`. Around it, the text is true later too. */
const MARKED = /(?:\n\n)?<!-- until published -->.*?<!-- end -->/gs

/** Returns a document as it reads once npm has the package. */
export const publishedText = text => text.replaceAll(MARKED, '')

/** The repository of an address, as `owner/name`; undefined when it is not on GitHub. */
export const repositoryOf = address => /github\.com[:/]([^/]+\/[^/#]+?)(?:\.git)?(?:[/#].*)?$/.exec(address)?.[1]

/** The folders of the packages that a release publishes with one version, in order. */
export const packageFolders = ['layers/fairway', 'packages/desktop', 'packages/create']

/** The text of a package.json with a new version of the package, and of the others that it names as peers. */
const manifestEdit = version => text =>
  text
    .replace(/^ {2}"version": ".*"/m, `  "version": "${version}"`)
    .replace(/"(nuxt-fairway(?:-desktop)?)": "\d.*"/, `"$1": "${version}"`)
    .replace('"private": true', '"private": false')

/** The changes of the files that name the version or say whether the packages are published, by path. */
export const fileEdits = version => ({
  ...Object.fromEntries(packageFolders.map(folder => [`${folder}/package.json`, manifestEdit(version)])),
  'layers/fairway/shared/package.ts': text =>
    text.replace(/VERSION = '.*'/, `VERSION = '${version}'`).replace('IS_PUBLISHED = false', 'IS_PUBLISHED = true'),
  'package.json': text => text.replace(/"nuxt-fairway": ".*"/, `"nuxt-fairway": "${version}"`),
  'package-lock.json'(text) {
    const lock = JSON.parse(text)
    lock.packages[''].dependencies['nuxt-fairway'] = version
    for (const folder of packageFolders) {
      const { peerDependencies = {} } = Object.assign(lock.packages[folder], { version })
      for (const name of ['nuxt-fairway', 'nuxt-fairway-desktop'])
        if (Object.hasOwn(peerDependencies, name)) peerDependencies[name] = version
    }
    return `${JSON.stringify(lock, null, 2)}\n`
  },
})

const hasEntries = (changelog, heading) =>
  changelog.split(/^## /m).some(section => section.startsWith(`${heading}\n`) && /^- /m.test(section))

/** Returns what prevents a release, in sentences. `status` is that of git; `isTagged` means that another commit has the tag. */
export function faultsOf({ version, changelog, branch, status, isTagged, origin, manifest }) {
  const named = [manifest.repository.url, manifest.homepage, manifest.bugs].map(repositoryOf)
  return [
    !/^\d+\.\d+\.\d+$/.test(version) && `${version} is not a version, such as 0.2.0.`,
    !hasEntries(changelog, version) && `CHANGELOG.md has no entries below "## ${version}".`,
    hasEntries(changelog, 'Unreleased') && `Move the entries below "## Unreleased" of CHANGELOG.md to "## ${version}".`,
    branch !== 'main' && `You're on the branch ${branch}. Switch to main.`,
    status !== '' && 'You have uncommitted changes. Commit or stash them.',
    isTagged && `Another commit has the tag v${version}. Choose the next version.`,
    named.some(name => name !== repositoryOf(origin)) &&
      `layers/fairway/package.json names ${[...new Set(named)].join(', ')} in repository, homepage and bugs, but the remote origin is ${origin || 'missing'}. npm requires the repository that publishes.`,
  ].filter(Boolean)
}
