/** Extracts the reason for the exit from the output of initdb or PostgreSQL's log. */
export function findExitReason(output: string): string {
  const lines = output.trim().split('\n');
  const reason = lines.findLast((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? '';
  return reason.replace(/^.*?\b(FATAL|PANIC|ERROR|error): */, '').replace(/\.?$/, '.');
}
