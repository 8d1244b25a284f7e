// The OCSF 1.8.0 form of events (https://schema.ocsf.io/1.8.0) with the attributes of their class.
import { jsonOf } from '#fairway/server/kernel/declaration'
import { VERSION } from '#fairway/shared/package'
import { isRecord } from '#fairway/shared/record'
import type { OcsfEvent, WebhookPayload } from '#fairway/shared/schemas/webhook'
import {
  ACCOUNT_CHANGE,
  ADD_USER,
  API_ACTIVITY,
  AUTHENTICATION,
  ENTITY_MANAGEMENT,
  GROUP_MANAGEMENT,
  nameOf,
  OAUTH_FAILURES,
  OTHER,
  REMOVE_USER,
  typeOf,
  USER_ACCESS,
  WEB_RESOURCES_ACTIVITY,
} from './ocsf-types'

const OCSF_VERSION = '1.8.0'

/** The field of the kept input that names the person whom the action changes. For other actions that is who acted. */
const TARGET_FIELDS: Readonly<Record<string, 'personId' | 'email'>> = {
  'audit.suspend-person': 'personId',
  'audit.reactivate-person': 'personId',
  'audit.reset-second-factor': 'personId',
  'audit.end-person-sessions': 'personId',
  'audit.view-person': 'personId',
  'audit.assign-app-role': 'email',
  'audit.assign-role': 'email',
  'audit.unassign-role': 'email',
  'audit.change-member-role': 'email',
  'audit.transfer-ownership': 'email',
  'audit.remove-member': 'email',
}

/** Who sends an event: the organization of the webhook, and the name of the application. */
interface Sender {
  orgId: string | null
  service: string
}

/** An event while it is mapped. */
interface Source extends Sender {
  type: string
  /** The type without the name of its log. */
  name: string
  activity: number
  /** A text of the event's data. */
  text(field: string): string | undefined
  /** A text of the input that an audit row kept. */
  input(field: string): string | undefined
}

/** An event in the form of OCSF 1.8.0. */
export function toOcsf({ type, timestamp, data }: WebhookPayload, sender: Sender): OcsfEvent {
  const text = textsOf(data)
  const input = textsOf(jsonOf(text('input') ?? ''))
  const typeUid = typeOf(type, text('caller'), input)
  const classUid = Math.floor(typeUid / 100)
  const activity = typeUid % 100
  const name = nameOf(type)
  const orgId = sender.orgId ?? text('orgId') ?? null
  const source: Source = { ...sender, orgId, type, name, activity, text, input }
  return {
    activity_id: activity,
    activity_name: activity === OTHER ? name : undefined,
    category_uid: Math.floor(classUid / 1000),
    class_uid: classUid,
    type_uid: typeUid,
    time: Date.parse(timestamp),
    ...outcomeOf(source),
    count: data.times,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Fairway', vendor_name: 'Fairway', version: VERSION },
      log_provider: sender.service,
      event_code: type,
      uid: text('id'),
      tenant_uid: orgId ?? undefined,
      correlation_uid: text('requestId'),
      sequence: data.seq ?? undefined,
    },
    ...attributesOf(classUid, source),
    unmapped: unmappedOf(data),
  }
}

const textsOf =
  (values: unknown) =>
  (field: string): string | undefined => {
    const value = isRecord(values) ? values[field] : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  }

/** Success or failure, with a severity: 1 is informational, 2 low (it failed), 3 medium (it was refused). */
function outcomeOf({ text }: Source) {
  const outcome = text('outcome') ?? 'done'
  return {
    severity_id: outcome === 'failed' ? 2 : outcome === 'denied' || outcome === 'blocked' ? 3 : 1,
    status_id: outcome === 'ok' || outcome === 'done' ? 1 : 2,
    status_code: text('errorCode'),
    status_detail: text('reason'),
  }
}

/**
 * The attributes of a class, and who did it from where. API Activity requires both, so unknown ones are named after the
 * application.
 */
function attributesOf(classUid: number, source: Source): Record<string, unknown> {
  const place = placeOf(source)
  const isCall = classUid === API_ACTIVITY
  return {
    actor: actorOf(source) ?? (isCall ? { app_name: source.service } : undefined),
    src_endpoint: place ?? (isCall ? { name: source.service } : undefined),
    ...ATTRIBUTES[classUid]?.(source),
  }
}

