import { expect, test } from 'vitest';
import { Gate } from './gate.ts';
import { askForKilled, killedAlone, killMeant } from './kill-meant.ts';
import { PacketReader } from './packet-reader.ts';
import { packet } from './packets.ts';

const KNOWN = { threadOf: (named: number) => (named === 1_500_000_000 ? 77 : undefined) };
const query = (text: string) => Buffer.concat([Buffer.of(3), Buffer.from(text)]);
const meant = (text: string) => killMeant(query(text), KNOWN)?.toString('latin1', 5);

test.each([
  ['KILL QUERY 1500000000', 'KILL QUERY 77'],
  ['kill 1500000000', 'KILL 77'],
  ['Kill  query\n1500000000 ; ', 'KILL QUERY 77'],
])('%s is asked of the server by its own number', (text, asked) => {
  expect(meant(text)).toBe(asked);
});

test.each([
  'KILL QUERY 1500000001',
  'KILL QUERY 15000000000',
  'KILL QUERY 1500000000 + 0',
  'KILL QUERY 1500000000; select 1',
  ' KILL QUERY 1500000000',
  '/* */ KILL QUERY 1500000000',
  'KILL CONNECTION 1500000000',
  'KILL QUERY ID 1500000000',
  "select 'KILL QUERY 1500000000'",
  `KILL QUERY ${' '.repeat(80)}1500000000`,
  'KILL',
  '',
])('%j stays as it came', (text) => {
  expect(meant(text)).toBe(undefined);
});

test('where clients know connections by the same numbers, nothing is changed', () => {
  expect(killMeant(query('KILL QUERY 1500000000'), {})).toBe(undefined);
});

test('a packet is replaced where it stands, wherever the stream is cut', () => {
  const [before, old, after] = [query('select 1'), query('KILL QUERY 1500000000'), query('select 2')];
  const stream = Buffer.concat([before, old, after].map((body) => packet(0, body)));
  const wanted = Buffer.concat([packet(0, before), packet(0, query('KILL QUERY 77')), packet(0, after)]);
  for (let first = 0; first <= stream.length; first += 1)
    for (let second = first; second <= stream.length; second += 7) {
      const reader = new PacketReader({
        begin: () => {
          gate.hold();
          return { keep: 100 };
        },
        read: ({ body }) => {
          const instead = killMeant(body, KNOWN);
          if (instead) gate.replace(instead);
          else gate.letGo();
          gate.endOfPacket();
        },
      });
      const gate = new Gate(reader);
      const pieces = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
      const passed = pieces.filter(({ length }) => length > 0).map((piece) => Buffer.from(gate.pass(piece)));
      expect(Buffer.concat(passed).toString('latin1')).toBe(wanted.toString('latin1'));
    }
});

const alone = (text: string) => killedAlone(packet(0, query(text)));

test('others are asked for a KILL that comes alone, and for nothing else', () => {
  expect([alone('KILL QUERY 1500000001'), alone('kill 7;')]).toEqual([1_500_000_001, 7]);
  expect([alone('select 1'), alone('KILL QUERY 1 + 0'), alone(''), killedAlone(Buffer.of(1, 0, 0))]).toEqual([
    ...[undefined, undefined, undefined, undefined],
  ]);
  const whole = packet(0, query('kill 7'));
  for (let cut = 0; cut < whole.length; cut += 1) expect(killedAlone(whole.subarray(0, cut))).toBe(undefined);
  expect(killedAlone(Buffer.concat([whole, whole]))).toBe(undefined);
  expect(killedAlone(packet(0, Buffer.of(0x16), Buffer.from('kill 7')))).toBe(undefined);
});

test('what others have answered is good for that one KILL', async () => {
  const questions: number[] = [];
  const killed = askForKilled({
    threadOf: () => undefined,
    askOthers: async (named) => {
      questions.push(named);
      return questions.length === 1 ? 77 : undefined;
    },
  });
  const piece = packet(0, query('KILL QUERY 1500000001'));
  for (const thread of [77, undefined]) {
    await killed.ask(piece);
    expect(killed.ask(piece)).toBe(undefined);
    expect(killed.threadOf(1_500_000_001)).toBe(thread);
    expect(killed.threadOf(1_500_000_002)).toBe(undefined);
  }
  expect(killed.ask(packet(0, query('select 1')))).toBe(undefined);
  expect(killed.threadOf(1_500_000_001)).toBe(undefined);
  expect(questions).toEqual([1_500_000_001, 1_500_000_001]);
});
