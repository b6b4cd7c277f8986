#!/usr/bin/env node
/** `vestibule <command>`: runs a portal. npm scripts of the portal call it, so that it runs on the Node.js that npm installed. */
const requiredMajor = 24;

if (Number.parseInt(process.versions.node, 10) < requiredMajor) {
  console.error(
    `Vestibule needs Node.js ${requiredMajor}, and this is ${process.versions.node}. npm installs it with the other packages: use npm start, npm test and the other commands of package.json. If that prints this message too, run npm rebuild --ignore-scripts=false node`,
  );
  process.exit(1);
}
const { runCommand } = await import('./commands.ts');
process.exitCode = await runCommand(process.argv.slice(2));
