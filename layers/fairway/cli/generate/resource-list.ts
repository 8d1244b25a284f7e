// The list of a resource: search, sorting, infinite scrolling, export to a file, and a dialog that creates a row.
import { blankOf, type Field, hasDefault, isFile, titleField } from './fields'
import { element, fits, fitted, lines, quoted } from './layout'
import type { Resource } from './resource'
import { draftType } from './resource-form'

/** The fields that a list shows, in addition to the title. */
export const shownInList = ({ fields, title }: Resource): Field[] =>
  fields.filter(field => field !== title && !['longtext', 'json'].includes(field.type)).slice(0, 4)

/** Returns the page with the list of a resource. */
export const listPage = (resource: Resource): string => `<script setup lang="ts">
${script(resource)}
</script>

<template>
  <div>
${header(resource)}
${table(resource)}
${dialog(resource)}${resource.hasImport ? `\n${importDialog(resource)}` : ''}
  </div>
</template>
`

function script(resource: Resource): string {
  const { variable, collection, kebab, title, fields, isOrg } = resource
  const type = draftType(resource)
  return lines(
    `import type { ActionTypes } from '#fw/action-types'

definePageMeta({ navigation: { text: '${variable}.name', icon: 'i-lucide-list', order: 50 } })

const { t } = useI18n()`,
    `const list = useCollection('${collection}', { mode: 'infinite', filters: ['${title.name}'] })
const query = useListSearch(list, '${title.name}')`,
    isOrg && 'const mayCreate = computed(() => list.canCreate.value !== false)',
    `const create = useAction('create-${kebab}')
const draft = ref<${type}>(blank())
const isCreating = ref(false)`,
    resource.hasImport && 'const isImporting = ref(false)',
    `
useCreateShortcut(() => t('${variable}.new'), open${isOrg ? ', mayCreate' : ''})

function blank(): ${type} {
${fitted(
  fields.map(field => `${field.name}: ${blankOf(field)}`),
  { before: '  return ', open: '{', close: '}' },
)}
}

function open(): void {
  draft.value = blank()
  isCreating.value = true
}`,
  )
}

/** A condition for elements that are visible only to people whom the policy lets create a row. */
const ifCreator = ({ isOrg }: Resource): string[] => (isOrg ? ['v-if="mayCreate"'] : [])

/** The button that opens the dialog. */
const newButton = (indent: string, resource: Resource): string =>
  element(indent, 'UButton', [
    ...ifCreator(resource),
    'icon="i-lucide-plus"',
    `:label="t('${resource.variable}.new')"`,
    '@click="open"',
  ])

const importButton = (resource: Resource): string =>
  element('      ', 'UButton', [
    ...ifCreator(resource),
    'icon="i-lucide-upload"',
    'color="neutral"',
    'variant="outline"',
    `:label="t('${resource.variable}.import')"`,
    '@click="isImporting = true"',
  ])

const exportButton = ({ variable }: Resource): string =>
  element('      ', 'UButton', [
    'v-if="list.items.value?.length"',
    `:to="list.exportUrl('csv')"`,
    'external',
    'download',
    'color="neutral"',
    'variant="outline"',
    'icon="i-lucide-download"',
    `:label="t('${variable}.export')"`,
  ])

const header = (resource: Resource): string => {
  const { variable, hasImport } = resource
  return `    <PageHeader :title="t('${variable}.name')" :lead="t('${variable}.lead')">
${lines(exportButton(resource), hasImport && importButton(resource), newButton('      ', resource))}
    </PageHeader>
    <div role="search" class="mb-4">
      <UInput
        v-model="query"
        type="search"
        icon="i-lucide-search"
        class="w-full sm:w-80"
        :placeholder="t('${variable}.search')"
        :aria-label="t('${variable}.search')"
        :maxlength="200"
      />
    </div>`
}

const columnOf = (parts: readonly string[]): string =>
  fitted(parts, { before: '        ', open: '{', close: '}', after: ',' })

function table(resource: Resource): string {
  const { variable, plural, title } = resource
  const shown = shownInList(resource)
  const columns = [title, ...shown].map(({ name, type }) =>
    columnOf([
      `key: '${keyOf({ name, type })}'`,
      `label: t('${variable}.fields.${name}')`,
      ...(type === 'ref' || isFile({ type }) ? [] : [`sort: '${name}'`]),
      ...(type === 'text' ? [`class: '${name === title.name ? 'w-1/3' : 'w-1/6'}'`, 'isCut: true'] : []),
    ]),
  )
  return `    <CollectionTable
      :list="list"
      :name="t('${variable}.name')"
      :columns="[
${columns.join('\n')}
${columnOf([`key: 'updatedAt'`, `label: t('${variable}.fields.updatedAt')`, `sort: 'updatedAt'`, `firstDirection: 'desc'`])}
      ]"
      :loading="t('${variable}.loading')"
      :failed="t('${variable}.failed')"
      is-framed
    >
      <template #cell-${title.name}="{ item }">
${element(
  '        ',
  'NuxtLink',
  [`:to="\`/${plural}/\${item.id}\`"`, 'class="font-medium text-highlighted hover:underline"'],
  `          <bdi>{{ item.${title.name} }}</bdi>`,
)}
      </template>
${shown.map(field => `${cellOf(field, variable)}\n`).join('')}      <template #cell-updatedAt="{ item }">
        <RelativeTime :at="item.updatedAt" class="text-muted" />
      </template>
      <template #empty>
${empty(resource)}
      </template>
    </CollectionTable>`
}

