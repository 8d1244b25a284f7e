// The page of one row: a form, deletion, and the message for a row that is missing or not accessible.
import { element, fits, fitted, quoted } from './layout'
import type { Resource } from './resource'
import { draftType } from './resource-form'

/** Returns the page of one row of a resource. */
export const itemPage = (resource: Resource): string => `<script setup lang="ts">
${script(resource)}
</script>

<template>
  <div>
    <UButton
      class="-ms-2.5 mb-4"
      color="neutral"
      variant="ghost"
      icon="i-lucide-arrow-left"
      :ui="{ leadingIcon: 'rtl:-scale-x-100' }"
      :label="t('${resource.variable}.back')"
      to="/${resource.plural}"
    />
${shownRow(resource)}
${otherStates(resource)}
  </div>
</template>
`

function script(resource: Resource): string {
  const { variable, collection, plural, kebab, title, fields, isOrg } = resource
  const names = fields.map(({ name }) => name)
  return `import type { ActionTypes } from '#fw/action-types'
import type { ItemOf } from '#fw/client'

${fitted(names.map(quoted), { before: 'const FIELDS = ', open: '[', close: ']', after: ' as const' })}

const { t } = useI18n()
const toast = useToast()
const id = String(useRoute().params.id)
const { item, isMissing, isForbidden, error, refresh } = useItem('${collection}', id)
const update = useAction('update-${kebab}')
const remove = useAction('delete-${kebab}')
${fits(draftLine(resource)) ? draftLine(resource) : draftLine(resource).replace(/(\(\) => item.*)\)$/, '\n  $1,\n)')}
${isOrg ? MAY : ACCESS}const isDeleting = ref(false)
const isElsewhere = computed(() => !FIELDS.some(field => update.error.value?.fieldError(field)))

useHead({ title: () => item.value?.${title.name} ?? t('${variable}.name') })

${toDraft(resource)}

async function save(): Promise<void> {
  const row = await update.run({ id, ...changes.value }).catch(() => undefined)
  if (!row) return
  await refresh()
  toast.add({ title: t('${variable}.saved'), icon: 'i-lucide-check' })
}

async function destroy(): Promise<void> {
  await remove.run({ id })
  await navigateTo('/${plural}')
}`
}

const draftLine = (resource: Resource): string =>
  `const { draft, changes, isChanged } = useItemDraft<${draftType(resource)}>(() => item.value && toDraft(item.value))`

const MAY = `const isReadOnly = computed(() => item.value?.can.update === false)
`
const ACCESS = `const isReadOnly = computed(() => item.value?.access === 'viewer')
const mayDelete = computed(() => item.value?.access === 'owner' || item.value?.access === 'admin')
`

function toDraft({ collection, fields }: Resource): string {
  const names = fields.map(({ name }) => name)
  const row = names.includes('row') ? 'item' : 'row'
  const head = `function toDraft(${row}: ItemOf<'${collection}'>) {`
  const taken = fitted(names, { before: '  const ', open: '{', close: '}', after: ` = ${row}` })
  const returned = fitted(names, { before: '  return ', open: '{', close: '}' })
  return `${head}\n${taken}\n${returned}\n}`
}

const shownRow = ({ variable, title, pascal, isOrg }: Resource): string => `    <template v-if="item && draft">
      <header class="mb-6 flex flex-wrap items-start justify-between gap-4">
        <h1 class="min-w-0 text-2xl font-semibold text-highlighted">
          <bdi>{{ item.${title.name} }}</bdi>
        </h1>
        <UButton
          v-if="${isOrg ? 'item.can.delete' : 'mayDelete'}"
          color="neutral"
          variant="outline"
          icon="i-lucide-trash-2"
          :label="t('${variable}.delete')"
          @click="isDeleting = true"
        />
      </header>
      <form class="grid max-w-text gap-4" novalidate @submit.prevent="save">
        <FailureNotice
          v-if="update.error.value && isElsewhere"
          :title="t('${variable}.notSaved')"
          :failure="update.error.value"
        />
        <p v-if="isReadOnly" class="text-muted">{{ t('${variable}.readOnly') }}</p>
        <${pascal}Fields v-model="draft" :failure="update.error.value" :is-read-only="isReadOnly" />
        <div v-if="!isReadOnly">
${element('          ', 'UButton', ['type="submit"', `:label="t('${variable}.save')"`, ':loading="update.pending.value"', ':disabled="!isChanged"'])}
        </div>
      </form>
${isOrg ? `      <p class="mt-6 text-sm text-muted">\n        {{ t(item.createdBy ? '${variable}.createdBy' : '${variable}.createdByFormer', { name: item.createdByName }) }}\n      </p>\n` : ''}    </template>`

const otherStates = ({ variable, title }: Resource): string => `    <EmptyState
      v-else-if="isMissing"
      icon="i-lucide-file-question-mark"
      :title="t('${variable}.missing.title')"
      :text="t('${variable}.missing.text')"
    />
    <FailureNotice
      v-else-if="error"
      :title="t(isForbidden ? '${variable}.forbidden' : '${variable}.failedOne')"
      :failure="error"
      :retry="refresh"
    />
    <div v-else role="status">
      <span class="sr-only">{{ t('${variable}.loadingOne') }}</span>
      <USkeleton class="h-8 w-2/5" />
      <USkeleton class="mt-6 h-40 w-full max-w-text" />
    </div>
    <LazyConfirmLoss
      v-if="isDeleting && item"
      :title="t('${variable}.deleteTitle', { title: item.${title.name} })"
      :text="t('${variable}.deleteText')"
      :phrase="item.${title.name}"
      :button="t('${variable}.deleteButton')"
      :failed="t('${variable}.notDeleted')"
      :act="destroy"
      @closed="isDeleting = false"
    />`
