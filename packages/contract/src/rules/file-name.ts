import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { sentence } from '../texts/text.ts';
import { cleanText } from './clean-text.ts';

/** The longest name of a file. */
export const fileNameMaximum = 200;

/** One line of cleaned text without control characters and folder separators. */
export const FileName = z.string().check(
  z.overwrite(cleanText),
  z.trim(),
  z.minLength(1, sentence(fieldTexts.nameMissing)),
  z.maxLength(fileNameMaximum, sentence(fieldTexts.tooLong, { maximum: fileNameMaximum })),
  z.regex(/^[^\p{Cc}\u2028\u2029/\\]*$/u, sentence(fieldTexts.fileNameSeparators)),
  z.refine((name) => !/^\.+$/.test(name), sentence(fieldTexts.fileNameDots)),
);