const empty = (resource: Resource): string => {
  const { variable, isOrg } = resource
  const text = `'${variable}.empty.text'`
  return [
    element(
      '        ',
      'EmptyState',
      [
        'v-if="query"',
        'icon="i-lucide-search-x"',
        `:title="t('${variable}.noMatch.title')"`,
        `:text="t('${variable}.noMatch.text')"`,
      ],
      element('          ', 'UButton', [
        'color="neutral"',
        'variant="outline"',
        `:label="t('${variable}.noMatch.button')"`,
        `@click="query = ''"`,
      ]),
    ),
    element(
      '        ',
      'EmptyState',
      [
        'v-else',
        'icon="i-lucide-list"',
        `:title="t('${variable}.empty.title')"`,
        `:text="t(${isOrg ? `mayCreate ? ${text} : '${variable}.emptyForReaders'` : text})"`,
      ],
      newButton('          ', resource),
    ),
  ].join('\n')
}

const dialog = ({ variable, fields, pascal }: Resource): string => `    <LazyFormDialog
      v-if="isCreating"
      :title="t('${variable}.new')"
      :description="t('${variable}.newText')"
      :submit="t('${variable}.create')"
      :failed="t('${variable}.notCreated')"
${fitted(
  fields.map(({ name }) => quoted(name)),
  { before: '      :fields="', open: '[', close: ']', after: '"' },
)}
      :act="() => create.run(draft)"
      @closed="isCreating = false"
    >
      <template #default="{ failure }">
        <${pascal}Fields v-model="draft" :failure="failure" autofocus />
      </template>
    </LazyFormDialog>`

function importDialog({ variable, plural, fields }: Resource): string {
  const shown = fields
    .filter(field => !isFile(field))
    .map(field => {
      const parts = [`name: '${field.name}'`, `label: t('${variable}.fields.${field.name}')`]
      return `{ ${[...parts, ...(hasDefault(field) ? [] : ['isRequired: true'])].join(', ')} }`
    })
  return `    <LazyFwImport
      v-if="isImporting"
      action="import-${plural}"
      :title="t('${variable}.importTitle')"
${fitted(shown, { before: '      :fields="', open: '[', close: ']', after: '"' })}
      @closed="isImporting = false"
    />`
}

/** Returns the item's field that a column shows. */
const keyOf = ({ name, type }: Pick<Field, 'name' | 'type'>): string => (type === 'ref' ? titleField(name) : name)

function cellOf({ name, type, isOptional, values }: Field, group: string): string {
  const value = `item.${name}`
  const guard = isOptional ? ` v-if="${value}"` : ''
  const isThere = isOptional ? ` v-if="${value} !== null"` : ''
  const shown: Readonly<Record<Field['type'], string>> = {
    text: `<bdi>{{ ${value} }}</bdi>`,
    longtext: `<bdi>{{ ${value} }}</bdi>`,
    person: `<bdi>{{ ${value} }}</bdi>`,
    email: `<a${guard} :href="\`mailto:\${${value}}\`">{{ ${value} }}</a>`,
    url: `<a${guard} :href="${value}" rel="noopener">{{ ${value} }}</a>`,
    ref: `<bdi>{{ item.${titleField(name)} }}</bdi>`,
    integer: `{{ ${value} }}`,
    number: `{{ ${value} }}`,
    money: `<FwMoney${isThere} :amount="${value}" currency="${values[0]}" />`,
    json: '',
    file: `<FwFileList v-if="${value}" :files="[${value}]" is-short />`,
    files: `<FwFileList :files="${value}" is-short />`,
    boolean: `{{ t(${value} ? '${group}.yes' : '${group}.no') }}`,
    date: `<FwTime${guard} :at="${value}" />`,
    datetime: `<FwTime${guard} :at="${value}" />`,
    enum: isOptional
      ? `<span${isThere}>{{ t(\`${group}.values.${name}.\${${value}}\`) }}</span>`
      : `{{ t(\`${group}.values.${name}.\${${value}}\`) }}`,
  }
  const inner = shown[type]
  const slot = keyOf({ name, type })
  const line = `      <template #cell-${slot}="{ item }">${inner}</template>`
  return inner.startsWith('<') || !fits(line)
    ? `      <template #cell-${slot}="{ item }">\n        ${inner}\n      </template>`
    : line
}
