/** A port that swallows who comes: its process sleeps and its queue is full, so that the kernel answers nobody. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTEN = `require('node:net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { console.log(this.address().port) })`;
/** More than the queue holds, however the kernel rounds it. */
const MAX_QUEUED = 8;

export interface SilentPort {
  port: number;
  close(): void;
}

export async function startSilentPort(): Promise<SilentPort> {
  const sleeper: ChildProcess = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(sleeper.stdout!, 'data');
  const port = Number(String(line).trim());
  sleeper.kill('SIGSTOP');
  const queued: Socket[] = [];
  for (let count = 0; count < MAX_QUEUED; count += 1) queued.push(connect(port, '127.0.0.1').on('error', () => {}));
  return {
    port,
    close() {
      for (const socket of queued) socket.destroy();
      sleeper.kill('SIGKILL');
    },
  };
}
