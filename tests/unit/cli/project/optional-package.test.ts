import { describe, expect, it } from 'vitest'
import { needPackage } from '#fairway/cli/project/optional-package'
import { platformDir } from '#fairway/modules/registry/roots'

const place = { root: platformDir, purpose: 'The desktop program' }

describe('needPackage', () => {
  it('does nothing for a package that is installed', async () => {
    expect(await needPackage('playwright-core', place)).toBeUndefined()
  })

  it('says how to add one that is not, where nobody can be asked', async () => {
    await expect(needPackage('not-installed', place)).rejects.toThrow(
      /^The desktop program needs not-installed\. Add it: npm install --save-dev not-installed@/,
    )
  })
})
