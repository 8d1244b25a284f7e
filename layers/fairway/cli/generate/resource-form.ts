// The form fields of a resource, for its list and the page of one row.
import { type Field, isFile, isNumber, MOST_FILES } from './fields'
import { element, fitted, fits, lines, quoted } from './layout'
import type { Resource } from './resource'

/** The type of the form's values, in code. */
export const draftType = ({ kebab }: Resource): string => `ActionTypes['create-${kebab}']['input']`

/** Returns the component with the form fields. */
export function fieldsComponent(resource: Resource): string {
  const { fields, variable, title } = resource
  const has = (type: Field['type']) => fields.some(field => field.type === type)
  const usesT = fields.some(field => field.type === 'enum' || field.type === 'boolean')
  const script = lines(
    `import type { ActionTypes } from '#fw/action-types'`,
    `import type { ActionFailure } from '#fw/client'`,
    '',
    'defineProps<{ failure?: ActionFailure; autofocus?: boolean; isReadOnly?: boolean }>()',
    `const draft = defineModel<${draftType(resource)}>({ required: true })`,
    usesT || has('person') || has('datetime') ? '' : undefined,
    usesT && 'const { t } = useI18n()',
    ...fields.filter(({ type }) => type === 'enum').map(field => optionsOf(field, variable)),
    ...fields.filter(({ type }) => type === 'person').map(pickedOf),
    has('datetime') && LOCAL_TIME,
  )
  return `<script setup lang="ts">
${script}
</script>

<template>
  <fieldset class="grid min-w-0 gap-4" :disabled="isReadOnly">
${fields.map(field => controlOf(field, variable, field === title)).join('\n')}
  </fieldset>
</template>
`
}

const LOCAL_TIME = `
/** A moment as a field of the browser has it, in the time of the person's own clock; and back. */
const toLocal = (at: string | null | undefined) =>
  at ? new Date(Date.parse(at) - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16) : ''
const toMoment = (local: string) => new Date(local).toISOString()`

function optionsOf({ name, values, isOptional }: Field, group: string): string {
  const label = `label: t(\`${group}.values.${name}.\${value}\`)`
  const none = isOptional ? `[{ label: '–', value: null }, ...` : ''
  const start = `const ${name}Options = computed(() => ${none}${name}Values.map(value => (`
  const whole = `${start}{ ${label}, value }))${isOptional ? '])' : ')'}`
  const broken = isOptional
    ? `const ${name}Options = computed(() => [
  { label: '–', value: null },
  ...${name}Values.map(value => ({ ${label}, value })),
])`
    : `const ${name}Options = computed(() =>
  ${name}Values.map(value => ({ ${label}, value })),
)`
  return lines(
    fitted(values.map(quoted), {
      before: `const ${name}Values = `,
      open: '[',
      close: ']',
      after: ' as const',
    }),
    fits(whole) ? whole : broken,
  )
}

const pickedOf = ({ name, isOptional }: Field): string => `const ${name} = computed({
  get: () => {
    const email = draft.value.${name}
    return email ? { userId: null, email, name: email } : undefined
  },
  set: person => {
    draft.value.${name} = person?.email ?? ${isOptional ? 'null' : `''`}
  },
})`

function controlOf(field: Field, group: string, hasFocus: boolean): string {
  const label = [`:label="$t('${group}.fields.${field.name}')"`, `:error="failure?.fieldError('${field.name}')"`]
  const required =
    field.isOptional || isFile(field) || field.type === 'boolean' || field.type === 'enum' ? [] : ['required']
  if (field.type === 'boolean')
    return `    <UCheckbox v-model="draft.${field.name}" :label="$t('${group}.fields.${field.name}')" />`
  return element('    ', 'UFormField', [...label, ...required], inputOf(field, hasFocus))
}

function inputOf(field: Field, hasFocus: boolean): string {
  const { name, type, isOptional } = field
  const model = `v-model${isOptional && type !== 'enum' ? '.nullable' : ''}="draft.${name}"`
  const at = '      '
  if (type === 'longtext') return element(at, 'UTextarea', [model, ':rows="6"', ':maxlength="20000"', 'class="w-full"'])
  if (type === 'datetime')
    return element(at, 'UInput', [
      `:model-value="toLocal(draft.${name})"`,
      'type="datetime-local"',
      'class="w-full"',
      `@update:model-value="draft.${name} = $event ? toMoment($event) : ${isOptional ? 'null' : `''`}"`,
    ])
  return (
    pickerOf(field) ??
    element(at, 'UInput', [
      isNumber(field) ? model.replace('v-model', 'v-model.number') : model,
      ...(hasFocus ? [':autofocus="autofocus"'] : []),
      ...(ATTRIBUTES[type] ?? TEXT_ATTRIBUTES),
      'class="w-full"',
    ])
  )
}

/** Returns the field's special component, if it has one. */
function pickerOf({ name, type, values, target }: Field): string | undefined {
  const at = '      '
  if (type === 'enum')
    return element(at, 'USelect', [`v-model="draft.${name}"`, `:items="${name}Options"`, 'class="w-full"'])
  if (type === 'money') return element(at, 'FwMoneyInput', [`v-model="draft.${name}"`, `currency="${values[0]}"`])
  if (type === 'json') return element(at, 'FwJsonInput', [`v-model="draft.${name}"`])
  if (type === 'file') return element(at, 'FwFileField', [`v-model="draft.${name}"`, `upload="${values[0]}"`])
  if (type === 'files')
    return element(at, 'FwFileField', [`v-model="draft.${name}"`, `upload="${values[0]}"`, `:most="${MOST_FILES}"`])
  if (type === 'person') return element(at, 'FwPersonPicker', [`v-model="${name}"`])
  const choice = type === 'team' ? { collection: 'organization-teams', title: 'name' } : collectionOf(target)
  if (!choice) return undefined
  const { collection, title } = choice
  return element(at, 'FwItemPicker', [`v-model="draft.${name}"`, `collection="${collection}"`, `title="${title}"`])
}

const collectionOf = (target: Field['target']) => target && { collection: `${target.kebab}-list`, title: target.title }

/** The attributes of a plain input for each type. */
const TEXT_ATTRIBUTES = ['autocomplete="off"', ':maxlength="200"']
const ATTRIBUTES: Partial<Record<Field['type'], readonly string[]>> = {
  integer: ['type="number"', 'step="1"', 'min="0"'],
  number: ['type="number"', 'step="any"'],
  email: ['type="email"', 'autocomplete="off"'],
  url: ['type="url"', 'autocomplete="off"'],
  date: ['type="date"'],
}
