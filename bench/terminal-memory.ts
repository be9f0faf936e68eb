/** How much memory a gateway takes, asked through its debugger so that what is garbage does not count. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import { WebSocket } from 'ws';
import { memoryOf } from './terminal-world.ts';

/** For `settings` of a world that is measured. */
export const WITH_DEBUGGER = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

export interface Memory {
  /** Of JavaScript, and what it holds outside of its heap. */
  usedMb: number;
  /** Of the whole process. */
  rssMb: number;
}

export interface MemoryMeter {
  read(): Promise<Memory>;
  close(): void;
}

export async function openMeter(gateway: GatewayProcess): Promise<MemoryMeter> {
  const url = /Debugger listening on (ws:\S+)/.exec(gateway.output())?.[1];
  if (!url) throw new Error('the gateway runs without its debugger');
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  let asked = 0;
  const ask = (method: string, params: object = {}) =>
    new Promise<{ result?: { value?: string } }>((resolve) => {
      const id = ++asked;
      const hear = (data: Buffer) => {
        const message = JSON.parse(data.toString()) as { id: number; result: { result?: { value?: string } } };
        if (message.id !== id) return;
        socket.off('message', hear);
        resolve(message.result);
      };
      socket.on('message', hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async read() {
      for (let round = 0; round < 3; round += 1) {
        await ask('HeapProfiler.collectGarbage');
        await sleep(200);
      }
      const { result } = await ask('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
      const { heapUsed, external } = JSON.parse(result?.value ?? '{}') as { heapUsed: number; external: number };
      return { usedMb: (heapUsed + external) / 1e6, rssMb: memoryOf(gateway.pid()) };
    },
    close: () => socket.close(),
  };
}
