import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { schemaMessage } from '../texts/text.ts';
import { cleanText } from './clean-text.ts';

export const fileNameMaximum = 200;

/** One line of cleaned text without control characters and folder separators. */
export const FileName = z.string().check(
  z.overwrite(cleanText),
  z.trim(),
  z.minLength(1, schemaMessage(fieldTexts.nameMissing)),
  z.maxLength(fileNameMaximum, schemaMessage(fieldTexts.tooLong, { maximum: fileNameMaximum })),
  z.regex(/^[^\p{Cc}\u2028\u2029/\\]*$/u, schemaMessage(fieldTexts.fileNameSeparators)),
  z.refine((name) => !/^\.+$/.test(name), schemaMessage(fieldTexts.fileNameDots)),
);
