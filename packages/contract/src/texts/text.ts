/**
 * Messages for people: `{ code, message, values }`. `message` is the English text, for API clients. The web app translates by
 * `code` and `values` (apps/web/src/language/format-message.ts).
 */
import * as z from 'zod/mini';
import { isolateRightToLeft } from './isolate.ts';
import { sizeInUnit } from './size.ts';
import { formatValues, type ValueFormatter } from './text-values.ts';

export const Message = z.object({
  code: z.string(),
  message: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Message = z.output<typeof Message>;
export type MessageValues = Message['values'];

/** English text with `{placeholders}`. */
export type MessageDefinition<English extends string = string> = {
  readonly code: string;
  readonly message: English;
};

type Placeholders<English> = English extends `${string}{${infer Gap}}${infer Rest}`
  ? Gap | Placeholders<Rest>
  : never;

/** Values of the placeholders of `English`, as an argument list. */
export type ValuesOf<English extends string> = [Placeholders<English>] extends [never]
  ? []
  : [values: Record<Placeholders<English>, string | number>];

/** Defines the texts of an area, by name. They must be exported for the catalogs. */
export function defineTexts<const Texts extends Record<string, string>>(area: string, texts: Texts) {
  const entries = Object.entries(texts).map(([name, message]) => [
    name,
    { code: `${area}.${name}`, message },
  ]);
  return Object.fromEntries(entries) as { [Name in keyof Texts]: MessageDefinition<Texts[Name]> };
}

/** Creates a message. Moments and days are in ISO 8601, sizes in bytes. */
export function createMessage<const English extends string>(
  { code, message }: MessageDefinition<English>,
  ...args: ValuesOf<English>
): Message {
  const values: MessageValues = args[0] ?? {};
  const formatted = formatValues(values, english);
  return {
    code,
    message: isolateRightToLeft(
      message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(formatted[name])),
    ),
    values,
  };
}

const schemaMessages = new Map<string, Message>();

/** Returns the English text, because schema checks take strings. `findSchemaMessage` returns its code and values. */
export function schemaMessage<const English extends string>(
  definition: MessageDefinition<English>,
  ...args: ValuesOf<English>
): string {
  const text = createMessage(definition, ...args);
  schemaMessages.set(text.message, text);
  return text.message;
}

/** Returns the message of an English validation error; undefined for errors without a translation. */
export const findSchemaMessage = (english: string): Message | undefined => schemaMessages.get(english);

const unitNames = { byte: 'bytes', kilobyte: 'kB', megabyte: 'MB', gigabyte: 'GB', terabyte: 'TB' };

const english: ValueFormatter = {
  moment: (moment) => `${moment.slice(0, 16).replace('T', ' ')} UTC`,
  day: (moment) => new Date(moment).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  end: (moment) => `${english.day(moment)} at ${moment.slice(11, 16)} UTC`,
  size(bytes) {
    const { value, unit } = sizeInUnit(bytes);
    return `${value} ${bytes === 1 ? unit : unitNames[unit]}`;
  },
  number: String,
};
