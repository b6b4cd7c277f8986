/** Values of the site's settings as texts. */
import { t } from '@lingui/core/macro';
import { settingRules, type SettingName } from '@vestibule/contract/settings/rules';

export type SettingValue = string | number | boolean | readonly string[];

/** Formats a value for its field; list items are separated by newlines. */
export const toText = (value: SettingValue): string =>
  typeof value === 'object' ? value.join('\n') : String(value);

/** Parses a field's text; NaN for an invalid number, which the contract rejects. */
export function toValue(name: SettingName, text: string): string | number | boolean | string[] {
  const typed = text.trim();
  if (name === 'allowedDomains')
    return typed
      .split(/[\s,;]+/)
      .map((domain) => domain.replace(/^@/, ''))
      .filter(Boolean);
  if (name === 'signInDomains')
    return typed
      .split(/\n+/)
      .map((line) => line.trim())
      .filter(Boolean);
  switch (settingRules[name].def.type) {
    case 'boolean':
      return typed === 'true';
    case 'number':
      return /^\d{1,9}$/.test(typed) ? Number(typed) : Number.NaN;
    default:
      return typed;
  }
}

export const toInlineText = (value: SettingValue): string =>
  typeof value === 'object' ? value.join(', ') || t`none` : String(value) || t`none`;
