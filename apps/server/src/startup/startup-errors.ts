/** Converts errors of starting parts to StartUpErrors, which say what to do. */
import { StartUpError } from '../platform/config/start-up-error.ts';
import { requiredNodeMajor } from '../server-flags.mjs';

/** Throws a StartUpError if this Node.js is too old. Commands of npm run on the one that npm installed, others may not. */
export function requireNodeVersion(version = process.versions.node): void {
  if (Number.parseInt(version, 10) < requiredNodeMajor)
    throw new StartUpError(
      `Vestibule needs Node.js ${requiredNodeMajor} or newer, and this is ${version}. Start it with a newer one.`,
    );
}

/** Awaits the opening of ports, by variable. Converts "address in use" to a StartUpError that names the variable to change. */
export async function waitUntilListening<Result>(
  starting: Promise<Result>,
  ports: Readonly<Record<string, number>>,
  hostVariable = 'HOST',
): Promise<Result> {
  try {
    return await starting;
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { port?: number };
    const [variable] = Object.entries(ports).find(([, one]) => one === port) ?? Object.keys(ports);
    if (code === 'EADDRINUSE')
      throw new StartUpError(
        `Port ${port} is taken by another program. Stop that program, or set ${variable} to a free port.`,
      );
    if (code === 'EACCES')
      throw new StartUpError(`This user cannot open port ${port}. Set ${variable} to a port above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EINVAL')
      throw new StartUpError(
        `${hostVariable} is not an address of this machine. Set it to one of this machine’s addresses, to 0.0.0.0 for all of them, or leave it out for this machine only.`,
      );
    throw error;
  }
}

/** Imports a development service. Throws a StartUpError with `sentence` if it is not installed. */
export async function importDevelopmentService<Part>(
  load: () => Promise<Part>,
  sentence: string,
): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartUpError(sentence, { cause: error });
  }
}
