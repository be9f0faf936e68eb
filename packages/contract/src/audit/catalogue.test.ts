import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { sampleEvent, sampleFields } from '../../testing/audit/sample-event.ts';
import { EVENT_NAMES, EVENT_TYPES, eventType } from './catalogue.ts';
import { tellEvent } from './tell-event.ts';

interface ReferenceEvent {
  code: string;
  event: string;
  label: string;
  severity: string;
  /** What the reference's own client reads to make its line; dots lead into objects. */
  read: string[];
  /** `name:type`, with a question mark where it may be missing; `@` names a block. */
  payload: string[];
}

const reference = JSON.parse(
  readFileSync(new URL('../../testing/audit/reference-events.json', import.meta.url), 'utf8'),
) as {
  blocks: Record<string, string[]>;
  events: ReferenceEvent[];
};

/** Fields that the reference's client falls over without, so ours always have them. */
const ALWAYS_SENT = ['TCA02I query', ...[1, 2, 3, 4, 5, 6].flatMap((n) => [`TV00${n}I user`, `TV00${n}I status`])];

test('every code is there once and ends in its severity', () => {
  const codes = EVENT_TYPES.map(({ code }) => code);

  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  for (const { code, severity } of EVENT_TYPES) {
    expect(code).toMatch(/^(T\w+|GH\d+)[IWE]$/);
    expect(severity).toBe({ I: 'info', W: 'warning', E: 'error' }[code.at(-1) ?? '']);
  }
});

test('the codes are the 186 of the reference and ours', () => {
  const codes = EVENT_TYPES.map(({ code }) => code).filter((code) => !code.startsWith('GH'));

  expect(reference.events).toHaveLength(186);
  expect(codes.sort()).toEqual(reference.events.map(({ code }) => code).sort());
});

test.each(reference.events)('$code is called as in the reference and carries its fields', (expected) => {
  const type = eventType(expected.code)!;

  expect(type).toMatchObject({ event: expected.event, label: expected.label, severity: expected.severity });
  const payload = expected.payload.flatMap((field) => reference.blocks[field] ?? [field]);
  const wrong = payload.flatMap((field) => {
    const [, name = '', optional, kind = ''] = /^(.*?)(\?)?:(.*)$/.exec(field) ?? [];
    return faultsOf(type.code, name, optional === '?', kind, type.fields.shape[name] as z.ZodType | undefined);
  });
  expect(wrong).toEqual([]);
  const declared = Object.keys(type.fields.shape);
  expect(expected.read.filter((path) => !declared.includes(path) && !declared.includes(path.split('.')[0]!))).toEqual(
    [],
  );
});

function faultsOf(
  code: string,
  name: string,
  optional: boolean,
  kind: string,
  schema: z.ZodType | undefined,
): string[] {
  if (!schema) return [`${name} is not declared`];
  const mayMiss = schema.safeParse(undefined).success;
  const wanted = optional && !ALWAYS_SENT.includes(`${code} ${name}`);
  const faults =
    mayMiss === wanted ? [] : [`${name} ${wanted ? 'may be missing' : 'is always there'} in the reference`];
  const accepted = Object.entries(VALUES)
    .filter(([, value]) => schema.safeParse(value).success)
    .map(([of]) => of);
  const fits = TYPES[kind]?.some((of) => accepted.includes(of)) && accepted.every((of) => TYPES[kind]?.includes(of));
  // An object we know the inside of takes no made-up one.
  const known = kind === 'object' && accepted.length === 0;
  return fits || known
    ? faults
    : [...faults, `${name} is ${kind} in the reference, here it takes ${accepted.join(' or ')}`];
}

const VALUES = {
  text: 'x',
  number: 1,
  boolean: true,
  texts: ['x'],
  things: [{ a: 1 }],
  map: { a: 'b' },
  object: { a: 1 },
};

const TYPES: Record<string, readonly string[]> = {
  string: ['text'],
  time: ['text'],
  base64: ['text'],
  number: ['number'],
  boolean: ['boolean'],
  'string[]': ['texts'],
  array: ['texts', 'things'],
  map: ['map', 'object'],
  object: ['map', 'object'],
};

test.each(EVENT_TYPES.map((type) => [type.code, type] as const))(
  'the sample of %s is one that can be written',
  (_, type) => {
    const fields = sampleFields(type);

    expect(type.fields.parse(fields)).toEqual(fields);
    for (const { name } of type.about) expect(Object.keys(type.fields.shape)).toContain(name);
    expect(JSON.parse(JSON.stringify(fields))).toEqual(fields);
  },
);

test('every event is told as it was agreed, in one line, with nothing missing', async () => {
  const rows = EVENT_TYPES.map((type) => tellEvent(sampleEvent(type)));

  expect(rows.filter(({ message }) => /\(unknown\)|undefined|\[object/.test(message))).toEqual([]);
  const told = rows.map(({ code, severity, label, subject, message }) =>
    [code, severity, label, `${subject.kind} ${subject.name}`.trim(), message].join(' | '),
  );
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('../../testing/audit/told-events.txt');
});

test('the names of the wire are there once each', () => {
  expect(new Set(EVENT_NAMES).size).toBe(EVENT_NAMES.length);
  expect(EVENT_NAMES).toContain('db.session.query.failed');
});
