import { describe, expect, it } from 'vitest'
import { actionFiles } from '#fairway/modules/registry/catalogs'
import { findOperations } from '#fairway/modules/registry/operation-files'
import { knownTypes, TEST_TYPE } from '#fairway/server/domains/webhooks/event-types'
import { toOcsf } from '#fairway/server/domains/webhooks/ocsf'
import { LISTED } from '#fairway/server/domains/webhooks/ocsf-types'
import { eventKinds, findEventKind } from '#fairway/server/kernel/security-events/event-kinds'
import { VERSION } from '#fairway/shared/package'
import { sampleDir } from '../../../../scripts/sample.mjs'

const AT = '2026-03-01T08:00:00.000Z'
const SENDER = { orgId: 'org1', service: 'Notes' }
/** The largest activity of each class in OCSF 1.8.0, besides 99. */
const LAST_ACTIVITY: Record<number, number> = { 3001: 12, 3002: 7, 3004: 13, 3005: 2, 3006: 8, 6001: 8, 6003: 4 }

const audited = findOperations().flatMap(({ name, isAudited }) => (isAudited ? [name] : []))
const actions = actionFiles(sampleDir).map(({ name }) => name)
const types = [...knownTypes('organization', [...audited, ...actions, 'export-collection']), TEST_TYPE]

/** The data of an audit row as webhooks send it. */
const row = (action: string, more: object = {}) => ({
  at: AT,
  action,
  caller: 'http',
  via: null,
  userEmail: 'ada@example.test',
  outcome: 'ok',
  errorCode: null,
  times: 1,
  input: '{}',
  requestId: 'r1',
  seq: 17,
  hash: 'h1',
  id: 'a1',
  subjectType: null,
  subjectId: null,
  subjectTitle: null,
  changes: null,
  ...more,
})

/** The data of a security event as operators receive it. */
const securityEvent = (kind: string, more: object = {}) => ({
  at: AT,
  kind,
  subject: null,
  clientAddress: '192.0.2.7',
  userId: 'u1',
  orgId: null,
  reason: null,
  device: 'Firefox on Windows',
  outcome: findEventKind(kind)?.outcome,
  requestId: 'r1',
  id: 's1',
  ...more,
})

const audit = (action: string, more?: object) =>
  toOcsf({ type: `audit.${action}`, timestamp: AT, data: row(action, more) }, SENDER)
const security = (kind: string, more?: object, orgId: string | null = null) =>
  toOcsf({ type: `security.${kind}`, timestamp: AT, data: securityEvent(kind, more) }, { ...SENDER, orgId })

const isNamed = (value: unknown) => {
  const { name, uid } = Object(value)
  return Boolean(name ?? uid)
}

/** What each class requires besides the attributes of every event; objects need a name or a uid. */
const REQUIRED: Record<number, (event: Record<string, unknown>) => boolean> = {
  3001: ({ user }) => isNamed(user),
  3002: ({ user, service }) => isNamed(user) && isNamed(service),
  3004: ({ entity }) => isNamed(entity),
  3005: ({ user, privileges }) => isNamed(user) && Array.isArray(privileges) && privileges.length > 0,
  3006: ({ group }) => isNamed(group),
  6001: ({ web_resources }) => Array.isArray(web_resources) && web_resources.every(isNamed),
  6003: ({ actor, api, src_endpoint }) => {
    const { user, app_name } = Object(actor)
    const { ip } = Object(src_endpoint)
    return (
      Boolean(app_name ?? isNamed(user)) && Boolean(Object(api).operation) && (isNamed(src_endpoint) || Boolean(ip))
    )
  },
}

const dataOf = (type: string): Record<string, unknown>[] => {
  const name = type.slice(type.indexOf('.') + 1)
  if (type === TEST_TYPE) return [{ id: 't1', webhook: 'w1' }]
  if (type.startsWith('audit.'))
    return [
      row(name),
      // A row that counts denials keeps no input. A visitor has no name.
      row(name, { outcome: 'denied', errorCode: 'forbidden', input: null, times: 3, userEmail: null, via: 'visitor' }),
      row(name, { caller: 'mcp', via: 'claude' }),
    ]
  return [
    securityEvent(name),
    securityEvent(name, { userId: null, clientAddress: null, reason: null }),
    // The organization does not see the address, the device and most subjects.
    securityEvent(name, { clientAddress: undefined, device: undefined, orgId: 'org1' }),
  ]
}

