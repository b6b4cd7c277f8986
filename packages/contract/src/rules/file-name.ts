import * as z from 'zod/mini';

/** The longest name of a file. */
export const fileNameMaximum = 200;

/** One line; no control characters, none that turn the writing direction, no separators of folders. */
export const FileName = z.string().check(
  z.trim(),
  z.minLength(1, 'A name has at least one character.'),
  z.maxLength(fileNameMaximum, `A name has at most ${fileNameMaximum} characters.`),
  z.regex(
    /^[^\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069/\\]*$/u,
    'A name is one line without control characters, / and \\.',
  ),
  z.refine((name) => !/^\.+$/.test(name), 'A name is more than dots.'),
);
