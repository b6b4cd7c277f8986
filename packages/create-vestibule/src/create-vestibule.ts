#!/usr/bin/env node
/** `npm create vestibule@latest my-portal`: creates a portal in a new directory. Runs on Node.js 18 or newer. */
import { createPortal } from './create-portal.ts';

const use = `Usage: npm create vestibule@latest my-portal

Creates a portal in the new directory my-portal.`;

const parameters = process.argv.slice(2);
if (parameters.includes('--help')) {
  console.log(use);
  process.exit(0);
}
try {
  const { shownDirectory } = createPortal(parameters, process.cwd());
  console.log(`Created a portal in ${shownDirectory}. Install and start it:

  cd ${shownDirectory.includes(' ') ? `"${shownDirectory}"` : shownDirectory}
  npm install
  npm start
`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
