/**
 * What the server tells people travels as `{ code, message, values }`: `message` is its English, for the API's own users;
 * the browser writes the sentence in the reader's language by `code`, with `values` in its gaps (apps/web/src/language/format-message.ts).
 */
import * as z from 'zod/mini';
import { isolateRightToLeft } from './isolate.ts';
import { sizeInUnit } from './size.ts';
import { writeValues, type ValueWriter } from './text-values.ts';

export const Text = z.object({
  code: z.string(),
  message: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type Text = z.output<typeof Text>;
export type TextValues = Text['values'];

/** A sentence of the contract, in English, with `{gaps}`. */
export type TextDefinition<Message extends string = string> = {
  readonly code: string;
  readonly message: Message;
};

type Gaps<Message> = Message extends `${string}{${infer Gap}}${infer Rest}` ? Gap | Gaps<Rest> : never;

/** What has to be given to say `Message`: a value for each gap, and nothing where there is none. */
export type ValuesOf<Message extends string> = [Gaps<Message>] extends [never]
  ? []
  : [values: Record<Gaps<Message>, string | number>];

/** Declares the texts of an area, by name. Each must be exported, or the catalogs do not find it. */
export function defineTexts<const Texts extends Record<string, string>>(area: string, texts: Texts) {
  const entries = Object.entries(texts).map(([name, message]) => [
    name,
    { code: `${area}.${name}`, message },
  ]);
  return Object.fromEntries(entries) as { [Name in keyof Texts]: TextDefinition<Texts[Name]> };
}

/** Says a text of the contract. Moments and days are given in ISO 8601, sizes in bytes. */
export function say<const Message extends string>(
  { code, message }: TextDefinition<Message>,
  ...given: ValuesOf<Message>
): Text {
  const values: TextValues = given[0] ?? {};
  const written = writeValues(values, english);
  return {
    code,
    message: isolateRightToLeft(message.replaceAll(/\{(\w+)\}/g, (_, gap: string) => String(written[gap]))),
    values,
  };
}

const sentences = new Map<string, Text>();

/** As `say`, for a check of a schema, which takes no more than the English: `textOf` finds the rest by it. */
export function sentence<const Message extends string>(
  definition: TextDefinition<Message>,
  ...given: ValuesOf<Message>
): string {
  const text = say(definition, ...given);
  sentences.set(text.message, text);
  return text.message;
}

/** The text that a schema's sentence is the English of; undefined for a sentence that only programs can cause. */
export function textOf(english: string): Text | undefined {
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
