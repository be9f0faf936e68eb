/** Sessions with a small host of ours, whose pages draw nothing: how long what the host says takes, and what sessions cost that rest. */
import { openBarePage } from '@gatehouse/gateway/testing/desktop/bare-page';
import { startRdpHost } from '@gatehouse/testkit/desktop/rdp-host';
import { addDesktop, type DesktopBenchWorld } from './desktops-world.ts';

const SIDE = 32;
const PER_ROW = 1024 / SIDE;
const ROWS = 768 / SIDE;
const BITMAP_UPDATE = 1;

export interface HostedDesktop {
  /** One picture: in milliseconds, from the host's write to the page's read. */
  draw(number: number): Promise<number>;
}

export interface HostedDesktops {
  sessions: readonly HostedDesktop[];
  close(): Promise<void>;
}

let hosts = 0;

export async function openHosted(world: DesktopBenchWorld, count: number): Promise<HostedDesktops> {
  const host = await startRdpHost();
  hosts += 1;
  const [desktop, login] = [`hosted-${hosts}`, world.xrdp.user];
  const fingerprint = host.pin.slice('sha256:'.length);
  await addDesktop(world.gateway, world.folder, {
    ...{ name: desktop, addr: host.addr, fingerprint, login, password: 'bench' },
  });
  const sessions: HostedDesktop[] = [];
  const pages: ReturnType<typeof openBarePage>[] = [];
  for (let at = 0; at < count; at += 1) {
    const page = openBarePage(world.tab, { desktop, login });
    const session = await host.next();
    await page.drawn;
    let came: (() => void) | undefined;
    page.socket.on('message', (_: Buffer, isBinary) => isBinary && came?.());
    pages.push(page);
    sessions.push({
      draw: (number) =>
        new Promise((resolve) => {
          const began = performance.now();
          came = () => resolve(performance.now() - began);
          session.sendUpdate(BITMAP_UPDATE, 0, square(number));
        }),
    });
  }
  return {
    sessions,
    async close() {
      for (const { socket } of pages) {
        const closed = new Promise((resolve) => socket.once('close', resolve));
        socket.send(JSON.stringify({ type: 'end' }));
        await closed;
      }
      await host.stop();
    },
  };
}

/** Another part of the screen with each number, of another colour, 32 bits a pixel and not packed. */
function square(number: number): Buffer {
  const [left, top] = [(number % PER_ROW) * SIDE, (Math.floor(number / PER_ROW) % ROWS) * SIDE];
  const head = Buffer.alloc(22);
  const bytes = SIDE * SIDE * 4;
  const fields = [BITMAP_UPDATE, 1, left, top, left + SIDE - 1, top + SIDE - 1, SIDE, SIDE, 32, 0, bytes];
  for (const [at, value] of fields.entries()) head.writeUInt16LE(value, at * 2);
  return Buffer.concat([head, Buffer.alloc(bytes, number)]);
}
