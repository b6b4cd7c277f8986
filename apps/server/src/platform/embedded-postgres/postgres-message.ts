/** The sentence in the output of initdb or the log of PostgreSQL that says why it ended. */
export function findReason(output: string): string {
  const lines = output.trim().split('\n');
  const reason = lines.findLast((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(/^.*?\b(FATAL|PANIC|ERROR|error): */, '').replace(/\.?$/, '.');
}
