/** The line of a program to a terminal, against a gateway that only says what a test has it say. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { TerminalLine } from './terminal-line.ts';

const SID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const AWAY = { type: 'refused', code: 'target_unreachable', message: "'east' is not connected" } as const;
const STATE = {
  ...{ type: 'state', sid: SID, server: { id: 'id-1', name: 'web-1' }, login: 'root', user: 'ann', mode: 'peer' },
  ...{ created: '2026-11-15T03:00:00Z', from: 0, taken: 0, cols: 80, rows: 24 },
  ...{ recorded: true, survives: true },
} as const;

/** Answers each connection in turn with one message, and the last with how it ended. */
async function startGateway(answers: readonly { type: string }[]): Promise<{ origin: string; asked: string[] }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const asked: string[] = [];
  let count = 0;
  server.on('connection', (socket) => {
    const answer = answers[count];
    count += 1;
    socket.on('message', (data) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type !== 'open' && type !== 'attach') return;
      asked.push(type);
      socket.send(JSON.stringify(answer));
      // A line that stands is lost at once; who is refused hears it first.
      if (answer?.type === 'state') setImmediate(() => socket.terminate());
    });
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function open(origin: string): { line: TerminalLine; lost: string[] } {
  const lost: string[] = [];
  const line = new TerminalLine({
    ...{ origin, clusterId: 'east', userAgent: 'test', server: 'web-1', login: 'root', size: { cols: 80, rows: 24 } },
    ...{ credential: () => 'token', onOpen: () => {}, onOutput: () => {}, onNews: () => {}, onTaken: () => {} },
    onLost: (why) => void lost.push(why),
    onFactor: () => Promise.reject(new Error('nobody asks')),
  });
  return { line, lost };
}

test('a session of a leaf that restarts is asked for until it is there again, or over', async () => {
  const ended = { type: 'ended', cause: 'exited', message: 'the shell exited', exitCode: 7 };
  const { origin, asked } = await startGateway([STATE, AWAY, AWAY, ended]);
  const { line, lost } = open(origin);

  expect(await line.over).toMatchObject({ is: 'ended', exitCode: 7 });
  expect(asked).toEqual(['open', 'attach', 'attach', 'attach']);
  expect(lost).toContain("'east' is not connected");
});

test('what cannot be reached to begin with is told', async () => {
  const { origin, asked } = await startGateway([AWAY]);

  expect(await open(origin).line.over).toMatchObject({ is: 'refused', message: "'east' is not connected" });
  expect(asked).toEqual(['open']);
});
