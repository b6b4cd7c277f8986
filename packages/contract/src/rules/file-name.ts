import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { sentence } from '../texts/text.ts';

/** The longest name of a file. */
export const fileNameMaximum = 200;

/** One line; no control characters, none that turn the writing direction, no separators of folders. */
export const FileName = z.string().check(
  z.trim(),
  z.minLength(1, sentence(fieldTexts.nameMissing)),
  z.maxLength(fileNameMaximum, sentence(fieldTexts.tooLong, { maximum: fileNameMaximum })),
  z.regex(
    /^[^\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]*$/u,
    sentence(fieldTexts.fileNameSeparators),
  ),
  z.refine((name) => !/^\.+$/.test(name), sentence(fieldTexts.fileNameDots)),
);
