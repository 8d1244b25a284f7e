import { describe, expect, it } from 'vitest'
import { needPackage } from '#fairway/cli/project/optional-package'
import { platformDir } from '#fairway/modules/registry/roots'

const place = { root: platformDir, purpose: 'The desktop program' }

describe('needPackage', () => {
  it('does nothing for an installed package', async () => {
    expect(await needPackage('nuxt-fairway-desktop', place)).toBeUndefined()
  })

  it('explains how to add a missing package in a non-interactive shell', async () => {
    await expect(needPackage('not-installed', place)).rejects.toThrow(
      /^The desktop program needs not-installed\. Add it: npm install --save-dev not-installed@/,
    )
  })
})
