/** Runs a command tree as this process: its arguments, its output, its exit code. */
import { createInterface } from 'node:readline/promises';
import { askSecret } from './ask-secret.ts';
import { type BuildProgram, runTree } from './run-tree.ts';

const NEEDED_NODE = 24;

export async function startProcess(name: string, build: BuildProgram): Promise<void> {
  if (Number(process.versions.node.split('.', 1)[0]) < NEEDED_NODE) {
    process.stderr.write(`${name}: needs Node ${NEEDED_NODE}, this is ${process.versions.node}: use its launcher\n`);
    process.exitCode = 1;
    return;
  }
  // A reader that goes away early (`gatehouse … | head`) is not an error of ours.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const isWatched = process.stdin.isTTY && process.stderr.isTTY;
  const io = {
    stdout: (text: string) => void process.stdout.write(text),
    stderr: (text: string) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    onTerminal: process.stdout.isTTY,
    logsToTerminal: process.stderr.isTTY,
    ask: isWatched ? ask : undefined,
    askSecret: isWatched ? (question: string) => askSecret(question, process.stdin, process.stderr) : undefined,
  };
  process.exitCode = await runTree(process.argv.slice(2), io, build);
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  // Without a terminal of its own: Ctrl-C is then the same as everywhere else.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    const over = new Promise<never>((_, reject) => lines.once('close', () => reject(new Error('nothing was typed'))));
    return await Promise.race([lines.question(question, { signal }), over]);
  } finally {
    lines.close();
  }
}
