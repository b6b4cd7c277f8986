#!/usr/bin/env node
/** `vestibule <command>`: runs a portal. npm scripts of the portal call it, so that it runs on the Node.js that npm installed. */
import { findVersionProblem } from './node-version.ts';

const problem = findVersionProblem(process.versions.node, 'npm_lifecycle_event' in process.env);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
const { runCommand } = await import('./commands.ts');
process.exitCode = await runCommand(process.argv.slice(2));
