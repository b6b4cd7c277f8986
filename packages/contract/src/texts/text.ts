/**
 * What the server tells people travels as `{ code, message, values }`: `message` is its English, for the API's own users;
 * the browser writes the sentence in the reader's language by `code`, with `values` in its gaps (apps/web/src/language/format-message.ts).
 */
import * as z from 'zod/mini';
import { isolateRightToLeft } from './isolate.ts';
import { sizeInUnit } from './size.ts';
import { formatValues, type ValueWriter } from './text-values.ts';

export const Message = z.object({
  code: z.string(),
  message: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Message = z.output<typeof Message>;
export type MessageValues = Message['values'];

/** A sentence of the contract, in English, with `{gaps}`. */
export type MessageDefinition<English extends string = string> = {
  readonly code: string;
  readonly message: English;
};

type Gaps<English> = English extends `${string}{${infer Gap}}${infer Rest}` ? Gap | Gaps<Rest> : never;

/** Arguments for the gaps of `English`: an object with a value for each, or none. */
export type ValuesOf<English extends string> = [Gaps<English>] extends [never]
  ? []
  : [values: Record<Gaps<English>, string | number>];

/** Declares the texts of an area, by name. Each must be exported, or the catalogs do not find it. */
export function defineTexts<const Texts extends Record<string, string>>(area: string, texts: Texts) {
  const entries = Object.entries(texts).map(([name, message]) => [
    name,
    { code: `${area}.${name}`, message },
  ]);
  return Object.fromEntries(entries) as { [Name in keyof Texts]: MessageDefinition<Texts[Name]> };
}

/** Says a text of the contract. Moments and days are given in ISO 8601, sizes in bytes. */
export function createMessage<const English extends string>(
  { code, message }: MessageDefinition<English>,
  ...given: ValuesOf<English>
): Message {
  const values: MessageValues = given[0] ?? {};
  const written = formatValues(values, english);
  return {
    code,
    message: isolateRightToLeft(message.replaceAll(/\{(\w+)\}/g, (_, gap: string) => String(written[gap]))),
    values,
  };
}

const sentences = new Map<string, Message>();

/** As `say`, for a check of a schema, which takes no more than the English: `messageOf` finds the rest by it. */
export function schemaMessage<const English extends string>(
  definition: MessageDefinition<English>,
  ...given: ValuesOf<English>
): string {
  const text = createMessage(definition, ...given);
  sentences.set(text.message, text);
  return text.message;
}

/** The text that a schema's sentence is the English of; undefined for a sentence that only programs can cause. */
export function messageOf(english: string): Message | undefined {
  return sentences.get(english);
}

const unitNames = { byte: 'bytes', kilobyte: 'kB', megabyte: 'MB', gigabyte: 'GB', terabyte: 'TB' };

const english: ValueWriter = {
  moment: (moment) => `${moment.slice(0, 16).replace('T', ' ')} UTC`,
  day: (moment) => new Date(moment).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  end: (moment) => `${english.day(moment)} at ${moment.slice(11, 16)} UTC`,
  size(bytes) {
    const { value, unit } = sizeInUnit(bytes);
    return `${value} ${bytes === 1 ? unit : unitNames[unit]}`;
  },
  number: String,
};
