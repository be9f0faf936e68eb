import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../../platform/std/app-error.ts';
import { type Allows, ListScan, MAX_ITEM } from './list-scan.ts';
import { WatchScan } from './watch-scan.ts';

const inDev: Allows = (namespace) => namespace === 'dev';

function filtered(
  text: string,
  allows: Allows = inDev,
  cuts: readonly number[] = [],
  Scan: typeof ListScan | typeof WatchScan = ListScan,
): string {
  const scan = new Scan(allows);
  const bytes = Buffer.from(text);
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  // Each piece in memory of its own, as from a socket.
  const pieces = places.slice(1).map((to, index) => Buffer.from(Uint8Array.from(bytes.subarray(places[index], to))));
  const out = pieces.flatMap((piece) => scan.write(piece).map((part) => part.toString('latin1')));
  scan.finish();
  return Buffer.from(out.join(''), 'latin1').toString();
}
const watched = (text: string, allows: Allows = inDev, cuts: readonly number[] = []) =>
  filtered(text, allows, cuts, WatchScan);

const pod = (namespace: string, name: string, more: object = {}) => ({ metadata: { name, namespace }, ...more });
const list = (...items: object[]) => ({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items });
const row = (namespace: string, name: string) => ({
  cells: [name, 1],
  object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name, namespace } },
});
const table = (columns: object[] | null, ...rows: object[]) => ({
  ...{ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '9' } },
  ...{ columnDefinitions: columns, rows },
});
const COLUMNS = [{ name: 'Name', type: 'string' }];
const event = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(
      (line) =>
        JSON.parse(line) as {
          type: string;
          object: { rows: { cells: unknown[] }[]; columnDefinitions: unknown; metadata: { name: string } };
        },
    );

/** Whatever a value may hold to be taken for something else. */
const TRAPS = {
  spec: {
    metadata: { namespace: 'dev', name: 'x' },
    text: '"metadata":{"namespace":"dev"}',
    ends: '}]},{',
    back: '\\',
    more: '\\"',
    items: [{ metadata: { namespace: 'dev' } }],
  },
  'metadata"': { namespace: 'dev' },
  é: '\u2028 ☃',
};

describe('a list', () => {
  test('keeps what may be seen as it is, in its order, and drops the rest', () => {
    const text = JSON.stringify(
      list(pod('dev', 'a', TRAPS), pod('prod', 'b', TRAPS), pod('dev', 'c'), pod('dev', 'd'), {
        metadata: { name: 'n' },
      }),
    );

    expect(JSON.parse(filtered(text))).toEqual(list(pod('dev', 'a', TRAPS), pod('dev', 'c'), pod('dev', 'd')));
    expect(filtered(text)).toContain(JSON.stringify(pod('dev', 'a', TRAPS)));
  });

  test('cut at every byte it is the same', () => {
    const text = JSON.stringify(
      list(pod('dev', 'a', TRAPS), pod('prod', 'b', TRAPS), pod('dev', 'c', { é: '☃' })),
      null,
      1,
    );
    const whole = filtered(text);

    expect(JSON.parse(whole).items).toHaveLength(2);
    for (let at = 1; at < Buffer.byteLength(text); at += 1) expect(filtered(text, inDev, [at])).toBe(whole);
    expect(filtered(text, inDev, Array.from(Buffer.from(text).keys()).slice(1))).toBe(whole);
  });

  test('an object outside namespaces has none', () => {
    const text = JSON.stringify(list({ metadata: { name: 'n1' } }, { metadata: { name: 'n2' } }));

    expect(JSON.parse(filtered(text, (namespace, name) => namespace === '' && name === 'n2')).items).toEqual([
      { metadata: { name: 'n2' } },
    ]);
  });

  test.each([
    ['metadata twice', '{"metadata":{"namespace":"dev","name":"a"},"metadata":{"namespace":"prod","name":"a"}}'],
    [
      'metadata twice, the other way',
      '{"metadata":{"namespace":"prod","name":"a"},"metadata":{"namespace":"dev","name":"a"}}',
    ],
    ['a namespace twice, the other way', '{"metadata":{"namespace":"prod","name":"a","namespace":"dev"}}'],
    ['a name twice', '{"metadata":{"namespace":"dev","name":"a","name":"b"}}'],
    ['a namespace twice', '{"metadata":{"namespace":"dev","name":"a","namespace":"prod"}}'],
    ['a key in disguise', '{"metadata":{"namespace":"dev","name":"a"},"metad\\u0061ta":{"namespace":"prod"}}'],
    ['a namespace in disguise', '{"metadata":{"n\\u0061mespace":"prod","name":"a"}}'],
    ['a namespace that is no text', '{"metadata":{"namespace":["dev"],"name":"a"}}'],
    ['a name that is no text', '{"metadata":{"namespace":"dev","name":null}}'],
    ['a name without end', `{"metadata":{"namespace":"dev","name":"${'x'.repeat(5_000)}"}}`],
    ['no metadata', '{"namespace":"dev","name":"a"}'],
    ['metadata of another', '{"spec":{"metadata":{"namespace":"dev","name":"a"}}}'],
    ['metadata in a list', '{"metadata":[{"namespace":"dev","name":"a"}]}'],
    ['names below others', '{"metadata":{"labels":{"namespace":"dev","name":"a"}}}'],
    ['a text that looks like a key', '{"metadata":{"x":"namespace","name":"a"}}'],
    ['text that is not JSON', '{"metadata":{"namespace":"\\q","name":"a"}}'],
  ])('of an item with %s nobody can be sure, so it is dropped', (_, item) => {
    expect(JSON.parse(filtered(`{"items":[${item}]}`))).toEqual({ items: [] });
  });

  test('a key or a name written in another way is the same', () => {
    const item = '{"metad\\u0061ta" : {"n\\u0061mespace"\n:\t"d\\u0065v", "name":"a"}}';

    expect(filtered(`{"items":[${item}]}`)).toBe(`{"items":[${item}]}`);
  });

  test('says nothing of what is not seen: not how many are left, and no field of its own', () => {
    const text =
      '{"kind":"PodList","extra":{"items":[{"metadata":{"name":"secret"}}]},"metadata":{"continue":"abc","remainingItemCount":41},"items":[],"more":"secret"}';

    expect(JSON.parse(filtered(text))).toEqual({ kind: 'PodList', metadata: { continue: 'abc' }, items: [] });
  });

  test('an empty one may be null', () => {
    expect(JSON.parse(filtered('{"items":null,"kind":"PodList"}'))).toEqual({ items: null, kind: 'PodList' });
  });

  test.each([
    ['[]', 'no list'],
    ['"text"', 'no list'],
    ['{"items":{"a":1}}', 'no list'],
    ['{"items":[1]}', 'no objects'],
    ['{"items":[]}{', 'follows'],
    ['{"items":[{"metadata":{}}', 'breaks off'],
    ['{"items" 7}', 'told apart'],
    ['{items:[]}', 'told apart'],
    ['{"metadata":{]}}', 'cannot be read'],
    ['', 'breaks off'],
  ])('what is none is refused: %s', (text, words) => {
    expect(() => filtered(text)).toThrow(words);
  });
});

