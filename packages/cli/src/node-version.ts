import { requiredNodeMajor } from '@vestibule/server/server-flags';

/**
 * Returns a message if this version of Node.js is too old. Scripts of npm find the Node.js that npm has installed first, unless npm did
 * not run its installation script. The syntax is that of Node.js 18.
 */
export function findVersionProblem(version: string, isRunByNpm: boolean): string | undefined {
  if (Number.parseInt(version, 10) >= requiredNodeMajor) return undefined;
  const needed = `Vestibule needs Node.js ${requiredNodeMajor}, and this is ${version}.`;
  return isRunByNpm
    ? `${needed} npm did not install it with the packages: run npm rebuild --ignore-scripts=false node, and start again.`
    : `${needed} npm has installed it with the packages: use npm start, npm test and the other commands of package.json.`;
}
