/** Strings are plain text; user-written strings must be passed as quotes, or through `breakLinks` first. */
export type MailBlock =
  | { paragraph: string }
  /** A sign-in code, in large type. */
  | { code: string }
  /** User-written text. */
  | { quote: string; introduction: string }
  /** A mail has one link, shown as a button and as text. */
  | { link: string; label: string };

/** Texts of a mail in one language. A string in `parts` is a paragraph. The default preheader is the first part. */
export type MessageTexts = {
  subject: string;
  preheader?: string;
  parts: [string, ...(string | MailBlock)[]];
  closing: string;
};
