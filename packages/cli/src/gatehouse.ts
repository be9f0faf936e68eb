#!/usr/bin/env node
/** The `gatehouse` command. Everything a user runs starts here. */
import { keptAnswer, readPluginArgs } from './kinds/kube/credentials.ts';

// Every kubectl waits for it: what is kept is given before anything else is loaded.
const asked = readPluginArgs(process.argv.slice(2));
const world = { env: process.env, parent: process.ppid, now: Date.now() };
const kept = asked && (await keptAnswer(asked, { ...world, tell: (text) => void process.stderr.write(text) }));
if (typeof kept === 'string') process.stdout.write(kept);
else if (kept) {
  process.stderr.write(`gatehouse: ${kept.message}\n`);
  process.exitCode = kept.code;
} else {
  const [{ buildProgram }, { startProcess }] = await Promise.all([
    import('./program.ts'),
    import('./runtime/start-process.ts'),
  ]);
  await startProcess('gatehouse', buildProgram);
}
