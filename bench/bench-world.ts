/** What the benchmarks that put servers around a gateway share: the programs they need, and how they ask its process. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `programs`: by the Debian package that has it. Ends the process where one is missing. */
export function requirePrograms(programs: Readonly<Record<string, string>>): void {
  const missing = Object.keys(programs).filter((name) => !existsSync(programs[name] ?? ''));
  if (missing.length === 0) return;
  process.stderr.write(`this benchmark needs the Debian packages ${missing.join(' ')}\n`);
  process.exit(2);
}

export async function ask(child: ChildProcess, what: 'memory' | 'processor' | 'lock'): Promise<Record<string, number>> {
  child.send(what);
  for (;;) {
    const [message] = await once(child, 'message');
    if (message.type === what) return message;
  }
}

/** Somebody listens there. */
export async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100 && !(await opens(port)); tries++) await sleep(50);
}

function opens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
