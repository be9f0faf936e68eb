import { once } from 'node:events';
import { Duplex, duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { constants, createDeflate } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  controlFrame,
  dataHead,
  FIN,
  GOAWAY,
  MAX_CONTROL_BYTES,
  MAX_FRAME_BYTES,
  PING,
  RST_STREAM,
  SYN_REPLY,
  SYN_STREAM,
  uint32,
} from './frames.ts';
import { BlockWriter, MAX_HEADER_BYTES } from './header-blocks.ts';
import { MAX_STREAMS, SpdyConnection, type SpdyOptions } from './spdy-connection.ts';
import { counted, SPDY_DICTIONARY } from './spdy-dictionary.ts';
import type { SpdyStream } from './spdy-stream.ts';

const opened: SpdyConnection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.fail(new Error('the test is over'));
});

/** A server of ours, and what a client wrote by hand. */
function serve(onStream?: SpdyOptions['onStream']) {
  const [ours, theirs] = duplexPair();
  const connection = new SpdyConnection({ wire: ours, side: 'server', onStream });
  opened.push(connection);
  theirs.on('error', () => {});
  return { connection, theirs, why: async () => (await connection.closed)?.message };
}

function pair(onStream: SpdyOptions['onStream']) {
  const [ours, theirs] = duplexPair();
  const server = new SpdyConnection({ wire: theirs, side: 'server', onStream });
  const client = new SpdyConnection({ wire: ours, side: 'client' });
  opened.push(server, client);
  return { server, client };
}

const syn = (blocks: BlockWriter, id: number, headers: Record<string, string> = {}, flags = 0) =>
  controlFrame(SYN_STREAM, flags, uint32(id), uint32(0), Buffer.alloc(2), blocks.write(headers));
const data = (id: number, text: string, flags = 0) =>
  Buffer.concat([dataHead(id, Buffer.byteLength(text), flags), Buffer.from(text)]);

async function textOf(stream: Duplex): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** As Go and every other client packs them: with the dictionary, in one context. */
async function packed(...blocks: Buffer[]): Promise<Buffer[]> {
  const deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  const out: Buffer[] = [];
  for (const block of blocks) {
    deflate.write(block);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    out.push(deflate.read() as Buffer);
  }
  return out;
}
const pairs = (...given: [string, string][]) =>
  Buffer.concat([uint32(given.length), ...given.flatMap(([name, value]) => [counted(name), counted(value)])]);
const synOf = (id: number, block: Buffer) => controlFrame(SYN_STREAM, 0, uint32(id), uint32(0), Buffer.alloc(2), block);

describe('between two of ours', () => {
  test('streams carry bytes both ways, and each way ends by itself', async () => {
    const { client } = pair((stream) => {
      stream.write(`hello ${stream.headers.streamtype?.[0]}: `);
      stream.pipe(stream);
    });
    const one = client.open({ streamtype: 'one' });
    const two = client.open({ streamtype: 'two' });

    one.end('first');
    two.end('second');

    expect(await Promise.all([textOf(one), textOf(two)])).toEqual(['hello one: first', 'hello two: second']);
  });

  test('what is written waits until the other side has taken the stream', async () => {
    const [ours, theirs] = duplexPair();
    const client = new SpdyConnection({ wire: ours, side: 'client' });
    opened.push(client);
    const stream = client.open({ streamtype: 'stdin' });
    const got: Buffer[] = [];
    theirs.on('data', (bytes: Buffer) => got.push(bytes));

    stream.write('early');
    await turn();
    const before = Buffer.concat(got);
    theirs.write(controlFrame(SYN_REPLY, 0, uint32(1), new BlockWriter().write({})));
    await stream.opened;
    await turn();

    expect(before.readUInt16BE(2)).toBe(SYN_STREAM);
    expect(before.includes('early')).toBe(false);
    expect(Buffer.concat(got).includes('early')).toBe(true);
  });

  test('much of it comes out whole, and whoever reads slowly holds the writer back', async () => {
    let taken: SpdyStream | undefined;
    const { client } = pair((stream) => {
      taken = stream;
    });
    const stream = client.open({});
    await stream.opened;
    const piece = Buffer.alloc(64 * 1024, 'x');
    let written = 0;
    while (written < 100 * piece.length && stream.write(piece)) {
      written += piece.length;
      await turn();
    }

    expect(written).toBeLessThan(20 * piece.length);
    stream.end();
    let read = 0;
    for await (const part of taken as SpdyStream) read += (part as Buffer).length;
    expect(read).toBe(written + piece.length);
  });

  test('a stream that is destroyed is cut at the other side, which still gets what was sent before', async () => {
    const got = Promise.withResolvers<SpdyStream>();
    const { client } = pair(got.resolve);
    const stream = client.open({});
    stream.write('last words');
    const there = await got.promise;
    await once(there, 'readable');
    const cut = once(there, 'reset');
    stream.destroy();
    await cut;

    expect(await textOf(there)).toBe('last words');
    expect(there.wasReset).toBe(true);
  });

  test('after a farewell what is open goes on, and nothing new is begun', async () => {
    const [ours, theirs] = duplexPair();
    const client = new SpdyConnection({ wire: ours, side: 'client' });
    opened.push(client);
    const stream = client.open({});
    theirs.resume();
    theirs.write(controlFrame(SYN_REPLY, 0, uint32(1), new BlockWriter().write({})));
    theirs.write(controlFrame(GOAWAY, 0, uint32(0), uint32(0)));
    theirs.write(data(1, 'still here'));
    theirs.end();

    expect(await textOf(stream)).toBe('still here');
    expect(() => client.open({})).toThrow('no more streams');
    expect(await client.closed).toBeUndefined();
  });
});