test('a table is filtered by the objects of its rows', () => {
  const text = JSON.stringify(
    table(
      COLUMNS,
      row('dev', 'a'),
      row('prod', 'b'),
      { cells: ['dev'], metadata: { name: 'a', namespace: 'dev' } },
      { cells: ['c'], object: null },
    ),
  );

  expect(JSON.parse(filtered(text))).toEqual(table(COLUMNS, row('dev', 'a')));
});

describe('a watch', () => {
  test('keeps events about what may be seen, and what tells of itself', () => {
    const mark = { kind: 'Pod', metadata: { resourceVersion: '12', creationTimestamp: null } };
    const gone = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Expired', code: 410 };
    const kept = [
      event('ADDED', pod('dev', 'a', TRAPS)),
      event('BOOKMARK', mark),
      event('DELETED', pod('dev', 'c')),
      event('ERROR', gone),
    ];
    const text = [
      kept[0],
      event('ADDED', pod('prod', 'b', TRAPS)),
      kept[1],
      kept[2],
      ...[
        event('ERROR', pod('prod', 'b')),
        event('BOOKMARK', pod('prod', 'b')),
        event('OTHER', pod('dev', 'b')),
        event('ADDED', mark),
      ],
      ...[
        '{"type":"ADDED","object":{"metadata":{"namespace":"dev","name":"a"}},"object":{"metadata":{"namespace":"prod","name":"a"}}}\n',
      ],
      ...['{"type":"ADDED","object":7}\n', '{}\n'],
      kept[3],
    ].join('');

    expect(watched(text)).toBe(kept.join(''));
    for (let at = 1; at < Buffer.byteLength(text); at += 1) expect(watched(text, inDev, [at])).toBe(kept.join(''));
  });

  test('an event passes as soon as it is whole', () => {
    const scan = new WatchScan(inDev);
    const text = event('ADDED', pod('dev', 'a')).trimEnd();

    expect(scan.write(Buffer.from(text.slice(0, -1)))).toEqual([]);
    expect(Buffer.concat(scan.write(Buffer.from('}'))).toString()).toBe(`${text}\n`);
  });

  test('the columns of a table come with the first event that passes, and once', () => {
    const text = [
      event('ADDED', table(COLUMNS, row('prod', 'a'))),
      event('ADDED', table(null, row('prod', 'b'))),
      event('ADDED', table(null, row('dev', 'c'))),
      event('MODIFIED', table(null, row('prod', 'd'), row('dev', 'e'))),
    ].join('');
    const passed = lines(watched(text));

    expect(passed.map(({ object }) => [object.columnDefinitions, object.rows.map(({ cells }) => cells[0])])).toEqual([
      [COLUMNS, ['c']],
      [null, ['e']],
    ]);
  });

  test('columns that passed are not said again, and a bookmark may bring them', () => {
    const mark = { cells: ['', ''], object: { metadata: { resourceVersion: '7' } } };
    const text = [
      event('BOOKMARK', table(COLUMNS, mark)),
      event('ADDED', table(null, row('prod', 'b'))),
      event('ADDED', table(null, row('dev', 'c'))),
    ];

    expect(watched(text.join(''))).toBe(`${text[0]}${text[2]}`);
  });

  test('what is none is refused', () => {
    expect(() => watched('[]')).toThrow('no object');
    expect(() => watched('{"type":"ADDED"')).toThrow('breaks off');
  });
});

