/** Servers that lie: nothing they send leads out of a folder, is believed beyond what was asked, or goes on without end. */
import { MAX_LISTED } from '@gatehouse/contract/kinds/node/files/files';
import { ANSWER, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { expect, test } from 'vitest';
import { attributes, handle, names, ok, scriptedServer, status } from '../../../../testing/files/scripted-server.ts';
import { leadsOut, tarOf } from './archive.ts';
import { readRangeHeader } from './byte-range.ts';
import { removeTree } from './remove-tree.ts';
import { listFolder, namesIn } from './server-files.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import { readRange, writeAll } from './sftp/transfer.ts';
import { partOf } from './uploads.ts';

const FOLDER = 0o040755;
const LINK = 0o120777;
const PIPE = 0o010644;
const eof = status(STATUS.eof);

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test('names that are no names of files are not listed, and none twice', async () => {
  const evil = ['..', '.', '', '../../etc/passwd', '/etc', 'a\0b', 'x'.repeat(256), 'good', 'good', 'line\nbreak'];
  const { client } = await scriptedServer(({ type, nth }) => {
    if (type === REQUEST.opendir) return handle;
    if (type === REQUEST.readdir) return nth === 1 ? names(...evil.map((name) => ({ name }))) : eof;
    return ok;
  });

  const { entries, complete } = await listFolder(client, '/srv');

  expect(entries.map(({ name }) => name)).toEqual(['good', 'line\nbreak']);
  expect(complete).toBe(true);
});

test('a folder without end is left, and that is told', async () => {
  let next = 0;
  const { client, asked } = await scriptedServer(({ type }) => {
    if (type === REQUEST.opendir) return handle;
    if (type === REQUEST.readdir) return names(...Array.from({ length: 500 }, () => ({ name: `n${next++}` })));
    return ok;
  });

  const { entries, complete } = await listFolder(client, '/srv');

  expect([entries.length, complete]).toEqual([MAX_LISTED, false]);
  expect(asked.at(-1)).toBe(REQUEST.close);
});

test.each([
  [
    'sends more than was asked for',
    'sent more than it was asked for',
    { type: ANSWER.data, fields: [Buffer.alloc(100)] },
  ],
  ['answers with another type', 'answered something else than was asked', { type: ANSWER.name, fields: [0] }],
  ['answers what was not asked', 'answered what was not asked', { type: ANSWER.data, fields: ['x'], id: 4711 }],
  ['sends nothing as data', 'sent nothing where there was something', { type: ANSWER.data, fields: [''] }],
  [
    'sends a message that is cut short',
    'is cut short',
    { type: ANSWER.data, fields: [{ raw: Buffer.from([0, 0, 1, 0]) }] },
  ],
] as const)('a server that %s is not spoken to any more', async (_what, why, reply) => {
  const { client } = await scriptedServer(() => reply);

  await expect(client.read(Buffer.from('h'), 0, 10)).rejects.toThrow(why);
  expect(client.broken?.message).toContain(why);
});

test('a size that cannot be is not believed', async () => {
  const huge = { raw: Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.alloc(8, 0xff)]) };
  const { client } = await scriptedServer(() => ({ type: ANSWER.attributes, fields: [huge] }));

  await expect(client.attributes(REQUEST.stat, Buffer.from('/x'))).rejects.toThrow('impossible size');
});

test('a message of 4 GB is not waited for', async () => {
  const { client } = await scriptedServer(() => ({ type: ANSWER.data, fields: [Buffer.alloc(300_000)] }));

  await expect(client.read(Buffer.from('h'), 0, 10)).rejects.toThrow('which is no SFTP');
});

test('a file whose size is a lie ends where its bytes do', async () => {
  const { client } = await scriptedServer(({ type, body }) => {
    if (type !== REQUEST.read) return ok;
    body.bytes();
    const [offset, length] = [body.uint64(), body.uint32()];
    const left = Math.min(20_000, length, 70_000 - offset);
    return left <= 0 ? eof : { type: ANSWER.data, fields: [Buffer.alloc(left)] };
  });

  const bytes = await collect(readRange(client, Buffer.from('h'), { from: 0, to: 9e15 }));

  expect(bytes.length).toBe(70_000);
});

test('an archive is not filled up to a size that is a lie', async () => {
  const FILE = 0o100644;
  const { client } = await scriptedServer(({ type }) => {
    if (type === REQUEST.lstat) return { type: ANSWER.attributes, fields: [attributes(FILE)] };
    if (type === REQUEST.open) return handle;
    if (type === REQUEST.fstat) return { type: ANSWER.attributes, fields: [attributes(FILE, 9e15)] };
    return type === REQUEST.read ? eof : ok;
  });
  let given = 0;
  const take = async () => {
    for await (const piece of tarOf(client, [{ path: '/srv/x', name: 'x' }])) {
      given += piece.length;
      if (given > 10_000_000) return;
    }
  };

  await expect(take()).rejects.toThrow('has 9000000000000000 bytes');
});

test('what is refused while writing stops the source', async () => {
  const { client } = await scriptedServer(({ nth }) => (nth < 3 ? ok : status(STATUS.failure, 'No space left')));
  let given = 0;
  async function* source() {
    for (; given < 10_000; given++) yield Buffer.alloc(30_000);
  }

  const writing = writeAll(client, Buffer.from('h'), source(), {
    from: 0,
    to: 1e12,
    tooMuch: () => new Error('too much'),
  });

  await expect(writing).rejects.toThrow('No space left');
  expect(given).toBeLessThan(500);
});

