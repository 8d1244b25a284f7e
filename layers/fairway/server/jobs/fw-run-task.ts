export { runTaskJob as default } from '#fairway/server/domains/mcp'
