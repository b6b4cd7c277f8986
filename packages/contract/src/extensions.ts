/** Extensions of this site, and their settings. */
import * as z from 'zod/mini';
import { defineErrors, defineRoute } from './route.ts';
import { fieldTexts } from './texts/field-texts.ts';
import { expectedVersion, lineOfText, pathText, rawText, wholeNumber } from './values.ts';

export const extensionErrors = defineErrors('extension', {
  404: { notFound: 'There is no extension with this name.' },
  409: { changed: 'These settings were changed in the meantime. Review the change, then try again.' },
});

/** Longest text of a setting; the extension's own limit may be lower. */
const settingMaximum = 5_000;

const SettingValue = z.union([z.string(), z.number(), z.boolean()]);

export const ExtensionSetting = z.object({
  name: z.string(),
  label: z.string(),
  hint: z.nullable(z.string()),
  kind: z.enum(['text', 'number', 'switch', 'choice']),
  /** Limits of a number; the maximum length of a text. */
  minimum: z.nullable(z.number()),
  maximum: z.nullable(z.number()),
  /** Values of a choice. */
  values: z.array(z.object({ value: z.string(), label: z.string() })),
  value: SettingValue,
  default: SettingValue,
});
export type ExtensionSetting = z.output<typeof ExtensionSetting>;

/** Returns the schema of the values of a setting. The server and the form use it. */
export function extensionSettingRule({
  kind,
  minimum,
  maximum,
  values,
}: Pick<ExtensionSetting, 'kind' | 'minimum' | 'maximum' | 'values'>) {
  switch (kind) {
    case 'text':
      return rawText(maximum ?? settingMaximum);
    case 'number':
      return wholeNumber([minimum ?? 0, maximum ?? 0], fieldTexts.wholeNumber);
    case 'switch':
      return z.boolean('Choose true or false.');
    case 'choice':
      return z.enum(
        values.map(({ value }) => value),
        'Choose one of the offered values.',
      );
  }
}

export const Extension = z.object({
  name: z.string(),
  /** Name for people, such as "Tickets". */
  label: z.string(),
  /** Range of versions of the extension API; null for an extension of the checkout that is a function. */
  requires: z.nullable(z.string()),
  webhookEvents: z.array(z.string()),
  settings: z.array(ExtensionSetting),
  /** Version of the settings. Incremented with each change. */
  version: z.number(),
});
export type Extension = z.output<typeof Extension>;

export const listExtensions = defineRoute('GET /api/extensions', {
  access: 'admin',
  summary: 'Extensions of this site with their settings, and the version of the extension API.',
  response: z.object({ apiVersion: z.string(), rows: z.array(Extension) }),
});

export const changeExtensionSettings = defineRoute('PATCH /api/extensions/:name/settings', {
  access: 'admin',
  summary: 'Changes settings of an extension. Absent settings are not changed; null restores the default.',
  params: z.object({ name: pathText(40) }),
  query: expectedVersion,
  body: z.strictObject({
    values: z.record(
      lineOfText(60),
      z.nullable(
        z.union([rawText(settingMaximum), z.number(), z.boolean()], 'Enter a text, a number or yes or no.'),
      ),
    ),
  }),
  response: Extension,
  errors: [extensionErrors.notFound, extensionErrors.changed],
});
