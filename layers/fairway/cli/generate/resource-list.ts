// The list of a resource: the columns, their cells and the form of a new row, for the component `FwResourceList`.
import { blankOf, type Field, hasDefault, isFile, namesRow, titleField } from './fields'
import { element, fits, fitted, quoted } from './layout'
import type { Resource } from './resource'

/** The fields that a list shows, in addition to the title. */
export const shownInList = ({ fields, title }: Resource): Field[] =>
  fields.filter(field => field !== title && !['longtext', 'json'].includes(field.type)).slice(0, 4)

/** Returns the page with the list of a resource. */
export const listPage = (resource: Resource): string => `<script setup lang="ts">
definePageMeta({ navigation: { text: '${resource.variable}.name', icon: 'i-lucide-list', order: 50 } })
</script>

<template>
${element('  ', 'FwResourceList', attributesOf(resource), slotsOf(resource))}
</template>
`

function attributesOf(resource: Resource): string[] {
  const { collection, variable, title, plural, kebab, fields, hasImport } = resource
  const columns = [...shownInList(resource).map(field => columnOf(field, variable)), `'updatedAt'`]
  const blank = fields.map(field => `${field.name}: ${blankOf(field)}`)
  return [
    `collection="${collection}"`,
    `texts="${variable}"`,
    `title="${title.name}"`,
    `to="/${plural}"`,
    fitted(columns, { before: `${ATTRIBUTE}:columns="`, open: '[', close: ']', after: '"' }).trimStart(),
    `create="create-${kebab}"`,
    fitted(blank, { before: `${ATTRIBUTE}:blank="`, open: '{', close: '}', after: '"' }).trimStart(),
    ...(hasImport ? importOf(resource) : []),
  ]
}

const ATTRIBUTE = '    '

function importOf({ plural, fields }: Resource): string[] {
  const imported = fields
    .filter(field => !isFile(field))
    .map(field => `{ name: ${quoted(field.name)}${hasDefault(field) ? '' : ', isRequired: true'} }`)
  return [
    `import-action="import-${plural}"`,
    fitted(imported, { before: `${ATTRIBUTE}:import-fields="`, open: '[', close: ']', after: '"' }).trimStart(),
  ]
}

/** Returns a column: its name, or all of it where the heading has other words or does not sort. */
function columnOf({ name, type }: Field, group: string): string {
  if (!namesRow({ type }) && !isFile({ type })) return quoted(name)
  return `{ key: '${namesRow({ type }) ? titleField({ name, type }) : name}', label: $t('${group}.fields.${name}') }`
}

const slotsOf = (resource: Resource): string =>
  [
    ...shownInList(resource).flatMap(field => cellOf(field, resource.variable)),
    `    <template #fields="{ draft, failure }">
      <${resource.pascal}Fields :model-value="draft" :failure="failure" autofocus />
    </template>`,
  ].join('\n')

/** Returns the slot of a cell; none for fields that are shown as they are. */
function cellOf({ name, type, isOptional, values }: Field, group: string): string[] {
  const value = `item.${name}`
  const guard = isOptional ? ` v-if="${value}"` : ''
  const isThere = isOptional ? ` v-if="${value} !== null"` : ''
  const shown: Partial<Readonly<Record<Field['type'], string>>> = {
    email: `<a${guard} :href="\`mailto:\${${value}}\`">{{ ${value} }}</a>`,
    url: `<a${guard} :href="${value}" rel="noopener">{{ ${value} }}</a>`,
    money: `<FwMoney${isThere} :amount="${value}" currency="${values[0]}" />`,
    file: `<FwFileList v-if="${value}" :files="[${value}]" is-short />`,
    files: `<FwFileList :files="${value}" is-short />`,
    boolean: `{{ $t(${value} ? '${group}.yes' : '${group}.no') }}`,
    date: `<FwTime${guard} :at="${value}" />`,
    datetime: `<FwTime${guard} :at="${value}" />`,
    enum: isOptional
      ? `<span${isThere}>{{ $t(\`${group}.values.${name}.\${${value}}\`) }}</span>`
      : `{{ $t(\`${group}.values.${name}.\${${value}}\`) }}`,
  }
  const inner = shown[type]
  if (inner === undefined) return []
  const line = `    <template #cell-${name}="{ item }">${inner}</template>`
  if (!inner.startsWith('<') && fits(line)) return [line]
  return [`    <template #cell-${name}="{ item }">\n      ${inner}\n    </template>`]
}