test('deleting a folder deletes links as links and enters no folder that has become one', async () => {
  const removed: string[] = [];
  const { client } = await scriptedServer(({ type, body, nth }) => {
    const path = () => body.bytes().toString();
    if (type === REQUEST.lstat) return { type: ANSWER.attributes, fields: [attributes(FOLDER)] };
    if (type === REQUEST.realpath) {
      const asked = path();
      return names({ name: asked === '/srv/sub' ? '/etc' : asked });
    }
    if (type === REQUEST.opendir) return handle;
    if (type === REQUEST.readdir)
      return nth === 1 ? names({ name: 'link', mode: LINK }, { name: 'sub', mode: FOLDER }) : eof;
    if (type === REQUEST.remove || type === REQUEST.rmdir) removed.push(path());
    return ok;
  });

  await expect(removeTree(client, '/srv', { recursive: true })).rejects.toThrow("'/srv/sub' is not the folder it was");
  expect(removed).toEqual(['/srv/link']);
});

test('an archive holds no name twice and no link that leads out', async () => {
  const opened: string[] = [];
  const { client } = await scriptedServer(({ type, body, nth }) => {
    if (type === REQUEST.lstat) return { type: ANSWER.attributes, fields: [attributes(FOLDER)] };
    if (type === REQUEST.opendir) {
      opened.push(body.bytes().toString());
      return handle;
    }
    if (type === REQUEST.readlink) return names({ name: '../../root/.ssh' });
    // The same name as a link and then as a folder: unpacking would write through the link.
    if (type === REQUEST.readdir)
      return nth === 1 ? names({ name: 'trap', mode: LINK }, { name: 'trap', mode: FOLDER }) : eof;
    return ok;
  });

  const archive = (await collect(tarOf(client, [{ path: '/srv/d', name: 'd' }]))).toString('latin1');

  expect(opened).toEqual(['/srv/d']);
  expect(archive).not.toMatch(/(^|\0)d\/trap/);
  expect(archive).toContain('a link out of the folder, to ../../root/.ssh');
});

test.each([
  ['a', 1, false],
  ['../a', 1, true],
  ['../a', 2, false],
  ['x/../../a', 1, true],
  ['/etc', 3, true],
  ['a', 0, true],
])('a link to %j at depth %i leads out: %s', (link, depth, out) => {
  expect(leadsOut(link, depth)).toBe(out);
});

test.each([
  Buffer.from('plain'),
  Buffer.from('ümläut 日本 🙂'),
  Buffer.from([0x63, 0xe9, 0xff, 0x80]),
  Buffer.from([0xf0, 0x9f, 0x99]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\uf7e9 a character that stands for a byte'),
  Buffer.from([0xef, 0xbb, 0xbf, 0x61]),
])('the name %j survives being text', (name) => {
  const text = textOfName(name);

  expect(bytesOfName(text).equals(name)).toBe(true);
  expect(text.isWellFormed()).toBe(true);
});

test('what is unfinished lies beside its target under a name of bounded length', () => {
  expect(partOf('/srv/a.txt', '0123456789abcdef')).toBe('/srv/.a.txt.0123456789abcdef.part');
  expect(partOf(`/${'ü'.repeat(120)}`, '0123456789abcdef').length).toBeLessThan(80);
});

test.each([
  [undefined, { type: 'all' }],
  ['bytes=0-', { type: 'part', from: 0, to: 10 }],
  ['bytes=3-5', { type: 'part', from: 3, to: 6 }],
  ['bytes=3-500', { type: 'part', from: 3, to: 10 }],
  ['bytes=-4', { type: 'part', from: 6, to: 10 }],
  ['bytes=10-', { type: 'none' }],
  ['bytes=-0', { type: 'none' }],
  ['bytes=5-3', { type: 'all' }],
  ['bytes=0-1,3-4', { type: 'all' }],
  ['lines=1-2', { type: 'all' }],
])('the range %j of ten bytes', (header, range) => {
  expect(readRangeHeader(header, 10)).toEqual(range);
});

test('a server that lists the same names over and over is left', async () => {
  const { client } = await scriptedServer(({ type }) => {
    if (type === REQUEST.lstat) return { type: ANSWER.attributes, fields: [attributes(FOLDER)] };
    if (type === REQUEST.opendir) return handle;
    if (type === REQUEST.readdir) return names({ name: 'again', mode: PIPE });
    return ok;
  });

  const archive = await collect(tarOf(client, [{ path: '/srv', name: 'srv' }]));

  expect(String(archive)).toMatch('is listed without an end');
});

test('no more names are remembered than fit, of all folders on the way down together', async () => {
  let next = 0;
  const { client } = await scriptedServer(({ type }) => {
    if (type === REQUEST.opendir) return handle;
    if (type !== REQUEST.readdir) return ok;
    return names(...Array.from({ length: 500 }, () => ({ name: `${'x'.repeat(240)}${next++}`, mode: PIPE })));
  });
  const room = { left: 1024 * 1024 };
  const above = namesIn(client, '/srv', room);
  await above.next();
  await above.next();

  const below = namesIn(client, '/srv/below', room);
  let batches = 0;
  const readAll = async () => {
    for await (const _ of below) batches += 1;
  };

  await expect(readAll()).rejects.toThrow('has too many names');
  expect(batches).toBe(4);
  await above.return(undefined);
  expect(room.left).toBe(1024 * 1024);
});
