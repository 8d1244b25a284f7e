import { describe, expect, it } from 'vitest'
import { normalizeCollectionsConfig } from '#fairway/server/kernel/config/collections-config'
import { defineFwConfig } from '#fairway/server/kernel/config/fw-config'

const names = {
  pageParameterName: 'page',
  itemsPerPageParameterName: 'itemsPerPage',
  enabledParameterName: 'pagination',
  partialParameterName: 'partial',
  cursorParameterName: 'cursor',
}

describe('normalizeCollectionsConfig', () => {
  it('returns complete settings by default', () => {
    expect(normalizeCollectionsConfig()).toEqual({
      defaults: {},
      pagination: names,
      orderParameterName: 'order',
      hydraPrefix: false,
      urlGenerationStrategy: 'path',
      runtime: 'sql',
      unknownParameters: 'ignore',
      hardLimit: 10_000,
    })
    expect(defineFwConfig().collections.pagination).toEqual(names)
  })

  it.each([
    [
      'camelCase',
      { defaults: { paginationItemsPerPage: 7 }, pagination: { pageParameterName: 'p' }, hydraPrefix: true },
    ],
    [
      'snake_case',
      { defaults: { pagination_items_per_page: 7 }, pagination: { page_parameter_name: 'p' }, hydra_prefix: true },
    ],
    [
      'the layout with collection.pagination',
      {
        defaults: { pagination_items_per_page: 7 },
        collection: { pagination: { page_parameter_name: 'p' } },
        serializer: { hydra_prefix: true },
      },
    ],
    [
      'two layouts that agree',
      {
        defaults: { paginationItemsPerPage: 7, pagination_items_per_page: 7 },
        pagination: { page_parameter_name: 'p' },
        collection: { pagination: { pageParameterName: 'p' } },
        serializer: { hydra_prefix: true },
      },
    ],
  ])('reads %s', (_what, input) => {
    expect(normalizeCollectionsConfig(input)).toMatchObject({
      defaults: { paginationItemsPerPage: 7 },
      pagination: { ...names, pageParameterName: 'p' },
      hydraPrefix: true,
    })
  })

  it('reads the pagination switch and the order parameter from the layout with collection', () => {
    expect(
      normalizeCollectionsConfig({
        collection: { pagination: { enabled: false }, order_parameter_name: 'sort' },
        defaults: { pagination_maximum_items_per_page: null },
        url_generation_strategy: 'network',
      }),
    ).toMatchObject({
      defaults: { paginationEnabled: false, paginationMaximumItemsPerPage: null },
      orderParameterName: 'sort',
      urlGenerationStrategy: 'network',
    })
  })

  it.each([
    [
      'a key given twice with different values',
      { defaults: { paginationItemsPerPage: 7, pagination_items_per_page: 8 } },
      /defaults\.pagination_items_per_page: defaults\.paginationItemsPerPage says something else/,
    ],
    [
      'an unknown key, and names the nearest',
      { defaults: { paginationItemPerPage: 7 } },
      /defaults\.paginationItemPerPage: there is no such key; the nearest is defaults\.paginationItemsPerPage/,
    ],
    ['an unknown key at the top', { hydraPrefixes: true }, /the nearest is hydraPrefix/],
    ['names that are the same', { pagination: { pageParameterName: 'order' } }, /must differ/],
    ['an empty name', { pagination: { pageParameterName: '' } }, /pagination\.pageParameterName/],
    ['a name with brackets', { pagination: { page_parameter_name: 'p[]' } }, /pagination\.page_parameter_name/],
    ['a page size below 0', { defaults: { paginationItemsPerPage: -1 } }, /defaults\.paginationItemsPerPage/],
    [
      'a page size that is not whole',
      { defaults: { pagination_items_per_page: 1.5 } },
      /defaults\.pagination_items_per_page/,
    ],
    ['a maximum of 0', { defaults: { paginationMaximumItemsPerPage: 0 } }, /paginationMaximumItemsPerPage/],
    ['an empty cursor', { defaults: { paginationPartial: true, paginationViaCursor: [] } }, /at least one field/],
    [
      'a cursor without partial pages',
      { defaults: { paginationViaCursor: [{ field: 'id', direction: 'DESC' }] } },
      /needs paginationPartial: true/,
    ],
    [
      'a direction that is none',
      { defaults: { paginationPartial: true, paginationViaCursor: [{ field: 'id', direction: 'down' }] } },
      /paginationViaCursor\.0\.direction/,
    ],
    ['another strategy', { urlGenerationStrategy: 'relative' }, /urlGenerationStrategy/],
    ['something that is not an object', { pagination: 'page' }, /pagination: must be an object/],
    [
      'relational options in the simple runtime',
      { runtime: 'simple', defaults: { paginationFetchJoinCollection: true } },
      /paginationFetchJoinCollection: does not exist with runtime: 'simple'/,
    ],
    [
      'a form of cursors in the simple runtime',
      { runtime: 'simple', defaults: { paginationCursorFormat: 'opaque' } },
      /paginationCursorFormat: does not exist with runtime: 'simple'/,
    ],
  ])('refuses %s', (_what, input, message) => {
    expect(() => normalizeCollectionsConfig(input)).toThrow(message)
  })
})
