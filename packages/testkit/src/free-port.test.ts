import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

/** From here on Linux gives ports to who asks for any, unless its administrator says otherwise. */
const LINUX_FIRST = 32_768;

test('a port is given once, also to other processes, and the system gives it to nobody by itself', async () => {
  const here = await Promise.all(Array.from({ length: 200 }, freePort));
  const program = `
    import { freePort } from ${JSON.stringify(new URL('./free-port.ts', import.meta.url).href)};
    console.log(JSON.stringify(await Promise.all(Array.from({ length: 2_000 }, freePort))));
    process.exit();
  `;
  const there: number[] = JSON.parse(String(execFileSync(process.execPath, ['--input-type=module', '-e', program])));

  expect(new Set([...here, ...there]).size).toBe(2_200);
  expect(Math.max(...here)).toBeLessThan(LINUX_FIRST);
});

test('a program can listen there, and begin anew', async () => {
  const port = await freePort();

  for (let round = 0; round < 2; round++) {
    const server = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
    await once(server, 'listening');
    await once(connect(port, '127.0.0.1').resume(), 'close');
    server.close();
    await once(server, 'close');
  }
});
