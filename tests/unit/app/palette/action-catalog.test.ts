import { describe, expect, it } from 'vitest'
import { readActionCatalog } from '#fairway/app/palette/action-catalog'

const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const operation = (marks: object = {}) => ({
  description: 'Deletes a note.',
  requestBody: { content: { 'application/json': { schema } } },
  'x-fairway': { readOnly: false, destructive: false, public: false, group: 'notes', ...marks },
})

describe('readActionCatalog', () => {
  it('reads the actions of the document, by name', () => {
    const actions = readActionCatalog({
      paths: {
        '/_fw/actions/list-notes': { get: {}, post: operation({ readOnly: true }) },
        '/_fw/actions/delete-note': { post: operation({ destructive: true }) },
        '/_fw/session': { post: operation() },
      },
    })
    expect(actions).toEqual([
      {
        name: 'delete-note',
        description: 'Deletes a note.',
        group: 'notes',
        isReadOnly: false,
        isDestructive: true,
        inputSchema: schema,
      },
      {
        name: 'list-notes',
        description: 'Deletes a note.',
        group: 'notes',
        isReadOnly: true,
        isDestructive: false,
        inputSchema: schema,
      },
    ])
  })

  it('reads an action without input, marks or description', () => {
    expect(readActionCatalog({ paths: { '/_fw/actions/ping': { post: {} } } })).toEqual([
      { name: 'ping', description: '', group: '', isReadOnly: false, isDestructive: false, inputSchema: undefined },
    ])
  })

  it('refuses what is not an OpenAPI document', () => {
    expect(() => readActionCatalog({ hello: 1 })).toThrow()
  })
})
