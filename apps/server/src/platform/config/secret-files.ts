/** Secrets that are set by files, as container platforms provide them: `SECRET_FILE` names a file whose text is `SECRET`. */
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

/** Replaces file variables by the files' texts without the trailing line end. `problems` has a line for each unreadable file. */
export function readSecretFiles(given: Record<string, string>): {
  environment: Record<string, string>;
  problems: string[];
} {
  const environment: Record<string, string> = {};
  const problems: string[] = [];
  for (const [variable, value] of Object.entries(given)) {
    const secret = secretSetBy(variable);
    if (secret === null) {
      environment[variable] = value;
      continue;
    }
    const text = readText(value);
    if (text === null)
      problems.push(
        `  ${variable}: should be a file that this user can read, containing the value of ${secret}`,
      );
    else environment[secret] = text;
    if (given[secret] !== undefined) problems.push(`  ${variable}: set either it or ${secret}, not both`);
  }
  return { environment, problems };
}

/** Returns the name of the secret for a file variable, and null for other variables. */
function secretSetBy(variable: string): string | null {
  if (!variable.endsWith(suffix)) return null;
  const name = variable.slice(0, -suffix.length);
  return secretVariables.includes(name) || clientSecret.test(name) ? name : null;
}

/** Returns null if the file cannot be read, is empty or too long. */
function readText(file: string): string | null {
  try {
    if (statSync(file).size > maxBytes) return null;
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '') || null;
  } catch {
    return null;
  }
}
