/** The workbench as databases.bench.ts measures it: how soon the first row is there, and what a whole table as a file costs the gateway in memory. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { DB_EDITOR_SOCKET, type EditorReply, editorReply } from '@gatehouse/contract/kinds/db/editor';
import { pathFor } from '@gatehouse/contract/wire/route';
import { WebSocket } from 'ws';
import { median, verdict } from './bench-frame.ts';
import { ask } from './bench-world.ts';
import { type DatabasesWorld, USER } from './databases-world.ts';

const LIMITS = { firstRowMs: 150, growth: 1.25 };
const RUNS = 20;
const LOOK_EVERY_MS = 100;

export async function measureWorkbench({ gateway }: DatabasesWorld): Promise<void> {
  const page = await openPage(gateway);
  const firsts: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    const id = page.send({ type: 'run', tab: 0, sql: 'select * from big where id > 1000 limit 500', maxRows: 500 });
    await page.next('rows', id);
    firsts.push(performance.now() - began);
    await page.next('done', id);
  }
  const first = median(firsts);
  verdict(
    `workbench: first row after ${first.toFixed(0)} ms (at most ${LIMITS.firstRowMs})`,
    first <= LIMITS.firstRowMs,
  );
  const exported = async (rows: number) => {
    await ask(gateway.child, 'memory');
    const peak = watchMemory(gateway.child.pid ?? 0);
    const began = performance.now();
    const id = page.send({ type: 'export', tab: 0, sql: `select * from big where id <= ${rows}`, format: 'csv' });
    await page.next('done', id);
    const megabytes = peak();
    const seconds = (performance.now() - began) / 1_000;
    console.log(`     export of ${rows} rows: ${seconds.toFixed(1)} s, at most ${megabytes.toFixed(0)} MB`);
    return megabytes;
  };
  const some = await exported(250_000);
  const growth = (await exported(1_000_000)) / some;
  verdict(
    `workbench: a million rows take × ${growth.toFixed(2)} of the memory of a quarter (at most ${LIMITS.growth})`,
    growth <= LIMITS.growth,
  );
  page.socket.close();
  await once(page.socket, 'close');
}

/** Takes what comes, as the console does, and keeps none of it. */
async function openPage({ origin, cookie, bearer }: DatabasesWorld['gateway']) {
  const path = pathFor(DB_EDITOR_SOCKET, { clusterId: 'bench', name: 'shop' });
  const headers = { origin, cookie: `__Host-session=${cookie}`, 'user-agent': 'gatehouse-bench' };
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, { headers });
  const waiting = new Map<string, () => void>();
  let fail = (_error: Error) => {};
  let last = 0;
  const next = (type: EditorReply['type'], id?: number) =>
    new Promise<void>((resolve, reject) => {
      waiting.set(`${type} ${id ?? ''}`, resolve);
      fail = reject;
    });
  socket.on('message', (data) => {
    const reply = editorReply.parse(JSON.parse(String(data)));
    const id = 'id' in reply ? reply.id : undefined;
    if (reply.type === 'rows' || reply.type === 'piece')
      socket.send(JSON.stringify({ type: 'ack', id, seq: reply.seq }));
    if (reply.type === 'failed' || reply.type === 'refused' || reply.type === 'ended')
      fail(new Error(JSON.stringify(reply)));
    waiting.get(`${reply.type} ${id ?? ''}`)?.();
    waiting.delete(`${reply.type} ${id ?? ''}`);
  });
  socket.on('close', () => fail(new Error('the socket of the workbench was closed')));
  await once(socket, 'open');
  const ready = next('ready');
  socket.send(JSON.stringify({ type: 'hello', token: bearer }));
  socket.send(JSON.stringify({ type: 'open', dbUser: USER, dbName: '' }));
  await ready;
  return {
    socket,
    next,
    send(request: Record<string, unknown>): number {
      last += 1;
      socket.send(JSON.stringify({ ...request, id: last }));
      return last;
    },
  };
}

/** Gives the most there was, in megabytes. */
function watchMemory(pid: number): () => number {
  let most = 0;
  const look = () => {
    const used = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    most = Math.max(most, Number(used) / 1_024);
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}