describe('bytes of a client', () => {
  test('are read however they are cut', async () => {
    const blocks = await packed(
      pairs(['streamtype', 'data'], ['port', '80']),
      pairs(['Streamtype', 'error'], ['port', '80\x00443']),
    );
    const whole = Buffer.concat([
      synOf(1, blocks[0] as Buffer),
      controlFrame(4, 0, uint32(0)),
      controlFrame(9, 0, uint32(1), uint32(5)),
      data(1, 'hello '),
      synOf(3, blocks[1] as Buffer),
      data(1, 'world', FIN),
      data(3, '', FIN),
    ]);
    for (let cut = 1; cut < whole.length; cut += 1) {
      const streams: SpdyStream[] = [];
      const { theirs } = serve((stream) => streams.push(stream));
      theirs.write(whole.subarray(0, cut));
      await turn();
      theirs.write(whole.subarray(cut));
      while (streams.length < 2) await turn();

      expect(await Promise.all(streams.map(textOf))).toEqual(['hello world', '']);
      expect(streams.map(({ headers }) => headers)).toEqual([
        { streamtype: ['data'], port: ['80'] },
        { streamtype: ['error'], port: ['80', '443'] },
      ]);
    }
  });

  test('one byte at a time are the same', async () => {
    const got = Promise.withResolvers<SpdyStream>();
    const { theirs } = serve(got.resolve);
    const whole = Buffer.concat([syn(new BlockWriter(), 1, { streamtype: 'stdin' }), data(1, 'abc', FIN)]);
    for (const byte of whole) theirs.write(Buffer.of(byte));

    expect(await textOf(await got.promise)).toBe('abc');
  });

  test('pings are answered, and answers to pings are not', async () => {
    const { theirs } = serve();
    theirs.write(controlFrame(PING, 0, uint32(2)));
    theirs.write(controlFrame(PING, 0, uint32(7)));

    const [answer] = (await once(theirs, 'data')) as [Buffer];
    expect(answer).toEqual(controlFrame(PING, 0, uint32(7)));
  });

  test('one stream more than allowed is refused, and the header blocks behind it can still be read', async () => {
    const streams: SpdyStream[] = [];
    const { theirs, connection } = serve((stream) => streams.push(stream));
    const answers: Buffer[] = [];
    theirs.on('data', (bytes: Buffer) => answers.push(bytes));
    const blocks = await packed(...Array.from({ length: MAX_STREAMS + 2 }, (_, n) => pairs(['n', String(n)])));
    for (const [n, block] of blocks.slice(0, -1).entries()) theirs.write(synOf(2 * n + 1, block));
    while (!Buffer.concat(answers).includes(controlFrame(RST_STREAM, 0, uint32(2 * MAX_STREAMS + 1), uint32(3))))
      await turn();
    expect(streams).toHaveLength(MAX_STREAMS);
    theirs.write(controlFrame(RST_STREAM, 0, uint32(1), uint32(5)));
    theirs.write(synOf(2 * MAX_STREAMS + 3, blocks.at(-1) as Buffer));
    while (streams.length === MAX_STREAMS) await turn();

    expect(streams.at(-1)?.headers).toEqual({ n: [String(MAX_STREAMS + 1)] });
    expect(connection).toBeDefined();
  });

  test('a stream that nobody wants is refused', async () => {
    const { theirs } = serve();
    theirs.write(syn(new BlockWriter(), 1));

    expect(await once(theirs, 'data')).toEqual([controlFrame(RST_STREAM, 0, uint32(1), uint32(3))]);
  });

  test('the end of the wire is told, and what came before it is read', async () => {
    const got = Promise.withResolvers<SpdyStream>();
    const { theirs, why } = serve(got.resolve);
    theirs.write(syn(new BlockWriter(), 1));
    theirs.end(data(1, 'half'));

    expect(await textOf(await got.promise)).toBe('half');
    expect(await why()).toBe('the other side closed the connection');
  });
});

