// The page of one row of a resource: its form, for the component `FwResourcePage`.
import { element, fitted, quoted } from './layout'
import type { Resource } from './resource'

/** Returns the page of one row of a resource. */
export function itemPage({ collection, variable, title, plural, kebab, pascal, fields }: Resource): string {
  const names = fields.map(({ name }) => quoted(name))
  const attributes = [
    `:id="String($route.params.id)"`,
    `collection="${collection}"`,
    `texts="${variable}"`,
    `title="${title.name}"`,
    `to="/${plural}"`,
    `update="update-${kebab}"`,
    `remove="delete-${kebab}"`,
    fitted(names, { before: '    :fields="', open: '[', close: ']', after: '"' }).trimStart(),
  ]
  const slot = `    <template #fields="{ draft, failure, isReadOnly }">
      <${pascal}Fields :model-value="draft" :failure="failure" :is-read-only="isReadOnly" />
    </template>`
  return `<template>\n${element('  ', 'FwResourcePage', attributes, slot)}\n</template>\n`
}