const ATTRIBUTES: Readonly<Record<number, (source: Source) => Record<string, unknown>>> = {
  [ACCOUNT_CHANGE]: source => ({ user: targetOf(source) }),
  [AUTHENTICATION]: source => ({
    user: targetOf(source),
    service: { name: source.service },
    // OAuth 2.0
    auth_protocol_id: OAUTH_FAILURES.includes(source.type) ? 6 : undefined,
    is_mfa: source.name === 'backup-code-used' || source.text('reason') === 'code' ? true : undefined,
  }),
  [ENTITY_MANAGEMENT]: source => ({ entity: entityOf(source) }),
  [USER_ACCESS]: source => ({
    user: targetOf(source),
    privileges: [
      source.name === 'transfer-ownership' ? 'owner' : (source.input('role') ?? source.input('name') ?? 'unknown'),
    ],
    resources: [
      { uid: source.input('appId') ?? source.orgId ?? undefined, name: source.input('appId') ?? 'organization' },
    ],
  }),
  [GROUP_MANAGEMENT]: source => ({
    group: {
      type: 'organization',
      name: source.input('name') ?? 'organization',
      uid: source.input('orgId') ?? source.orgId ?? undefined,
    },
    user: source.activity === ADD_USER || source.activity === REMOVE_USER ? targetOf(source) : undefined,
  }),
  [WEB_RESOURCES_ACTIVITY]: source => ({ web_resources: [resourceOf(source)] }),
  [API_ACTIVITY]: source => ({
    api: { operation: source.name, service: { name: source.service } },
    resources: source.text('subjectId') ? [resourceOf(source)] : undefined,
  }),
}

const person = (email: string) => ({ name: email, email_addr: email })

/** Who acted. Security events name the account that they are about, which is not always who acted. */
function actorOf({ type, text }: Source): Record<string, unknown> | undefined {
  if (!type.startsWith('audit.')) return undefined
  const email = text('userEmail')
  return email ? { user: person(email), app_name: text('via') } : { app_name: text('via') ?? text('caller') }
}

/** The network address, or the surface that a call came through. */
function placeOf({ text }: Source): Record<string, unknown> | undefined {
  const ip = text('clientAddress')
  const name = text('via') ?? text('caller')
  return ip ? { ip } : name ? { name } : undefined
}

/** The account that an event is about; `unknown` where the log does not name it. */
function targetOf({ type, text, input }: Source): Record<string, unknown> {
  const field = TARGET_FIELDS[type]
  const email = field ? input('email') : text('userEmail')
  const uid = field ? input('personId') : text('userId')
  if (uid) return { uid }
  if (!email) return { name: 'unknown', type_id: 0 }
  // A service account is named by its ID.
  return email.includes('@') ? person(email) : { uid: email }
}

/** The entity's type is the name of the event without its verb: `create-webhook`, `token-made`. */
function entityOf({ type, name, text, input }: Source): Record<string, unknown> {
  const entity = type.startsWith('audit.') ? name.slice(name.indexOf('-') + 1) : name.slice(0, name.lastIndexOf('-'))
  return {
    type: entity,
    name: input('name') ?? text('subject') ?? entity,
    uid: input('id') ?? input('domain') ?? input('key') ?? input('provider') ?? input('orgId'),
  }
}

/** The row that an action wrote. Exports have none: they are named after what they export. */
function resourceOf({ name, text, input }: Source): Record<string, unknown> {
  const exported = input('name') ?? name.slice(name.indexOf('-') + 1)
  return { name: text('subjectTitle') ?? exported, type: text('subjectType'), uid: text('subjectId') }
}

/** The fields of the data that have an attribute of their own, or say the same as the type. */
const MAPPED = new Set(
  'id at kind action outcome errorCode reason times requestId seq orgId userId userEmail clientAddress'.split(' '),
)

/** Everything else that the standard format sends, such as the hash and the kept input. */
const unmappedOf = (data: WebhookPayload['data']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(data).filter(([field, value]) => !MAPPED.has(field) && value !== null))
