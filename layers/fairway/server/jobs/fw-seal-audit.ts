export { sealAuditJob as default } from '#fairway/server/domains/actions'
