import { requiredNodeMajor } from '@vestibule/server/server-flags';

/**
 * Returns a message if this version of Node.js is too old. npm scripts run on the Node.js of the package `node`, unless npm has skipped
 * the installation script of that package. This file runs on Node.js 18 too.
 */
export function findVersionProblem(version: string, isRunByNpm: boolean): string | undefined {
  if (Number.parseInt(version, 10) >= requiredNodeMajor) return undefined;
  const needed = `Vestibule needs Node.js ${requiredNodeMajor}, and this is ${version}.`;
  return isRunByNpm
    ? `${needed} npm did not install it with the packages: run npm rebuild --ignore-scripts=false node, and start again.`
    : `${needed} npm has installed it with the packages: use npm start, npm test and the other commands of package.json.`;
}
