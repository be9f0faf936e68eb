import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleEvent } from '../../testing/audit/sample-event.ts';
import { defineEvent } from '../events/define-event.ts';
import { line, MISSING } from '../events/line.ts';
import { queryText, visibleText } from '../std/visible-text.ts';
import { EVENT_TYPES } from './catalogue.ts';
import { rawJson } from './raw-json.ts';
import { MESSAGE_LENGTH, messageOf, type ToldEvent, tellEvent, unreadableIn } from './tell-event.ts';

/** Anything that moves the cursor, turns text round, hides, or breaks a row in two. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

function expectSafe(told: ToldEvent): void {
  for (const [name, text] of [...Object.entries(told), ...Object.entries(told.subject)]) {
    if (typeof text !== 'string') continue;
    expect([name, UNSAFE.test(text)]).toEqual([name, false]);
    // An escape is at most 9 characters for one.
    expect(text.length).toBeLessThanOrEqual(name === 'message' ? MESSAGE_LENGTH : 256 * 9);
  }
  expect(told.message).not.toBe('');
  expect(['info', 'warning', 'error']).toContain(told.severity);
}

const HOSTILE_TEXTS = [
  '',
  '<img src=x onerror=alert(1)>',
  '\u202egnp.exe',
  '\u2066nested\u2069',
  '\x1b[2J\x1b]8;;http://evil.example\x07click\x1b]8;;\x07',
  '\x9b31m',
  'two\nlines\r\nmore',
  'zero\u200bwidth\u2060\ufeff',
  'tags \u{e0041}\u{e0042}',
  '\ud800 alone',
  `z${'\u0334'.repeat(500)}`,
  'x'.repeat(1_000_000),
  '\u202e'.repeat(1_000_000),
];

const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE_TEXTS),
  fc.constantFrom<unknown>(null, undefined, Number.NaN, -0, 1e308, true, [], {}, [[[]]], 10n, Symbol('s'), () => 1),
  fc.anything({ maxDepth: 3, withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
);

test('any event with any fields replaced is told safely', () => {
  const event = fc.constantFrom(...EVENT_TYPES).chain((type) =>
    fc
      .dictionary(
        fc.constantFrom(...Object.keys(type.fields.shape), 'time', 'uid', 'event', '__proto__'),
        hostileValue,
        {
          maxKeys: 6,
        },
      )
      .map((fields) => ({ ...sampleEvent(type), ...fields })),
  );

  fc.assert(
    fc.property(event, (raw) => {
      expectSafe(tellEvent(raw));
      expect(Array.isArray(unreadableIn(raw))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('anything at all is told safely', () => {
  fc.assert(
    fc.property(hostileValue, (raw) => expectSafe(tellEvent(raw))),
    { numRuns: 500 },
  );
});

test.each(EVENT_TYPES.map(({ code }) => code))(
  '%s with no fields, and with each field hostile, is still a row',
  (code) => {
    const type = EVENT_TYPES.find((entry) => entry.code === code)!;
    expectSafe(tellEvent({ code }));
    expect(tellEvent({ code })).toMatchObject({ label: type.label, known: true });

    for (const text of HOSTILE_TEXTS) {
      const told = tellEvent({
        ...Object.fromEntries(Object.keys(type.fields.shape).map((name) => [name, text])),
        code,
      });
      expectSafe(told);
    }
  },
);

test('a wrong field costs itself alone', () => {
  const raw = { code: 'TDB02I', user: 7, db_service: 'orders', db_query: 'SELECT 1', success: 'yes' };

  expect(tellEvent(raw).message).toBe(`${MISSING} ran SELECT 1 in orders`);
  expect(unreadableIn(raw)).toEqual(['user', 'sid', 'db_protocol', 'db_uri', 'success']);
});

test('markup stays text, and marks that turn text round are seen', () => {
  expect(tellEvent({ code: 'T1005I', user: '<b>ann</b>' }).message).toBe('<b>ann</b> changed their password');
  expect(tellEvent({ code: 'T1005I', user: 'ann\u202etxt\x1b[31m\n' }).message).toBe(
    'ann\\u{202e}txt\\x1b[31m\\n changed their password',
  );
});

test('a long value leaves room for the rest of its line', () => {
  const { message } = tellEvent({ code: 'T1002I', user: 'a'.repeat(1_000_000), name: 'bob' });

  expect(message).toMatch(/^a{159}… created the user bob$/);
});

test.each([
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(77)}...`],
  [`${'x'.repeat(76)}😀😀😀`, `${'x'.repeat(76)}...`],
  ['SELECT 1\n  FROM\tt', 'SELECT 1 FROM t'],
])('query text is cut at 80 characters: case %#', (text, shown) => {
  expect(queryText(text)).toBe(shown);
  expect(tellEvent({ code: 'TDB02I', user: 'ann', db_service: 'orders', db_query: text }).message).toBe(
    `ann ran ${shown} in orders`,
  );
});

test('an unknown code is Unknown and shows its JSON', () => {
  const raw = { code: 'X9999W', event: 'new.thing', time: '2026-03-04T05:06:07Z', user: 'ann', n: 1 };

  expect(tellEvent(raw)).toEqual({
    id: 'new.thing:2026-03-04T05:06:07.000Z',
    code: 'X9999W',
    event: 'new.thing',
    label: 'Unknown',
    severity: 'warning',
    family: 'unknown',
    icon: 'circle-question-mark',
    message: '{"code":"X9999W","event":"new.thing","time":"2026-03-04T05:06:07Z","user":"ann","n":1}',
    time: '2026-03-04T05:06:07.000Z',
    user: 'ann',
    who: 'ann',
    subject: { kind: '', name: '' },
    session: '',
    address: '',
    known: false,
  });
});

test.each(['__proto__', 'constructor', 'toString', ''])('the code %j is Unknown', (code) => {
  expect(tellEvent({ code })).toMatchObject({ label: 'Unknown', known: false });
});

test('what is inherited is no field', () => {
  const raw = JSON.parse('{"code":"T1005I","__proto__":{"user":"mallory"}}') as unknown;

  expect(tellEvent(raw)).toMatchObject({ user: '', message: `${MISSING} changed their password` });
  const heir: unknown = Object.assign(Object.create({ user: 'mallory', sid: 's' }), { code: 'T1005I' });
  expect(tellEvent(heir)).toMatchObject({ user: '', session: '', message: `${MISSING} changed their password` });
});

test('an object that throws when it is read is a row too', () => {
  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
      has: () => {
        throw new Error('no');
      },
      ownKeys: () => {
        throw new Error('no');
      },
      getOwnPropertyDescriptor: () => {
        throw new Error('no');
      },
    },
  );

  expectSafe(tellEvent(throwing));
  expect(tellEvent(throwing).message).toBe('this event cannot be read');
  expect(unreadableIn(throwing)).toEqual([]);
  expect(rawJson({ a: 1, throwing }).text).toContain('"a": 1');
});

test('a line of ours that fails is told by its label', () => {
  const broken = defineEvent({
    code: 'GH999I',
    event: 'broken',
    label: 'Broken',
    fields: {},
    tell: () => line`${(undefined as unknown as string[]).length}`,
  });

  expect(messageOf(broken, {})).toBe('Broken');
});

test('JSON for reading is JSON with the same content, and nothing in it is invisible', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const { text, cut } = rawJson(value);
      expect(cut).toBe(false);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(UNSAFE.test(text.replaceAll('\n', ''))).toBe(false);
    }),
  );
  expect(rawJson({ name: 'a\u202eb\u{e0041}' }, { indent: 0 }).text).toBe('{"name":"a\\u202eb\\udb40\\udc41"}');
});

test('JSON for reading is bounded in length and depth', () => {
  let deep: unknown = 'end';
  for (let depth = 0; depth < 100_000; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
  const circle: Record<string, unknown> = {};
  circle.self = circle;

  expect(rawJson(deep, { indent: 0 }).text).toMatch(/^(\[|\{"deep":){24}"…"/);
  for (const value of [
    deep,
    circle,
    'x'.repeat(1_000_000),
    Array.from({ length: 1_000_000 }, () => 1),
    Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key-${at}`, at])),
    { a: Array.from({ length: 2_000 }, () => 'y'.repeat(1_000)) },
  ]) {
    const { text, cut } = rawJson(value);
    expect(cut).toBe(true);
    expect(text.length).toBeLessThanOrEqual(200_000);
    expectSafe(tellEvent({ code: 'nope', value }));
    expectSafe(tellEvent({ code: 'T1000I', attributes: value, user: value }));
  }
});

test('a page of five thousand events with a megabyte in one of them is told in a moment', () => {
  const samples = EVENT_TYPES.map(sampleEvent);
  const page = Array.from({ length: 5_000 }, (_, at) => samples[at % samples.length]!);
  page[17] = { ...page[17], user: 'x'.repeat(1_000_000) };

  const started = performance.now();
  const rows = page.map(tellEvent);
  const tookMs = performance.now() - started;

  expect(rows).toHaveLength(5_000);
  // Some 60 ms on two shared cores; a hundred times that means that something looks at whole megabytes or whole events.
  expect(tookMs).toBeLessThan(6_000);
});

test('text is cut between characters and never within one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 20 }), (text, length) => {
      expect(UNSAFE.test(visibleText(text, length))).toBe(false);
    }),
  );
  expect(visibleText('ab😀cd', 4)).toBe('ab…');
});