describe('a hostile client', () => {
  const bomb = async () => (await packed(Buffer.alloc(64 * 1024 * 1024)))[0] as Buffer;
  const many = Buffer.concat([
    uint32(65),
    ...Array.from({ length: 65 }, (_, n) => [counted(`a${n}`), counted('')]).flat(),
  ]);

  test.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['a frame of more than a mebibyte', () => dataHead(1, MAX_FRAME_BYTES + 1, 0), 'a frame has more than'],
    [
      'a control frame that would be kept',
      () => controlFrame(SYN_STREAM, 0, Buffer.alloc(MAX_CONTROL_BYTES + 1)).subarray(0, 8),
      'a control frame has more than',
    ],
    ['another version', () => Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0]), 'version 2 of SPDY'],
    ['what is no frame', () => Buffer.from('\x80GET / HTTP/1.1\r\n\r\n', 'latin1'), 'of SPDY is not spoken'],
    ['a header block that is none', () => synOf(1, Buffer.from('nonsense')), 'no zlib stream'],
    ['a header block that grows to 64 MiB', async () => synOf(1, await bomb()), `more than ${MAX_HEADER_BYTES} bytes`],
    [
      'a header block just too large',
      async () => synOf(1, (await packed(Buffer.alloc(MAX_HEADER_BYTES + 1)))[0] as Buffer),
      'more than',
    ],
    ['too many headers', async () => synOf(1, (await packed(many))[0] as Buffer), 'more than 64 headers'],
    ['a name twice', async () => synOf(1, (await packed(pairs(['a', '1'], ['A', '2'])))[0] as Buffer), 'a name twice'],
    ['a block cut off', async () => synOf(1, (await packed(pairs(['a', '1']).subarray(0, 9)))[0] as Buffer), 'cut off'],
    [
      'a length beyond the block',
      async () => synOf(1, (await packed(Buffer.concat([uint32(1), uint32(0xffffffff)])))[0] as Buffer),
      'cut off',
    ],
    [
      'bytes behind the headers',
      async () => synOf(1, (await packed(Buffer.concat([pairs(['a', '1']), uint32(0)])))[0] as Buffer),
      'goes on behind',
    ],
    ['an even number', () => syn(new BlockWriter(), 2), 'not its turn'],
    ['a short SYN_STREAM', () => controlFrame(SYN_STREAM, 0, uint32(1)), 'too short'],
    ['a short RST_STREAM', () => controlFrame(RST_STREAM, 0, Buffer.alloc(3)), 'too short'],
    ['a short PING', () => controlFrame(PING, 0), 'too short'],
  ])('with %s is cut off', async (_, bytes, words) => {
    const { theirs, why } = serve(() => {});
    theirs.write(await bytes());

    expect(await why()).toContain(words);
  });

  test('that uses a number again is cut off', async () => {
    const { theirs, why } = serve(() => {});
    const blocks = new BlockWriter();
    theirs.write(Buffer.concat([syn(blocks, 3), syn(blocks, 3)]));

    expect(await why()).toContain('not its turn');
  });

  test('that goes on behind the end of a stream is cut off', async () => {
    const { theirs, why } = serve((stream) => stream.resume());
    theirs.write(Buffer.concat([syn(new BlockWriter(), 1), data(1, 'a', FIN), data(1, 'b')]));

    expect(await why()).toContain('behind its end');
  });

  test('that pings and takes no answer is cut off before they fill memory', async () => {
    let written = 0;
    const wire = new Duplex({
      read() {},
      // Never done: it takes nothing.
      write(bytes: Buffer) {
        written += bytes.length;
      },
    });
    const connection = new SpdyConnection({ wire, side: 'server' });
    const pings = Buffer.concat(Array.from({ length: 4_000 }, (_, n) => controlFrame(PING, 0, uint32(2 * n + 1))));
    wire.push(pings);
    wire.push(pings);

    expect((await connection.closed)?.message).toContain('does not take the answers');
    expect(written + wire.writableLength).toBeLessThan(128 * 1024);
  });
});

test('the dictionary is the one that everybody has', async () => {
  // The number of it stands in every packed block, and Go, Chromium and nginx write these bytes.
  const [block] = await packed(pairs());
  expect(block?.subarray(2, 6).toString('hex')).toBe('e3c6a7c2');
});
