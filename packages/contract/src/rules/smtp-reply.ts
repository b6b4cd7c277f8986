/** Returns whether a mail error is a reply of the mail server, which starts with a reply code (RFC 5321, section 4.2). */
export const isSmtpReply = (mailError: string): boolean => /^[2-5]\d\d(?:[ -]|$)/.test(mailError);