describe.each(types)('%s', type => {
  it('is a valid event of OCSF 1.8.0', () => {
    for (const data of dataOf(type)) {
      const event = toOcsf({ type, timestamp: AT, data }, SENDER)
      const { activity_id: activity, class_uid: classUid } = event
      expect(event).toMatchObject({
        category_uid: Math.floor(classUid / 1000),
        type_uid: classUid * 100 + activity,
        time: Date.parse(AT),
        severity_id: expect.toBeOneOf([1, 2, 3]),
        status_id: expect.toBeOneOf([1, 2]),
        metadata: {
          version: '1.8.0',
          product: { name: 'Fairway', version: VERSION },
          uid: data.id,
          tenant_uid: 'org1',
          event_code: type,
        },
      })
      expect(activity === 99 || (activity > 0 && activity <= LAST_ACTIVITY[classUid]!)).toBe(true)
      expect(Boolean(event.activity_name)).toBe(activity === 99)
      expect(REQUIRED[classUid]?.(event), JSON.stringify(event)).toBe(true)
    }
  })
})

describe('an event as OCSF', () => {
  it('lists only types that exist, each once', () => {
    const listed = Object.values(LISTED).flatMap(activities => Object.values(activities).flat())
    expect(listed.filter(type => !types.includes(type))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
    // Security events that no class describes.
    const kinds = Object.keys(eventKinds).map(kind => `security.${kind}`)
    expect(kinds.filter(type => !listed.includes(type))).toEqual([
      'security.token-refresh-failed',
      'security.invalid-provider-response',
      'security.provider-client-refused',
      'security.job-failed',
      'security.files-not-deleted',
      'security.peer-refused',
    ])
  })

  it('is Authentication for sign-ins, with the result, the method and the network address', () => {
    expect(security('new-device')).toMatchObject({
      type_uid: 300201,
      status_id: 1,
      severity_id: 1,
      user: { uid: 'u1' },
      service: { name: 'Notes' },
      src_endpoint: { ip: '192.0.2.7' },
      unmapped: { device: 'Firefox on Windows' },
    })
    expect(security('sign-in-failed', { userId: null, reason: 'unknown-address' })).toMatchObject({
      type_uid: 300201,
      status_id: 2,
      severity_id: 2,
      status_detail: 'unknown-address',
      user: { name: 'unknown', type_id: 0 },
    })
    expect(security('sign-in-blocked')).toMatchObject({ type_uid: 300201, status_id: 2, severity_id: 3 })
    expect(security('backup-code-used')).toMatchObject({ type_uid: 300201, is_mfa: true })
    expect(security('code-replayed')).toMatchObject({ type_uid: 300201, status_id: 2, auth_protocol_id: 6 })
    expect(security('sessions-revoked')).toMatchObject({ type_uid: 300202, status_id: 1 })
    expect(audit('end-person-sessions', { input: '{"personId":"p1"}' })).toMatchObject({
      type_uid: 300202,
      user: { uid: 'p1' },
      actor: { user: { name: 'ada@example.test', email_addr: 'ada@example.test' } },
    })
  })

  it('is Account Change for accounts that are deleted, suspended or reactivated', () => {
    expect(audit('delete-account')).toMatchObject({ type_uid: 300106, user: { name: 'ada@example.test' } })
    expect(security('account-deleted')).toMatchObject({ type_uid: 300106, user: { uid: 'u1' } })
    expect(audit('suspend-person', { input: '{"personId":"p1"}' })).toMatchObject({
      type_uid: 300105,
      user: { uid: 'p1' },
    })
    expect(audit('suspend-person', { input: null }).user).toEqual({ name: 'unknown', type_id: 0 })
    expect(security('account-reactivated')).toMatchObject({ type_uid: 300102 })
  })

  it('is Account Change for passwords and second factors', () => {
    expect(security('password-changed')).toMatchObject({ type_uid: 300103 })
    expect(security('two-factor-on')).toMatchObject({ type_uid: 300110 })
    expect(audit('switch-off-two-factor')).toMatchObject({ type_uid: 300111 })
    expect(audit('remove-passkey')).toMatchObject({ type_uid: 300111 })
  })

  it('is User Access Management for roles that are given and taken', () => {
    const input = '{"email":"bob@example.test","role":"admin"}'
    expect(audit('change-member-role', { input })).toMatchObject({
      type_uid: 300501,
      privileges: ['admin'],
      user: { name: 'bob@example.test' },
      resources: [{ uid: 'org1', name: 'organization' }],
    })
    const role = (value: string | null) => ({
      input: JSON.stringify({ appId: 'notes', email: 'b@x.test', role: value }),
    })
    expect(audit('assign-app-role', role('editor'))).toMatchObject({ type_uid: 300501, privileges: ['editor'] })
    expect(audit('assign-app-role', role(null))).toMatchObject({ type_uid: 300502, resources: [{ uid: 'notes' }] })
  })

  it('is Group Management for organizations and their members', () => {
    expect(audit('join-organization')).toMatchObject({
      type_uid: 300603,
      group: { type: 'organization', uid: 'org1' },
      user: { name: 'ada@example.test' },
    })
    expect(audit('remove-member', { input: '{"email":"bob@example.test"}' })).toMatchObject({
      type_uid: 300604,
      user: { name: 'bob@example.test' },
    })
    expect(audit('leave-organization')).toMatchObject({ type_uid: 300604 })
    expect(audit('create-organization', { input: '{"name":"Acme"}' })).toMatchObject({
      type_uid: 300606,
      group: { name: 'Acme' },
    })
    expect(audit('delete-organization')).toMatchObject({ type_uid: 300605 })
  })

  it('is Entity Management for connections, policies and keys', () => {
    const connection = { input: '{"id":"c1","name":"Okta"}' }
    expect(audit('add-identity-connection', connection)).toMatchObject({
      type_uid: 300401,
      entity: { type: 'identity-connection', name: 'Okta', uid: 'c1' },
    })
    expect(audit('change-identity-connection', connection)).toMatchObject({ type_uid: 300403 })
    expect(audit('delete-identity-connection', connection)).toMatchObject({ type_uid: 300404 })
    expect(audit('activate-identity-connection', connection)).toMatchObject({ type_uid: 300410 })
    expect(audit('deactivate-identity-connection', connection)).toMatchObject({ type_uid: 300411 })
    expect(audit('set-session-policy')).toMatchObject({ type_uid: 300403, entity: { type: 'session-policy' } })
    expect(security('token-made', { subject: 'CI' }, 'org1')).toMatchObject({
      type_uid: 300401,
      entity: { type: 'token', name: 'CI' },
    })
  })

  it('is API Activity for tools that an agent calls, with the activity of their verb', () => {
    const byAgent = (action: string, more = {}) => audit(action, { caller: 'mcp', via: 'claude', ...more })
    const subject = { subjectType: 'notes', subjectId: 'n1', subjectTitle: 'Plan' }
    expect(byAgent('create-note', subject)).toMatchObject({
      type_uid: 600301,
      actor: { user: { name: 'ada@example.test' }, app_name: 'claude' },
      api: { operation: 'create-note', service: { name: 'Notes' } },
      src_endpoint: { name: 'claude' },
      resources: [{ name: 'Plan', type: 'notes', uid: 'n1' }],
    })
    expect(byAgent('search-notes')).toMatchObject({ type_uid: 600302 })
    expect(byAgent('update-note')).toMatchObject({ type_uid: 600303 })
    expect(byAgent('delete-note')).toMatchObject({ type_uid: 600304 })
    expect(byAgent('frobnicate-note')).toMatchObject({ type_uid: 600399, activity_name: 'frobnicate-note' })
    expect(byAgent('share-note')).toMatchObject({ type_uid: 600303 })
  })

  it('is Web Resources Activity for exports and shares of people', () => {
    expect(audit('export-collection', { input: '{"name":"note-list"}' })).toMatchObject({
      type_uid: 600107,
      web_resources: [{ name: 'note-list' }],
    })
    expect(audit('share-note', { subjectType: 'notes', subjectId: 'n1' })).toMatchObject({
      type_uid: 600108,
      web_resources: [{ name: 'note', type: 'notes', uid: 'n1' }],
    })
    expect(security('account-exported')).toMatchObject({ type_uid: 600107 })
  })

  it('says when a call was refused or only asked for a confirmation, and how often', () => {
    expect(audit('create-note', { outcome: 'denied', errorCode: 'forbidden', times: 3 })).toMatchObject({
      status_id: 2,
      severity_id: 3,
      status_code: 'forbidden',
      count: 3,
    })
    expect(audit('delete-note', { outcome: 'asked', errorCode: 'confirmation-required' })).toMatchObject({
      status_id: 2,
      severity_id: 1,
    })
  })

  it('has the organization of the event when it goes to operators', () => {
    expect(security('token-made', { orgId: 'org2' }).metadata).toMatchObject({ tenant_uid: 'org2' })
    expect(security('new-device').metadata.tenant_uid).toBeUndefined()
  })
})
