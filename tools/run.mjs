/** Starts other programs for the tools, with the pinned Node first in the path. Plain JavaScript: it also runs on Node 20 before anything is installed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
export const BIN = join(ROOT, 'node_modules', '.bin');

/** The Node that comes as a pinned dependency; the system's own may be older than what our TypeScript needs. */
export function pinnedNode() {
  const linked = join(BIN, 'node');
  if (existsSync(linked)) return linked;
  const inPackage = join(ROOT, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (existsSync(inPackage)) return inPackage;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(
    `no Node 24 for ${process.platform} ${process.arch} was installed, and this is Node ${process.versions.node}`,
  );
}

export function pathWithPinnedNode() {
  return [BIN, process.env.PATH].join(delimiter);
}

/** Runs a program to its end; resolves with its exit code, and with its output when `capture` is set, which `show` prints as it comes. */
export function run(command, args, { env = {}, capture = false, show = false, cwd = ROOT } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PATH: pathWithPinnedNode(), ...env },
    });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      if (show) process.stdout.write(chunk);
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      if (show) process.stderr.write(chunk);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Runs a program and stops everything when it fails. */
export async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code === 0) return output;
  if (output) process.stderr.write(output);
  process.stderr.write(`\n'${[command, ...args].join(' ')}' failed with exit code ${code}\n`);
  process.exit(code);
}
