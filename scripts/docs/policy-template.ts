import {
  policySettings as listPolicySettings,
  POLICY_KEY,
  type PolicySetting,
} from '../../shared/settings/policy-settings.ts'
import { settingNames } from '../../shared/settings/setting-names.ts'

/**
 * The template for group policies: an .admx with the registry values, and an .adml with the English texts. Each managed
 * setting is one policy, except secrets.
 */

const NAMESPACE = 'Sluice.Policies'
const SCHEMA = 'http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions'

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const idOf = (name: string): string => name.replaceAll('.', '_')
const sectionOf = (name: string): string => name.split('.')[0] ?? name
const policySettings = listPolicySettings()
const sections = [...new Set(policySettings.map(({ name }) => sectionOf(name)))]
/** `settingNames` contains only names that forms show, so it lacks the feed key. */
const names: Readonly<Record<string, string>> = {
  ...settingNames,
  'updates.feed_key': 'Public key of the feed',
}
const nameOf = (name: string): string => names[name] ?? name

/** Numbers use a text field, because the number field of the policy editor refuses fractions. */
const elementXml = ({ name, kind, choices }: PolicySetting): string => {
  const attributes = `id="${idOf(name)}_value" valueName="${name}"`
  switch (kind) {
    case 'switch':
      return ''
    case 'choice': {
      const items = choices.map(
        (choice) =>
          `        <item displayName="$(string.${idOf(name)}_${choice})"><value><string>${choice}</string></value></item>`,
      )
      return `      <enum ${attributes} required="true">\n${items.join('\n')}\n      </enum>`
    }
    case 'json':
      return `      <multiText ${attributes} maxLength="16384" maxStrings="0" required="true"/>`
    case 'text':
    case 'number':
      return `      <text ${attributes} maxLength="4096" required="true"/>`
  }
}

const policyXml = (setting: PolicySetting): string => {
  const { name, kind } = setting
  const id = idOf(name)
  const isSwitch = kind === 'switch'
  const presentation = isSwitch ? '' : ` presentation="$(presentation.${id})"`
  const opening = `  <policy name="${id}" class="Machine" displayName="$(string.${id})" explainText="$(string.${id}_explain)" key="${POLICY_KEY}"${isSwitch ? ` valueName="${name}"` : ''}${presentation}>`
  const body = [
    `    <parentCategory ref="${sectionOf(name)}"/>`,
    '    <supportedOn ref="supported"/>',
    ...(isSwitch
      ? [
          '    <enabledValue><string>true</string></enabledValue>',
          '    <disabledValue><string>false</string></disabledValue>',
        ]
      : ['    <elements>', elementXml(setting), '    </elements>']),
  ]
  return [opening, ...body, '  </policy>'].join('\n')
}

export const policyTemplate = (): string => `<?xml version="1.0" encoding="utf-8"?>
<policyDefinitions xmlns="${SCHEMA}" revision="1.0" schemaVersion="1.0">
  <policyNamespaces>
    <target prefix="sluice" namespace="${NAMESPACE}"/>
  </policyNamespaces>
  <resources minRequiredRevision="1.0"/>
  <supportedOn>
    <definitions>
      <definition name="supported" displayName="$(string.supported)"/>
    </definitions>
  </supportedOn>
  <categories>
    <category name="sluice" displayName="$(string.sluice)"/>
${sections.map((section) => `    <category name="${section}" displayName="$(string.category_${section})"><parentCategory ref="sluice"/></category>`).join('\n')}
  </categories>
  <policies>
${policySettings.map(policyXml).join('\n')}
  </policies>
</policyDefinitions>
`

const limitWords = ({ lowest, highest }: PolicySetting): string => {
  const hasHighest = highest !== null && highest < Number.MAX_SAFE_INTEGER
  if (lowest !== null && hasHighest) return ` from ${lowest} to ${highest}`
  if (lowest !== null) return ` of at least ${lowest}`
  return hasHighest ? ` of at most ${highest}` : ''
}

const explanationOf = (setting: PolicySetting): string => {
  const common = `This policy sets ${setting.name} of Sluice. The admin guide explains the setting. The policy overrides settings.json and the managed settings file. The user cannot change the setting. Every user of this PC can read the policy.`
  switch (setting.kind) {
    case 'switch':
      return `${common}\n\nEnabled: true. Disabled: false.`
    case 'choice':
      return `${common}\n\nOne of: ${setting.choices.join(', ')}.`
    case 'number':
      return `${common}\n\nA number${limitWords(setting)}.`
    case 'json':
      return `${common}\n\nThe value as JSON, as in settings.json.`
    case 'text':
      return `${common}\n\nText.`
  }
}

const stringsOf = (setting: PolicySetting): readonly string[] => {
  const id = idOf(setting.name)
  return [
    `      <string id="${id}">${escapeXml(`${nameOf(setting.name)} (${setting.name})`)}</string>`,
    `      <string id="${id}_explain">${escapeXml(explanationOf(setting))}</string>`,
    ...setting.choices.map((choice) => `      <string id="${id}_${choice}">${escapeXml(choice)}</string>`),
  ]
}

const presentationXml = ({ name, kind }: PolicySetting): readonly string[] => {
  const id = idOf(name)
  const label = escapeXml(nameOf(name))
  const control = (): string => {
    switch (kind) {
      case 'choice':
        return `<dropdownList refId="${id}_value" noSort="true">${label}</dropdownList>`
      case 'json':
        return `<multiTextBox refId="${id}_value">${label}</multiTextBox>`
      default:
        return `<textBox refId="${id}_value"><label>${label}</label></textBox>`
    }
  }
  return kind === 'switch' ? [] : [`      <presentation id="${id}">${control()}</presentation>`]
}

export const policyTexts = (): string => `<?xml version="1.0" encoding="utf-8"?>
<policyDefinitionResources xmlns="${SCHEMA}" revision="1.0" schemaVersion="1.0">
  <displayName>Sluice</displayName>
  <description>Managed settings of Sluice</description>
  <resources>
    <stringTable>
      <string id="sluice">Sluice</string>
      <string id="supported">Sluice on Windows 10 or later</string>
${sections.map((section) => `      <string id="category_${section}">${escapeXml(nameOf(section))}</string>`).join('\n')}
${policySettings.flatMap(stringsOf).join('\n')}
    </stringTable>
    <presentationTable>
${policySettings.flatMap(presentationXml).join('\n')}
    </presentationTable>
  </resources>
</policyDefinitionResources>
`
