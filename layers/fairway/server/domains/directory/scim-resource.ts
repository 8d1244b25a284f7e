import type { App } from '#fairway/server/kernel/app-context'
import type { PageQuery, Projection } from './scim-page'
import type { ScimDocument } from './scim-patch'

/** A kind of resource: what each method of RFC 7644 §3 does with its rows. */
export interface ScimResource<Row> {
  /** Throws ScimError 404. */
  require(app: App, orgId: string, id: string): Promise<Row>
  list(app: App, orgId: string, page: PageQuery): Promise<{ rows: Row[]; total: number; startIndex: number }>
  add(app: App, orgId: string, document: ScimDocument): Promise<Row>
  replace(app: App, row: Row, document: ScimDocument): Promise<Row>
  patch(app: App, row: Row, body: ScimDocument): Promise<Row>
  /** PATCH answers 204 unless the request names attributes: the document may be long (RFC 7644 §3.5.2). */
  isLong?: true
  remove(app: App, row: Row): Promise<void>
  toDocuments(app: App, rows: readonly Row[], projection: Projection): Promise<ScimDocument[]>
}
