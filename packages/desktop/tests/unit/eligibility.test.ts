import { describe, expect, it } from 'vitest'
import { checkClient, checkEligibility, type HubApp, type DesktopApp } from '../../src/eligibility'

const HUB = 'https://hub.example.com'
const notes: DesktopApp = {
  id: 'notes',
  name: 'Notes',
  origin: 'https://notes.example.com',
  mode: 'production',
  isEnabled: true,
  workspaceSso: true,
}
const { workspaceSso: _, ...unconfigured } = notes
const hubApp: HubApp = {
  appId: 'notes',
  clientId: 'notes',
  origin: notes.origin,
  callbackUrl: `${notes.origin}/_fw/identity/callback`,
  isCanonical: false,
}
const canonical = { ...hubApp, isCanonical: true }
const calledAt = (callbackUrl: string): HubApp => ({ ...hubApp, callbackUrl })
const EVIL = 'https://evil.example.com'
const at = (origin: string): [DesktopApp, HubApp] => [
  { ...notes, origin },
  { ...hubApp, origin, callbackUrl: `${origin}/_fw/identity/callback` },
]

describe('checkEligibility', () => {
  it('accepts a canonical application without shell configuration', () => {
    expect(checkEligibility(unconfigured, [canonical], false)).toEqual({ isEligible: true, hubApp: canonical })
  })

  it('accepts a custom application that opted in and is registered exactly', () => {
    expect(checkEligibility(notes, [hubApp], false)).toEqual({ isEligible: true, hubApp })
  })

  const off = { isEnabled: false }
  const developed = { mode: 'development' } as const
  it.each<[string, DesktopApp, HubApp[], string]>([
    ['a custom application without workspaceSso', unconfigured, [hubApp], 'not-opted-in'],
    ['one that is switched off in the shell', { ...notes, ...off }, [hubApp], 'not-opted-in'],
    ['a canonical one that is switched off', { ...notes, ...off }, [canonical], 'not-opted-in'],
    ['one in development', { ...notes, ...developed }, [hubApp], 'not-production'],
    ['a canonical one in development', { ...unconfigured, ...developed }, [canonical], 'not-production'],
    ['one the hub does not know', notes, [], 'not-registered'],
    ['one the hub knows by another id', { ...notes, id: 'notes-two' }, [hubApp], 'not-registered'],
    ['one the hub knows at another origin', { ...notes, origin: EVIL }, [hubApp], 'not-registered'],
    ['a canonical id at another origin', { ...unconfigured, origin: EVIL }, [canonical], 'not-opted-in'],
    ['one whose callback is on another origin', notes, [calledAt(`${EVIL}/callback`)], 'not-registered'],
    ['one whose callback has a query', notes, [calledAt(`${hubApp.callbackUrl}?next=/`)], 'not-registered'],
    ['one whose callback has a fragment', notes, [calledAt(`${hubApp.callbackUrl}#x`)], 'not-registered'],
    ['one whose callback is no address', notes, [calledAt('/_fw/identity/callback')], 'not-registered'],
  ])('rejects %s', (_title, app, snapshot, reason) => {
    expect(checkEligibility(app, snapshot, false)).toEqual({ isEligible: false, reason })
  })

  it.each([
    'http://notes.example.com',
    'https://notes.example.com/',
    'https://notes.example.com/path',
    'https://notes.example.com:443',
    'https://NOTES.example.com',
    'https://user@notes.example.com',
    'https://*.example.com',
    ' https://notes.example.com',
    'javascript:alert(1)',
    'notes.example.com',
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'null',
    '',
  ])('rejects %j, which is not an exact https origin', origin => {
    const [app, registered] = at(origin)
    expect(checkEligibility(app, [registered], false)).toEqual({ isEligible: false, reason: 'origin-not-exact' })
  })

  it('accepts http on this machine only when the broker allows it', () => {
    const [app, registered] = at('http://127.0.0.2:3000')
    expect(checkEligibility(app, [registered], true).isEligible).toBe(true)
    const [elsewhere, registeredElsewhere] = at('http://10.0.0.1:3000')
    expect(checkEligibility(elsewhere, [registeredElsewhere], true)).toMatchObject({ reason: 'origin-not-exact' })
  })
})

describe('checkClient', () => {
  const client = { hubUrl: HUB, appId: 'notes', clientId: 'notes', callbackUrl: hubApp.callbackUrl }

  it('accepts a client whose hub, ids and callback match the registration', () => {
    expect(checkClient(client, hubApp, HUB)).toBeUndefined()
  })

  it.each([
    ['has no hub or no shared secret', null, 'no-shared-secret'],
    ['has another hub', { ...client, hubUrl: 'https://other.example.com' }, 'hub-differs'],
    ['has the hub with a slash', { ...client, hubUrl: `${HUB}/` }, 'hub-differs'],
    ['has another app id', { ...client, appId: 'tasks' }, 'not-registered'],
    ['has another client id', { ...client, clientId: 'tasks' }, 'not-registered'],
    ['has another callback', { ...client, callbackUrl: `${notes.origin}/callback` }, 'not-registered'],
  ])('rejects a client that %s', (_title, said, reason) => {
    expect(checkClient(said, hubApp, HUB)).toBe(reason)
  })
})
