#!/usr/bin/env node
/** The `gatehouse` command. Everything a user runs starts here. */
import { runProgram } from './program.ts';

const NEEDED_NODE = 24;

if (Number(process.versions.node.split('.', 1)[0]) < NEEDED_NODE) {
  process.stderr.write(
    `gatehouse: needs Node ${NEEDED_NODE}, this is ${process.versions.node}: use the ./gatehouse launcher\n`,
  );
  process.exitCode = 1;
} else {
  // A reader that goes away early (`gatehouse … | head`) is not an error of ours.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.exitCode = await runProgram(process.argv.slice(2), {
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    onTerminal: process.stdout.isTTY,
  });
}