describe('memory', () => {
  test.each([
    ['list', new ListScan(() => true), '{"items":[{"metadata":{"name":"a"},"x":"'],
    ['list of keys', new ListScan(() => true), '{"items":[{"metadata":{'],
    ['field', new ListScan(() => true), '{"kind":"'],
    ['field that does not pass', new ListScan(() => true), '{"x":"'],
    ['watch', new WatchScan(() => true), '{"type":"ADDED","object":{"x":"'],
  ])('is that of one item: a %s without end is refused', (_, scan, begin) => {
    const piece = Buffer.alloc(256 * 1024, 'y');
    const write = () => {
      scan.write(Buffer.from(begin));
      for (let sent = 0; sent < MAX_ITEM + 2 * piece.length; sent += piece.length) scan.write(piece);
    };

    expect(write).toThrow(/more than 8 MiB|no end/);
  });

  test('space without end is refused where it stands in the way, and passes over elsewhere', () => {
    const space = Buffer.alloc(100_000, ' ');
    const scan = new ListScan(() => true);
    scan.write(
      Buffer.concat([
        space,
        Buffer.from('{'),
        space,
        Buffer.from('"items"'),
        space,
        Buffer.from(':'),
        space,
        Buffer.from('['),
        space,
      ]),
    );

    expect(() => scan.write(Buffer.concat([Buffer.from('{"metadata"'), space, Buffer.from(':')]))).toThrow('space');
  });
});

test('whatever is in it and wherever it is cut: the same as parsing, filtering and writing', () => {
  const word = fc.constantFrom('dev', 'prod', 'metadata', 'name', 'namespace', '"', '\\', '}', '\\"', 'é☃', '');
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.integer(),
      fc.constant(null),
      fc.boolean(),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(word, tie('any'), { maxKeys: 3 }),
    ),
  })).any;
  const item = fc.record(
    {
      kind: word,
      metadata: fc.record({
        labels: fc.dictionary(word, word),
        namespace: fc.constantFrom('dev', 'prod'),
        name: fc.constantFrom('a', 'b"\\'),
      }),
      spec: value,
      object: value,
    },
    { requiredKeys: ['metadata'] },
  );
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 5 }),
      fc.constantFrom(0, 2),
      fc.array(fc.nat(), { maxLength: 8 }),
      (items, indent, places) => {
        const text = JSON.stringify(list(...items), null, indent);
        const cuts = places.map((place) => place % (Buffer.byteLength(text) + 1));
        const kept = items.filter(({ metadata }) => metadata.namespace === 'dev');

        expect(JSON.parse(filtered(text, inDev, cuts))).toEqual(JSON.parse(JSON.stringify(list(...kept))));
        const events = items.map((each) => event('ADDED', each)).join('');
        expect(
          lines(
            watched(
              events,
              inDev,
              cuts.filter((cut) => cut < Buffer.byteLength(events)),
            ),
          ).map(({ object }) => object),
        ).toEqual(JSON.parse(JSON.stringify(kept)));
      },
    ),
    { numRuns: 300, seed: 20 },
  );
});

test('whatever a cluster that lies sends: it is refused in words or passes, and nothing else happens', () => {
  const good = Buffer.from(JSON.stringify(list(pod('dev', 'a', TRAPS), pod('prod', 'b', TRAPS))));
  const noise = fc.constantFrom(...Buffer.from('{}[]":,\\ \n0n'), 0, 0xff);
  let refused = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(good.length - 1), noise), { minLength: 1, maxLength: 6 }),
      fc.nat(good.length),
      (changes, cut) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        for (const scan of [new ListScan(inDev), new WatchScan(inDev)]) {
          try {
            scan.write(bytes.subarray(0, cut));
            scan.write(bytes.subarray(cut));
            scan.finish();
          } catch (error) {
            expect(error).toBeInstanceOf(AppError);
            refused += 1;
          }
        }
      },
    ),
    { numRuns: 1_000, seed: 20 },
  );
  expect(refused).toBeGreaterThan(100);
});
