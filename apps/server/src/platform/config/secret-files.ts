/** Reads secrets from files, as container platforms provide them: `SECRET_FILE` names a file whose text is `SECRET`. */
import { readFileSync, statSync } from 'node:fs';

const secretVariables = [
  'SECRET',
  'SECRET_PREVIOUS',
  'DATABASE_URL',
  'DATABASE_OWNER_URL',
  'DATABASE_READ_URL',
  'SMTP_URL',
  'METRICS_TOKEN',
  'ATTACHMENT_STORAGE_KEY_ID',
  'ATTACHMENT_STORAGE_KEY',
  'GRID_LICENSE_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
];
const clientSecret = /^OIDC_[A-Z0-9]+_CLIENT_SECRET$/;
const suffix = '_FILE';
const maxBytes = 64 * 1024;

/** Variable names as listed in docs/configuration.md. */
export const secretFileNames = [...secretVariables, 'OIDC_<ID>_CLIENT_SECRET'].map((name) => name + suffix);

type Environment = Record<string, string | undefined>;

/**
 * Replaces file variables by the files' texts without the trailing line end. `problems` has a line for each unreadable
 * file.
 */
export function readSecretFiles(environment: Environment): { environment: Environment; problems: string[] } {
  const problems: string[] = [];
  const read = Object.entries(environment).map(([variable, value]): [string, string | undefined] => {
    const name = variable.slice(0, -suffix.length);
    if (
      value === undefined ||
      !variable.endsWith(suffix) ||
      !(secretVariables.includes(name) || clientSecret.test(name))
    )
      return [variable, value];
    if (environment[name] !== undefined) problems.push(`  ${variable}: set either it or ${name}, not both`);
    const text = readText(value);
    if (text === null)
      problems.push(
        `  ${variable}: should be a file that this user can read, containing the value of ${name}`,
      );
    return [name, text ?? undefined];
  });
  return { environment: Object.fromEntries(read.filter(([, value]) => value !== undefined)), problems };
}

/** Returns null if the file cannot be read or is too long. */
function readText(file: string): string | null {
  try {
    if (statSync(file).size > maxBytes) return null;
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') || null;
  } catch {
    return null;
  }
}
