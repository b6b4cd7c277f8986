/**
 * Whether what became of a mail is the mail server's own answer, and may be quoted as such: that begins with a reply code (RFC 5321,
 * section 4.2). Anything else kept us from hearing one.
 */
export function isAutomaticReply(said: string): boolean {
  return /^[2-5]\d\d(?:[ -]|$)/.test(said);
}
