/** Asks a running Node, by its debugger's port, to collect its garbage and to say what it holds then. */
import { WebSocket } from 'ws';

export interface Inspector {
  heldBytes(): Promise<number>;
  close(): void;
}

const ADDRESS = /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/\S+)/;
const ASK = '(({heapUsed, external}) => heapUsed + external)(process.memoryUsage())';

/** From what the process printed when it started with `--inspect`. */
export async function openInspector(printed: string): Promise<Inspector> {
  const url = ADDRESS.exec(printed)?.[1];
  if (!url) throw new Error('the gateway does not say where its debugger listens');
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (result: { result?: { value?: number } }) => void>();
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => {});
  socket.once('close', () => gone.reject(new Error('the gateway is gone')));
  let last = 0;
  socket.on('error', () => {});
  socket.on('message', (data: Buffer) => {
    const { id, result } = JSON.parse(data.toString()) as { id: number; result: { result?: { value?: number } } };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const ask = (method: string, params = {}) =>
    Promise.race([
      gone.promise,
      new Promise<{ result?: { value?: number } }>((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    ]);
  return {
    async heldBytes() {
      // Twice: finalizers of the first free what the second finds.
      await ask('HeapProfiler.collectGarbage');
      await ask('HeapProfiler.collectGarbage');
      return (await ask('Runtime.evaluate', { expression: ASK, returnByValue: true })).result?.value ?? 0;
    },
    close: () => socket.terminate(),
  };
}
